from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

from ..results import NoData, value_text
from ..style import entries_of, legend_above, panels, short

NAME = "sweep"
TITLE = "Time to target and speed-up over the swept parameter"
HOW_TO_READ = ("One line per algorithm; the shaded band is the 95 % interval from summary.csv. An open marker: not "
               "every run reached the target at that value; a gap: none did. If several parameters are swept, the "
               "others are held at their first value.")
LOG_BEYOND = 12  # largest over smallest: on a linear axis the smallest could not be told apart


def is_number(values):
    return all(isinstance(v, (int, float)) for v in values)


def is_geometric(values):
    """Whether they belong on a log scale: each so many times the one before, or far apart."""
    if not is_number(values) or min(values) <= 0:
        return False
    steps = [b / a for a, b in zip(values, values[1:])]
    return max(values) / min(values) >= 30 or (len(values) > 2 and steps[0] >= 1.5 and max(steps) - min(steps) < 0.01 * steps[0])


def sweep_axis(results):
    """The axis drawn against: the first with more than one value."""
    for axis in results.axes:
        if results.runs[axis].nunique() > 1:
            return axis
    raise NoData("nothing is swept in this scenario")


def rows_along(results, axis):
    """summary.csv along one axis; of other axes their first value. And what was fixed, in words."""
    rows, fixed = results.summary, []
    for other in results.axes:
        if other == axis or other not in rows or rows[other].nunique() < 2:
            continue
        first = rows[other].iloc[0]
        rows = rows[rows[other] == first]
        fixed.append(f"{results.axis_name(other)} = {value_text(first)}")
    return rows, ", ".join(fixed)


def draw(results, look):
    axis = sweep_axis(results)
    if results.target is None:
        raise NoData("the scenario has no target")
    if results.summary.empty or axis not in results.summary:
        raise NoData(f"summary.csv has no column {axis}")
    rows, fixed = rows_along(results, axis)
    values = list(dict.fromkeys(rows[axis]))
    place = {v: v for v in values} if is_number(values) else {v: i for i, v in enumerate(values)}
    kinds = [("time_to_target_mean_s", "time_to_target_low_s", "time_to_target_high_s",
              "virtual time to target (s)"),
             ("speedup", "speedup_low", "speedup_high", "speed-up over " +
              (short(rows["baseline"].dropna().iloc[0]) if rows["baseline"].notna().any() else "the baseline"))]
    fig, axes = panels(1, 2)
    for ax, (mean, low, high, label) in zip(axes, kinds):
        for algorithm in results.algorithms_of(rows):
            mine = rows[rows["algorithm"] == algorithm]
            x = [place[v] for v in mine[axis]]
            ax.plot(x, mine[mean], **look.line(algorithm))
            ax.fill_between(x, mine[low].astype(float), mine[high].astype(float),
                            color=look.colour(algorithm), alpha=0.18, linewidth=0)
            partly = mine[mine["reached"] < mine["n"]]
            ax.plot([place[v] for v in partly[axis]], partly[mean], linestyle="none", marker=look.marker(algorithm),
                    markerfacecolor="white", markeredgecolor=look.colour(algorithm), zorder=3)
        frame(ax, results.axis_name(axis), values, place, rows[mean], label)
    axes[1].axhline(1, color="0.35", linestyle="--", linewidth=0.9)
    legend_above(fig, entries_of(axes))
    if fixed:
        axes[0].set_title(fixed, loc="left")
    return fig


def frame(ax, name, values, place, shown, label):
    log_x = is_geometric(values)
    ax.set_xlabel(name + (" (log scale)" if log_x else ""))
    if log_x:
        ax.set_xscale("log")
    if not is_number(values):
        ax.set_xticks([place[v] for v in values], [short(value_text(v)) for v in values])
    elif len(values) <= 8:
        ax.set_xticks(values, [value_text(v) for v in values])
        ax.minorticks_off()
    shown = shown.dropna()
    if len(shown) and shown.min() > 0 and shown.max() / shown.min() >= LOG_BEYOND:
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.yaxis.set_major_formatter(FormatStrFormatter("%g"))
        ax.yaxis.set_minor_formatter(NullFormatter())
        label += " (log scale)"
    else:
        ax.set_ylim(bottom=0)
    ax.set_ylabel(label)
