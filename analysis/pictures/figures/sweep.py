import math
import textwrap

from matplotlib.lines import Line2D

from ..results import NoData, value_text
from ..style import legend_above, panels, short, small
from ..theory import NAME as THEORY, STYLE as DOTTED, WHAT_DOTS_MEAN, optimal_s
from ..units import sizes_of
from ..verdicts import WHAT_MARKS_MEAN, is_no_bound, is_undecided, known, supported
from .arrows import arrow_in_legend, beside, bound_arrow, has_bound_arrows, open_interval
from .curves import FEWEST_FOR_BANDS
from .scales import is_geometric, is_number, log_axis, spans_much
from .target import against_baseline, ran_until, target_text

NAME = "sweep"
TITLE = "Time to target and speed-up over the swept parameter"
HOW_TO_READ = ("One line per algorithm, named at its end, through what was measured; the shaded band is the 95 % interval from summary.csv (with fewer "
               "than five replicas, dots are the times of each instead). An open marker with an arrow: not every run "
               "reached the target at that value, and the true mean lies in the arrow's direction; where no run did, the "
               "arrow starts where the runs end. No line goes through these; those at one place stand side by side. Open without an arrow: on both sides of the speed-up runs ended before "
               "they reached the target, and it compares times cut where they ended. A bound on a speed-up is the end of its "
               "interval on that side, and left out where it is beyond 100 or 1/100. A thin line that ends in an arrow: an "
               f"interval that is open, as it goes beyond the end of the runs. {WHAT_MARKS_MEAN} If several "
               "parameters are swept, the others are held at their first value, which the title says. "
               f"{WHAT_DOTS_MEAN}")
NEAR = 0.06       # of the axis: two markers would cover each other
SIDE_BY_SIDE = 7  # points between them then


def sweep_axis(results):
    """The axis drawn against: the first with more than one value."""
    for axis in results.axes:
        if results.runs[axis].nunique() > 1:
            return axis
    raise NoData("nothing is swept in this scenario")


def rows_along(results, axis):
    """summary.csv along one axis; of other axes their first value. And what was fixed, in words."""
    rows, fixed = results.summary, []
    for other in results.axes:
        if other == axis or other not in rows or rows[other].nunique() < 2:
            continue
        first, values = rows[other].iloc[0], rows[other].nunique()
        rows = rows[rows[other] == first]
        fixed.append(f"{results.axis_name(other)} = {value_text(first)}, the first of {values} values")
    return rows, ", ".join(fixed)


def time_at(results, row):
    """(value, low, high, bound) of a row's time to target; where no run reached it, from where the runs end."""
    if known(row["time_to_target_mean_s"]):
        return (row["time_to_target_mean_s"], row["time_to_target_low_s"], row["time_to_target_high_s"],
                "" if row["reached"] >= row["n"] else "at_least")
    return ran_until(results, point_of(results, row), row["algorithm"]), None, None, "at_least"


def speedup_at(results, row):
    return against_baseline(row)


def point_of(results, row):
    return tuple(row[axis] if axis in row else results.runs[axis].iloc[0] for axis in results.axes)


def beside_each_other(series):
    """{(label, x): points}: bounds at one place with nearly the same value, such as where all runs end, are drawn side by
    side. series: label -> [(x, value, low, high, bound)]."""
    bounds = [(x, value, label) for label, cells in series.items() for x, value, _, _, bound in cells if bound]
    shown = [value for cells in series.values() for _, value, *_ in cells]

    def is_near(one, other):
        return other / one <= 1 + 3 * NEAR if spans_much(shown) else other - one <= NEAR * max(shown)

    aside = {}
    for x in dict.fromkeys(x for x, _, _ in bounds):
        here = sorted(((value, label) for at, value, label in bounds if at == x), key=lambda found: found[0])
        groups = []
        for value, label in here:
            if groups and is_near(groups[-1][-1][0], value):
                groups[-1].append((value, label))
            else:
                groups.append([(value, label)])
        for group in groups:
            ordered = [label for label in series if label in [other for _, other in group]]
            aside |= {(label, x): SIDE_BY_SIDE * (i - (len(ordered) - 1) / 2) for i, label in enumerate(ordered)}
    return aside


def places_of(values):
    """({value: where on the axis it is drawn}, whether that is to scale): numbers and quantities of one dimension are, in SI;
    anything else stands side by side."""
    sizes = values if is_number(values) else sizes_of(values)
    return dict(zip(values, sizes or range(len(values)))), bool(sizes)


def cells_along(results, rows, axis, place, cell_of):
    """label -> [(x, value, low, high, bound)], from left to right, of what is known."""
    series = {}
    for label in results.algorithms_of(rows):
        cells = [(place[row[axis]], *cell_of(results, row)) for _, row in rows[rows["algorithm"] == label].iterrows()]
        series[label] = sorted((cell for cell in cells if known(cell[1])), key=lambda cell: cell[0])
    return series


def draw_line(ax, look, label, cells, bands, aside):
    """A line through what was measured and a band around it; a bound is an open marker with an arrow, which no line goes
    through. cells: (x, value, low, high, bound), from left to right."""
    ax.plot([x for x, *_ in cells], [math.nan if bound else value for _, value, _, _, bound in cells], **look.line(label))
    if bands:  # only where the line is
        inside = [(x, low, high) if known(low) and known(high) and not bound else (x, math.nan, math.nan)
                  for x, _, low, high, bound in cells]
        ax.fill_between([x for x, _, _ in inside], [low for _, low, _ in inside], [high for _, _, high in inside],
                        color=look.colour(label), alpha=0.12, linewidth=0)
    for x, value, low, high, bound in cells:
        if bands and not bound and known(low) and not known(high):
            open_interval(ax, x, value, low, look.colour(label))
        if bound:
            ax.plot([x], [value], linestyle="none", label="_room")  # what is drawn beside its place does not widen the axes
            ax.plot([x], [value], zorder=3, transform=beside(ax, aside.get((label, x), 0)), label="_bound",
                    **look.mark(label, markerfacecolor="white", markeredgecolor=look.colour(label), markeredgewidth=1))
            if bound != "mixed":
                bound_arrow(ax, x, value, look.colour(label), way=1 if bound == "at_least" else -1, aside=aside.get((label, x), 0))


def mark_undecided(ax, look, label, rows, places):
    for x, (_, row) in zip(places, rows.iterrows()):
        if is_undecided(row) and not is_no_bound(row):
            ax.annotate("~", (x, supported(row)), xytext=(0, 3), textcoords="offset points", ha="center", fontsize=small(),
                        color=look.ink(label))


def draw_replicas(ax, results, look, label, rows, axis, place):
    """The times of the single runs."""
    for _, row in rows.iterrows():
        runs = results.at(point_of(results, row))
        times = runs[runs["algorithm"] == label]["time_to_target_s"].dropna()
        ax.plot([place[row[axis]]] * len(times), times, linestyle="none", marker=".", markersize=2.5, alpha=0.6,
                color=look.colour(label), label="_replica", zorder=1.5)


def spread(wanted, gap, top):
    """The places of labels, in order, at least a gap apart, as near to the wanted ones as that allows."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    at = [wanted[i] for i in order]
    for _ in range(200):
        for i in range(len(at) - 1):
            lack = gap - (at[i + 1] - at[i])
            if lack > 0:
                at[i] -= lack / 2
                at[i + 1] += lack / 2
        if at and at[0] < 0:
            at[0] = 0
        if at and at[-1] > top:
            at[-1] = top
    return {i: y for i, y in zip(order, at)}


def name_lines(fig, ax, look, ends):
    """Every line's name beside its end; ends: label -> (x, y) of the last value."""
    name_points(fig, ax, look, [(short(label, 18), label, place) for label, place in ends.items()])


def name_points(fig, ax, look, names):
    """The names of places in a panel, beside it, in their algorithms' colours; names: (name, algorithm, (x, y)). Once the
    axes are as they will be."""
    fig.canvas.draw()  # only now it is known where the axes are
    to_axes = ax.transData + ax.transAxes.inverted()
    gap = 1.25 * small() / 72 / (ax.get_position().height * fig.get_figheight())
    places = spread([min(1, max(0, to_axes.transform(place)[1])) for _, _, place in names], gap, 1)
    for i, (name, label, place) in enumerate(names):
        x, y = to_axes.transform(place)
        ax.annotate(name, (x, y), xytext=(1.05, places[i]), xycoords="axes fraction", textcoords="axes fraction",
                    va="center", fontsize=small(), color=look.ink(label), annotation_clip=False,
                    arrowprops={"arrowstyle": "-", "color": look.colour(label), "linewidth": 0.5, "shrinkA": 1,
                                "shrinkB": 3, "relpos": (0, 0.5)})


def draw(results, look):
    axis = sweep_axis(results)
    if results.target is None:
        raise NoData("the scenario has no target")
    if results.summary.empty or axis not in results.summary:
        raise NoData(f"summary.csv has no column {axis}")
    rows, fixed = rows_along(results, axis)
    place, to_scale = places_of(list(dict.fromkeys(rows[axis])))
    bands = rows["n"].max() >= FEWEST_FOR_BANDS
    baseline = rows["baseline"].dropna()
    kinds = [(time_at, f"time to {target_text(results)} (s)"),
             (speedup_at, "speed-up over " + (short(baseline.iloc[0]) if len(baseline) else "the baseline"))]
    fig, axes = panels(look, 2, height=2.5)
    all_ends = []
    for ax, (cell_of, label) in zip(axes, kinds):
        series = cells_along(results, rows, axis, place, cell_of)
        aside = beside_each_other(series)
        for algorithm, cells in series.items():
            mine = rows[rows["algorithm"] == algorithm]
            draw_line(ax, look, algorithm, cells, bands, aside)
            if cell_of is speedup_at:
                mark_undecided(ax, look, algorithm, mine, [place[v] for v in mine[axis]])
            if not bands and cell_of is time_at:
                draw_replicas(ax, results, look, algorithm, mine, axis, place)
        if any(aside.values()):
            ax.margins(x=0.09)  # for those beside the first and the last place
        ends = {algorithm: cells[-1][:2] for algorithm, cells in series.items() if cells}
        shown = [value for cells in series.values() for _, value, *_ in cells]
        frame(ax, results.axis_name(axis), place, to_scale, shown, label)
        all_ends.append(ends)
    axes[1].axhline(1, color="0.35", linestyle="--", linewidth=0.9)
    theory = [(place[row[axis]], optimal_s(results, point_of(results, row))) for _, row in rows.iterrows()]
    theory = sorted({(x, y) for x, y in theory if y is not None})
    if theory:
        axes[0].plot(*zip(*theory), label=THEORY, **DOTTED)
    if fixed:
        fixed_title(axes[0], fixed)
    for ax, ends in zip(axes, all_ends):
        name_lines(fig, ax, look, ends)
    legend_above(fig, legend(axes, rows) | ({THEORY: Line2D([], [], **DOTTED)} if theory else {}))
    return fig


def fixed_title(ax, fixed):
    """Says above a panel what was held at its first value."""
    ax.set_title(textwrap.fill(fixed, 60), loc="left")


def legend(axes, rows):
    """What the open markers mean, of those that are there."""
    entries = {}
    if any(has_bound_arrows(ax) for ax in axes):
        entries["not every run reached the target: the value lies beyond"] = arrow_in_legend()
    if any(known(row["speedup"]) and against_baseline(row)[3] == "mixed" for _, row in rows.iterrows()):
        entries["runs on both sides did not: times are cut where these ended"] = Line2D(
            [], [], color="0.3", marker="o", markersize=4.5, markerfacecolor="white", linestyle="none")
    return entries


def letters_of(ax):
    """How many letters of a tick's name fit side by side below a panel."""
    return ax.figure.get_figwidth() * 72 / ax.get_gridspec().ncols * 0.6 / (0.6 * small())


def name_ticks(ax, places, names):
    """Names below a panel: in lines where they would meet otherwise, and where words are too long for that, aslant. No
    word is broken."""
    room = int(letters_of(ax) / len(names))
    lines = [textwrap.fill(short(name, 48), max(6, room), break_long_words=False, break_on_hyphens=False) for name in names]
    if max(len(line) for name in lines for line in name.splitlines()) <= max(6, room):
        ax.set_xticks(places, lines)
    else:
        ax.set_xticks(places, [short(name, 24) for name in names], rotation=35, ha="right", rotation_mode="anchor")


def name_values(ax, places, names, log):
    """Names at values that are drawn to scale; one that would meet the one before it is left out, the tick stays."""
    at = [math.log(place) if log else place for place in places]
    letter = (max(at) - min(at)) / letters_of(ax)
    told, free = [], -math.inf
    for here, name in zip(at, names):
        fits = here - (len(name) / 2 + 0.5) * letter >= free
        told.append(name if fits else "")
        free = here + len(name) / 2 * letter if fits else free
    ax.set_xticks(places, told)
    ax.minorticks_off()


def frame(ax, name, place, to_scale, shown, label):
    """place: value -> where it is drawn, which is its size if they are drawn to scale."""
    order = sorted(place, key=place.get)
    places, names = [place[value] for value in order], [value_text(value) for value in order]
    log_x = to_scale and is_geometric(places)
    ax.set_xlabel(name + (" (log scale)" if log_x else ""))
    if log_x:
        ax.set_xscale("log")
    if not to_scale:
        name_ticks(ax, places, names)
    elif len(places) <= 8 or not is_number(order):
        name_values(ax, places, names, log_x)
    if spans_much(shown):
        log_axis(ax.yaxis)
        label = label.replace(" (s)", "\n(s, log scale)") if label.endswith("(s)") else label + " (log scale)"
    else:
        ax.set_ylim(bottom=0, top=(1.1 if has_bound_arrows(ax) else 1) * ax.get_ylim()[1])
    ax.set_ylabel(label)
