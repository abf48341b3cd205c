from ..results import NoData
from ..style import panels
from ..verdicts import known
from .curves import FEWEST_FOR_BANDS
from .scales import spans_much
from .sweep import cells_along, draw_line, fixed_title, frame, name_lines, places_of, point_of, rows_along, sweep_axis

NAME = "final"
TITLE = "What each had at the end, over the swept parameter"
HOW_TO_READ = ("One line per algorithm, named at its end: test accuracy and loss when its runs ended, and how long an epoch took. Shaded: the 95 % interval "
               "from summary.csv, where there are five replicas or more; of the time of an epoch, from the fastest replica to the slowest. "
               "There is none where runs stop at the target. If several parameters are swept, the others are held at their first value, which the title says.")


def of_summary(quantity):
    """What reads one quantity's mean and interval from a row of summary.csv."""
    def cell(results, row):
        return row[f"{quantity}_mean"], row[f"{quantity}_low"], row[f"{quantity}_high"], ""
    return cell


def epoch_at(results, row):
    """Mean, least and largest time of an epoch among the replicas."""
    runs = results.at(point_of(results, row))
    runs = runs[(runs["algorithm"] == row["algorithm"]) & (runs["epochs"] > 0)]
    times = runs["virtual_s"] / runs["epochs"]
    return (None, None, None, "") if times.empty else (times.mean(), times.min(), times.max(), "")


def draw(results, look):
    axis = sweep_axis(results)
    if results.section("stop").get("at_target"):
        raise NoData("runs stop at the target, so their ends do not compare")
    if results.summary.empty or axis not in results.summary:
        raise NoData(f"summary.csv has no column {axis}")
    rows, fixed = rows_along(results, axis)
    place, to_scale = places_of(list(dict.fromkeys(rows[axis])))
    kinds = [(of_summary("final_accuracy"), "final test accuracy"), (of_summary("final_loss"), "final test loss"),
             (epoch_at, "time per epoch (s)")]
    drawn = [(series, label) for series, label in ((cells_along(results, rows, axis, place, cell), label) for cell, label in kinds)
             if any(series.values())]
    if not drawn:
        raise NoData("no run has ended with anything to show")
    fig, axes = panels(look, len(drawn), height=2.5)
    for ax, (series, label) in zip(axes, drawn):
        for algorithm, cells in series.items():
            draw_line(ax, look, algorithm, cells, rows["n"].max() >= FEWEST_FOR_BANDS, {})
        shown = [value for cells in series.values() for _, value, *_ in cells]
        frame(ax, results.axis_name(axis), place, to_scale, shown, label)
        if not spans_much(shown) and not label.startswith("time"):
            ax.autoscale(axis="y")  # small differences are what is looked for
    if fixed:
        fixed_title(axes[0], fixed)
    for ax, (series, _) in zip(axes, drawn):
        name_lines(fig, ax, look, {label: cells[-1][:2] for label, cells in series.items() if cells and known(cells[-1][1])})
    return fig
