"""What the simulator has decided, as it stands in summary.csv: nothing is decided here."""

ONE_REPLICA = "One replica: nothing is decided; see replicas."
WHAT_MARKS_MEAN = "~: undecided, after correction for the number of pairs or within the resolution, though an interval may exclude 1."
WHAT_CUT_MEANS = "(cut): runs on both sides ended before they reached the target, and their times are cut where they ended."
AT_EDGE = " †"
WHAT_EDGE_MEANS = "†: tuned to the edge of its grid, so that better may lie beyond."


def known(value):
    return value is not None and value == value


def sign(row):
    """"> " where the speed-up is at least so large, "< " where it is at most."""
    return {"at_least": "> ", "at_most": "< "}.get(row["speedup_bound"], "")


def is_cut(row):
    """Whether runs of both sides never arrived."""
    return row["speedup_bound"] == "mixed"


def is_at_edge(row):
    """Whether a parameter was tuned to the edge of its grid."""
    return known(row.get("tuned_at_edge")) and row["tuned_at_edge"] > 0


def is_undecided(row):
    """Whether the speed-up is to be marked. Of one replica nothing is decided: that is said once, not at every value."""
    return row["replicas"] > 1 and row["algorithm"] != row["baseline"] and known(row["speedup"]) and row["verdict"] == "undecided"


def mark(row):
    """What stands in front of a speed-up: "~", "> ", "~< ", or nothing."""
    return ("~" if is_undecided(row) else "") + sign(row)
