"""A results folder, read once. Files that are missing or empty are empty tables, and are named. Whatever a file holds,
a section of the scenario is an object, a number is finite or missing, and a run has a name."""
import json
import math
import pathlib
import re

import pandas as pd

# What the simulator says of its files: written by "motley columns --json", and a test holds it against that.
# Those of motley compare and motley calibrate are for analysis/prediction.py.
DESCRIBED = {name: table for name, table in
             json.loads((pathlib.Path(__file__).parent / "columns.json").read_text(encoding="utf-8")).items()
             if name not in ("compare", "timings")}
COLUMNS = {name: [column["name"] for column in table["columns"]] for name, table in DESCRIBED.items()}
TEXT = {column["name"] for table in DESCRIBED.values() for column in table["columns"] if column["kind"] == "text"}
# Columns of energy and cost: there only where the scenario gives power or prices.
WHEN_GIVEN = {column["name"] for table in DESCRIBED.values() for column in table["columns"] if "only_with" in column}
# These exist only when something asks for them, so their absence is no fault of the folder.
ON_REQUEST = {"decisions", "events", "limits", "tuned", "warnings", "whatif"}
# A row without these belongs to nothing.
KEYS = {"runs": ["run", "algorithm"], "summary": ["algorithm"], "comparisons": ["algorithm", "against", "verdict"],
        "warnings": ["run", "text"], "events": ["begin_s", "end_s"], "decisions": ["time_s", "value"],
        "tuned": ["algorithm"], "whatif": ["algorithm", "change"], "limits": ["algorithm"]}
LARGEST = 1e150  # no quantity of a run is; beyond it sums and squares leave the numbers


def count_workers(rows):
    """How many workers these rows of workers.csv stand for."""
    return int(rows["workers"].fillna(1).sum()) if "workers" in rows else len(rows)


class NoData(Exception):
    """A figure cannot be drawn; says why."""


def results_of(folder):
    """The results in a folder that motley run has written to; of any other folder NoData."""
    results = Results(folder)
    if not (results.folder / "runs.csv").is_file():
        raise NoData(f"{results.folder}: holds no results (runs.csv is not there)")
    if any(column in results.absent["runs"] for column in KEYS["runs"]):
        raise NoData(f"{results.folder}: holds no results (runs.csv has no column run or algorithm)")
    if results.runs.empty:
        raise NoData(f"{results.folder}: holds no results (runs.csv has no row)")
    return results


def object_of(value):
    return value if isinstance(value, dict) else {}


def list_of(value):
    return value if isinstance(value, list) else []


def is_finite(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


class Results:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        if not self.folder.is_dir():
            raise NoData(f"{self.folder}: no such folder")
        self.missing = []
        self._grouped_bands, self._bands_by_key = None, {}
        self.scenario = self._json("scenario.json")
        self.provenance = self._json("provenance.json")
        plan = self._json("plan.json") if (self.folder / "plan.json").exists() else {}
        self.planned = [run["run"] for run in list_of(plan.get("runs")) if isinstance(object_of(run).get("run"), str)]
        self.absent = {}  # file -> columns it does not have
        for name in COLUMNS:
            setattr(self, name, self._table(name))
        self.axes = [column for column in self.runs.columns if column.startswith("/")]
        self._leave_out_mixed_bands()
        self._name_objects()
        self.algorithms = self._algorithms()
        if "time_to_target_high_s" in self.absent["summary"]:  # an interval without it is not open, but unknown
            self.summary["time_to_target_low_s"] = math.nan
        self.summary["verdicts"] = self._verdicts()
        self.summary["replicas"] = self.summary["n"].max() if len(self.summary) else 0.0

    def _file(self, name):
        """Its place. A pipe or a device is refused: reading it might never end."""
        file = self.folder / name
        if file.exists() and not file.is_file() and not file.is_dir():
            raise NoData(f"{file}: must be a file, and is a pipe, a socket or a device; remove it")
        return file

    def _json(self, name):
        try:
            read = json.loads(self._file(name).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            self.missing.append(f"{name} ({_reason(error)})")
            return {}
        if not isinstance(read, dict):
            self.missing.append(f"{name} (not a JSON object)")
        return object_of(read)

    def section(self, *keys):
        """A part of the scenario; {} when it is not there or no object."""
        part = self.scenario
        for key in keys:
            part = object_of(part.get(key))
        return part

    def _table(self, name):
        file = self._file(f"{name}.csv")
        columns = COLUMNS[name]
        try:
            table = pd.read_csv(file, dtype={column: str for column in TEXT}, keep_default_na=False,
                                na_values=[""])
        except (OSError, ValueError) as error:
            self.absent[name] = columns
            if name not in ON_REQUEST:
                self.missing.append(f"{name}.csv ({_reason(error)})")
            return pd.DataFrame({column: pd.Series(dtype=str if column in TEXT else float)
                                 for column in columns})
        absent = self.absent[name] = [column for column in columns if column not in table]
        absent = [column for column in absent if column not in WHEN_GIVEN]
        if absent:
            self.missing.append(f"{name}.csv ({'no column' if len(absent) == 1 else 'no columns'} {', '.join(absent)})")
        for column in self.absent[name]:
            table[column] = pd.Series(dtype=object if column in TEXT else float)
        for column in table.columns:
            if column.startswith("/"):
                table[column] = _axis_values(table[column])
            elif name == "tuned" and column not in columns:
                table[column] = _parameter_values(table[column])
            elif column not in TEXT:
                numbers = pd.to_numeric(table[column], errors="coerce").astype(float)
                table[column] = numbers.where(numbers.abs() < LARGEST)
        return table.dropna(subset=KEYS.get(name, [])).reset_index(drop=True)

    def _leave_out_mixed_bands(self):
        """bands.csv of an older version has real models and those of an oracle in one band, which is neither."""
        if "oracle" in self.absent["bands"]:
            runs = self.curves[self.curves["oracle"] > 0]["run"]
            mixed = self.runs[self.runs["run"].isin(runs)]["algorithm"]
            self.bands = self.bands[~self.bands["algorithm"].isin(mixed)].reset_index(drop=True)

    def _name_objects(self):
        """Swept values that are objects or lists are called by what tells them apart, in all tables alike."""
        for axis in self.axes:
            names = names_of_objects(list(dict.fromkeys(self.runs[axis])))
            for name in COLUMNS if names else ():
                table = getattr(self, name)
                if axis in table:
                    table[axis] = table[axis].map(lambda value: names.get(value, value))

    def _algorithms(self):
        """Labels in the order of the scenario: this order decides colours."""
        labels = [a.get("label", a.get("name")) for a in map(object_of, list_of(self.scenario.get("algorithms")))]
        return list(dict.fromkeys([a for a in labels if isinstance(a, str)] + list(self.runs["algorithm"]) +
                                  list(self.summary["algorithm"])))

    def _verdicts(self):
        """Of each row of summary.csv: the verdict of comparisons.csv against each other algorithm at its point."""
        axes = [axis for axis in self.axes if axis in self.comparisons and axis in self.summary]
        found = {}
        for row in self.comparisons.to_dict("records"):
            found.setdefault((row["algorithm"], *(row[axis] for axis in axes)), {})[row["against"]] = row["verdict"]
        return [found.get((row["algorithm"], *(row[axis] for axis in axes)), {})
                for row in self.summary.to_dict("records")]

    @property
    def says_places(self):
        """Whether summary.csv says who is first: that of an older version does not."""
        return bool(self.summary["place"].notna().any())

    def classes(self):
        """Worker classes in the order of their ranks: this order decides colours."""
        return list(dict.fromkeys(self.workers["class"].dropna()))

    @property
    def target(self):
        """("test_accuracy", 0.82), ("test_loss", 0.1) or None."""
        target = self.section("target")
        for kind in ("accuracy", "loss"):
            if is_finite(target.get(kind)):
                return f"test_{kind}", float(target[kind])
        return None

    def points(self):
        """The combinations of swept values, in the order they were run; [()] without a sweep."""
        if not self.axes or self.runs.empty:
            return [()]
        return list(dict.fromkeys(self.runs[self.axes].itertuples(index=False, name=None)))

    def shown_point(self):
        """The one of which figures and words speak that are of a single point."""
        return self.points()[0]

    def at(self, point):
        """The rows of runs.csv at one combination of swept values."""
        runs = self.runs
        for axis, value in zip(self.axes, point):
            runs = runs[runs[axis] == value]
        return runs

    def band(self, point, label, x, y, oracle=False):
        """The mean curve of an algorithm's replicas against x as the simulator wrote it: (x, mean, low, high), where
        one replica has no low and high. Of the models that existed, or else of what merges would have given, which only
        an oracle knows. None when there is no such curve."""
        there = [value for axis, value in zip(self.axes, point) if axis in self.bands]
        rows = self._band_rows().get((label, x, oracle, *there))
        if rows is None:
            return None
        rows = rows.dropna(subset=["x", f"{y}_mean"])
        if rows.empty:
            return None
        at, mean, low, high = (rows[column].to_numpy(float) for column in ("x", f"{y}_mean", f"{y}_low", f"{y}_high"))
        return (at, mean, low, high) if rows["n"].iloc[0] > 1 else (at, mean, None, None)

    def _band_rows(self):
        """(algorithm, against, of an oracle, values of the axes) -> rows of bands.csv. Found once: a sweep asks thousands of
        times."""
        if self._grouped_bands is not self.bands:
            self._grouped_bands = self.bands
            axes = [axis for axis in self.axes if axis in self.bands]
            keys = [self.bands["algorithm"], self.bands["against"], self.bands["oracle"] > 0, *(self.bands[axis] for axis in axes)]
            self._bands_by_key = dict(list(self.bands.groupby(keys, sort=False))) if len(self.bands) else {}
        return self._bands_by_key

    def axis_name(self, axis):
        """What a reader recognises the axis by; its whole pointer where two axes would have the same name."""
        names = [_end_of(other) for other in self.axes]
        return _end_of(axis) if names.count(_end_of(axis)) < 2 else axis

    def point_title(self, point):
        return ", ".join(f"{self.axis_name(axis)} = {value_text(value)}"
                         for axis, value in zip(self.axes, point))

    def algorithms_of(self, runs):
        present = set(runs["algorithm"])
        return [label for label in self.algorithms if label in present]


def _end_of(axis):
    """The end of a JSON pointer that a reader recognises: /cluster/workers/0/spread/ratio -> spread ratio."""
    everywhere = {"cluster", "workers", "algorithms", "defaults"}
    words = [word for word in axis.split("/") if word and not word.isdigit() and word not in everywhere]
    return " ".join(words[-3:]).replace("_", " ") or axis


def seconds(value):
    """Three digits, never as 1e+03."""
    decimals = 0 if value >= 99.95 else 1 if value >= 9.995 else 2 if value >= 0.9995 else None
    return f"{value:.3g} s" if decimals is None else f"{value:.{decimals}f} s"


def value_text(value):
    """Short, but different for different values."""
    if not is_finite(value):
        return str(value)
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _leaves(value, at=()):
    """{("bandwidth", "up"): "1Gbps"}: what stands in a value, by where it stands."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if parts:
        return {where: leaf for key, part in parts for where, leaf in _leaves(part, (*at, str(key))).items()}
    return {at: value if isinstance(value, str) else json.dumps(value) if isinstance(value, (dict, list, bool)) else value_text(value)}


def _leaf_text(where, leaf):
    """A name, a kind or a quantity with its unit speaks for itself; anything else is told with its key."""
    alone = where[-1:] in (("kind",), ("name",)) or (len(where) == 1 and re.fullmatch(r"[0-9.]+[A-Za-z]+", leaf))
    return leaf if alone or not where else f"{where[-1]} {leaf}"


def names_of_objects(texts):
    """{text: name}: of values that are JSON objects or lists, what not all of them have in common. {} when that tells no
    two of them apart, or none is an object or a list."""
    leaves = {}
    for text in texts:
        try:
            value = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            value = text
        leaves[text] = _leaves(value) if isinstance(value, (dict, list)) else {(): str(text)}
    if all(() in each for each in leaves.values()):
        return {}
    common = set.intersection(*(set(each.items()) for each in leaves.values())) if len(leaves) > 1 else set()
    for say in (_leaf_text, lambda where, leaf: " ".join((*where, leaf))):
        names = {text: " ".join(say(*leaf) for leaf in each.items() if leaf not in common) or "neither"
                 for text, each in leaves.items()}
        if len(set(names.values())) == len(names):
            return names
    return {}


def energy_unit(joules):
    """(joules in it, its name) of the unit in which an energy is said."""
    for unit, name in ((3.6e12, "GWh"), (3.6e9, "MWh"), (3.6e6, "kWh"), (1e3, "kJ")):
        if joules >= unit:
            return unit, name
    return 1, "J"


def _axis_values(values):
    """Numbers if all of them are finite ones, and else text, as which they can still be told apart."""
    numbers = pd.to_numeric(values, errors="coerce")
    if values.dtype != bool and (numbers.abs() < LARGEST).all():
        return numbers
    return values.map(lambda v: str(v).lower() if isinstance(v, bool) else "" if v != v else str(v))


def _parameter_values(values):
    """Numbers if all that are there are, and else text; what is not there stays missing."""
    there = values.dropna()
    numbers = pd.to_numeric(values, errors="coerce")
    if there.empty or (there.dtype != bool and (numbers[values.notna()].abs() < LARGEST).all()):
        return numbers.astype(float)
    return values.map(lambda v: v if v != v else str(v).lower() if isinstance(v, bool) else str(v))


def _reason(error):
    if isinstance(error, FileNotFoundError):
        return "not there"
    if isinstance(error, pd.errors.EmptyDataError):
        return "empty"
    return "cannot be read"
