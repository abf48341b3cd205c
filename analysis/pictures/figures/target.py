from matplotlib.patheffects import withStroke

from ..results import NoData, seconds
from ..style import legend_above, panels, short, small
from ..theory import NAME as THEORY, STYLE as DOTTED, WHAT_DOTS_MEAN, optimal_s
from ..verdicts import (AT_EDGE, OPEN, WHAT_CUT_MEANS, WHAT_EDGE_MEANS, WHAT_MARKS_MEAN, is_at_edge, is_no_bound, is_open, known,
                        mark, ratio_text, supported)
from .arrows import bound_arrow, edge_in_legend, open_interval
from .scales import log_axis, spans_much

NAME = "target"
TITLE = "Time to target and speed-up"
HOW_TO_READ = ("Left: mean virtual time to reach the target with its 95 % interval, in the order of places "
               "(summary.csv). Right: speed-up over the baseline with the interval of the paired comparison. "
               f"{WHAT_MARKS_MEAN} Bars start at zero; where values differ by a factor of twelve or more the axis is "
               "logarithmic, and they are points. Pale, with an arrow: not every run (right: not every pair of runs) "
               "reached the target, k/n says how many did, and the true value lies in the arrow's direction; what no run "
               "reached is an arrow from where the runs end. Such a bound has no interval; that of a "
               "speed-up is the end of its interval on that side, and no bound where it is beyond 100 or 1/100. "
               f"{WHAT_CUT_MEANS} {WHAT_EDGE_MEANS} An interval too long for the axis ends in an arrowhead and "
               "a number; one that is open, as it goes beyond the end of the runs, in an arrow. All intervals are computed by the simulator (summary.csv). "
               f"{WHAT_DOTS_MEAN}")
TIME = ["time_to_target_mean_s", "time_to_target_low_s", "time_to_target_high_s"]
ON_ANY_COLOUR = [withStroke(linewidth=2.2, foreground="white", alpha=0.9)]


def target_text(results):
    """"82 % test accuracy"; None without a target."""
    if results.target is None:
        return None
    column, value = results.target
    return f"{100 * value:g} % test accuracy" if column == "test_accuracy" else f"a test loss of {value:g}"


def rows_of(results, point):
    """The rows of summary.csv at one point of the sweep, the first first."""
    rows = results.summary
    for axis, value in zip(results.axes, point):
        if axis in rows:
            rows = rows[rows[axis] == value]
    return rows.sort_values("place", na_position="last", kind="stable")


def reached_at(rows):
    """Mean times to target, or the end of their intervals where there is one that is not absurdly long."""
    mean, high = rows["time_to_target_mean_s"], rows["time_to_target_high_s"]
    return high.where(high.notna() & (high < 2 * mean), mean)


def ran_until(results, point, label):
    """How long the runs lasted that never reached the target: the shortest of them. None when all of them failed or
    diverged, which says nothing about time."""
    runs = results.at(point)
    late = runs[(runs["algorithm"] == label) & (runs["status"] == "ok") & runs["time_to_target_s"].isna()]
    return late["virtual_s"].min() if len(late) else None


def against_baseline(row):
    """(speed-up, low, high, bound), the speed-up None where it is a bound that says nothing: a bound is "at_least" or "at_most" where runs that never arrived are in the pairs,
    "mixed" where such runs are on both sides or, in results without the column, where pairs are missing."""
    bound = row.get("speedup_bound")
    if not known(bound):
        bound = "mixed" if "speedup_bound" not in row and row["speedup_pairs"] < row["n"] else ""
    return supported(row), row["speedup_low"], row["speedup_high"], bound


def most_of(values):
    """How far the axis goes: an interval of few replicas may be so long that no bar could be seen beside it."""
    return 3 * max(values) if values else 1


def draw_value(ax, y, label, look, cell, log, most):
    value, low, high, text, bound = cell
    colour = look.colour(label)
    if log:
        ax.plot([value], [y], **look.mark(label, markersize=6, markerfacecolor="white" if bound else colour,
                                          markeredgecolor=colour, markeredgewidth=1.2), zorder=3)
    else:
        ax.barh(y, value, color=colour, height=0.62, alpha=0.4 if bound else None, linewidth=0)
    end = value
    if known(low) and known(high):
        ax.errorbar([value], [y], xerr=[[max(0, value - low)], [max(0, min(high, most) - value)]], fmt="none",
                    ecolor="0.15", elinewidth=1, capsize=2, zorder=2.5, path_effects=ON_ANY_COLOUR)
        end = max(value, min(high, most))
        if high > most:
            ax.plot([most], [y], marker=">", color="0.15", markersize=4, clip_on=False)
            text += f"  (to {high:.3g})"
    shift = 8 if log else 5
    if known(low) and not known(high):
        open_interval(ax, value, y, low, "0.15", "x")
        shift = 19
    if bound in ("at_least", "at_most"):
        way = 1 if bound == "at_least" else -1
        bound_arrow(ax, end if way > 0 else value, y, colour, "x", way)
        shift = 20 if way > 0 else 5
    ax.annotate(text, (end, y), xytext=(shift, 0), textcoords="offset points", va="center", fontsize=small(), zorder=4,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3, "alpha": 0.8})


def remark(ax, y, words):
    ax.annotate(words, (0, y), xycoords=("axes fraction", "data"), xytext=(4, 0), textcoords="offset points",
                va="center", fontsize=small(), color="0.35", style="italic",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})


def open_text(row):
    """" [5.73, open]"."""
    return f" [{seconds(row[TIME[1]]).removesuffix(' s')}, {OPEN}]"


def time_cell(results, point, row):
    """Value, interval, text and bound of a row's time; or words, when it has none."""
    share = f"  ({row['reached']:g}/{row['n']:g})"
    if known(row[TIME[0]]):
        everybody = row["reached"] >= row["n"]
        text = seconds(row[TIME[0]]) + (open_text(row) if is_open(row) else "")
        return (*row[TIME], text, "") if everybody else (row[TIME[0]], None, None, f"> {text}{share}", "at_least")
    end = ran_until(results, point, row["algorithm"])
    if end is None or not end > 0:
        return f"not reached{share}"
    return end, None, None, f"> {seconds(end)}{share}", "at_least"


def speedup_cell(row):
    value, low, high, bound = against_baseline(row)
    if is_no_bound(row):
        return mark(row)
    if not known(value):
        return "not known: cut short" if known(row.get("cut_short_s")) else "no pair reached the target"
    pairs = f"  ({row['speedup_pairs']:g}/{row['n']:g} pairs)" if row["speedup_pairs"] < row["n"] else ""
    text = f"{ratio_text(row)}{' (cut)' if bound == 'mixed' else ''}{pairs}"
    return (value, None, None, text, bound) if bound in ("at_least", "at_most") else (value, low, high, text, bound)


def draw_column(ax, look, rows, cells):
    """One panel; returns whether its axis is logarithmic."""
    values = [cell[0] for cell in cells if not isinstance(cell, str)]
    log = spans_much(values)
    most = most_of(values)
    for y, ((_, row), cell) in enumerate(zip(rows.iterrows(), cells)):
        if isinstance(cell, str):
            remark(ax, y, cell)
        else:
            draw_value(ax, y, row["algorithm"], look, cell, log, most)
    ends = values + [min(c[2], most) for c in cells if not isinstance(c, str) and known(c[2])]
    if log:
        log_axis(ax.xaxis)
        low = min(values + [c[1] for c in cells if not isinstance(c, str) and known(c[1]) and c[1] > 0])
        ax.set_xlim(low / 1.3, max(ends) * (max(ends) / low) ** 0.35)
    else:
        drawn = [cell for cell in cells if not isinstance(cell, str)]
        room = 1.8 if any(OPEN in cell[3] for cell in drawn) else 1.5 if any(cell[4] for cell in drawn) else 1.3
        ax.set_xlim(0, max(ends, default=1) * room)
    if not values:
        ax.set_xticks([])
    ax.grid(axis="y", visible=False)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    return log


def draw(results, look):
    if results.target is None:
        raise NoData("the scenario has no target")
    if results.summary.empty:
        raise NoData("summary.csv has no rows")
    if len(results.points()) > 1:
        raise NoData("see the figure over the swept parameter instead")
    point = results.shown_point()
    rows = rows_of(results, point)
    fig, (left, right) = panels(look, 2, height=0.55 + 0.24 * len(rows))
    times = draw_column(left, look, rows, [time_cell(results, point, row) for _, row in rows.iterrows()])
    ratios = draw_column(right, look, rows, [speedup_cell(row) for _, row in rows.iterrows()])
    theory = optimal_s(results, point)
    if theory is not None:
        left.axvline(theory, **DOTTED)
        left.set_xlim(right=max(left.get_xlim()[1], 1.1 * theory))
        left.set_title(f"dotted: {THEORY}", loc="left", fontsize=small())
    names = [short(row["algorithm"]) + (AT_EDGE if is_at_edge(row) else "") for _, row in rows.iterrows()]
    left.set_yticks(range(len(rows)), names)
    right.set_yticks(range(len(rows)) if look.columns == 1 else [], names if look.columns == 1 else [])
    left.set_xlabel(f"virtual time to {target_text(results)} (s{', log scale' if times else ''})")
    baseline = rows["baseline"].dropna()
    right.set_xlabel((f"speed-up over {short(baseline.iloc[0])}" if len(baseline) else "speed-up") +
                     (" (log scale)" if ratios else ""))
    if rows["speedup"].notna().any():
        right.axvline(1, color="0.35", linestyle="--", linewidth=0.9)
    if any(is_at_edge(row) for _, row in rows.iterrows()):
        legend_above(fig, edge_in_legend())
    return fig
