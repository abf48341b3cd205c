from ..results import NoData, seconds
from ..style import PAGE_IN, panels, short

NAME = "target"
TITLE = "Time to target and speed-up"
HOW_TO_READ = ("Left: mean virtual time to reach the target with its 95 % interval, fastest first. Right: speed-up "
               "over the baseline with the interval of the paired comparison; if it contains 1, the two are too "
               "close to call. Hatched: not every run (right: not every pair of runs) reached the target, and k/n "
               "says how many did. An arrow: the interval continues up to the number in parentheses. All intervals "
               "are computed by the simulator (summary.csv).")


def rows_of(results, point):
    """The rows of summary.csv at one point of the sweep, fastest first, never reached last."""
    rows = results.summary
    for axis, value in zip(results.axes, point):
        if axis in rows:
            rows = rows[rows[axis] == value]
    return rows.sort_values("time_to_target_mean_s", na_position="last", kind="stable")


def interval(row, mean, low, high, most):
    """Lengths below and above the mean, for matplotlib, up to `most`; None when there is no interval."""
    if row[[mean, low, high]].isna().any():
        return None
    return [[max(0, row[mean] - row[low])], [max(0, min(row[high], most) - row[mean])]]


def reach(rows, column):
    """How far the axis goes: an interval of few replicas may be so long that no bar could be seen beside it."""
    return 3 * rows[column].max()


def bar(ax, y, row, columns, look, text, everybody, most):
    colour = look.colour(row["algorithm"])
    ax.barh(y, row[columns[0]], color=colour, height=0.62, alpha=None if everybody else 0.45,
            hatch=None if everybody else "////", edgecolor="white", linewidth=0,
            xerr=interval(row, *columns, most), error_kw={"ecolor": "0.15", "elinewidth": 1, "capsize": 2})
    end = max(row[columns[2]], row[columns[0]]) if row[columns[2]] == row[columns[2]] else row[columns[0]]
    if end > most:
        ax.plot([most], [y], marker=">", color="0.15", markersize=4, clip_on=False)
        text += f"  (to {end:.3g})"
    ax.annotate(text, (min(end, most), y), xytext=(5, 0), textcoords="offset points", va="center",
                fontsize=7)


def draw_point(results, look, rows, left, right):
    for y, (_, row) in enumerate(rows.iterrows()):
        reached = "" if row["reached"] >= row["n"] else f"  ({row['reached']:g}/{row['n']:g})"
        if row["time_to_target_mean_s"] == row["time_to_target_mean_s"]:
            bar(left, y, row, ["time_to_target_mean_s", "time_to_target_low_s", "time_to_target_high_s"], look,
                seconds(row["time_to_target_mean_s"]) + reached, row["reached"] >= row["n"],
                reach(rows, "time_to_target_mean_s"))
        else:
            left.annotate(f"not reached ({row['reached']:g}/{row['n']:g})", (0, y), xytext=(4, 0),
                          textcoords="offset points", va="center", fontsize=7, color="0.35", style="italic")
        if row["speedup"] == row["speedup"]:
            pairs = "" if row["speedup_pairs"] >= row["n"] else f"  ({row['speedup_pairs']:g}/{row['n']:g} pairs)"
            bar(right, y, row, ["speedup", "speedup_low", "speedup_high"], look, f"{row['speedup']:.2f}x{pairs}",
                not pairs, reach(rows, "speedup"))
        else:
            right.annotate("no pair reached the target", (0, y), xytext=(4, 0), textcoords="offset points",
                           va="center", fontsize=7, color="0.35", style="italic",
                           bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})
    baseline = rows["baseline"].dropna()
    left.set_yticks(range(len(rows)), [short(label) for label in rows["algorithm"]])
    right.set_yticks(range(len(rows)), [])
    if rows["speedup"].notna().any():
        right.axvline(1, color="0.35", linestyle="--", linewidth=0.9)
    left.set_xlabel("virtual time to target (s)")
    right.set_xlabel(f"speed-up over {short(baseline.iloc[0])}" if len(baseline) else "speed-up")
    for ax, column in ((left, "time_to_target_mean_s"), (right, "speedup")):
        ax.grid(axis="y", visible=False)
        ax.set_xlim(0, min(ax.get_xlim()[1], reach(rows, column) if ax.patches else 1) * 1.18)
        ax.set_ylim(len(rows) - 0.5, -0.5)
        if not ax.patches:
            ax.set_xticks([])


def draw(results, look):
    if results.target is None:
        raise NoData("the scenario has no target")
    if results.summary.empty:
        raise NoData("summary.csv has no rows")
    if len(results.points()) > 1:
        raise NoData("see the figure over the swept parameter instead")
    rows = rows_of(results, results.points()[0])
    fig, (left, right) = panels(1, 2, width=PAGE_IN, height=0.55 + 0.26 * len(rows))
    draw_point(results, look, rows, left, right)
    return fig
