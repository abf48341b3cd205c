import string

from ..results import NoData, energy_unit
from ..style import legend_above, legend_name, panels, short, small
from .scales import log_axis, spans_much
from .sweep import name_points
from .target import target_text

NAME = "frontier"
TITLE = "Time to target against cost and energy"
HOW_TO_READ = ("One marker per algorithm (and point of a sweep): mean virtual time to the target, and mean cost or energy until "
               "then (summary.csv). The line is the frontier, its markers named beside the panel (or by letters, below): no other is at least as good in both and better in one. Only "
               "what all runs reached can be on it; open markers are means of those runs that reached the target, where "
               "others did not. Lower left is better.")
TIME = "time_to_target_mean_s"
COST, ENERGY = "cost_to_target_mean", "energy_to_target_mean_J"
MOST_NAMES = 12  # on a frontier; beside the panel there is room for no more
FEW_NAMES = 3  # stand beside their marks without crowding


def frontier_of(points):
    """The indices of the (time, expense) that no other point is as good as in both and better than in one; by time."""
    best, found = None, []
    for i in sorted(range(len(points)), key=lambda i: points[i]):
        if best is None or points[i][1] < best or points[i] == points[found[-1]]:
            found.append(i)
            best = points[i][1]
    return found


def rows_with(results, column):
    """The rows of summary.csv that have a time and this expense."""
    rows = results.summary
    return rows[rows[TIME].notna() & rows[column].notna()]


def name_of(results, row):
    where = results.point_title([row[axis] for axis in results.axes]) if results.axes else ""
    return short(row["algorithm"]) + (f", {short(where, 80)}" if where else "")


def label_and_unit(column, values):
    if column == COST:
        return "cost to target", 1
    unit, name = energy_unit(max(values))
    return f"energy to target ({name})", unit


def letters_for(names):
    """{name: letter} where names are too long to stand beside a panel; {} where they are not."""
    if max((len(name) for name in names), default=0) <= 18:
        return {}
    return {name: letter for name, letter in zip(dict.fromkeys(names), string.ascii_letters)}


def draw_panel(ax, results, look, column):
    rows = rows_with(results, column).to_dict("records")
    label, unit = label_and_unit(column, [row[column] for row in rows])
    places = [(row[TIME], row[column] / unit) for row in rows]
    sure = [i for i, row in enumerate(rows) if row["reached"] >= row["n"]]
    front = [sure[k] for k in frontier_of([places[i] for i in sure])]
    ax.plot([places[i][0] for i in front], [places[i][1] for i in front], color="0.55", linewidth=1, zorder=1)
    for i, (row, (x, y)) in enumerate(zip(rows, places)):
        colour = look.colour(row["algorithm"])
        ax.plot([x], [y], **look.mark(row["algorithm"], markersize=5.5 if i in front else 4,
                                      markerfacecolor=colour if i in sure else "white", markeredgecolor=colour),
                label=legend_name(row["algorithm"]), zorder=3 if i in front else 2)
    logs = []
    for axis, values, most in ((ax.xaxis, [p[0] for p in places], ax.set_xlim), (ax.yaxis, [p[1] for p in places], ax.set_ylim)):
        logs.append(min(values) > 0 and spans_much(values))
        if logs[-1]:
            log_axis(axis)
        else:
            most(0, 1.15 * max(values) or 1)
    ax.set_xlabel(f"virtual time to {target_text(results)} (s{', log scale' if logs[0] else ''})")
    ax.set_ylabel(label + (", log scale" if logs[1] else ""))
    return [(name_of(results, rows[i]), rows[i]["algorithm"], places[i]) for i in front[:MOST_NAMES]]


def name_beside(ax, look, names):
    """Right at their places: a line to a name beside the panel would look like one of the data."""
    for name, label, place in names:
        ax.annotate(name, place, xytext=(6, -4), textcoords="offset points", va="top", fontsize=small(), color=look.ink(label))


def draw(results, look):
    if results.target is None:
        raise NoData("the scenario has no target")
    given = [column for column in (COST, ENERGY) if len(rows_with(results, column))]
    if not given:
        raise NoData("nothing has a power or a price, or nobody reached the target")
    fig, axes = panels(look, len(given), height=2.6)
    named = [draw_panel(ax, results, look, column) for ax, column in zip(axes, given)]
    letters = letters_for([name for names in named for name, _, _ in names])
    for ax, names in zip(axes, named):
        shown = [(letters.get(name, name), label, place) for name, label, place in names]
        if len(shown) > FEW_NAMES:
            name_points(fig, ax, look, shown)
        else:
            name_beside(ax, look, shown)
    for i, (name, letter) in enumerate(letters.items()):
        fig.text(0.02, -0.02 - 1.4 * small() / 72 * i / fig.get_figheight(), f"{letter}: {name}", fontsize=small(), va="top")
    entries = {}
    for ax in axes:
        for handle, name in zip(*ax.get_legend_handles_labels()):
            if handle.get_markerfacecolor() != "white":
                entries.setdefault(name, handle)
    legend_above(fig, entries)
    return fig
