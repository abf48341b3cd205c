"""One look for all figures: an algorithm keeps its colour and marker, sizes fit a two-column paper."""
import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.colors
import matplotlib.pyplot as plt

# Okabe and Ito's colours, which the colour-blind can tell apart; beyond seven algorithms the marker and
# the dashes tell them apart.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h"]
DASHES = ["-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5))]
# What a host does; the same in the bars of where time goes and in the Gantt chart.
STATES = {"compute": "#009E73", "send": "#0072B2", "receive": "#56B4E9", "transfer": "#0072B2",
          "wait": "#DDDDDD", "discarded": "#D55E00", "update": "#000000"}

CLASSES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]  # of workers

COLUMN_IN = 3.5  # one column of a two-column paper
PAGE_IN = 7.16   # both
FORMATS = ("png", "svg", "pdf")

plt.rcParams.update({
    "font.size": 8, "axes.labelsize": 8, "axes.titlesize": 8, "legend.fontsize": 7, "xtick.labelsize": 7,
    "ytick.labelsize": 7, "lines.linewidth": 1.3, "lines.markersize": 3.5, "axes.grid": True,
    "grid.alpha": 0.25, "grid.linewidth": 0.5, "axes.spines.top": False, "axes.spines.right": False,
    "legend.frameon": False, "savefig.dpi": 200, "figure.constrained_layout.use": True,
    "svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "motley",
    "text.parse_math": False,  # a dollar in a name is a dollar
})


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


class Look:
    """Colour, marker and dashes of every algorithm, by its place in the scenario."""

    def __init__(self, algorithms):
        self._place = {label: i for i, label in enumerate(algorithms)}

    def colour(self, label):
        return COLOURS[self._place[label] % len(COLOURS)]

    def ink(self, label):
        """Its colour, dark enough for words on white."""
        return tuple(0.65 * part for part in matplotlib.colors.to_rgb(self.colour(label)))

    def marker(self, label):
        return MARKERS[self._place[label] % len(MARKERS)]

    def dashes(self, label):
        return DASHES[self._place[label] // len(COLOURS) % len(DASHES)]

    def line(self, label, **more):
        return {"color": self.colour(label), "marker": self.marker(label), "linestyle": self.dashes(label),
                "label": legend_name(label), **more}


def panels(rows, columns, width=PAGE_IN, height=2.3):
    """A figure and its axes as a list, row by row; `height` is one row's."""
    fig, axes = plt.subplots(rows, columns, figsize=(width, rows * height), squeeze=False)
    return fig, [ax for row in axes for ax in row]


def legend_above(fig, entries):
    """One legend for all panels, above them, in rows of about equal length; entries: label -> handle.
    save() keeps it in the picture."""
    if entries:
        one = 0.45 + 0.06 * max(len(label) for label in entries)  # inches
        rows = math.ceil(len(entries) / max(1, int(fig.get_figwidth() / one)))
        fig.legend(list(entries.values()), list(entries), loc="lower center", bbox_to_anchor=(0.5, 1.0),
                   ncol=math.ceil(len(entries) / rows), handlelength=1.8, columnspacing=1)


def name_point(fig, results, point, more=""):
    """Says which point of a sweep is shown."""
    words = ", ".join(part for part in (results.point_title(point), more) if part)
    if words:
        fig.suptitle(words, fontsize=8)


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


def save(fig, folder, name):
    """Writes name.png, .svg and .pdf without dates, so that equal results give equal files."""
    fig.canvas.draw()  # finds the layout, once for all formats
    fig.set_layout_engine("none")
    whole = fig.get_tightbbox(fig.canvas.get_renderer()).padded(0.03)
    for kind in FORMATS:
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
        fig.savefig(folder / f"{name}.{kind}", metadata=metadata, bbox_inches=whole)
    plt.close(fig)
