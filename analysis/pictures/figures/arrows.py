"""Marks at values and names, and how a legend explains them: the arrow from a value that is only a bound towards where the
true one is, and the dagger of who was tuned to the edge of a grid."""
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.transforms import ScaledTranslation

from ..verdicts import AT_EDGE, OPEN

ARROW = Path([(-0.07, -1), (0.07, -1), (0.07, 0.1), (0.42, 0.1), (0, 1), (-0.42, 0.1), (-0.07, 0.1), (-0.07, -1)])


def beside(ax, points):
    """Where values stand that are drawn so many points to the right of their place."""
    return ax.transData + ScaledTranslation(points / 72, 0, ax.figure.dpi_scale_trans)


def bound_arrow(ax, x, y, colour, along="y", way=1, points=15, aside=0):
    """Starts at (x, y), or so many points beside it, is so many points long, upwards or to the right, or the other way with
    way = -1."""
    end = (points * way, 0) if along == "x" else (0, points * way)
    ax.annotate("", (x, y), xycoords=beside(ax, aside), xytext=end, textcoords="offset points", annotation_clip=False, zorder=3.5,
                arrowprops={"arrowstyle": "<|-", "color": colour, "linewidth": 1.3, "shrinkA": 0, "shrinkB": 0,
                            "mutation_scale": 8})


def open_interval(ax, x, y, low, colour, along="y"):
    """The interval of the value at (x, y) from its lower end on, which goes on without an end: an arrow, thinner than that of
    a bound."""
    level = along == "x"
    ax.plot([low, x] if level else [x, x], [y, y] if level else [low, y], color=colour, linewidth=1, zorder=2.5,
            marker="|" if level else "_", markersize=4, markevery=[0], label="_open")
    ax.annotate("", (x, y), xytext=(14, 0) if level else (0, 14), textcoords="offset points", annotation_clip=False,
                zorder=2.5, gid=OPEN, arrowprops={"arrowstyle": "<-", "color": colour, "linewidth": 1, "shrinkA": 0,
                                                  "shrinkB": 0, "mutation_scale": 7})


def has_bound_arrows(ax):
    return any(text.arrow_patch is not None and not text.get_text() and text.get_gid() != OPEN for text in ax.texts)


def arrow_in_legend():
    """What stands for such an arrow in a legend: as it is drawn, in no algorithm's colour."""
    return Line2D([], [], color="0.3", marker=ARROW, markersize=11, linestyle="none", markeredgewidth=0)


def edge_in_legend():
    """{words about the dagger: nothing to see beside them}."""
    return {f"{AT_EDGE.strip()} tuned to the edge of its grid": Line2D([], [], linestyle="none")}
