import textwrap

from matplotlib.lines import Line2D
from pandas.api.types import is_numeric_dtype

from ..results import COLUMNS, NoData
from ..style import legend_above, name_point, panels, short, tiny
from ..verdicts import known
from .arrows import arrow_in_legend, bound_arrow
from .scales import is_geometric, log_axis, number_values, spans_much
from .target import target_text

NAME = "tuning"
TITLE = "Tuning: time to target against the tuned parameter"
LINE = 22  # characters, as high as a panel
HOW_TO_READ = ("One panel per algorithm and tuned parameter: the time to target of every candidate, on seeds that are not "
               "reported. Smaller markers: fewer seeds than others. Open markers: not every run reached the target, k/n "
               "says how many did, and such a candidate ranks behind those with a larger share, however soon the others "
               "arrived; an arrow: none did. The ring is the candidate that was chosen; a flat line means the choice hardly matters. "
               "Where an algorithm has several tuned parameters, its candidates differ in all of them, and no line joins "
               "them. "
               "'at the edge': the best value is the last of its grid, so that a better one may lie beyond. Without a "
               "target, the final loss is drawn. For a sweep, the first point is shown.")


def tuned_parameters(results):
    """The columns of tuned.csv that are parameters."""
    return [name for name in results.tuned.columns if name not in COLUMNS["tuned"] and not name.startswith("/")]


def parts_of(results, point):
    """(algorithm, parameter, [(value, row)]) of every panel: what was tried with more than one value."""
    rows = results.tuned
    for axis, value in zip(results.axes, point):
        if axis in rows:
            rows = rows[rows[axis] == value]
    parts = []
    for label in results.algorithms:
        for name in tuned_parameters(results):
            if not is_numeric_dtype(rows[name]):  # words have no order to draw them in
                continue
            mine = rows[(rows["algorithm"] == label) & rows[name].notna()].sort_values(name, kind="stable")
            if mine[name].nunique() > 1:
                parts.append((label, name, [(row[name], row) for _, row in mine.iterrows()]))
    return parts


def is_tuned_alone(results, label, name):
    """Whether an algorithm's candidates differ in this parameter only, so that a line through them is a curve over it."""
    rows = results.tuned[results.tuned["algorithm"] == label]
    return not any(rows[other].nunique() > 1 for other in tuned_parameters(results) if other != name)


def is_log(parts, name):
    """Whether a parameter belongs on a log scale: by the values of all algorithms, as one of them may have tried few."""
    return is_geometric(sorted({x for _, other, found in parts if other == name for x, _ in found}))


def draw_part(ax, look, label, found, column, top, joined):
    """The candidates of one algorithm; those without a value are arrows at the top."""
    if joined:
        there = [(x, row[column]) for x, row in found if known(row[column])]
        ax.plot([x for x, _ in there], [y for _, y in there], color=look.colour(label), linestyle=look.dashes(label), zorder=2)
    ax.plot([x for x, _ in found], [top] * len(found), linestyle="none", label="_room")  # arrows do not widen the axes
    most = max(row["seeds"] for _, row in found)
    for x, row in found:
        at = row[column] if known(row[column]) else top
        if known(row[column]):
            everybody = column != "time_to_target_s" or row["reached"] >= row["seeds"]
            ax.plot([x], [at], zorder=3, **look.mark(label, markersize=5 if row["seeds"] >= most else 3.2,
                                                     markerfacecolor=look.colour(label) if everybody else "white",
                                                     markeredgecolor="white" if everybody else look.colour(label)))
            if not everybody:  # which ranks it behind those that all arrived, however soon its others did
                ax.annotate(f"{row['reached']:g}/{row['seeds']:g}", (x, at), xytext=(0, -8), textcoords="offset points",
                            ha="center", va="top", fontsize=tiny(), color="0.2")
        else:
            bound_arrow(ax, x, top, look.colour(label), points=10)
        if row["chosen"] > 0:
            ax.plot([x], [at], marker="o", markersize=11, markerfacecolor="none", markeredgecolor="black",
                    linestyle="none", zorder=4, label="_chosen")
            if row["at_edge"] > 0:
                side = "left" if x == found[0][0] else "right" if x == found[-1][0] else "center"
                ax.annotate("at the edge", (x, at), xytext=(0, 9), textcoords="offset points", ha=side, fontsize=tiny(),
                            color="0.2")


def draw(results, look):
    if results.tuned.empty:
        raise NoData("nothing was tuned in this scenario")
    point = results.shown_point()
    parts = parts_of(results, point)
    if not parts:
        raise NoData("tuned.csv has no parameter with more than one value")
    column = "time_to_target_s" if results.tuned["time_to_target_s"].notna().any() else "final_test_loss"
    values = [row[column] for _, _, found in parts for _, row in found if known(row[column])]
    if not values:
        raise NoData("no candidate in tuned.csv has a time to target or a loss")
    log = spans_much(values)
    top = max(values) * (1.6 if log else 1.15)
    fig, axes = panels(look, len(parts), across=4 if len(parts) > 3 else 3, height=1.7, sharey=True)
    columns = axes[0].get_gridspec().ncols
    unit = "(s, log scale)" if log else "(s)"
    words = f"final test loss{', log scale' if log else ''}" if column == "final_test_loss" else (
        f"time to {target_text(results) or 'target'} {unit}")
    words = textwrap.fill(words, LINE)
    for i, (ax, (label, name, found)) in enumerate(zip(axes, parts)):
        if log and i == 0:
            log_axis(ax.yaxis)
        draw_part(ax, look, label, found, column, top, is_tuned_alone(results, label, name))
        ax.set_title(short(label, 24), loc="left", color=look.ink(label))
        log_x = is_log(parts, name)
        if log_x:
            log_axis(ax.xaxis)
        number_values(ax.xaxis, sorted({x for x, _ in found}), log_x)
        ax.margins(x=0.1)  # for the ring
        ax.set_xlabel(name.replace("_", " ") + (" (log scale)" if log_x else ""))
        ax.set_ylabel(words if i % columns == 0 else "")
    axes[0].set_ylim(bottom=min(values) / 2 if log else 0, top=top * (1.5 if log else 1.12))
    name_point(fig, results, point)
    legend_above(fig, legend(parts, column))
    return fig


def legend(parts, column):
    entries = {"chosen": Line2D([], [], marker="o", markersize=9, markerfacecolor="none", markeredgecolor="black",
                                linestyle="none")}
    if any(not known(row[column]) for _, _, found in parts for _, row in found):
        entries["target not reached"] = arrow_in_legend()
    # Smaller markers only: an arrow has no size to tell it by.
    if any(known(row[column]) and row["seeds"] < max(other["seeds"] for _, other in found) for _, _, found in parts for _, row in found):
        entries["dropped after fewer seeds"] = Line2D([], [], marker="s", color="0.3", markersize=3, linestyle="none")
    return entries
