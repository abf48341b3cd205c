from ..results import NoData
from ..style import legend_above, legend_name, panels, short, tiny
from .scales import log_axis, spans_much
from .target import target_text

NAME = "frontier"
TITLE = "Time to target against cost and energy"
HOW_TO_READ = ("One marker per algorithm (and point of a sweep): mean virtual time to the target, and mean cost or energy until "
               "then (summary.csv). The line is the frontier: nobody is at least as good in both and better in one. Only "
               "what all runs reached can be on it; open markers are means of those runs that reached the target, where "
               "others did not. Lower left is better.")
TIME = "time_to_target_mean_s"
COST, ENERGY = "cost_to_target_mean", "energy_to_target_mean_J"
MOST_NAMES = 12  # on a frontier; more would cover each other


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
    return short(row["algorithm"]) + (f", {short(where, 40)}" if where else "")


def label_and_unit(column, values):
    if column == COST:
        return "cost to target", 1
    name, unit = ("kWh", 3.6e6) if max(values) >= 3.6e6 else ("kJ", 1e3)
    return f"energy to target ({name})", unit


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
    for i in front[:MOST_NAMES]:
        ax.annotate(name_of(results, rows[i]), places[i], xytext=(5, 4), textcoords="offset points", fontsize=tiny(),
                    color=look.ink(rows[i]["algorithm"]))
    logs = []
    for axis, values, most in ((ax.xaxis, [p[0] for p in places], ax.set_xlim), (ax.yaxis, [p[1] for p in places], ax.set_ylim)):
        logs.append(min(values) > 0 and spans_much(values))
        if logs[-1]:
            log_axis(axis)
        else:
            most(0, 1.15 * max(values) or 1)
    ax.set_xlabel(f"virtual time to {target_text(results)} (s{', log scale' if logs[0] else ''})")
    ax.set_ylabel(label + (", log scale" if logs[1] else ""))


def draw(results, look):
    if results.target is None:
        raise NoData("the scenario has no target")
    given = [column for column in (COST, ENERGY) if len(rows_with(results, column))]
    if not given:
        raise NoData("nothing has a power or a price, or nobody reached the target")
    fig, axes = panels(look, len(given), height=2.6)
    for ax, column in zip(axes, given):
        draw_panel(ax, results, look, column)
    entries = {}
    for ax in axes:
        for handle, name in zip(*ax.get_legend_handles_labels()):
            if handle.get_markerfacecolor() != "white":
                entries.setdefault(name, handle)
    legend_above(fig, entries)
    return fig
