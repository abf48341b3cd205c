import copy

from ..results import NoData
from ..style import PAGE_IN, entries_of, evenly, legend_above, legend_name, name_point, panels

NAME = "contribution"
TITLE = "Contribution of each worker against its speed and data"
HOW_TO_READ = ("One marker per worker (mean over replicas): its share of all samples processed, against its share of "
               "the cluster's speed (left) and of the training data (right). On the dashed line the two shares are "
               "equal. A horizontal row on the left: every worker contributes the same, however fast it is. Below "
               "the line on the right: data that is rarely used. With many workers, an evenly spaced subset is "
               "shown; for a sweep, the last point.")
MOST_WORKERS = 200  # as markers of one algorithm


def shares(results, runs):
    """algorithm, worker -> share of contribution and of speed."""
    table = results.workers.merge(runs[["run", "algorithm"]], on="run")
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


def draw(results, look):
    runs = results.at(results.points()[-1])
    runs = runs[runs["status"] != "failed"]
    table = shares(results, runs).dropna(subset=["contribution"])
    if table.empty:
        raise NoData("workers.csv has no rows with samples")
    kinds = [("speed_share", "share of speed")]
    if "data_share" in table:
        kinds.append(("data_share", "share of data"))
    fig, axes = panels(1, len(kinds), width=PAGE_IN if len(kinds) > 1 else PAGE_IN / 2, height=2.5)
    for ax, (column, label) in zip(axes, kinds):
        most = table[[column, "contribution"]].max().max() * 1.08
        ax.plot([0, most], [0, most], color="0.35", linestyle="--", linewidth=0.9)
        for i, algorithm in enumerate(results.algorithms_of(runs)):
            if algorithm not in table.index.get_level_values(0):
                continue
            mine = sampled(table, algorithm)
            ax.plot(mine[column], mine["contribution"], linestyle="none", marker=look.marker(algorithm),
                    color=look.colour(algorithm), label=legend_name(algorithm), markerfacecolor="none", markeredgewidth=1.1,
                    clip_on=False,
                    # Where algorithms agree their markers lie around each other, all to be seen.
                    markersize=4 + 2.2 * (len(runs["algorithm"].unique()) - 1 - i))
        ax.set_xlim(0, most)
        ax.set_ylim(0, most)
        ax.locator_params(nbins=6)
        ax.set_xlabel(label)
        ax.set_ylabel("share of samples computed")
    workers = len(table.index.get_level_values(1).unique())
    if workers > MOST_WORKERS:
        axes[0].set_title(f"{MOST_WORKERS} of {workers} workers", loc="left")
    small = {label: copy.copy(handle) for label, handle in entries_of(axes).items()}
    for handle in small.values():
        handle.set_markersize(5)
    name_point(fig, results, results.points()[-1])
    legend_above(fig, small)
    return fig
