"""What was tried for every algorithm, from tuned.csv, held against the grids of the scenario."""
import math

from .figures.tuning import tuned_parameters
from .results import is_finite, list_of, object_of, value_text
from .units import amount_of
from .verdicts import known
from .words import joined


def grid_text(grid):
    """"1, 4, 16", or "0.01 to 1 in 7 steps (log)"."""
    if isinstance(grid, list):
        return ", ".join(value_text(value) for value in grid)
    grid = object_of(grid)
    return (f"{value_text(grid.get('from'))} to {value_text(grid.get('to'))} in {value_text(grid.get('steps'))} steps "
            f"({grid.get('scale', 'linear')})")


def grid_values(grid):
    """All values of a grid, in its order; [] of what is none, or too long to be told."""
    if isinstance(grid, list):
        return grid
    grid = object_of(grid)
    first, last, steps = amount_of(grid.get("from")), amount_of(grid.get("to")), grid.get("steps")
    if not first or not last or not is_finite(steps) or not 2 <= steps <= 1e4:
        return []
    log = grid.get("scale") == "log" and first[0] > 0 and last[0] > 0
    parts = [i / (steps - 1) for i in range(int(steps))]
    numbers = [first[0] * (last[0] / first[0]) ** part if log else first[0] + (last[0] - first[0]) * part for part in parts]
    return [f"{number:.12g}{first[1]}" if first[1] else float(f"{number:.12g}") for number in numbers]


def is_same(one, other):
    """Whether two values are the same but for their last digits or the way they are written."""
    one, other = amount_of(one) or str(one).lower(), amount_of(other) or str(other).lower()
    if isinstance(one, tuple) and isinstance(other, tuple):
        return one[1] == other[1] and math.isclose(one[0], other[0], rel_tol=1e-9)
    return one == other


def grids_of(results, label):
    """{parameter: grid}: the algorithm's own, and else everybody's."""
    grids = {name: grid for name, grid in results.section("tune").items() if name not in ("runs", "at")}
    for entry in map(object_of, list_of(results.scenario.get("algorithms"))):
        if entry.get("label", entry.get("name")) == label:
            grids |= object_of(entry.get("tune"))
    return {name: grid for name, grid in grids.items() if grid is not None and not name.startswith("//")}


def by_point(results):
    """{algorithm: [rows of tuned.csv at a point, ...]}"""
    axes = [axis for axis in results.axes if axis in results.tuned]
    found = {}
    for row in results.tuned.to_dict("records"):
        found.setdefault(row["algorithm"], {}).setdefault(tuple(row[axis] for axis in axes), []).append(row)
    return {label: list(points.values()) for label, points in found.items()}


def listed(values):
    return joined([value_text(value) for value in values])


def tried_of(grid, points, name):
    """What was tried of a parameter, in words; points: the values tried at each."""
    values = grid_values(grid)
    everything = []
    for value in (value for mine in points for value in mine):
        if not any(is_same(value, other) for other in everything):
            everything.append(value)
    everywhere = [v for v in everything if all(any(is_same(v, other) for other in mine) for mine in points)]
    order = sorted(everything, key=lambda v: (0, v, "") if is_finite(v) else (1, 0, str(v)))

    def told(wanted):
        always = [v for v in order if wanted(v) and v in everywhere]
        at_times = [v for v in order if wanted(v) and v not in everywhere]
        parts = [listed(always)] if always else []
        return ", ".join(parts + [f"at some points only {listed(at_times)}"] if at_times else parts)

    if not values:
        return f"{name} {told(lambda v: True)}"
    inside = told(lambda v: any(is_same(v, other) for other in values))
    beyond = told(lambda v: not any(is_same(v, other) for other in values))
    left_out = [v for v in values if not any(is_same(v, other) for other in everything)]
    whole = all(any(is_same(v, other) for other in everywhere) for v in values)
    parts = [f"{name} the whole grid {grid_text(grid)}" if whole else f"{name} {inside or 'nothing'} of the grid {grid_text(grid)}"]
    if left_out:
        parts.append(f"without {listed(left_out)}")
    if beyond:
        parts.append(f"and outside it {beyond}")
    return ", ".join(parts)


def sampled(grids, points):
    """Of several parameters, how many of the combinations of their grids were tried; nothing if all were."""
    wanted = {name: grid_values(grid) for name, grid in grids.items()}
    combinations = math.prod(len(values) for values in wanted.values())
    inside = [sum(all(any(is_same(row[name], value) for value in values) for name, values in wanted.items()) for row in rows)
              for rows in points]
    if len(grids) < 2 or min(inside) >= combinations:
        return ""
    count = f"{min(inside)}" if min(inside) == max(inside) else f"{min(inside)} to {max(inside)}"
    return f"; {count} of the {combinations} combinations of these grids"


def tried_sentences(results):
    """One sentence for all algorithms that tried the same."""
    found = {}
    for label, points in by_point(results).items():
        grids = grids_of(results, label)
        names = [name for name in tuned_parameters(results) if any(known(row[name]) for rows in points for row in rows)]
        told = "; ".join(tried_of(grids.get(name), [[row[name] for row in rows if known(row[name])] for rows in points], name)
                         for name in names)
        if told:
            told += sampled({name: grids[name] for name in names if name in grids}, points)
            found.setdefault(told, []).append(label)
    return [f"Tried for {joined(labels)}: {told}." for told, labels in found.items()]
