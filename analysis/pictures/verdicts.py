"""What the simulator has decided, as it stands in summary.csv: nothing is decided here."""

ONE_REPLICA = "One replica: nothing is decided; see replicas."
WHAT_MARKS_MEAN = "~: undecided, after correction for the number of pairs or within the resolution, though an interval may exclude 1."


def known(value):
    return value is not None and value == value


def sign(row):
    """"> " where the speed-up is at least so large, "< " where it is at most."""
    return {"at_least": "> ", "at_most": "< "}.get(row["speedup_bound"], "")


def is_undecided(row):
    """Whether the speed-up is to be marked. Of one replica nothing is decided: that is said once, not at every value."""
    return row["replicas"] > 1 and row["algorithm"] != row["baseline"] and known(row["speedup"]) and row["verdict"] == "undecided"


def mark(row):
    """What stands in front of a speed-up: "~", "> ", "~< ", or nothing."""
    return ("~" if is_undecided(row) else "") + sign(row)
