"""What accuracy.py and efficiency.py share: learning curves with bands, one row of panels per point of a sweep."""
from ..results import NoData
from ..style import PAGE_IN, entries_of, evenly, legend_above, panels

MOST_POINTS = 4  # of a sweep in one figure
LOG_BEYOND = 10  # updates of one algorithm over those of another: on a linear axis one of them is a vertical line


def measures(results):
    """The columns of curves.csv that hold something, accuracy first."""
    return [c for c in ("test_accuracy", "test_loss") if results.curves[c].notna().any()]


def draw_curves(ax, results, look, point, x, y):
    labels = results.algorithms_of(results.at(point))
    for i, label in enumerate(labels):
        drawn = results.band(point, label, x, y)
        if drawn is None:
            continue
        at, mean, low, high = drawn
        step = max(1, len(at) // 8)
        # Each begins its markers elsewhere, so that they do not cover each other.
        ax.plot(at, mean, **look.line(label, markevery=(i * step // len(labels), step)))
        if low is not None:
            ax.fill_between(at, low, high, color=look.colour(label), alpha=0.18, linewidth=0)
    if results.target and results.target[0] == y:
        wanted = results.target[1]
        ax.axhline(wanted, color="0.35", linestyle="--", linewidth=0.9, label=f"target {wanted:g}")


def frame_curves(ax, results, x, y, x_label):
    """The first steep moments would squeeze what the comparison is about."""
    curves = results.curves
    later = curves[curves[x] > 0.03 * curves[x].max()][y].dropna()
    ends = curves.groupby("run")[x].max()
    if x == "updates" and ends.min() > 0 and ends.max() / ends.min() >= LOG_BEYOND:
        ax.set_xscale("log")
        ax.set_xlim(left=curves[curves[x] > 0][x].min())
        x_label += " (log scale)"
    else:
        ax.set_xlim(left=0)
    ax.set_xlabel(x_label)
    ax.set_ylabel(y.replace("_", " "))
    if y == "test_accuracy" and not later.empty:
        ax.set_ylim(bottom=max(0, later.quantile(0.02) - 0.02), top=min(1, ax.get_ylim()[1]))
    elif y == "test_loss" and not later.empty and later.min() > 0 and later.max() / later.min() > 30:
        ax.set_yscale("log")
        ax.set_ylabel("test loss (log scale)")
    elif y == "test_loss" and not later.empty:
        bottom = ax.get_ylim()[0]
        ax.set_ylim(bottom=max(0, bottom) if later.min() >= 0 else bottom, top=later.quantile(0.99) * 1.05)


def figure(results, look, columns_of):
    """columns_of: list of (x column, label). A row for each measure, or for each point of a sweep."""
    rows = measures(results)
    if results.curves.empty or results.runs.empty:
        raise NoData("curves.csv holds no evaluation")
    if not rows:
        raise NoData("nothing is trained in these runs (curves.csv has neither accuracy nor loss)")
    points = evenly(results.points(), MOST_POINTS)
    if len(points) > 1:  # accuracy (or loss) alone, one row per point
        grid = [(point, rows[0]) for point in points]
    else:
        grid = [(points[0], y) for y in rows]
    if len(columns_of) == 1:  # one x: the measures or points go side by side
        fig, axes = panels((len(grid) + 1) // 2, min(2, len(grid)))
    else:
        fig, axes = panels(len(grid), len(columns_of), width=PAGE_IN)
    cells = [(point, y, x, x_label) for point, y in grid for x, x_label in columns_of]
    for ax, (point, y, x, x_label) in zip(axes, cells):
        draw_curves(ax, results, look, point, x, y)
        frame_curves(ax, results, x, y, x_label)
        if len(points) > 1:
            ax.set_title(results.point_title(point))
    for ax in axes[len(cells):]:
        ax.set_visible(False)
    legend_above(fig, entries_of(axes))
    return fig
