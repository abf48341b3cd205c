"""Motley from Python: run scenarios, read their results as tables, draw their figures.

    import motley

    results = motley.run("scenarios/quickstart.json", set={"/stop/time": "60s"})
    results.summary                       # a DataFrame; every CSV file of the folder is one
    results.figure("target", columns=1)   # a matplotlib figure, as in the report
    print(results.latex())                # the summary for a paper

What is computed is computed by the program, which is found in the checkout, by the environment variable MOTLEY_BINARY
or on the PATH. This package starts it, tells how far it is, and reads what it wrote."""
from .about import algorithms, columns, schema, version
from .errors import InputError, MotleyError, ProgramNotFound, RunFailed
from .progress import Progress
from .results import Results, load
from .running import run, sweep, validate

__all__ = ["InputError", "MotleyError", "Progress", "ProgramNotFound", "Results", "RunFailed", "algorithms", "columns", "load",
           "run", "schema", "sweep", "validate", "version"]
