"""How finely times to target are known: the target is seen to be reached only when a model is evaluated. Which pairs are within
that, comparisons.csv says."""
from .figures.target import rows_of
from .results import seconds

MOST = 6  # pairs that are named in a sweep


def near(results, point):
    """[("sync and async", resolution)]: neighbours of the table that might change places if evaluations were more frequent."""
    pairs = results.comparisons
    for axis, value in zip(results.axes, point):
        pairs = pairs[pairs[axis] == value]
    names = list(rows_of(results, point)["algorithm"])
    found = []
    for first, second in zip(names, names[1:]):
        for _, pair in pairs[(pairs["algorithm"] == first) & (pairs["against"] == second)].iterrows():
            if pair["within_resolution"] == 1:
                found.append((f"{first} and {second}", pair["resolution_s"]))
    return found


def lines(results):
    """One sentence, or none when no neighbours are within the resolution."""
    if results.target is None:
        return []
    found = [(pair + (f" at {results.point_title(point)}" if results.axes else ""), gap)
             for point in results.points() for pair, gap in near(results, point)]
    if not found:
        return []
    more = len(found) - MOST if results.axes else 0
    names = ", ".join(pair for pair, _ in (found[:MOST] if more > 0 else found))
    if more > 0:
        names += f" and {more} more {'pair' if more == 1 else 'pairs'} (comparisons.csv)"
    return [f"Resolution of time to target: {seconds(max(gap for _, gap in found))} between evaluations (/evaluate/every) or merges; "
            f"within it: {names}."]
