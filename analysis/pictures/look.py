"""Which colour, marker and dashes an algorithm has: its own, in every scenario and every figure."""
import functools
import hashlib
import re

import matplotlib.colors
import numpy as np

from .colours import lab
from .results import list_of, object_of
from .style import CLASSES, STATES, legend_name

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
# Dashes of labels: no algorithm has them, so that a label is never taken for another algorithm.
LABEL_DASHES = [(0, (9, 2)), (0, (5, 1.2, 1, 1.2, 1, 1.2)), (0, (6, 1.2, 2.5, 1.2)), (0, (2.2, 1.2, 1, 1.2))]
# With which no two labels of an algorithm in a shipped scenario have the same marker, or colour where there are as many shades.
SALT = 843
PLACES = len(MARKERS) * len(LABEL_DASHES)
# Shades of an algorithm's colour, for its labels: how far each is from all others at least (CIE76), and from colours of
# algorithms, classes and states; and how light.
FROM_OTHER_SHADES, FROM_ALL_ELSE, LIGHTEST = 10, 9, 80
MIXED = [sign * step / 20 for step in range(1, 16) for sign in (1, -1)]  # with so much white or (below zero) black


def mixed(colour, towards):
    """The colour with so much white, or black below zero, in it."""
    end = 1 if towards > 0 else 0
    return matplotlib.colors.to_hex([part + abs(towards) * (end - part) for part in matplotlib.colors.to_rgb(colour)]).upper()


@functools.lru_cache
def _taken():
    states = [colour for state, colour in STATES.items() if state != "update"]  # updates are ticks
    return [lab(colour) for colour in [look[0] for look in ALGORITHMS.values()] + CLASSES + states]


@functools.lru_cache
def shades(colour):
    """Shades of an algorithm's colour, each as far as can be from it and from those before. An odd number of them: so the
    powers of two, which numbers in labels often are, do not fall on the same one in a row."""
    free = {}
    for towards in MIXED:
        seen = lab(mixed(colour, towards))
        if seen[0] < LIGHTEST and min(np.linalg.norm(seen - other) for other in _taken()) > FROM_ALL_ELSE:
            free[mixed(colour, towards)] = seen
    found, near = [], [lab(colour)]
    while free:
        far = {shade: min(np.linalg.norm(seen - other) for other in near) for shade, seen in free.items()}
        best = max(far, key=far.get)
        if far[best] < FROM_OTHER_SHADES:
            break
        found.append(best)
        near.append(free.pop(best))
    return found[:min(7, len(found) - 1 + len(found) % 2)]


def place_of(text):
    """A number that belongs to a text. Those of texts that differ in one number differ as these numbers do."""
    numbers = list(re.finditer(r"[0-9]+(\.[0-9]+)?", text))
    last = numbers[-1] if numbers else None
    rest = f"{text[:last.start()]}#{text[last.end():]}" if last else text
    digest = hashlib.sha256(f"{SALT} {rest}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") + (int(last[0].replace(".", "")[-15:]) if last else 0)


def look_of(label, name, further=0):
    """(colour, marker, dashes) of a label: those of the algorithm it is named after, else a shade of the colour of the
    algorithm it stands for, with a marker and dashes of its own. It takes nothing but the two, so that it is the same in
    every scenario."""
    if label in ALGORITHMS and name in (label, None):
        return ALGORITHMS[label]
    known = list(ALGORITHMS)
    base = ALGORITHMS[name if name in ALGORITHMS else known[place_of(label if name is None else name) % len(known)]]
    place = place_of(label)
    colours = shades(base[0])
    at = place + further
    return colours[place % len(colours)], MARKERS[at % len(MARKERS)], LABEL_DASHES[at // len(MARKERS) % len(LABEL_DASHES)]


def looks_of(algorithms, names):
    """label -> look. Where two labels would be drawn quite alike (one pair of some two hundred that differ in words), the
    later one in the alphabet has another marker or dashes."""
    looks = {label: look_of(label, names.get(label)) for label in algorithms}
    taken = set()
    for label in sorted(looks):
        further = 0
        while looks[label] in taken and further < PLACES:
            further += 1
            looks[label] = look_of(label, names.get(label), further)
        taken.add(looks[label])
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
