from matplotlib.patches import Patch

from ..results import NoData
from ..style import STATES, evenly, legend_above, name_point, panels, short, tiny
from .availability import down_of, draw_strip

NAME = "gantt"
TITLE = "Timeline of workers and servers"
HOW_TO_READ = ("One row per host, one panel per algorithm (its first replica), over a window of virtual time. The upper "
               "part of a row shows computing, computing whose result was discarded, and waiting (grey); dark over the whole row: the "
               "machine is down, and a strip at the bottom counts the workers that are up; a hatched brown strip along the upper "
               "edge: the scenario slows the host down meanwhile; the two thin lanes below show "
               "sending and receiving, which go on at the same time; black ticks are updates of the global "
               "model. Long grey stretches next to long green ones: fast workers wait for slow ones. For a sweep, the first "
               "of the points with the most traced algorithms is shown.")
MOST_HOSTS = 16
MOST_RUNS = 6
ROUNDS = 12  # usual computations of the slowest host; a shorter timeline is shown whole
# Where in a host's row, from its upper edge at -0.5; updates over everything, so that none is hidden.
LANES = {"wait": (-0.42, 0.44), "compute": (-0.42, 0.44), "discarded": (-0.42, 0.44), "send": (0.04, 0.18),
         "receive": (0.24, 0.18), "down": (-0.42, 0.84), "update": (-0.42, 0.44)}
SLOWED = (-0.5, 0.14)  # likewise; over the upper edge of what the host does


def default_window(events):
    """Enough to see a few rounds of the slowest host: from the beginning, or around the first failure, or else the
    first time that a host is slowed."""
    computing = events[events["state"].isin(["compute", "discarded"])]
    start, end = events["begin_s"].min(), events["end_s"].max()
    if computing.empty:
        return start, end
    usual = (computing["end_s"] - computing["begin_s"]).groupby([computing["run"], computing["host"]]).median()
    long = ROUNDS * usual.max()
    for state in ("down", "slowed"):
        begun = events[(events["state"] == state) & (events["begin_s"] > start)]
        if len(begun):
            start = max(start, min(begun["begin_s"].min() - long / 3, end - long))
            break
    return start, min(end, start + long)


def active_hosts(events):
    """Those that ever do something."""
    return list(dict.fromkeys(events[~events["state"].isin(["wait", "slowed"])]["host"]))


def slowed_look():
    """Hatched: it is no state of its own, the host goes on with what it does."""
    return {"facecolor": "white", "edgecolor": STATES["slowed"], "hatch": "////////", "linewidth": 0.4}


def draw_slowed(ax, mine, y):
    """When one host is slowed; periods of different factors that follow each other are one."""
    if mine is None:
        return
    spans = []
    for begin, end in zip(mine["begin_s"], mine["end_s"]):
        if spans and begin <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], end)
        else:
            spans.append([begin, end])
    upper, thick = SLOWED
    ax.broken_barh([(begin, end - begin) for begin, end in spans], (y + upper, thick), **slowed_look())


def shown_runs(results):
    """A point of the sweep and the first traced replica of each algorithm there: the first of the points at
    which most algorithms were traced (what a point shares with an earlier one is not run, nor traced, again)."""
    names = set(results.events["run"].unique())
    here = {p: results.at(p)[results.at(p)["run"].isin(names)].drop_duplicates("algorithm") for p in results.points()}
    point = max(results.points(), key=lambda p: len(here[p]))
    if here[point].empty:
        raise NoData("events.csv names no run of runs.csv")
    return point, here[point]


def in_window(events):
    """What of them is drawn, and from when to when."""
    start, end = default_window(events)
    return events[(events["end_s"] >= start) & (events["begin_s"] <= end)], start, end


def shown_events(results):
    """The rows of events.csv that are drawn."""
    if results.events.empty:
        raise NoData("no timeline was recorded: run with --trace")
    runs = shown_runs(results)[1].head(MOST_RUNS)
    events = results.events[results.events["run"].isin(runs["run"])]
    inside, _, _ = in_window(events)
    shown = {(run, host) for run, rows in events.groupby("run") for host in evenly(active_hosts(rows), MOST_HOSTS)}
    return inside[[place in shown for place in zip(inside["run"], inside["host"])]]


def draw(results, look):
    if results.events.empty:
        raise NoData("no timeline was recorded: run with --trace")
    point, traced = shown_runs(results)
    runs = traced.head(MOST_RUNS)
    events = results.events[results.events["run"].isin(runs["run"])]
    hosts = {name: active_hosts(rows) for name, rows in events.groupby("run")}
    inside, start, end = in_window(events)
    groups = {key: rows for key, rows in inside.groupby(["run", "host", "state"])}
    most_hosts = max(len(evenly(h, MOST_HOSTS)) for h in hosts.values())
    has_failures = any(not down_of(results, run).empty for run in runs["run"])
    # The strip is as high as three hosts.
    heights = [1.0] * len(runs) + [3.0 / most_hosts] * has_failures
    fig, axes = panels(look, len(heights), across=1, height=0.3 + 0.14 * most_hosts,
                       gridspec_kw={"height_ratios": heights})
    if has_failures:
        draw_strip(axes[-1], results, runs["run"].iloc[0], start, end)
    for ax, (_, run) in zip(axes, runs.iterrows()):
        shown = evenly(hosts[run["run"]], MOST_HOSTS)
        for state, (upper, thick) in LANES.items():
            for y, host in enumerate(shown):
                mine = groups.get((run["run"], host, state))
                if mine is None:
                    continue
                if state == "update":
                    ax.vlines(mine["begin_s"], y + upper, y + upper + thick, color=STATES["update"], linewidth=0.7)
                    continue
                spans = list(zip(mine["begin_s"], mine["end_s"] - mine["begin_s"]))
                ax.broken_barh(spans, (y + upper, thick), facecolor=STATES[state], linewidth=0)
        for y, host in enumerate(shown):
            draw_slowed(ax, groups.get((run["run"], host, "slowed")), y)
        ax.set_yticks(range(len(shown)), [short(host) for host in shown], fontsize=tiny())
        ax.set_ylim(len(shown) - 0.5, -0.5)
        ax.set_xlim(start, end)
        ax.grid(False)
        ax.tick_params(labelbottom=ax is axes[-1])
        sample = f" ({len(shown)} of {len(hosts[run['run']])} traced hosts)" \
            if len(shown) < len(hosts[run["run"]]) else ""
        ax.set_title(short(run["algorithm"]) + sample, loc="left", color=look.ink(run["algorithm"]))
    axes[-1].set_xlabel("virtual time (s)")
    name_point(fig, results, point, f"{MOST_RUNS} of {len(traced)} algorithms" if len(traced) > MOST_RUNS else "")
    names = [s for s in LANES if s in set(inside["state"])]
    entries = {s: Patch(color=STATES[s]) for s in names}
    if "slowed" in set(inside["state"]):
        entries["slowed"] = Patch(**slowed_look())
    legend_above(fig, entries)
    return fig
