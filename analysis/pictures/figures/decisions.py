from ..results import NoData
from ..style import CLASSES, PAGE_IN, panels

NAME = "decisions"
TITLE = "What the algorithms decided over time"
HOW_TO_READ = ("Batch sizes, local steps, groups: what an adaptive algorithm chose for each worker, as steps over "
               "virtual time. One panel an algorithm and quantity (its first replica), one line a worker, "
               "coloured by class. Flat lines: it has settled.")
MOST_WORKERS = 32


def draw(results, look):
    if results.decisions.empty:
        raise NoData("no algorithm here decides anything while it runs")
    runs = results.runs[results.runs["run"].isin(results.decisions["run"].unique())]
    first = runs.drop_duplicates("algorithm")
    parts = [(run, quantity, rows) for _, run in first.iterrows() for quantity, rows in
             results.decisions[results.decisions["run"] == run["run"]].groupby("quantity", sort=False)]
    if not parts:
        raise NoData("decisions.csv names no run of runs.csv")
    columns = min(2, len(parts))
    fig, axes = panels((len(parts) + columns - 1) // columns, columns, width=PAGE_IN, height=1.9)
    for ax, (run, quantity, rows) in zip(axes, parts):
        classes = results.workers[results.workers["run"] == run["run"]].set_index("worker")["class"].to_dict()
        names = results.classes()
        for worker, mine in list(rows.groupby("worker", sort=False))[:MOST_WORKERS]:
            kind = classes.get(worker, "all")
            colour = CLASSES[names.index(kind) % len(CLASSES)] if kind in names else "0.2"
            known = {line.get_label() for line in ax.lines}
            # The last decision holds until the end of the run.
            x = list(mine["time_s"]) + [run["virtual_s"]]
            y = list(mine["value"]) + [mine["value"].iloc[-1]]
            ax.step(x, y, where="post", color=colour, alpha=0.8, linewidth=1,
                    label=kind if kind not in known else f"_{worker}")
        ax.set_title(run["algorithm"], loc="left", color=look.colour(run["algorithm"]))
        ax.set_xlabel("virtual time (s)")
        ax.set_ylabel(quantity.replace("_", " "))
        ax.set_ylim(bottom=-0.04 * ax.get_ylim()[1])  # a line at zero is seen, too
        ax.set_xlim(left=0)
        ax.legend()
    for ax in axes[len(parts):]:
        ax.set_visible(False)
    return fig
