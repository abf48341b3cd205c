"""Running scenarios."""
from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from .errors import RunFailed
from .program import ask, document_of, find_program, plugin_options
from .progress import Display, Progress, display_for
from .results import Results, load

Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Shown = Union[bool, Callable[[Progress], None]]


def run(scenario: Scenario, *, set: Optional[Mapping[str, Any]] = None,  # noqa: A002: as the option is called
        jobs: Optional[int] = None, threads: Optional[int] = None, out: Optional[Union[str, "os.PathLike[str]"]] = None,
        fresh: bool = False, whatif: bool = True, trace: Union[bool, str] = False, plugins: Sequence[str] = (),
        fail_unless: Sequence[str] = (), progress: Shown = True) -> Results:
    """Runs a scenario, or what is still missing of it, and returns its results.

    scenario     a file, or the scenario itself as a dictionary, in which paths are relative to the current folder
    set          values to change, by JSON pointer: {"/stop/time": "60s"}; None removes one
    jobs         how many runs at once (one per core); threads: for the mathematics of each (cores / jobs)
    out          folder of the results (results/<name>)
    fresh        remove finished runs first, instead of keeping them
    whatif       also time the runs again on changed clusters, to see what decides
    trace        True, or a window of virtual time such as "10s:20s": timelines, for the Gantt figure
    plugins      shared libraries with algorithms, models or data kinds of one's own
    fail_unless  what must hold of the results, such as "async.time_to_target_s < 40"
    progress     True: a bar in a notebook or on a terminal; False: none; or a function that takes a Progress

    InputError says where in the scenario a mistake is. RunFailed, which has the results, is raised when a run failed or
    fail_unless does not hold. An interrupt keeps what is finished: the same call does the rest."""
    options: List[str] = []
    for number, option in ((jobs, "--jobs"), (threads, "--threads")):
        options += [option, str(number)] if number is not None else []
    options += ["--out", os.fspath(out)] if out is not None else []
    options += ["--fresh"] if fresh else []
    options += [] if whatif else ["--no-whatif"]
    options += ["--trace" if trace is True else f"--trace={trace}"] if trace else []
    for text in fail_unless:
        options += ["--fail-unless", text]
    with _as_file(scenario) as (file, written):
        words = ["run", file, *_changes(set, plugins), *options]
        document, code, complaints = _run(words, display_for(progress), written)
    results = load(document["results"])
    if code != 0:
        broken = [f"{item['assertion']} does not hold: {item['left']}, {item['right']} {item['where']}".rstrip()
                  for item in document["assertions"] if not item["holds"]]
        failed = [f"{row['run']} failed: {row['reason']}" for row in document["runs"] if row["status"] == "failed"]
        raise RunFailed("; ".join(broken + failed) or "; ".join(complaints) or f"motley run ended with exit code {code}", results)
    return results


def sweep(scenario: Scenario, axes: Mapping[str, Any], *, replicas: Optional[int] = None,
          tune: Optional[Mapping[str, Any]] = None, set: Optional[Mapping[str, Any]] = None,  # noqa: A002
          **options: Any) -> Results:
    """Runs a scenario at every combination of values: axes maps JSON pointers to lists of values, or to ranges such as
    {"from": "1Gbps", "to": "100Gbps", "steps": 5, "scale": "log"}. `tune` is the scenario's section of that name, with
    which every algorithm is tuned by itself at every point. All else is as in run()."""
    changes: Dict[str, Any] = {**(set or {}), "/sweep": dict(axes)}
    if replicas is not None:
        changes["/replicas"] = replicas
    if tune is not None:
        changes["/tune"] = dict(tune)
    return run(scenario, set=changes, **options)


def validate(scenario: Scenario, *, set: Optional[Mapping[str, Any]] = None,  # noqa: A002
             plugins: Sequence[str] = ()) -> Dict[str, Any]:
    """Checks a scenario without running it. Returns what is known of it: how many runs, what is trained and modelled, the
    scenario with all defaults filled in. InputError says where a mistake is."""
    with _as_file(scenario) as (file, written):
        return ask(["validate", file, *_changes(set, plugins)], written)


def _changes(values: Optional[Mapping[str, Any]], plugins: Sequence[str]) -> List[str]:
    words: List[str] = []
    for pointer, value in (values or {}).items():
        words += ["--set", f"{pointer}={_json(value)}"]
    return words + plugin_options(plugins)


def _json(value: Any) -> str:
    """As JSON; numbers of numpy are numbers."""
    def plain(other: Any) -> Any:
        for method in ("item", "tolist"):
            if hasattr(other, method) and (method == "tolist" or getattr(other, "ndim", 0) == 0):
                return getattr(other, method)()
        if isinstance(other, os.PathLike):
            return os.fspath(other)
        raise TypeError(f"{other!r} cannot stand in a scenario")
    return json.dumps(value, default=plain)


@contextlib.contextmanager
def _as_file(scenario: Scenario) -> Iterator[Tuple[str, Optional[str]]]:
    """(the file, the same if it was written for this call). A dictionary is written to the current folder, since paths in
    it are relative to that."""
    if not isinstance(scenario, Mapping):
        yield os.fspath(scenario), None
        return
    with tempfile.NamedTemporaryFile("w", prefix=".motley-", suffix=".json", dir=os.getcwd(), encoding="utf-8") as file:
        file.write(_json(dict(scenario)))
        file.flush()
        name = os.path.relpath(file.name)
        yield name, name


def _run(words: Sequence[str], display: Display, written: Optional[str]) -> Tuple[Dict[str, Any], int, List[str]]:
    """Starts the program, shows what it tells on stderr, and returns what it prints, its exit code and its complaints."""
    process = subprocess.Popen([find_program(), *words, "--json", "--progress", "json"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None and process.stderr is not None
    printed: List[bytes] = []
    stdout = process.stdout
    reader = threading.Thread(target=lambda: printed.append(stdout.read()), daemon=True)
    reader.start()
    complaints: List[str] = []
    try:
        for line in process.stderr:
            _tell(line.decode(errors="replace").rstrip("\n"), display, complaints)
    except BaseException:  # an interrupt, above all: what is finished is kept
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGINT)
        process.stderr.read()
        raise
    finally:
        display.close()
        code = process.wait()
        reader.join()
        stdout.close()
        process.stderr.close()
    if code != 2:
        for complaint in complaints:
            display.say(complaint)
    return document_of(b"".join(printed), "\n".join(complaints), code, written), code, complaints


def _tell(line: str, display: Display, complaints: List[str]) -> None:
    try:
        event = json.loads(line)
    except ValueError:
        if line.startswith("motley: "):  # the rest tells how far it is
            complaints.append(line)
        return
    if isinstance(event, dict) and "total" in event:
        display.show(Progress.of(event))

