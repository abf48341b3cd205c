from ..results import NoData
from ..style import PAGE_IN, name_point, panels, short

NAME = "links"
TITLE = "Bytes and link utilisation"
HOW_TO_READ = ("Left: bytes delivered over the whole run, mean over replicas. Right: the busiest links of each "
               "algorithm; the bar is the mean utilisation (bytes / (bandwidth x time)), the tick the share of time "
               "in which the link carried traffic. A bar near 1: that link is the bottleneck. A tick far beyond its "
               "bar: bursts, or flows limited elsewhere. A name with * stands for all links it matches and shows "
               "their mean. For a sweep, the last point is shown.")
MOST_LINKS = 4


def busiest(results, runs):
    """algorithm -> its most used links: name, utilisation, busy share; mean over replicas."""
    table = results.links.merge(runs[["run", "algorithm"]], on="run")
    means = table.groupby(["algorithm", "link"], sort=False)[["utilisation", "busy_share"]].mean()
    found = {}
    for label in results.algorithms_of(runs):
        if label in means.index.get_level_values(0):
            found[label] = means.loc[label].nlargest(MOST_LINKS, "utilisation", keep="first")
    return found


def unit_of(most):
    for size, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if most >= size:
            return size, name
    return 1, "B"


def draw(results, look):
    runs = results.at(results.points()[-1])
    runs = runs[runs["status"] != "failed"]
    found = busiest(results, runs)
    if not found or not runs["bytes"].sum() > 0:
        raise NoData("runs.csv has no finished run" if not len(runs) else "links.csv has no rows" if results.links.empty
                     else "no bytes were sent")
    bars = [(label, name, row) for label, rows in found.items() for name, row in rows.iterrows()]
    fig, (left, right) = panels(1, 2, width=PAGE_IN, height=max(1.6, 0.5 + 0.13 * len(bars)))
    means = runs.groupby("algorithm", sort=False)["bytes"].mean()
    size, unit = unit_of(means.max())
    y, ticks, places = 0.0, [], {label: [] for label in found}
    for i, (label, name, row) in enumerate(bars):
        if i > 0 and bars[i - 1][0] != label:
            y += 0.6
        right.barh(y, row["utilisation"], color=look.colour(label), height=0.75)
        right.plot([row["busy_share"]] * 2, [y - 0.38, y + 0.38], color="0.15", linewidth=1.2,
                   label="busy share" if i == 0 else None)
        ticks.append(y)
        places[label].append(y)
        y += 1
    right.set_yticks(ticks, [short(name) for _, name, _ in bars], fontsize=6)
    for label, rows in places.items():  # beside its links
        left.barh((rows[0] + rows[-1]) / 2, means[label] / size, color=look.colour(label), height=0.62 * len(rows))
    left.set_yticks([(rows[0] + rows[-1]) / 2 for rows in places.values()], [short(label) for label in places])
    left.set_xlabel(f"bytes delivered ({unit})")
    right.set_xlim(0, 1)
    right.set_xlabel("mean utilisation (bar), busy share of time (tick)")
    for ax in (left, right):
        ax.set_ylim(ticks[-1] + 0.7, ticks[0] - 0.7)
        ax.grid(axis="y", visible=False)
    name_point(fig, results, results.points()[-1])
    return fig
