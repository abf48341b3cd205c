from matplotlib.patches import Patch, Rectangle

from ..noise import known, within_noise
from ..results import NoData, value_text
from ..style import COLUMN_IN, legend_above, legend_name, panels, short

NAME = "best"
TITLE = "Best algorithm over two swept parameters"
HOW_TO_READ = ("Each cell names the algorithm with the shortest mean time to target, in its colour. A paler cell "
               "marked ~: another algorithm is within noise of it, so first place is uncertain (by the paired "
               "comparison where one of the two is the baseline, otherwise where their intervals overlap). Grey: no "
               "algorithm reached the target.")


def winner(rows):
    """(label, sure) of one cell; None when nobody reached the target."""
    rows = rows.dropna(subset=["time_to_target_mean_s"]).sort_values("time_to_target_mean_s", kind="stable")
    if rows.empty:
        return None
    first = rows.iloc[0]
    others = rows.iloc[1:]
    sure = known(first["time_to_target_high_s"]) and not any(within_noise(first, other) for _, other in others.iterrows())
    return first["algorithm"], bool(sure) or others.empty


def draw(results, look):
    axes = [a for a in results.axes if results.runs[a].nunique() > 1]
    if len(axes) < 2:
        raise NoData("fewer than two axes are swept")
    if results.summary.empty or any(a not in results.summary for a in axes):
        raise NoData("summary.csv has no rows over both axes")
    x, y = axes[:2]
    rows = results.summary
    for other in axes[2:]:
        rows = rows[rows[other] == rows[other].iloc[0]]
    xs, ys = list(dict.fromkeys(rows[x])), list(dict.fromkeys(rows[y]))
    fig, (ax,) = panels(1, 1, width=max(COLUMN_IN, 0.62 * len(xs) + 1), height=max(2.0, 0.42 * len(ys) + 0.8))
    used = {}
    for i, xv in enumerate(xs):
        for j, yv in enumerate(ys):
            best = winner(rows[(rows[x] == xv) & (rows[y] == yv)])
            colour, alpha, text = ("#BBBBBB", 1, "none") if best is None else (
                look.colour(best[0]), 1 if best[1] else 0.4, ("" if best[1] else "~") + short(best[0]))
            ax.add_patch(_cell(i, j, colour, alpha))
            ax.text(i, j, text, ha="center", va="center", fontsize=6,
                    color="white" if best and best[1] else "black")
            if best:
                used[best[0]] = Patch(color=look.colour(best[0]))
    ax.set_xlim(-0.5, len(xs) - 0.5)
    ax.set_ylim(-0.5, len(ys) - 0.5)
    ax.set_xticks(range(len(xs)), [short(value_text(v)) for v in xs])
    ax.set_yticks(range(len(ys)), [short(value_text(v)) for v in ys])
    ax.set_xlabel(results.axis_name(x))
    ax.set_ylabel(results.axis_name(y))
    ax.grid(False)
    legend_above(fig, {legend_name(label): used[label] for label in results.algorithms if label in used})
    return fig


def _cell(i, j, colour, alpha):
    return Rectangle((i - 0.5, j - 0.5), 1, 1, facecolor=colour, alpha=alpha, edgecolor="white", linewidth=1.5)
