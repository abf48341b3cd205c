import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, PercentFormatter

from ..results import NoData
from ..style import CLASSES, legend_above, legend_name, name_point, number_below, panels, short, tiny

NAME = "links"
TITLE = "Bytes and link utilisation"
HOW_TO_READ = ("One panel per algorithm, with the bytes it delivered over the whole run (mean over replicas) beside its "
               "name. One bar per class of links: the mean utilisation (bytes / (bandwidth x time)); the tick is the share "
               "of time in which such a link carried traffic. A busy link need not be the bottleneck: what more bandwidth would "
               "bring is in the figure of what would help. A name with * stands for all links of that kind (the column group "
               "of links.csv). The colours are those of the workers' classes, grey is no worker's. For a sweep, the first point "
               "is shown.")
MOST_LINKS = 8  # classes of links
NOBODYS = "#9A9A9A"


def group_of(links):
    """Of each link, itself where it is like no other."""
    return links["group"].fillna(links["link"])


def busiest(results, runs):
    """algorithm -> its classes of links, the most used first: name, utilisation, busy share; mean over links and
    replicas."""
    table = results.links.merge(runs[["run", "algorithm"]], on="run").dropna(subset=["link"])
    table = table.assign(kind=group_of(table), weight=table["links"].fillna(1).clip(lower=1))
    alone = table.groupby("kind")["link"].nunique() == 1
    table["kind"] = np.where(table["kind"].map(alone), table["link"], table["kind"])
    for column in ("utilisation", "busy_share"):
        table[column] *= table["weight"]
    sums = table.groupby(["algorithm", "kind"], sort=False)[["utilisation", "busy_share", "weight"]].sum()
    means = sums[["utilisation", "busy_share"]].div(sums["weight"], axis=0)
    return {label: means.loc[label].nlargest(MOST_LINKS, "utilisation", keep="first")
            for label in results.algorithms_of(runs) if label in means.index.get_level_values(0)}


def worker_classes(results):
    """Link or group of links -> class of the workers they belong to."""
    links = results.links.dropna(subset=["link"])
    groups = dict(zip(links["link"], group_of(links)))
    owners = {}
    for name in results.classes():
        owners[name] = name  # of a platform file
        for way in ("up", "down"):
            for kind in ("-*", "-*_inside", "-node*"):
                owners[f"{name}{kind}_{way}"] = name
    return {**owners, **{link: owners[group] for link, group in groups.items() if group in owners}}


def data_size(count):
    for size, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"


def draw(results, look):
    runs = results.at(results.shown_point())
    runs = runs[runs["status"] != "failed"]
    found = busiest(results, runs)
    if not found or not runs["bytes"].sum() > 0:
        raise NoData("runs.csv has no finished run" if not len(runs) else "links.csv has no rows" if results.links.empty
                     else "no bytes were sent")
    most = {}
    for rows in found.values():
        for name, row in rows.iterrows():
            most[name] = max(most.get(name, 0), row["utilisation"])
    names = sorted(most, key=lambda name: -most[name])[:MOST_LINKS]
    owners, classes = worker_classes(results), results.classes()
    colours = {name: CLASSES[classes.index(owners[name]) % len(CLASSES)] if owners.get(name) in classes else NOBODYS
               for name in names}
    means = runs.groupby("algorithm", sort=False)["bytes"].mean()
    fig, axes = panels(look, len(found), across=4 if len(found) > 3 else 3, height=0.55 + 0.14 * len(names),
                       sharex=True, sharey=True)
    for ax, (label, rows) in zip(axes, found.items()):
        for y, name in enumerate(names):
            if name in rows.index:
                row = rows.loc[name]
                ax.barh(y, row["utilisation"], color=colours[name], height=0.7)
                ax.plot([row["busy_share"]] * 2, [y - 0.4, y + 0.4], color="0.15", linewidth=1.2)
        ax.set_title(f"{short(label, 20)}: {data_size(means[label])}", loc="left", color=look.ink(label))
        ax.set_yticks(range(len(names)), [short(name, 20) for name in names], fontsize=tiny())
        ax.grid(axis="y", visible=False)
        ax.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
        ax.xaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes[0].set_xlim(0, min(1, 1.15 * max(max(rows["busy_share"].max(), rows["utilisation"].max()) for rows in found.values())))
    axes[0].set_ylim(len(names) - 0.4, -0.6)
    number_below(axes)
    fig.supxlabel("share of bandwidth used (bar), of time busy (tick)", fontsize="medium")
    name_point(fig, results, results.shown_point())
    owned = list(dict.fromkeys(owners[name] for name in names if owners.get(name) in classes))
    legend_above(fig, {**{f"links of {legend_name(name)}": Patch(color=CLASSES[classes.index(name) % len(CLASSES)])
                          for name in owned},
                       **({"other links": Patch(color=NOBODYS)} if NOBODYS in colours.values() else {}),
                       "busy share": Line2D([], [], color="0.15", marker="|", markersize=8, linestyle="none")})
    return fig
