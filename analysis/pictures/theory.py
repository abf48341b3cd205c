"""Theory's optimal time of a cluster (limits.csv), drawn beside what was measured."""
WHAT_DOTS_MEAN = ("Dotted: theory's optimal time of this cluster with free messages (limits.csv), which holds up to a "
                  "constant: its shape counts, not its height.")
NAME = "theory, up to a constant"
STYLE = {"color": "0.15", "linestyle": ":", "linewidth": 1.1}


def optimal_s(results, point):
    """At one point of the sweep, with the batches of the first algorithm there; None where theory says nothing."""
    rows = results.limits
    for axis, value in zip(results.axes, point):
        if axis in rows:
            rows = rows[rows[axis] == value]
    found = rows["theory_same_s"].dropna()
    return float(found.iloc[0]) if len(found) else None
