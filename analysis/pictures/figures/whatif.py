from ..results import NoData
from ..style import name_point, panels, short, small, tiny

NAME = "whatif"
TITLE = "What would help: throughput under changes of the cluster"
HOW_TO_READ = ("For each algorithm, how many times as many updates per second it would make if one thing about the cluster "
               "were different, found by simulating exactly that (timing only). The longest bar is the bottleneck; bars at 1 "
               "change nothing; bars to the left of 1 would slow it down. It is throughput that is compared, not accuracy. "
               "For a sweep, the first point is shown.")
AS_IS = "as_is"
MOST_CHANGES = 10
FACTS = {"bandwidth_x2": "2x bandwidth", "server_bandwidth_x2": "2x server bandwidth", "no_latency": "no latency",
         "compute_x2": "2x compute speed", "no_noise": "no noise"}


def change_text(change):
    """"speed_x2:cpu" -> "2x speed of cpu"; what has no words of its own is shown as it is, without underscores."""
    if change in FACTS:
        return FACTS[change]
    for start, words in (("speed_x2:", "2x speed of "), ("without:", "without ")):
        if change.startswith(start):
            return words + short(change[len(start):], 16)
    return short(change.replace("_", " "), 24)


def gains(results, point):
    """algorithm -> change -> gain, without the row of the cluster as it is."""
    rows = results.whatif[results.whatif["change"] != AS_IS]
    for axis, value in zip(results.axes, point):
        if axis in rows:
            rows = rows[rows[axis] == value]
    return {label: rows[rows["algorithm"] == label].drop_duplicates("change").set_index("change")["gain"]
            for label in results.algorithms if (rows["algorithm"] == label).any()}


def draw(results, look):
    if results.whatif.empty:
        raise NoData("no changes of the cluster were tried")
    point = results.points()[0]
    found = gains(results, point)
    if not found:
        raise NoData("whatif.csv has no row of an algorithm of runs.csv at the first point")
    lowest = min(1, min(mine.min() for mine in found.values()))
    highest = max(1, max(mine.max() for mine in found.values()))
    room = 0.45 * max(highest - lowest, 0.1)  # for the numbers at the ends of bars
    longest = min(MOST_CHANGES, max(len(mine) for mine in found.values()))
    fig, axes = panels(look, len(found), across=3, narrow=1, height=0.5 + 0.17 * longest, sharex=True)
    for ax, (label, mine) in zip(axes, found.items()):
        # The largest change of all on top, as in every tornado.
        order = (mine - 1).abs().sort_values(ascending=False, kind="stable").index[:MOST_CHANGES]
        for y, change in enumerate(order):
            gain = mine[change]
            ax.barh(y, gain - 1, left=1, height=0.7, color=look.colour(label), alpha=1 if y == 0 else 0.55, linewidth=0)
            ax.annotate(f"{gain:.2f}x", (gain, y), xytext=(3 if gain >= 1 else -3, 0), textcoords="offset points",
                        va="center", ha="left" if gain >= 1 else "right", fontsize=tiny())
        ax.axvline(1, color="0.35", linewidth=0.9)
        ax.set_yticks(range(len(order)), [change_text(change) for change in order], fontsize=small())
        ax.set_ylim(longest - 0.4, -0.6)
        ax.set_title(short(label, 24), loc="left", color=look.ink(label))
        ax.grid(axis="y", visible=False)
    axes[0].set_xlim(lowest - (room if lowest < 1 else 0.15 * room), highest + room)
    fig.supxlabel("updates per second, relative to the cluster as it is", fontsize="medium")
    name_point(fig, results, point)
    return fig
