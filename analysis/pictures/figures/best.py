import textwrap

from matplotlib.patches import Patch, Rectangle

from ..results import NoData, value_text
from ..style import legend_above, legend_name, panels, short, tiny
from ..verdicts import AT_EDGE, ONE_REPLICA, WHAT_EDGE_MEANS, is_at_edge, known, verdict_against
from .arrows import edge_in_legend

NAME = "best"
TITLE = "Best algorithm over two swept parameters"
HOW_TO_READ = ("Each cell names the algorithm in first place (summary.csv): the one that reached the target in the largest share of "
               "its runs; among equal shares, the one with the lowest mean time. A cell in the algorithm's colour: "
               "comparisons.csv finds it faster than every other. Grey: undecided. The cell then names the first, marked ~, and "
               "below it the next one that it is not clearly faster than. White: no algorithm reached the target. "
               f"{WHAT_EDGE_MEANS} If a third parameter is swept, there is a map for each of its first four values; any further "
               "ones are held at their first value.")
UNDECIDED, NOBODY = "#D0D0D0", "#FFFFFF"
MOST_MAPS = 4


def winner(rows):
    """(label, whether it is the best for sure, its nearest rival if not, those of them that were tuned to the edge); None when
    nobody reached the target."""
    rows = rows.sort_values("place", na_position="last", kind="stable")
    if rows.empty or not known(rows.iloc[0]["time_to_target_mean_s"]):
        return None
    first = rows.iloc[0]
    rivals = [label for label in rows["algorithm"].iloc[1:] if verdict_against(first, label) != "faster"]
    rival = rivals[0] if rivals and first["replicas"] > 1 else None
    edge = {row["algorithm"] for _, row in rows.iterrows() if is_at_edge(row)} & {first["algorithm"], rival}
    return first["algorithm"], first["decided"] != 0, rival, edge


def draw_cell(ax, i, j, best, look):
    colour = NOBODY if best is None else look.colour(best[0]) if best[1] else UNDECIDED
    ax.add_patch(Rectangle((i - 0.5, j - 0.5), 1, 1, facecolor=colour, edgecolor="white", linewidth=1.5))

    def named(label, most):
        return short(label, most) + (AT_EDGE if label in best[3] else "")

    words = "none" if best is None else named(best[0], 16)
    if best and not best[1] and best[2]:
        words = f"~ {named(best[0], 14)}\n{named(best[2], 14)}"
    ax.text(i, j, words, ha="center", va="center", fontsize=tiny(),
            color="white" if best and best[1] and dark(colour) else "black")


def dark(colour):
    """Whether white words are read better on it than black ones."""
    red, green, blue = (int(colour[k:k + 2], 16) / 255 for k in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 0.55


def draw_map(ax, rows, axes, results, look):
    """One map; the winners of its cells."""
    x, y = axes
    xs, ys = list(dict.fromkeys(rows[x])), list(dict.fromkeys(rows[y]))
    winners = []
    for i, xv in enumerate(xs):
        for j, yv in enumerate(ys):
            winners.append(winner(rows[(rows[x] == xv) & (rows[y] == yv)]))
            draw_cell(ax, i, j, winners[-1], look)
    ax.set_xlim(-0.5, len(xs) - 0.5)
    ax.set_ylim(-0.5, len(ys) - 0.5)
    ax.set_xticks(range(len(xs)), [textwrap.fill(short(value_text(v), 48), 13, break_long_words=False) for v in xs])
    ax.set_yticks(range(len(ys)), [textwrap.fill(short(value_text(v), 48), 16, break_long_words=False) for v in ys])
    ax.set_xlabel(results.axis_name(x))
    ax.set_ylabel(results.axis_name(y))
    ax.grid(False)
    return winners


def draw(results, look):
    axes = [a for a in results.axes if results.runs[a].nunique() > 1]
    if len(axes) < 2:
        raise NoData("fewer than two axes are swept")
    if results.target is None:
        raise NoData("the scenario has no target")
    if results.summary.empty or any(a not in results.summary for a in axes):
        raise NoData("summary.csv has no rows over both axes")
    if not results.says_places:
        raise NoData("summary.csv does not say who is first")
    rows = results.summary
    fixed = {other: rows[other].iloc[0] for other in axes[3:]}
    for other, value in fixed.items():
        rows = rows[rows[other] == value]
    thirds = list(dict.fromkeys(rows[axes[2]]))[:MOST_MAPS] if len(axes) > 2 else [None]
    wide, tall = rows[axes[0]].nunique(), rows[axes[1]].nunique()
    fig, maps = panels(look, len(thirds), height=max(1.8, 0.42 * tall + 0.8))
    if len(maps) == 1:
        fig.set_figwidth(min(fig.get_figwidth(), max(3.5, 0.85 * wide + 1)))
    winners = []
    for ax, third in zip(maps, thirds):
        here = rows if third is None else rows[rows[axes[2]] == third]
        winners += draw_map(ax, here, axes[:2], results, look)
        if third is not None:
            ax.set_title(short(f"{results.axis_name(axes[2])} = {value_text(third)}", 60))
    if fixed:
        fig.suptitle(", ".join(f"{results.axis_name(a)} = {value_text(v)}" for a, v in fixed.items()))
    used = {best[0]: Patch(color=look.colour(best[0])) for best in winners if best and best[1]}
    doubt = any(best and not best[1] for best in winners)
    nobody = None in winners
    edge = any(best and best[3] and (best[0] in best[3] or not best[1]) for best in winners)
    entries = {legend_name(label): used[label] for label in results.algorithms if label in used}
    if doubt:
        entries["undecided" if rows["replicas"].max() > 1 else ONE_REPLICA.rstrip(".")] = Patch(color=UNDECIDED)
    if nobody:
        entries["target not reached"] = Patch(facecolor=NOBODY, edgecolor="0.5", linewidth=0.5)
    legend_above(fig, {**entries, **(edge_in_legend() if edge else {})})
    return fig
