"""How finely times to target are known: the target is seen to be reached only when a model is evaluated. As the terminal
says it (sim/results/statistics/resolution.cpp and print_resolution of sim/cli/summary.cpp)."""
from .figures.target import rows_of
from .results import is_finite, seconds


def gap_s(curve, reached_s):
    """The time between the evaluation that reached the target and the one before it; what an oracle saw is none."""
    times = curve[~(curve["oracle"] > 0)]["time_s"]
    before, there = times[times < reached_s], times[times >= reached_s]
    return (there.min() if len(there) else reached_s) - (before.max() if len(before) else reached_s)


def mean_gap_s(curves, runs):
    """Over those that reached the target; curves: run -> its curve."""
    runs = runs[runs["time_to_target_s"].notna() & runs["run"].isin(curves)]
    gaps = [gap_s(curves[run["run"]], run["time_to_target_s"]) for _, run in runs.iterrows()]
    return sum(gaps) / len(gaps) if gaps else 0


def near(results, curves, point):
    """[("sync and async", gap)]: neighbours of the table that might change places if evaluations were more frequent."""
    rows = [row for _, row in rows_of(results, point).iterrows() if is_finite(row["time_to_target_mean_s"])]
    runs = results.at(point)
    found = []
    for first, second in zip(rows, rows[1:]):
        later_by = second["time_to_target_mean_s"] - first["time_to_target_mean_s"]
        later = (second if later_by >= 0 else first)["algorithm"]
        gap = mean_gap_s(curves, runs[runs["algorithm"] == later])
        if abs(later_by) < gap:
            found.append((f"{first['algorithm']} and {second['algorithm']}", gap))
    return found


def lines(results):
    """One sentence, or none when no neighbours are within the resolution."""
    if results.target is None or results.curves.empty:
        return []
    curves = dict(list(results.curves.groupby("run")))
    found = [pair for point in results.points() for pair in near(results, curves, point)]
    if not found:
        return []
    names = ", ".join(name for name, _ in found) if not results.axes else \
        f"{len(found)} {'pair' if len(found) == 1 else 'pairs'} of neighbours in the tables"
    return [f"Resolution of time to target: {seconds(max(gap for _, gap in found))} between evaluations (/evaluate/every); "
            f"within it: {names}."]
