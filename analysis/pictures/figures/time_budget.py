from matplotlib.ticker import PercentFormatter

from ..results import NoData
from ..style import STATES, entries_of, legend_above, name_point, panels, short, tiny

NAME = "time_budget"
TITLE = "Where the workers' time goes"
HOW_TO_READ = ("Share of a class's time spent computing, transferring, waiting, and computing results that were "
               "discarded, and down where machines failed; they add up to 100 %. One group per algorithm, one bar per "
               "class, averaged over its workers and replicas. For a sweep, the first point is shown.")
PARTS = ["compute", "transfer", "wait", "discarded", "down"]


def parts_of(results):
    """Time down only where somebody was."""
    workers = results.workers
    was_down = "down_s" in workers and workers["down_s"].fillna(0).gt(0).any()
    return [part for part in PARTS if part != "down" or was_down]


def shares(results, runs):
    """algorithm, class -> share of each part."""
    table = results.workers.merge(runs[["run", "algorithm"]], on="run")
    columns = [f"{p}_s" for p in parts_of(results)]
    if "workers" in table:  # rows that stand for several
        table[columns] = table[columns].mul(table["workers"].fillna(1), axis=0)
    sums = table.groupby(["algorithm", "class"], sort=False)[columns].sum()
    return sums.div(sums.sum(axis=1), axis=0).dropna()


def draw(results, look):
    runs = results.at(results.shown_point())
    runs = runs[runs["status"] != "failed"]
    table = shares(results, runs)
    if table.empty:
        raise NoData("workers.csv has no rows")
    labels = [a for a in results.algorithms_of(runs) if a in table.index.get_level_values(0)]
    bars = [(label, name) for label in labels for name in table.loc[label].index]
    fig, (ax,) = panels(look, 1, height=0.5 + 0.17 * len(bars) + 0.08 * len(labels))
    y, ticks = 0.0, []
    for i, (label, name) in enumerate(bars):
        if i > 0 and bars[i - 1][0] != label:
            y += 0.5
        left = 0.0
        for part in parts_of(results):
            value = table.loc[(label, name), f"{part}_s"]
            ax.barh(y, value, left=left, color=STATES[part], height=0.85, linewidth=0,
                    label=part if i == 0 else None)
            if value >= 0.06:
                ax.text(left + value / 2, y, f"{100 * value:.0f}", ha="center", va="center", fontsize=tiny())
            left += value
        ticks.append((y, f"{short(label)} · {short(name)}"))
        y += 1
    ax.set_yticks([t for t, _ in ticks], [name for _, name in ticks], fontsize=tiny())
    for tick, (label, _) in zip(ax.get_yticklabels(), bars):
        tick.set_color(look.ink(label))
    ax.set_ylim(y - 0.4, -0.6)
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(PercentFormatter(1))
    ax.set_xlabel("share of time")
    ax.grid(False)
    name_point(fig, results, results.shown_point())
    legend_above(fig, entries_of([ax]))
    return fig
