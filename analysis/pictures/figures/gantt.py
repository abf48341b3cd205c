from matplotlib.patches import Patch

from ..results import NoData
from ..style import PAGE_IN, STATES, legend_above, panels

NAME = "gantt"
TITLE = "Who does what when"
HOW_TO_READ = ("One row a host, one panel an algorithm, over a window of virtual time. Computing (and computing "
               "that was thrown away) covers what is sent and received behind it; grey is waiting; black ticks "
               "are updates of the global model. Long grey next to long green: some wait for others.")
MOST_HOSTS = 16
MOST_RUNS = 6
# Later ones are drawn over earlier ones.
ORDER = ["wait", "receive", "send", "compute", "discarded", "update"]


def default_window(events):
    """Enough of the beginning to see a few rounds of the slowest: six of its computations."""
    computing = events[events["state"].isin(["compute", "discarded"])]
    end = events["end_s"].max()
    start = events["begin_s"].min()
    if computing.empty:
        return start, end
    longest = (computing["end_s"] - computing["begin_s"]).max()
    return start, min(end, start + 6 * longest)


def shown_hosts(events):
    """Those that ever do something, evenly chosen when there are many."""
    hosts = list(dict.fromkeys(events[events["state"] != "wait"]["host"]))
    if len(hosts) <= MOST_HOSTS:
        return hosts
    return [hosts[round(i * (len(hosts) - 1) / (MOST_HOSTS - 1))] for i in range(MOST_HOSTS)]


def draw(results, look):
    if results.events.empty:
        raise NoData("no timeline was recorded: run with --trace")
    runs = results.runs[results.runs["run"].isin(results.events["run"].unique())]
    runs = runs.drop_duplicates("algorithm").head(MOST_RUNS)
    if runs.empty:
        raise NoData("events.csv names no run of runs.csv")
    groups = {name: rows for name, rows in results.events.groupby("run")}
    start, end = default_window(results.events[results.events["run"].isin(runs["run"])])
    most_hosts = max(len(shown_hosts(groups[name])) for name in runs["run"])
    fig, axes = panels(len(runs), 1, width=PAGE_IN, height=0.5 + 0.13 * most_hosts)
    for ax, (_, run) in zip(axes, runs.iterrows()):
        rows = groups[run["run"]]
        hosts = shown_hosts(rows)
        rows = rows[(rows["end_s"] >= start) & (rows["begin_s"] <= end)]
        for state in ORDER:
            for y, host in enumerate(hosts):
                mine = rows[(rows["host"] == host) & (rows["state"] == state)]
                if state == "update":
                    ax.vlines(mine["begin_s"], y - 0.45, y + 0.45, color=STATES["update"], linewidth=0.7)
                    continue
                spans = list(zip(mine["begin_s"], mine["end_s"] - mine["begin_s"]))
                ax.broken_barh(spans, (y - 0.38, 0.76), facecolor=STATES[state], linewidth=0)
        ax.set_yticks(range(len(hosts)), hosts, fontsize=6)
        ax.invert_yaxis()
        ax.set_xlim(start, end)
        ax.grid(False)
        ax.set_title(run["run"], loc="left", color=look.colour(run["algorithm"]))
    axes[-1].set_xlabel("virtual time (s)")
    names = [s for s in ORDER if s in set(results.events["state"])]
    legend_above(fig, {s: Patch(color=STATES[s]) for s in names}, 6)
    return fig
