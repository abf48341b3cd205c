import numpy as np
from matplotlib.ticker import MaxNLocator

from ..results import NoData
from ..style import CLASSES, entries_of, legend_above, legend_name, name_point, panels, short

NAME = "staleness"
TITLE = "Staleness by worker class"
HOW_TO_READ = ("Share of a class's gradients by staleness: how many updates were made between reading the model a "
               "gradient was computed on and applying that gradient. One panel per algorithm, one colour per class. "
               "Slow classes lie further to the right: their gradients are older when they arrive. Algorithms that "
               "never apply a stale gradient have no panel. For a sweep, the first point is shown; at most six "
               "classes.")
MOST_BARS = 40


def histogram(rows):
    """staleness -> share, over all replicas together."""
    counts = rows.groupby("staleness")["count"].sum()
    return counts / counts.sum()


def bins(rows):
    """Width and edges of the bars."""
    most = rows["staleness"].max()
    step = max(1, int(np.ceil((most + 1) / MOST_BARS)))
    return step, np.arange(-0.5, most + step + 0.5, step)


def binned(shares, edges):
    values, _ = np.histogram(shares.index.to_numpy(float), bins=edges, weights=shares.to_numpy(float))
    return values


def stale_algorithms(results):
    runs = results.at(results.shown_point())
    table = results.staleness.merge(runs[["run", "algorithm"]], on="run")
    return [(label, table[table["algorithm"] == label]) for label in results.algorithms_of(runs)
            if (table[table["algorithm"] == label]["staleness"] > 0).any()]


def draw(results, look):
    found = stale_algorithms(results)
    if not found:
        raise NoData("no stale gradient was applied by any algorithm" if len(results.staleness)
                     else "staleness.csv has no rows")
    fig, axes = panels(look, len(found), across=4 if len(found) > 3 else 3, height=1.6)
    columns = axes[0].get_gridspec().ncols
    for i, (ax, (label, rows)) in enumerate(zip(axes, found)):
        step, edges = bins(rows)
        for kind, name in enumerate(results.classes()[:len(CLASSES)]):
            shares = histogram(rows[rows["class"] == name])
            bars = binned(shares, edges)
            ax.stairs(bars, edges, fill=True, alpha=0.4, color=CLASSES[kind])
            # Where classes coincide, the thinner line of the later leaves the earlier to be seen. No line along zero.
            ax.stairs(np.where(bars > 0.01 * bars.max(initial=0), bars, np.nan), edges, color=CLASSES[kind], linewidth=max(0.8, 2 - kind),
                      label=legend_name(name))
        ax.set_title(short(label, 24), loc="left", color=look.ink(label))
        ax.set_xlabel("staleness (updates)" + (f", bins of {step}" if step > 1 else ""))
        ax.set_ylabel("share of gradients" if i % columns == 0 else "")
        ax.set_ylim(bottom=0)
        ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 5, 10]))
    name_point(fig, results, results.shown_point())
    legend_above(fig, entries_of(axes))
    return fig
