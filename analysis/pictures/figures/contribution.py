from matplotlib.ticker import MaxNLocator, PercentFormatter

from ..results import NoData
from ..style import (CLASS_MARKERS, CLASSES, entries_of, evenly, legend_above, legend_name, name_point, panels, short)

NAME = "contribution"
TITLE = "Contribution of each worker against its speed and data"
HOW_TO_READ = ("One panel per algorithm, one marker per worker (mean over replicas), coloured by class: its share of all "
               "samples processed, against its share of the cluster's speed. On the dashed line the two shares are equal. "
               "A horizontal row: every worker contributes the same, however fast it is. Where the workers hold unequal "
               "parts of the training data, a second set of panels shows the same against the share of the data: below "
               "the line is data that is rarely used. With many workers, an evenly spaced subset is shown; with more than "
               "10,000, shares are of those that took part. For a sweep, the first point.")
MOST_WORKERS = 200  # as markers of one algorithm
UNEVEN_BEYOND = 1.05  # largest share of the data over the smallest


def shares(results, runs):
    """algorithm, worker -> share of contribution and of speed."""
    table = results.workers.merge(runs[["run", "algorithm"]], on="run")
    if "workers" in table:  # those that never took part, all of a class in one row
        table = table[table["workers"].fillna(1) == 1]
    total = table.groupby("run")[["samples", "speed"]].transform("sum")
    table = table.assign(contribution=table["samples"] / total["samples"], speed_share=table["speed"] / total["speed"])
    if "data_samples" in table and table["data_samples"].notna().any():
        table["data_share"] = table["data_samples"] / table.groupby("run")["data_samples"].transform("sum")
    keys = ["contribution", "speed_share"] + (["data_share"] if "data_share" in table else [])
    return table.groupby(["algorithm", "worker"], sort=False)[keys].mean()


def sampled(table, algorithm):
    """The rows of one algorithm's workers, evenly chosen when there are many."""
    mine = table.loc[algorithm]
    return mine.loc[evenly(mine.index, MOST_WORKERS)]


def uneven(table):
    """Whether the workers hold unequal parts of the data."""
    return "data_share" in table and table["data_share"].max() > UNEVEN_BEYOND * table["data_share"].min()


def draw_workers(ax, mine, column, classes, names):
    for i, name in enumerate(names):
        here = mine[[classes.get(worker) == name for worker in mine.index]]
        ax.plot(here[column], here["contribution"], linestyle="none", marker=CLASS_MARKERS[i % len(CLASS_MARKERS)],
                color=CLASSES[i % len(CLASSES)], markersize=5, markeredgecolor="white", markeredgewidth=0.5,
                label=legend_name(name), clip_on=False, zorder=3)


def draw(results, look):
    runs = results.at(results.shown_point())
    runs = runs[runs["status"] != "failed"]
    table = shares(results, runs).dropna(subset=["contribution"])
    if table.empty:
        raise NoData("workers.csv has no rows with samples")
    kinds = [("speed_share", "share of speed")] + ([("data_share", "share of data")] if uneven(table) else [])
    labels = [a for a in results.algorithms_of(runs) if a in table.index.get_level_values(0)]
    cells = [(label, *kind) for kind in kinds for label in labels]
    classes = results.workers.drop_duplicates("worker").set_index("worker")["class"].to_dict()
    fig, axes = panels(look, len(cells), across=4 if len(cells) > 3 else 3, height=1.65)
    columns = axes[0].get_gridspec().ncols
    workers = len(table.index.get_level_values(1).unique())
    for i, (ax, (label, column, words)) in enumerate(zip(axes, cells)):
        most = [1.08 * table[c].max() for c in (column, "contribution")]
        ax.plot([0, min(most)], [0, min(most)], color="0.35", linestyle="--", linewidth=0.9, zorder=1)
        draw_workers(ax, sampled(table, label), column, classes, results.classes())
        ax.set_title(short(label, 24), loc="left", color=look.ink(label))
        ax.set_xlim(0, most[0])
        ax.set_ylim(0, most[1])
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
            axis.set_major_formatter(PercentFormatter(1, decimals=0))
        ax.set_xlabel(words)
        ax.set_ylabel("share of samples" if i % columns == 0 else "")
    name_point(fig, results, results.shown_point(),
               f"{MOST_WORKERS} of {workers} workers" if workers > MOST_WORKERS else "")
    legend_above(fig, entries_of(axes))
    return fig
