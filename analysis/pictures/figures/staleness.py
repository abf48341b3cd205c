import numpy as np

from ..results import NoData
from ..style import CLASSES, PAGE_IN, entries_of, legend_above, legend_name, name_point, panels, short

NAME = "staleness"
TITLE = "Staleness by worker class"
HOW_TO_READ = ("Share of a class's gradients by staleness: how many updates were made between reading the model a "
               "gradient was computed on and applying that gradient. One panel per algorithm, one colour per class. "
               "Slow classes lie further to the right: their gradients are older when they arrive. Algorithms that "
               "never apply a stale gradient have no panel. For a sweep, the last point is shown; at most six "
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
    runs = results.at(results.points()[-1])
    table = results.staleness.merge(runs[["run", "algorithm"]], on="run")
    return [(label, table[table["algorithm"] == label]) for label in results.algorithms_of(runs)
            if (table[table["algorithm"] == label]["staleness"] > 0).any()]


def draw(results, look):
    found = stale_algorithms(results)
    if not found:
        raise NoData("no stale gradient was applied by any algorithm" if len(results.staleness)
                     else "staleness.csv has no rows")
    columns = min(3, len(found))
    fig, axes = panels((len(found) + columns - 1) // columns, columns, width=PAGE_IN, height=1.9)
    for ax, (label, rows) in zip(axes, found):
        step, edges = bins(rows)
        for i, name in enumerate(results.classes()[:len(CLASSES)]):
            shares = histogram(rows[rows["class"] == name])
            ax.stairs(binned(shares, edges), edges, fill=True, alpha=0.35, color=CLASSES[i])
            ax.stairs(binned(shares, edges), edges, color=CLASSES[i], linewidth=1.2, label=legend_name(name))
        ax.set_title(short(label), color=look.ink(label))
        ax.set_xlabel("staleness (updates)" + (f", bins of {step}" if step > 1 else ""))
        ax.set_ylabel("share of gradients")
        ax.set_ylim(bottom=0)
    for ax in axes[len(found):]:
        ax.set_visible(False)
    name_point(fig, results, results.points()[-1])
    legend_above(fig, entries_of(axes))
    return fig
