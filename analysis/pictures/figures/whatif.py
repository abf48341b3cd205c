import textwrap

from matplotlib.ticker import MaxNLocator

from ..results import NoData
from ..style import name_point, number_below, panels, short, small, tiny
from ..what_decides import AS_IS, asked, remarks

NAME = "whatif"
TITLE = "What would help: throughput under changes of the cluster"
HOW_TO_READ = ("For each algorithm, how many times as many updates per second it would make if one thing about the "
               "cluster were different, found by simulating exactly that (timing only). The bar in full colour, on top, is "
               "the bottleneck: the change that brings most, or the part of it that brings nearly as much alone (one class "
               "of workers rather than all); there is none where nothing brings 2 %. Bars at 1 change nothing; bars to the "
               "left of 1 would slow it down. Grey: with fewer workers, whose updates also hold fewer samples (an arrow: "
               "more than the axis shows). Below: where few updates were timed, or where workers without noise keep in step. It is throughput that is compared, not accuracy. For a sweep, the first point "
               "is shown.")
MOST_CHANGES = 10
FACTS = {"bandwidth_x2": "2x bandwidth", "server_bandwidth_x2": "2x server bandwidth", "no_latency": "no latency",
         "compute_x2": "2x compute speed", "server_speed_x2": "2x server speed", "no_noise": "no noise",
         "no_changes": "nothing changes", "no_failures": "nobody fails"}


def change_text(change):
    """"speed_x2:cpu" -> "2x speed of cpu"; what has no words of its own is shown as it is, without underscores."""
    if change in FACTS:
        return FACTS[change]
    for start, words in (("speed_x2:", "2x speed of "), ("without:", "without ")):
        if change.startswith(start):
            return words + short(change[len(start):], 16)
    return short(change.replace("_", " "), 24)


def is_smaller(change):
    """Whether it takes workers away: nothing that one could buy, and so not in the order of the others."""
    return change.startswith("without:")


def gains(results, point):
    """algorithm -> change -> gain, without the row of the cluster as it is."""
    rows = results.whatif[(results.whatif["change"] != AS_IS) & results.whatif["gain"].notna()]
    for axis, value in zip(results.axes, point):
        if axis in rows:
            rows = rows[rows[axis] == value]
    return {label: rows[rows["algorithm"] == label].drop_duplicates("change").set_index("change")["gain"]
            for label in results.algorithms if (rows["algorithm"] == label).any()}


def limits(found):
    """What the axes show: all that makes it slower, and as much as any change that takes no workers away."""
    gains_of_levers = [gain for mine in found.values() for change, gain in mine.items() if not is_smaller(change)]
    lowest = min([1] + [mine.min() for mine in found.values()])
    return lowest, max([lowest + 0.1, 1.05] + gains_of_levers)


def say_below(fig, remarks):
    """Below the panels, as wide as they are."""
    width = int(fig.get_figwidth() * 72 / (0.55 * small()))  # letters
    if remarks:
        fig.text(0.02, -0.02, "\n".join(textwrap.fill(remark, width) for remark in remarks), fontsize=small(), va="top")


def draw(results, look):
    if results.whatif.empty:
        raise NoData("no changes of the cluster were tried")
    point = results.shown_point()
    found = gains(results, point)
    if not found:
        raise NoData("whatif.csv has no row of an algorithm of runs.csv at the first point")
    bottlenecks = {one.algorithm: one.bottleneck for one in asked(results, point)}
    lowest, highest = limits(found)
    room = 0.45 * (highest - lowest)  # for the numbers at the ends of bars
    longest = min(MOST_CHANGES, max(len(mine) for mine in found.values()))
    fig, axes = panels(look, len(found), across=3, narrow=1, height=0.5 + 0.17 * longest, sharex=True)
    for ax, (label, mine) in zip(axes, found.items()):
        decides = bottlenecks.get(label)
        order = sorted(mine.index, key=lambda change: (change != decides, is_smaller(change), -mine[change]))[:MOST_CHANGES]
        for y, change in enumerate(order):
            gain = mine[change]
            end = min(gain, highest)
            ax.barh(y, end - 1, left=1, height=0.7, linewidth=0, alpha=1 if change == decides else 0.55,
                    color="0.7" if is_smaller(change) else look.colour(label))
            ax.annotate(f"{'→ ' if gain > end else ''}{gain:.2f}x", (end, y), xytext=(3 if gain >= 1 else -3, 0),
                        textcoords="offset points", va="center", ha="left" if gain >= 1 else "right", fontsize=tiny())
        ax.axvline(1, color="0.35", linewidth=0.9)
        ax.set_yticks(range(len(order)), [change_text(change) for change in order], fontsize=small())
        ax.set_ylim(longest - 0.4, -0.6)
        ax.set_title(short(label, 24), loc="left", color=look.ink(label))
        ax.grid(axis="y", visible=False)
    axes[0].xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes[0].set_xlim(lowest - (room if lowest < 1 else 0.15 * room), highest + room)
    number_below(axes)
    fig.supxlabel("updates per second, relative to the cluster as it is", fontsize="medium")
    name_point(fig, results, point)
    say_below(fig, [f"{short(label)}: {remark}" for label, remark in remarks(results, point) if label in found])
    return fig
