"""What decides: the bottleneck by whatif.csv, in the words of the terminal (sim/cli/tables/whatif_lines.cpp); a test holds the
one against the other. What is worth naming, and what of it is the bottleneck, whatif.csv says."""
from .results import is_finite

HEADING = ("The same steps timed again with one thing changed. This compares updates per second, not times to the target. "
           "For each algorithm, the bottleneck is what brings most when it is improved.")
AS_IS = "as_is"
MOST_WITH_REMARKS = 20  # algorithms and points; of more, the remarks are in whatif.csv
VISIBLE = 0.05  # by which samples/s and updates/s differ, to be told both
# change -> (what is done, what it improves); to leave a class out improves nothing, it is another cluster.
WORDS = {"bandwidth_x2": ("twice the bandwidth", "bandwidth"),
         "server_bandwidth_x2": ("twice the server's bandwidth", "the server's bandwidth"),
         "no_latency": ("no latency", "latency"), "compute_x2": ("twice the compute speed", "compute speed"),
         "speed_x2:": ("twice the speed of ", "speed of "), "server_speed_x2": ("twice the server's speed", "the server's speed"),
         "no_noise": ("no noise", "noise"),
         "no_changes": ("no changes during the run", "what changes during the run"),
         "no_failures": ("no failures", "failures"), "without:": ("without ", "")}


def words_of(change):
    """(what is done, what it improves), with the name of the class."""
    kind, colon, name = change.partition(":")
    done, improved = WORDS.get(kind + colon, (kind + colon, ""))
    return done + name, improved and improved + name


def thing(change):
    return words_of(change)[1]


class Asked:
    """What was asked of one algorithm at one point of the sweep."""

    def __init__(self, algorithm, rows):
        self.algorithm = algorithm
        self.gains = {row["change"]: row["gain"] for row in rows if row["change"] != AS_IS and is_finite(row["gain"])}
        named = [row for row in rows if row["change"] in self.gains and is_finite(row["named"])]
        self.named = [row["change"] for row in sorted(named, key=lambda row: row["named"])]
        # The change that the bottleneck is named after; None when nothing that can be improved brings enough.
        self.bottleneck = next((row["change"] for row in named if row["bottleneck"] > 0), None)
        samples = {row["change"]: row["samples_per_s"] for row in rows if is_finite(row["samples_per_s"])}
        as_is = samples.get(AS_IS, 0)
        self.samples = {change: value / as_is for change, value in samples.items()} if as_is > 0 else {}
        self.failed = any(row["change"] == AS_IS and isinstance(row["reason"], str) for row in rows)

    def sentence(self):
        """"bottleneck: speed of cpu (twice the speed of cpu: 1.41x updates/s; no latency: 1.05x)"."""
        if not self.named:
            return "nothing that was tried changes its updates/s by 2 %"
        parts = []
        for change in self.named:
            gain, samples = self.gains[change], self.samples.get(change)
            text = f"{words_of(change)[0]}: {gain:.2f}x" + ("" if parts else " updates/s")
            # An update of another number of samples is another update.
            if samples is not None and abs(samples / gain - 1) > VISIBLE:
                text += f", {samples:.2f}x samples/s"
            parts.append(text)
        limits = thing(self.bottleneck) if self.bottleneck else ""
        return f"bottleneck: {limits} ({'; '.join(parts)})" if limits else "; ".join(parts)


def asked(results, point=None):
    """In the order of the file; of one point or of all. Nothing of a file that does not say what is worth naming."""
    if "named" in results.absent["whatif"]:
        return []
    axes = [axis for axis in results.axes if axis in results.whatif]
    found = {}
    for row in results.whatif.to_dict("records"):
        found.setdefault((row["algorithm"], tuple(row[axis] for axis in axes)), []).append(row)
    wanted = None if point is None else tuple(value for axis, value in zip(results.axes, point) if axis in axes)
    return [Asked(label, rows) for (label, where), rows in found.items() if wanted in (None, where)]


def over_points(mine):
    """"bottleneck: speed of cpu at 3 points, latency at 2 points"."""
    counts = {}
    for one in mine:
        name = thing(one.bottleneck) if one.bottleneck else "none that was tried"
        counts[name] = counts.get(name, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return "bottleneck: " + ", ".join(f"{name} at {count} {'point' if count == 1 else 'points'}" for name, count in ordered)


def lines(results, point=None):
    """algorithm -> its line: of one point, or of all points together."""
    by_algorithm = {}
    for one in asked(results, point):
        by_algorithm.setdefault(one.algorithm, []).append(one)
    return {label: over_points(mine) if len(mine) > 1 else mine[0].sentence() for label, mine in by_algorithm.items()
            if len(mine) > 1 or not mine[0].failed}


def note_words(row):
    """What column note says of a row."""
    if row["note"] == "few_updates":
        return f"few updates ({row['updates']:.0f}): a longer run may have other gains" if is_finite(row["updates"]) else "few updates"
    if row["note"] == "lockstep":
        gain = row["gain"] if is_finite(row["gain"]) else 1
        return f"no noise: {gain:.2f}x updates/s, as equal workers without noise keep in step and share the links"
    return row["note"]


def remarks(results, point=None):
    """[(algorithm, remark)] on the gains themselves, in the order of the file; of one point or of all."""
    rows = results.whatif[results.whatif["note"].notna()]
    for axis, value in zip(results.axes, point or ()):
        if axis in rows:
            rows = rows[rows[axis] == value]
    return [(row["algorithm"], note_words(row)) for row in rows.to_dict("records")]


def notes(results):
    """Once each: what was not tried, and why; then what is to be known of the gains, unless too many were asked for."""
    rows = results.whatif[results.whatif["reason"].notna()]
    untried = dict.fromkeys(f"{row['algorithm'] if row['change'] == AS_IS else words_of(row['change'])[0]}: not tried: "
                            f"{row['reason']}" for row in rows.to_dict("records"))
    is_short = (results.whatif["change"] == AS_IS).sum() < MOST_WITH_REMARKS
    return list(untried) + list(dict.fromkeys(f"{label}: {remark}" for label, remark in remarks(results) if is_short))
