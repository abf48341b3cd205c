"""Colours, markers and dashes: whether algorithms can be told apart, by everybody, and are always the same."""
import itertools
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "analysis"))

import matplotlib.colors
import numpy as np

from pictures.look import ALGORITHMS, Look
from pictures.style import CLASSES, STATES

# What the red-blind and the green-blind see of linear RGB: Machado, Oliveira and Fernandes 2009, severity 1.
EYES = {"usual": np.eye(3),
        "protan": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
        "deutan": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]])}
TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
WHITE = TO_XYZ.sum(axis=1)


def lab(colour, eye="usual"):
    """CIE L*a*b* (D65) of a colour as such eyes see it."""
    rgb = np.array(matplotlib.colors.to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116
               for v in TO_XYZ @ np.clip(EYES[eye] @ linear, 0, 1) / WHITE)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def apart(one, other, eye="usual"):
    """The distance CIE76: about 2 can just be noticed."""
    return np.linalg.norm(lab(one, eye) - lab(other, eye))


class Looks(unittest.TestCase):
    def test_the_measure_is_right(self):
        self.assertTrue(np.allclose(lab("white"), [100, 0, 0], atol=0.01))
        self.assertTrue(np.allclose(lab("red"), [53.24, 80.09, 67.20], atol=0.05))  # as tables give it
        self.assertGreater(apart("#FF0000", "#00A000"), 4 * apart("#FF0000", "#00A000", "deutan") / 3)

    def test_no_two_algorithms_have_the_same_marker_and_dashes(self):
        self.assertEqual(len({look[1:] for look in ALGORITHMS.values()}), len(ALGORITHMS))

    def test_algorithms_with_the_same_marker_have_colours_that_the_colour_blind_tell_apart(self):
        for (a, one), (b, other) in itertools.combinations(ALGORITHMS.items(), 2):
            if one[1] == other[1]:
                for eye in EYES:
                    self.assertGreater(apart(one[0], other[0], eye), 15, (a, b, eye))

    def test_no_two_algorithms_have_the_same_colour(self):
        for (a, one), (b, other) in itertools.combinations(ALGORITHMS.items(), 2):
            self.assertGreater(apart(one[0], other[0]), 5, (a, b))

    def test_colours_can_be_seen_on_white(self):
        for name, (colour, _, _) in ALGORITHMS.items():
            self.assertLess(lab(colour)[0], 75, name)

    def test_classes_and_states_have_colours_of_their_own(self):
        for name, (colour, _, _) in ALGORITHMS.items():
            for other in CLASSES + [c for s, c in STATES.items() if s != "update"]:  # updates are ticks
                self.assertGreater(apart(colour, other), 9, (name, other))

    @unittest.skipUnless(os.environ.get("MOTLEY_BINARY"), "the program is not built")
    def test_all_algorithms_of_the_program_in_one_figure_differ(self):
        told = subprocess.run([os.environ["MOTLEY_BINARY"], "algorithms"], check=True, capture_output=True, text=True).stdout
        names = [line.split()[0] for line in told.splitlines() if line[:1].isalpha()]
        self.assertIn("async", names)
        look = Look(names)
        self.assertEqual(len({(look.marker(a), str(look.dashes(a))) for a in names}), len(names))
        self.assertEqual(len({look.colour(a) for a in names}), len(names))

    def test_a_look_does_not_depend_on_the_place_in_a_list_or_on_the_others(self):
        first, second = Look(["sync", "async", "mine"]), Look(["mine", "backup", "async"])
        for label in ("async", "mine"):
            self.assertEqual([f(label) for f in (first.colour, first.marker, first.dashes)],
                             [f(label) for f in (second.colour, second.marker, second.dashes)], label)

    def test_labels_of_one_algorithm_are_shades_of_its_colour_and_differ_in_marker_or_dashes(self):
        labels = [f"async-{i}" for i in range(8)]
        look = Look(["async"] + labels, {label: "async" for label in labels})
        own = matplotlib.colors.rgb_to_hsv(matplotlib.colors.to_rgb(look.colour("async")))[0]
        for label in labels:
            hue = matplotlib.colors.rgb_to_hsv(matplotlib.colors.to_rgb(look.colour(label)))[0]
            self.assertAlmostEqual(hue, own, places=2)
        self.assertEqual(len({(look.marker(a), str(look.dashes(a))) for a in ["async"] + labels}), 9)

    def test_a_name_nobody_knows_has_a_look_whatever_it_is_made_of(self):
        look = Look(["\udcff", "", "$x$"] + [f"own{i}" for i in range(60)])
        for label in ("\udcff", "", "$x$", "own59"):
            self.assertRegex(look.colour(label), "^#[0-9A-F]{6}$")


if __name__ == "__main__":
    unittest.main()
