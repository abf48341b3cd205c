"""What the simulator has decided, as it stands in summary.csv and comparisons.csv: nothing is decided here."""

ONE_REPLICA = "One replica: nothing is decided; see replicas."
WHAT_MARKS_MEAN = "~: undecided, after correction for the number of pairs or within the resolution, though an interval may exclude 1."
WHAT_CUT_MEANS = "(cut): runs on both sides ended before they reached the target, and their times are cut where they ended."
WHAT_BOUNDS_MEAN = ("> and <: at least, at most, as some runs ended before they reached the target; of a speed-up the end of its 95 % "
                    "interval on that side (no bound: beyond 100 or 1/100), of a time the mean of those that did.")
OPEN = "open"
WHAT_OPEN_MEANS = f"{OPEN}: the interval goes beyond the end of the runs; more replicas narrow it."
NO_BOUND = "no bound"
WIDEST = 100  # a bound beyond it, or below one over it, says nothing
AT_EDGE = " †"
WHAT_EDGE_MEANS = "†: tuned to the edge of its grid, so that better may lie beyond."


def known(value):
    return value is not None and value == value


def verdict_of(told):
    """"faster" or "slower" if that is what the file says; whatever else it says, and nothing at all, is "undecided"."""
    return told if told in ("faster", "slower") else "undecided"


def verdict_against(row, other):
    """On the algorithm of a row of summary.csv against another one at the same point, by comparisons.csv."""
    return verdict_of(row["verdicts"].get(other))


def sign(row):
    """"> " where the speed-up is at least so large, "< " where it is at most."""
    return {"at_least": "> ", "at_most": "< "}.get(row["speedup_bound"], "")


def supported(row):
    """The speed-up; of one that is a bound, the end of its interval on that side, if it has one (one pair has none). None
    where that says nothing."""
    value = row[{"> ": "speedup_low", "< ": "speedup_high"}.get(sign(row), "speedup")]
    value = value if known(value) else row["speedup"]
    return None if sign(row) and known(value) and not 1 / WIDEST <= value <= WIDEST else value


def is_no_bound(row):
    """Whether the speed-up is a bound so wide that it says nothing."""
    return known(row["speedup"]) and supported(row) is None


def is_open(row):
    """Whether the interval of the time to target goes beyond the end of the runs."""
    return (row["reached"] >= row["n"] and known(row["time_to_target_mean_s"]) and known(row["time_to_target_low_s"]) and
            not known(row["time_to_target_high_s"]))


def is_cut(row):
    """Whether runs of both sides never arrived."""
    return row["speedup_bound"] == "mixed"


def is_at_edge(row):
    """Whether a parameter was tuned to the edge of its grid."""
    return known(row.get("tuned_at_edge")) and row["tuned_at_edge"] > 0


def is_undecided(row):
    """Whether the speed-up is to be marked. Of one replica nothing is decided: that is said once, not at every value."""
    return row["replicas"] > 1 and row["algorithm"] != row["baseline"] and known(row["speedup"]) and verdict_of(row["verdict"]) == "undecided"


def mark(row):
    """What stands in front of a speed-up: "~", "> ", "~< ", or nothing; "~no bound" stands alone."""
    return ("~" if is_undecided(row) else "") + (NO_BOUND if is_no_bound(row) else sign(row))


def ratio_text(row):
    """"~1.02x", "> 3.10x", "no bound", as in the terminal."""
    return mark(row) + ("" if is_no_bound(row) else f"{supported(row):.2f}x")
