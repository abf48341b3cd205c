"""What accuracy.py and efficiency.py share: learning curves, one row of panels per point of a sweep; with many
algorithms a panel each."""
import math
import textwrap

import numpy as np
from matplotlib.ticker import FormatStrFormatter, MaxNLocator

from ..results import NoData
from ..style import entries_of, evenly, legend_above, legend_name, name_point, number_below, panels, short
from .scales import log_axis
from .target import reached_at, rows_of

MOST_POINTS = 4       # of a sweep in one figure
MOST_TOGETHER = 7     # algorithms in one panel; beyond, each has its own
FEWEST_FOR_BANDS = 5  # replicas; the interval of fewer fills the chart, so that each is drawn instead
LOG_BEYOND = 10       # updates of one algorithm over those of another: on a linear axis one of them is a vertical line
MARKERS = 7           # on a curve
BEYOND_THE_LAST = 1.3  # how far the time axis goes after everybody has reached the target
TO_SEE_WHO_DOES_NOT = 2  # and how far where some never do
SHORT = 0.01  # an axis: its numbers are long, and fewer have room
ORACLE = {"linewidth": 1, "linestyle": (0, (1, 2)), "marker": None}  # dots, which no algorithm's own line has
ORACLE_SAW = "if merged there (oracle)"


def measures(results):
    """The columns of curves.csv that hold something: the target's first, or else accuracy."""
    wanted = results.target[0] if results.target else "test_accuracy"
    return sorted((c for c in ("test_accuracy", "test_loss") if results.curves[c].notna().any()), key=lambda c: c != wanted)


def real_evaluations(results, runs):
    """The rows of curves.csv of these runs whose models existed."""
    return results.curves[results.curves["run"].isin(runs["run"]) & ~(results.curves["oracle"] > 0)]


def draw_oracle(ax, look, label, drawn):
    """What merges would have given: dotted and thin, and named so."""
    ax.plot(drawn[0], drawn[1], **{**look.line(label), **ORACLE, "label": f"{legend_name(label)}: {ORACLE_SAW}"})


def single_replicas(results, runs, drawn, x, y):
    """(whether the band is drawn, the replicas that are drawn each: x, y and whether it stopped at the target). Few
    replicas are drawn instead of a band; where some stop at the target the mean ends with the first of them, before the
    others are there, and they go on alone."""
    at, _, low, _ = drawn
    has_band = low is not None and len(runs) >= FEWEST_FOR_BANDS
    if len(runs) < 2 or (has_band and not some_stop_at_target(results, runs)):
        return has_band, []
    lines = []
    for name, mine in real_evaluations(results, runs).groupby("run", sort=False):
        stopped = stops_at_target(mine, runs[runs["run"] == name].iloc[0])
        mine = mine.dropna(subset=[y])
        if has_band:  # from the evaluation before its end, so that who ends right there has a line, too
            mine = mine[mine[x] >= mine[mine[x] < at[-1]][x].max()]
        if len(mine):
            lines.append((mine[x].to_numpy(float), mine[y].to_numpy(float), stopped))
    return has_band, lines


def draw_replicas(ax, look, label, lines, crowd, drawstyle):
    """Each as a thin line; a dot ends one that stopped at the target."""
    for at, values, stopped in lines:
        ax.plot(at, values, color=look.colour(label), linewidth=0.5, alpha=0.6 if crowd <= 3 else 0.3, zorder=1.5,
                drawstyle=drawstyle, label="_replica")
        if stopped:
            ax.plot(at[-1:], values[-1:], color=look.colour(label), marker=".", markersize=4, linestyle="none",
                    alpha=0.8, zorder=1.6, label="_stopped")


def stops_at_target(curve, run):
    """Whether a run ended because it had reached the target: nothing was evaluated after that was seen."""
    return (curve["time_s"] >= run["time_to_target_s"]).sum() == 1


def is_log(results, point, x):
    """Whether the numbers of updates are so far apart that some curves would be vertical lines."""
    curves = results.curves[results.curves["run"].isin(results.at(point)["run"])]
    ends = curves.groupby("run")[x].max()
    return x == "updates" and len(ends) > 0 and ends.min() > 0 and ends.max() / ends.min() >= LOG_BEYOND


def marker_places(at, log, end, place, crowd):
    """About seven places of a curve, evenly spread over what is shown. Each algorithm begins elsewhere, so that their
    markers do not cover each other."""
    inside = at[(at <= (end or at[-1])) & ((at > 0) | (not log))]
    if len(inside) < 2:
        return list(range(len(inside)))
    scaled = np.log(inside) if log else inside
    wanted = scaled[0] + (np.arange(MARKERS) + (place + 0.5) / crowd) / MARKERS * (scaled[-1] - scaled[0])
    skipped = int(np.searchsorted(at, inside[0]))
    return sorted({skipped + int(np.abs(scaled - w).argmin()) for w in wanted})


def draw_curve(ax, results, look, point, label, x, y, place, crowd):
    """One algorithm: its mean, and how far the replicas are apart; of models that existed, and beside them what an oracle
    saw."""
    drawn, seen = results.band(point, label, x, y), results.band(point, label, x, y, oracle=True)
    if seen is not None:
        draw_oracle(ax, look, label, seen)
    if drawn is None:
        return
    at, mean, low, high = drawn
    runs = results.at(point)
    runs = runs[runs["algorithm"] == label]
    end = time_that_matters(results, rows_of(results, point)) if x == "time_s" else None
    # A model between whose evaluations an oracle looked stays what it is until the next merge: a step, not a slope.
    drawstyle, step = ("default", None) if seen is None else ("steps-post", "post")
    ax.plot(at, mean, **look.line(label, markevery=marker_places(at, is_log(results, point, x), end, place, crowd)),
            drawstyle=drawstyle)
    has_band, lines = single_replicas(results, runs, drawn, x, y)
    if has_band:
        ax.fill_between(at, low, high, color=look.colour(label), alpha=0.2 if crowd <= 3 else 0.1, linewidth=0,
                        step=step)
    draw_replicas(ax, look, label, lines, crowd, drawstyle)


def some_stop_at_target(results, runs):
    curves = real_evaluations(results, runs)
    return any(stops_at_target(curves[curves["run"] == run["run"]], run) for _, run in runs.iterrows())


def mark_crossings(ax, results, look, rows, y):
    """Where the line of the target was reached, on average."""
    wanted = results.target[1]
    ax.axhline(wanted, color="0.35", linestyle="--", linewidth=0.9, zorder=1, label=f"target {wanted:g}")
    for _, row in rows.iterrows():
        if row["time_to_target_mean_s"] == row["time_to_target_mean_s"]:
            everybody = row["reached"] >= row["n"]
            ax.plot([row["time_to_target_mean_s"]], [wanted], zorder=4, label="_crossing", clip_on=False,
                    **look.mark(row["algorithm"], markersize=6, markeredgecolor="black", markeredgewidth=0.7,
                                markerfacecolor=look.colour(row["algorithm"]) if everybody else "white"))


def time_that_matters(results, rows):
    """Until a little after the last has reached the target, and longer where somebody never does, so that this is seen;
    None when the whole run matters: there is no target, or nobody reaches it."""
    reached = reached_at(rows).dropna() if results.target is not None else rows[:0]
    if reached.empty:
        return None
    everybody = len(reached) == len(rows) and (rows["reached"] >= rows["n"]).all()
    return (BEYOND_THE_LAST if everybody else TO_SEE_WHO_DOES_NOT) * reached.max()


def frame(ax, results, point, x, y, x_label):
    """The first steep moments would squeeze what the comparison is about."""
    curves = results.curves[results.curves["run"].isin(results.at(point)["run"])]
    end = time_that_matters(results, rows_of(results, point)) if x == "time_s" else None
    longest = curves[x].max()
    if is_log(results, point, x):
        first = curves[curves[x] > 0][x].min()
        log_axis(ax.xaxis, math.log10(longest / first))
        ax.set_xlim(left=first)
        x_label += " (log scale)"
    else:
        ax.set_xlim(left=0)
        if end and end < longest:
            ax.set_xlim(right=end)
            x_label += f"; runs last up to {longest:.4g} s"
        if ax.get_xlim()[1] < SHORT:
            ax.xaxis.set_major_locator(MaxNLocator(4))
            ax.xaxis.set_major_formatter(FormatStrFormatter("%g"))
    wanted = [results.target[1]] if results.target and results.target[0] == y else []  # the line of the target is seen
    shown = curves[(curves[x] > 0.03 * min(longest, end or longest)) & (curves[x] <= (end or longest))][y].dropna()
    ax.set_xlabel(x_label)
    ax.set_ylabel(y.replace("_", " "))
    if y == "test_accuracy" and not shown.empty:
        bottom, top = min([shown.quantile(0.02)] + wanted), max([shown.max()] + wanted)
        room = 0.04 * (top - bottom) + 0.002
        ax.set_ylim(bottom=max(0, bottom - room), top=min(1, top + room))
    elif y == "test_loss" and not shown.empty and shown.min() > 0 and shown.max() / shown.min() > 30:
        log_axis(ax.yaxis, math.log10(max([shown.max()] + wanted) / min([shown.min()] + wanted)))
        ax.set_ylabel("test loss (log scale)")
        ax.set_ylim(bottom=min([shown.min()] + wanted) / 1.5)
    elif y == "test_loss" and not shown.empty:
        lowest, top = min([shown.min()] + wanted), max([shown.quantile(0.99)] + wanted)
        room = 0.06 * (top - lowest)
        ax.set_ylim(bottom=max(0, lowest - room) if lowest >= 0 else lowest - room, top=top + room)


def draw_panel(ax, results, look, point, x, y, x_label, labels, behind=()):
    """The curves of these algorithms; those behind are grey."""
    for label in behind:
        drawn = results.band(point, label, x, y)
        if drawn is not None:
            ax.plot(drawn[0], drawn[1], color="0.8", linewidth=0.6, zorder=1, label="_behind")
    for place, label in enumerate(labels):
        draw_curve(ax, results, look, point, label, x, y, place, len(labels))
    if results.target and results.target[0] == y:
        rows = rows_of(results, point)
        mark_crossings(ax, results, look, rows[rows["algorithm"].isin(labels)] if x == "time_s" else rows[:0], y)
    frame(ax, results, point, x, y, x_label)


def one_panel_each(results, look, point, columns_of, y):
    """Small multiples: every algorithm before the others."""
    labels = results.algorithms_of(results.at(point))
    x, x_label = columns_of[0]
    fig, axes = panels(look, len(labels), across=4, height=1.5, sharex=True, sharey=True)
    columns = axes[0].get_gridspec().ncols
    for i, (ax, label) in enumerate(zip(axes, labels)):
        draw_panel(ax, results, look, point, x, y, x_label, [label], [other for other in labels if other != label])
        ax.set_title(short(label), loc="left", color=look.ink(label))
        ax.set_xlabel("")
        if i % columns:
            ax.set_ylabel("")
    number_below(axes)
    fig.supxlabel(axes_words(results, point, x, x_label), fontsize="medium")
    name_point(fig, results, point)
    legend_above(fig, {name: handle for name, handle in entries_of(axes).items()
                       if name.startswith("target") or name.endswith(ORACLE_SAW)})
    return fig


def axes_words(results, point, x, x_label):
    longest = results.curves[x].max()
    end = time_that_matters(results, rows_of(results, point)) if x == "time_s" else None
    return x_label + (f"; runs last up to {longest:.4g} s" if end and end < longest else "") + \
        "; grey: the other algorithms"


def figure(results, look, columns_of):
    """columns_of: list of (x column, label). A row for each measure, or for each point of a sweep."""
    rows = measures(results)
    if results.curves.empty or results.runs.empty:
        raise NoData("curves.csv holds no evaluation")
    if not rows:
        raise NoData("nothing is trained in these runs (curves.csv has neither accuracy nor loss)")
    points = evenly(results.points(), MOST_POINTS)
    if max(len(results.algorithms_of(results.at(point))) for point in points) > MOST_TOGETHER:
        return one_panel_each(results, look, results.shown_point(), columns_of, rows[0])
    if len(points) > 1:  # one measure alone, one row per point
        grid = [(point, rows[0]) for point in points]
    else:
        grid = [(points[0], y) for y in rows]
    cells = [(point, y, x, x_label) for point, y in grid for x, x_label in columns_of]
    fig, axes = panels(look, len(cells))
    for ax, (point, y, x, x_label) in zip(axes, cells):
        draw_panel(ax, results, look, point, x, y, x_label, results.algorithms_of(results.at(point)))
        if len(points) > 1:
            ax.set_title(textwrap.fill(results.point_title(point), 52))
    # Long names last, where they widen the last column only.
    legend_above(fig, dict(sorted(entries_of(axes).items(), key=lambda entry: entry[0].endswith(ORACLE_SAW))))
    return fig
