"""Which colour, marker and dashes an algorithm has: its own, in every scenario and every figure."""
import hashlib

import matplotlib.colors

from .results import list_of, object_of
from .style import legend_name

SOLID, LONG, SHORT, DOTS = "-", (0, (5, 1.5)), (0, (2.2, 1.2)), (0, (5, 1.5, 1, 1.5))
DASHES = [SOLID, LONG, SHORT, DOTS]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h"]

# No two have the same marker and dashes, so that they differ in black and white, too. The first colours are Okabe and
# Ito's; two of the same marker differ in colour for the colour-blind as well (the tests measure how much).
ALGORITHMS = {
    "sync": ("#0072B2", "o", SOLID),
    "async": ("#D55E00", "s", SOLID),
    "local": ("#009E73", "^", SOLID),
    "stale": ("#E69F00", "D", SOLID),
    "grouping": ("#CC79A7", "v", SOLID),
    "allreduce": ("#000000", "P", SOLID),
    "wp_sgd": ("#56B4E9", "X", SOLID),
    "biased_local": ("#882255", "*", SOLID),
    "od_sgd": ("#332288", "<", SOLID),
    "allocation": ("#999933", ">", SOLID),
    "backup": ("#2B9C8F", "h", SOLID),
    "simuparallel": ("#9B72CF", "^", LONG),
    "dc_asgd": ("#A6611A", "h", LONG),
    "ringmaster": ("#E31A1C", "P", LONG),
    "scaffold": ("#117733", "o", LONG),
    "fedbuff": ("#AA4499", "s", LONG),
    "diloco": ("#5C5C00", "X", LONG),
    "hierarchical": ("#5A2D00", "<", LONG),
    "ad_psgd": ("#7FA800", "*", LONG),
    "rennala": ("#FF7F50", "D", LONG),
    "malenia": ("#C49A6C", ">", LONG),
    "ringleader": ("#F0027F", "v", LONG),
    "mindflayer": ("#7A0403", "*", SHORT),
    "cd_sgd": ("#1F3FBF", "D", SHORT),
    "cp_sgd": ("#00688B", "^", SHORT),
    "daso": ("#66A61E", "o", SHORT),
    "fedavg": ("#17BECF", ">", SHORT),
    "fednova": ("#7570B3", "<", SHORT),
    "fedasync": ("#C51B7D", "P", SHORT),
    "prague": ("#4A7FA5", "X", SHORT),
    "bvr_l_sgd": ("#01534B", "h", SHORT),
    "d_psgd": ("#B8860B", "v", SHORT),
    "sgp": ("#6A1FB0", "s", SHORT),
    "fedlalr": ("#4DAC26", "X", DOTS),
    "api_bcd": ("#C8736B", "o", DOTS),
}
# Markers that cover less than the others of their size.
LARGER = {"*": 1.7, "X": 1.2, "P": 1.2, "^": 1.25, "v": 1.25, "<": 1.25, ">": 1.25}
# Of a label that is no algorithm's name: its algorithm's colour, so much towards white (or, below zero, black).
SHADES = [0.35, -0.35, 0.55, -0.6, 0.2, -0.2]


def shaded(colour, towards):
    """The colour mixed with white or black; one that is dark already can only become lighter."""
    rgb = matplotlib.colors.to_rgb(colour)
    if max(rgb) < 0.4:
        towards = abs(towards)
    end = 1 if towards > 0 else 0
    return matplotlib.colors.to_hex([part + abs(towards) * (end - part) for part in rgb]).upper()


def variants(label, name):
    """Looks for a label that has none of its own, the same in every scenario; the later ones are for when an earlier
    one is taken."""
    place = int.from_bytes(hashlib.sha256(label.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    family = list(ALGORITHMS.values()) if name not in ALGORITHMS else [ALGORITHMS[name]]
    for step in range(len(MARKERS) * len(DASHES) * len(SHADES)):
        at = place + step
        yield (shaded(family[at % len(family)][0], SHADES[at % len(SHADES)]), MARKERS[at % len(MARKERS)],
               DASHES[at // len(MARKERS) % len(DASHES)])


def looks_of(algorithms, names):
    """label -> (colour, marker, dashes): those of the name the label is, else a variant of the name it stands for."""
    looks = {label: ALGORITHMS[label] for label in algorithms if label in ALGORITHMS}
    for label in algorithms:
        if label in looks:
            continue
        candidates = list(variants(label, names.get(label)))
        colours, marks = {look[0] for look in looks.values()}, {look[1:] for look in looks.values()}
        free = [c for c in candidates if c[1:] not in marks]
        looks[label] = next((c for c in free if c[0] not in colours), free[0] if free else candidates[0])
    return looks


class Look:
    """How algorithms are drawn, and in how many columns of a paper."""

    def __init__(self, algorithms, names=None, columns=2):
        self._looks = looks_of(algorithms, names or {})
        self.columns = columns

    @classmethod
    def of(cls, results, columns=2):
        """Labels stand for the algorithms that the scenario says."""
        entries = [object_of(entry) for entry in list_of(results.scenario.get("algorithms"))]
        names = {entry.get("label", entry.get("name")): entry.get("name") for entry in entries
                 if isinstance(entry.get("label", entry.get("name")), str) and isinstance(entry.get("name"), str)}
        return cls(results.algorithms, names, columns)

    def colour(self, label):
        return self._looks[label][0]

    def ink(self, label):
        """Its colour, dark enough for words on white."""
        return tuple(0.65 * part for part in matplotlib.colors.to_rgb(self.colour(label)))

    def marker(self, label):
        return self._looks[label][1]

    def dashes(self, label):
        return self._looks[label][2]

    def line(self, label, **more):
        return {"color": self.colour(label), "marker": self.marker(label), "linestyle": self.dashes(label),
                "label": legend_name(label), "markeredgecolor": "white", "markeredgewidth": 0.4,
                "markersize": 3.8 * LARGER.get(self.marker(label), 1), **more}

    def mark(self, label, markersize=3.8, **more):
        """A marker without a line."""
        return {"color": self.colour(label), "marker": self.marker(label), "linestyle": "none",
                "markersize": markersize * LARGER.get(self.marker(label), 1), "markeredgecolor": "white",
                "markeredgewidth": 0.5, **more}
