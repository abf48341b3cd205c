"""Mean curve and 95 % band over replicas, for drawing only.

The simulator writes every replica's own points and all numbers that are quoted (summary.csv). A band
needs the replicas at common moments, which is a matter of the drawing's resolution, so it is made here."""
import numpy as np

# Two-sided 95 % quantiles of Student's t with 1, 2, ... degrees of freedom.
_T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
        2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048,
        2.045, 2.042]


def t95(replicas):
    return _T95[replicas - 2] if replicas - 2 < len(_T95) else 1.96 + 2.4 / (replicas - 1)


def band(curves, x, y, points=200):
    """curves: one table a replica. Returns (x, mean, low, high); low and high are None for one replica.

    Replicas evaluated at the same moments are averaged there. Otherwise a curve is flat between its
    evaluations: the last one is what is known. The band ends where the first replica ends, so that it never
    is the mean of those that happened to last."""
    curves = [c.dropna(subset=[y]) for c in curves]
    curves = [c for c in curves if not c.empty]
    if not curves:
        return None
    if len(curves) == 1:
        return curves[0][x].to_numpy(float), curves[0][y].to_numpy(float), None, None
    start = max(c[x].iloc[0] for c in curves)
    end = min(c[x].iloc[-1] for c in curves)
    moments = [c[x][(c[x] >= start) & (c[x] <= end)].to_numpy(float) for c in curves]
    together = all(np.array_equal(moments[0], other) for other in moments[1:])
    grid = moments[0] if together else np.linspace(start, end, points)
    values = np.array([c[y].to_numpy(float)[np.searchsorted(c[x].to_numpy(float), grid, side="right") - 1]
                       for c in curves])
    mean = values.mean(axis=0)
    half = t95(len(curves)) * values.std(axis=0, ddof=1) / np.sqrt(len(curves))
    return grid, mean, mean - half, mean + half
