"""One look for all figures: sizes that fit a two-column paper, legends, files that are the same for the same results.
The colours of algorithms are in look.py."""
import math
import textwrap

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from .files import write_file

# What a host does: pale, as nothing else is. The same in the bars of where time goes and in the Gantt chart.
STATES = {"compute": "#A5D6B4", "send": "#8EA8DC", "receive": "#F3C795", "transfer": "#8EA8DC",
          "wait": "#ECECEC", "discarded": "#EE9C9C", "update": "#222222", "down": "#6B6B6B",
          "slowed": "#E0C84C"}
# Of workers: greys, blue and brown ones, so that they are not taken for algorithms.
CLASSES = ["#2F4468", "#B7A57A", "#7C8896", "#6E5B40", "#AEBDD0", "#40403C"]
CLASS_MARKERS = ["o", "s", "^", "D", "v", "P"]

WIDTHS_IN = {1: 3.5, 2: 7.16}  # one column of a two-column paper, and both
FORMATS = ("png", "svg", "pdf")
FONT_SIZE = 8

plt.rcParams.update({
    "font.size": FONT_SIZE, "axes.labelsize": "medium", "axes.titlesize": "medium", "legend.fontsize": "small",
    "xtick.labelsize": "small", "ytick.labelsize": "small", "figure.titlesize": "medium",
    "lines.linewidth": 1.3, "axes.grid": True,
    "grid.alpha": 0.25, "grid.linewidth": 0.5, "axes.spines.top": False, "axes.spines.right": False,
    "legend.frameon": False, "savefig.dpi": 200, "figure.constrained_layout.use": True,
    "svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "motley",
    "text.parse_math": False,  # a dollar in a name is a dollar
})


def set_font_size(points):
    """Of labels and titles; everything else follows."""
    plt.rcParams["font.size"] = points


def small():
    """Points of what is written into a figure."""
    return 0.83 * plt.rcParams["font.size"]


def tiny():
    return 0.75 * plt.rcParams["font.size"]


def short(name, most=32):
    """A name that leaves room for the figure: of a long one the beginning and the end, which tell most names apart."""
    name = str(name)
    if len(name) > most:
        end = most // 2 - 1
        name = f"{name[:most - 1 - end]}…{name[-end:]}"
    return name


def legend_name(name):
    """matplotlib hides what begins with an underscore."""
    return f" {short(name)}" if str(name).startswith("_") else short(name)


def panels(look, count, across=2, narrow=None, height=2.3, **more):
    """A figure and its axes, row by row: at most `across` in a row of both columns of a page, `narrow` (half of them) in
    one column. `height` is one row's with letters of the usual size."""
    rows = math.ceil(count / (across if look.columns == 2 else narrow or (across + 1) // 2))
    columns = math.ceil(count / rows)  # so that the last row is about as full as the others
    tall = height * max(1, plt.rcParams["font.size"] / FONT_SIZE)
    fig, grid = plt.subplots(rows, columns, figsize=(WIDTHS_IN[look.columns], rows * tall), squeeze=False, **more)
    axes = [ax for row in grid for ax in row]
    for ax in axes[count:]:
        ax.remove()
    return fig, axes[:count]


def number_below(axes):
    """Of panels with a common axis the lowest of each column have the numbers, also above a gap in the last row."""
    columns = axes[0].get_gridspec().ncols
    for i, ax in enumerate(axes):
        ax.xaxis.set_tick_params(labelbottom=i + columns >= len(axes))


def legend_above(fig, entries):
    """One legend for all panels, above them, in as few rows as fit and as few columns as these rows need; entries:
    label -> handle. save() keeps it in the picture."""
    if entries:
        labels = list(entries)
        widths = [(0.45 + 0.06 * len(label)) * plt.rcParams["font.size"] / FONT_SIZE for label in labels]  # inches
        for rows in range(1, len(labels) + 1):  # a legend is filled column by column
            if sum(max(widths[i:i + rows]) for i in range(0, len(labels), rows)) <= fig.get_figwidth():
                break
        fig.legend(list(entries.values()), labels, loc="lower center", bbox_to_anchor=(0.5, 1.0),
                   ncol=math.ceil(len(labels) / rows), handlelength=2.6, columnspacing=1)


def name_point(fig, results, point, more=""):
    """Says which point of a sweep is shown."""
    words = ", ".join(part for part in (results.point_title(point), more) if part)
    if words:
        fig.suptitle(textwrap.fill(words, round(14 * fig.get_figwidth())))


def evenly(items, most):
    """At most so many of the items, first and last among them."""
    items = list(items)
    if len(items) <= most:
        return items
    return [items[round(i * (len(items) - 1) / (most - 1))] for i in range(most)]


def entries_of(axes):
    """label -> handle of everything labelled in these axes, each label once."""
    entries = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels()):
            entries.setdefault(label, handle)
    return entries


def save(fig, folder, name, formats=FORMATS):
    """Writes name.png, .svg and .pdf without dates, so that equal results give equal files."""
    fig.canvas.draw()  # finds the layout, once for all formats
    fig.set_layout_engine("none")
    whole = fig.get_tightbbox(fig.canvas.get_renderer()).padded(0.03)
    for kind in formats:
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
        write_file(folder / f"{name}.{kind}",
                   lambda stream: fig.savefig(stream, format=kind, metadata=metadata, bbox_inches=whole))
    plt.close(fig)
