"""Swept parameters of algorithms, such as step sizes: not a question about the cluster, but a search for good values.

The simulator compares algorithms at one point of a sweep, never between points. Which values are shown as the best, and which
algorithm stands first at its best ones, is a choice by mean without a test; whoever shows it has to say so."""
from .verdicts import known


def is_parameter(axis):
    """Whether it is a parameter of algorithms that is swept."""
    return axis.startswith(("/defaults/", "/algorithms/"))


def parameter_axes(results):
    return [axis for axis in results.axes if is_parameter(axis)]


def question_axes(results):
    return [axis for axis in results.axes if not is_parameter(axis)]


def by_mean(row):
    """What is shown first: the larger share of runs that reached the target, then the lower mean time. No verdict."""
    return -row["reached"] / row["n"], row["time_to_target_mean_s"]


def best_rows(results):
    """{values of the question's axes: rows of summary.csv}: of each algorithm the row at its best values, the best
    first, all by mean; only those that reach the target."""
    axes = question_axes(results)
    found = {}
    for row in results.summary.to_dict("records"):
        if not known(row["time_to_target_mean_s"]):
            continue
        mine = found.setdefault(tuple(row[axis] for axis in axes), {})
        best = mine.get(row["algorithm"])
        if best is None or by_mean(row) < by_mean(best):
            mine[row["algorithm"]] = row
    return {point: sorted(mine.values(), key=by_mean) for point, mine in found.items()}


def choices_at_best(results):
    """[(algorithm, at how many points of the question it is first by mean, at its best values)], most often first."""
    counts = {}
    for rows in best_rows(results).values():
        counts[rows[0]["algorithm"]] = counts.get(rows[0]["algorithm"], 0) + 1
    return sorted(counts.items(), key=lambda item: -item[1])
