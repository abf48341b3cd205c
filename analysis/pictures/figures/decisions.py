from matplotlib.ticker import MaxNLocator

from ..results import NoData
from ..style import CLASSES, entries_of, evenly, legend_above, legend_name, name_point, panels, short

NAME = "decisions"
TITLE = "Decisions made during the run"
HOW_TO_READ = ("Batch sizes, local steps, groups: what an adaptive algorithm chose for each worker over virtual "
               "time. One panel per algorithm and quantity (first replica), one line per worker, coloured by class; "
               "with many workers, an evenly spaced subset. Flat lines: the choice has settled. For a sweep, the "
               "first point with decisions is shown.")
MOST_WORKERS = 32
# In decisions.csv, but chosen by nobody: that a bound has become active for the first time is an event.
EVENTS = {"held_back"}


def made(results):
    """The rows of decisions.csv that are decisions."""
    return results.decisions[~results.decisions["quantity"].isin(EVENTS)]


def runs_that_decide(results, runs):
    """The first replica of each algorithm that decides something."""
    return runs[runs["run"].isin(made(results)["run"].unique())].drop_duplicates("algorithm")


def draw(results, look):
    chosen = made(results)
    if chosen.empty:
        raise NoData("no algorithm here makes decisions during the run")
    decided = [p for p in results.points() if len(runs_that_decide(results, results.at(p)))]
    if not decided:
        raise NoData("decisions.csv names no run of runs.csv")
    point = decided[0]
    first = runs_that_decide(results, results.at(point))
    parts = [(run, quantity, rows) for _, run in first.iterrows() for quantity, rows in
             chosen[chosen["run"] == run["run"]].groupby("quantity", sort=False)]
    fig, axes = panels(look, len(parts), across=3 if len(parts) > 2 else 2, height=1.7)
    for ax, (run, quantity, rows) in zip(axes, parts):
        classes = results.workers[results.workers["run"] == run["run"]].set_index("worker")["class"].to_dict()
        names = results.classes()
        workers = list(rows.groupby("worker", sort=False))
        for worker, mine in evenly(workers, MOST_WORKERS):
            kind = classes.get(worker, "all")
            colour = CLASSES[names.index(kind) % len(CLASSES)] if kind in names else "0.2"
            known = {line.get_label() for line in ax.lines}
            name = legend_name(kind)
            # The last decision holds until the end of the run.
            x = list(mine["time_s"]) + [run["virtual_s"]]
            y = list(mine["value"]) + [mine["value"].iloc[-1]]
            ax.step(x, y, where="post", color=colour, linewidth=1,
                    label=name if name not in known else f"_{worker}")
        sample = f" ({MOST_WORKERS} of {len(workers)} workers)" if len(workers) > MOST_WORKERS else ""
        ax.set_title(short(run["algorithm"]) + sample, loc="left", color=look.ink(run["algorithm"]))
        ax.set_xlabel("virtual time (s)")
        ax.set_ylabel(short(quantity.replace("_", " ")))
        top = max(rows["value"].max(), 1)
        ax.set_ylim(-0.04 * top, 1.08 * top)  # a line at zero is seen, too
        if (rows["value"] % 1 == 0).all():
            ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        ax.set_xlim(left=0)
    name_point(fig, results, point)
    legend_above(fig, entries_of(axes))
    return fig
