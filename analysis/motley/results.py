"""Results as tables and figures."""
from __future__ import annotations

import os
import pathlib
import re
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import pandas as pd

from .drawing import module
from .errors import InputError
from .program import ask, call

_reading = module("results")
_units = module("units")

# How the dimension of a swept quantity, which is made a number in SI, ends the name of its column.
UNIT_OF = {"time": "s", "data": "bytes", "rate": "bytes_per_s", "flops": "flops", "power": "W"}
_STYLE = ("<style scoped>.motley th,.motley td{text-align:right;white-space:nowrap;padding:.2em .6em}"
          ".motley th:first-child,.motley td:first-child{text-align:left}.motley small{display:block;opacity:.7}"
          ".motley .swatch{display:inline-block;width:.7em;height:.7em;margin-right:.4em}</style>")
_MOST_POINTS = 4  # of a sweep, in a notebook


def load(folder: Union[str, "os.PathLike[str]"]) -> "Results":
    """The results in a folder that motley run has written."""
    try:
        return Results(_reading.results_of(folder))
    except _reading.NoData as reason:
        raise InputError(str(reason), os.fspath(folder)) from None


class Results:
    """A results folder. Each of its CSV files is a DataFrame: runs, summary, comparisons, curves, bands, workers, links,
    staleness, decisions, events, warnings, tuned, whatif, limits; motley.columns() says what is in them. One that is not
    there is empty.

    Algorithms are categories in the order of the scenario, counts are integers (Int64, which may be missing), other numbers
    floats, other words text. What was swept is a column named by its pointer's end, a number in SI units where it is a
    quantity: "link_bandwidth_bytes_per_s". `axes` maps these names to the JSON pointers."""

    runs: pd.DataFrame
    summary: pd.DataFrame
    comparisons: pd.DataFrame
    curves: pd.DataFrame
    bands: pd.DataFrame
    workers: pd.DataFrame
    links: pd.DataFrame
    staleness: pd.DataFrame
    decisions: pd.DataFrame
    events: pd.DataFrame
    warnings: pd.DataFrame
    tuned: pd.DataFrame
    whatif: pd.DataFrame
    limits: pd.DataFrame

    def __init__(self, read: Any) -> None:
        self._read = read  # as the figures read it
        self.axes: Dict[str, str] = {}
        renamed: Dict[str, Tuple[str, Dict[Any, Any]]] = {}
        for pointer in read.axes:
            name, values = _axis(read.axis_name(pointer), list(dict.fromkeys(read.runs[pointer])))
            self.axes[name] = pointer
            renamed[pointer] = (name, values)
        for name in _reading.COLUMNS:
            setattr(self, name, self._table(name, renamed))

    def _table(self, name: str, renamed: Dict[str, Tuple[str, Dict[Any, Any]]]) -> pd.DataFrame:
        read: pd.DataFrame = getattr(self._read, name)
        described = {column["name"]: column for column in _reading.DESCRIBED[name]["columns"]}
        parts: Dict[str, pd.Series] = {}
        for column in read.columns:
            if column in renamed:
                new, values = renamed[column]
                numbers = read[column].map(values) if values else read[column]
                parts[new] = numbers if pd.api.types.is_numeric_dtype(numbers) else _category(numbers)
            elif column in ("algorithm", "against", "baseline"):
                parts[column] = _category(read[column], self.algorithms)
            elif column not in described and name != "tuned":
                continue  # what the figures have added for themselves
            elif column in described and described[column].get("whole"):
                parts[column] = read[column].round().astype("Int64")
            else:
                parts[column] = read[column]
        return pd.DataFrame(parts)

    @property
    def folder(self) -> pathlib.Path:
        folder: pathlib.Path = self._read.folder
        return folder

    @property
    def algorithms(self) -> List[str]:
        """Labels in the order of the scenario."""
        return list(self._read.algorithms)

    @property
    def scenario(self) -> Dict[str, Any]:
        """With every default filled in."""
        return dict(self._read.scenario)

    @property
    def provenance(self) -> Dict[str, Any]:
        """What made the results: version, commit, compiler, libraries, command."""
        return dict(self._read.provenance)

    @property
    def target(self) -> Optional[Tuple[str, float]]:
        """("test_accuracy", 0.82), ("test_loss", 0.1) or None."""
        target: Optional[Tuple[str, float]] = self._read.target
        return target

    @property
    def missing(self) -> List[str]:
        """Files and columns that should be there and are not."""
        return list(self._read.missing)

    @staticmethod
    def figure_names() -> List[str]:
        """What figure() can draw, of results that have the data."""
        return [drawn.NAME for drawn in module("figures").ALL]

    def figure(self, name: str, *, columns: int = 2, only: Optional[Sequence[str]] = None, font_size: float = 8) -> Any:
        """A figure of the report as a matplotlib Figure: as wide as one or two columns of a paper, perhaps only of some
        algorithms, which keep their colours. InputError when there is no such figure, or no data for it."""
        by_name = {drawn.NAME: drawn for drawn in module("figures").ALL}
        if name not in by_name:
            raise InputError(f"there is no figure '{name}'; there are: {', '.join(by_name)}")
        if columns not in (1, 2):
            raise InputError(f"columns: must be 1 or 2, got {columns}")
        for label in only or ():
            if label not in self.algorithms:
                raise InputError(f"only: there is no algorithm '{label}'; there are: {', '.join(self.algorithms)}")
        look = module("look").Look.of(self._read, columns)
        read = self._read
        if only is not None:
            read = _reading.Results(self.folder)
            module("drawing").keep_only(read, list(only))
        module("style").set_font_size(font_size)
        try:
            return by_name[name].draw(read, look)
        except _reading.NoData as reason:
            raise InputError(f"figure {name}: {reason}") from None

    def report(self, out: Optional[Union[str, "os.PathLike[str]"]] = None) -> pathlib.Path:
        """Writes all figures and one self-contained page, RESULTS/report.html unless it is given; returns its place."""
        call(["report", str(self.folder)] + (["--out", os.fspath(out)] if out is not None else []))
        return pathlib.Path(out) if out is not None else self.folder / "report.html"

    def latex(self) -> str:
        """The summary as a LaTeX table; it needs the package booktabs."""
        table: str = module("latex").table(self._read)
        return table

    def answer(self) -> str:
        """Who is first, in words, as at the top of the report."""
        words = module("words")
        lines = [f"{title}: {' '.join(sentences)}" if title else " ".join(sentences) for title, sentences in words.answer(self._read)]
        return "\n".join(lines)

    def explain(self, a: str, b: str, *, at: Optional[str] = None) -> str:
        """Why one algorithm reached the target before another; of a sweep `at` a point, such as "ratio=8"."""
        document = ask(["explain", str(self.folder), a, b] + (["--at", at] if at else []))
        return str(document["text"])

    def diff(self, other: "Results") -> Dict[str, Any]:
        """What changed from these results to others: the scenario, the program, the results with intervals."""
        return ask(["diff", str(self.folder), str(other.folder)])

    def __repr__(self) -> str:
        return f"<motley.Results {self.folder}: {len(self.runs)} runs of {', '.join(self.algorithms)}>"

    def _repr_html_(self) -> str:
        """The question, the answer and the table of the report."""
        report, words = module("report"), module("words")
        points = self._read.points()
        shown = points[:_MOST_POINTS]
        more = f"<p>... and {len(points) - len(shown)} more points; see .summary</p>" if len(points) > len(shown) else ""
        if len(points) > 1 and self.target:
            answer = words.over_the_sweep(self._read)
        else:
            answer = " ".join(words.answer(self._read)[0][1])
        return (f'<div class="motley">{_STYLE}<p><b>{report.text(self._read.scenario.get("name", self.folder.name))}</b>: '
                f"{report.text(words.question(self._read))}</p><p>{report.text(answer)}</p>"
                f"{report.table_html(self._read, shown)}{more}</div>")


def _axis(title: str, values: Sequence[Any]) -> Tuple[str, Dict[Any, Any]]:
    """(name of the column, value -> number); no numbers where the values are numbers or words already."""
    name = re.sub(r"[^0-9A-Za-z]+", "_", title).strip("_")
    sizes = _units.sizes_of(values)
    if sizes is None:
        return name, {}
    dimension = _units.quantity_of(values[0])[1]
    return f"{name}_{UNIT_OF[dimension]}", dict(zip(values, sizes))


def _category(values: pd.Series, order: Sequence[str] = ()) -> pd.Series:
    """Words as categories, in this order and then in the order in which they come."""
    words = list(dict.fromkeys([*order, *values.dropna()]))
    return values.astype(pd.CategoricalDtype(words))
