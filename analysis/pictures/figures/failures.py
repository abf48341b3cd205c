import numpy as np

from ..results import NoData
from ..style import entries_of, legend_above, name_point, panels
from .availability import down_of, draw_strip
from .curves import measures
from .gantt import shown_runs

NAME = "failures"
TITLE = "Throughput and learning around failures"
HOW_TO_READ = ("One line per algorithm, its first traced replica. Top: what it has learnt by the last evaluation; middle: "
               "epochs per second from each evaluation to the next, which are far apart where nothing is updated; bottom: how many workers are up, dark where some are down, the same "
               "for all algorithms. A line that falls to nothing while somebody is down belongs to an algorithm that "
               "waits for the return; one that dips by the share that is gone goes on with the others.")
NAMES = {"test_accuracy": "test accuracy", "test_loss": "test loss"}


def draw(results, look):
    if results.events.empty:
        raise NoData("no timeline was recorded: run with --trace")
    point, runs = shown_runs(results)
    if all(down_of(results, run).empty for run in runs["run"]):
        raise NoData("no host was down while a timeline was recorded")
    curves = {name: rows for name, rows in results.curves.groupby("run") if name in set(runs["run"])}
    end = max(rows["time_s"].max() for rows in curves.values())
    longest = max(curves, key=lambda name: curves[name]["time_s"].max())
    fig, (top, middle, strip) = panels(look, 3, across=1, height=1.5, sharex=True,
                                       gridspec_kw={"height_ratios": [3, 3, 1]})
    measure = measures(results)[0]
    for _, run in runs.iterrows():
        rows = curves.get(run["run"])
        if rows is None or len(rows) < 2:
            continue
        rows = rows.drop_duplicates("time_s").sort_values("time_s")
        style = look.line(run["algorithm"], markevery=max(1, len(rows) // 7))
        top.plot(rows["time_s"], rows[measure], drawstyle="steps-post", **style)
        pace = np.diff(rows["epochs"]) / np.diff(rows["time_s"])
        # From each evaluation to the next, the first included: a gap without any is seen from where it begins.
        middle.plot(rows["time_s"], [pace[0], *pace], drawstyle="steps-pre", **style)
    top.set_ylabel(NAMES[measure])
    middle.set_ylabel("epochs per second")
    middle.set_ylim(bottom=0)
    draw_strip(strip, results, longest, 0, end)
    strip.set_xlabel("virtual time (s)")
    name_point(fig, results, point)
    legend_above(fig, entries_of([top]))
    return fig
