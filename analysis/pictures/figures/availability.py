"""Who is up, as a strip below figures over time."""
import numpy as np

from ..results import count_workers
from ..style import STATES, tiny


def down_of(results, run):
    """The times at which workers of a traced run were down: begin_s, end_s."""
    workers = results.workers[results.workers["run"] == run]["worker"]
    events = results.events
    return events[(events["run"] == run) & (events["state"] == "down") & events["host"].isin(workers)]


def draw_strip(ax, results, run, start, end):
    """How many workers are up over time."""
    down = down_of(results, run)
    workers = count_workers(results.workers[results.workers["run"] == run])
    moments = np.unique(np.concatenate([[start, end], down["begin_s"], down["end_s"]]))
    up = [workers - int(((down["begin_s"] <= t) & (t < down["end_s"])).sum()) for t in moments]
    ax.fill_between(moments, up, step="post", color=STATES["compute"], linewidth=0)
    ax.fill_between(moments, up, workers, step="post", color=STATES["down"], linewidth=0)
    ax.set_ylim(0, workers)
    ax.set_yticks([0, workers])
    ax.tick_params(axis="y", labelsize=tiny())
    ax.set_xlim(start, end)
    ax.set_ylabel("workers up", fontsize=tiny(), rotation=0, ha="right", va="center")
    ax.grid(False)
