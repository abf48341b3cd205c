"""Colours, markers and dashes: whether algorithms can be told apart, by everybody, and are always the same."""
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "analysis"))

import matplotlib.colors
import numpy as np

from pictures.colours import EYES, apart, lab
from pictures.look import ALGORITHMS, LABEL_DASHES, Look, look_of, shades
from pictures.style import CLASSES, STATES


def look_of_each(labels, names):
    look = Look(labels, names)
    return {label: (look.colour(label), look.marker(label), look.dashes(label)) for label in labels}


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
        names = [line.split()[0] for line in told.splitlines() if re.match("[a-z][a-z_]* {2,}", line)]
        self.assertIn("async", names)
        look = Look(names)
        self.assertEqual(len({(look.marker(a), str(look.dashes(a))) for a in names}), len(names))
        self.assertEqual(len({look.colour(a) for a in names}), len(names))

    def test_a_look_does_not_depend_on_the_place_in_a_list_or_on_the_others(self):
        first, second = Look(["sync", "async", "mine"]), Look(["mine", "backup", "async"])
        for label in ("async", "mine"):
            self.assertEqual([f(label) for f in (first.colour, first.marker, first.dashes)],
                             [f(label) for f in (second.colour, second.marker, second.dashes)], label)

    def test_a_label_has_the_same_look_in_every_order_and_company(self):
        labels = [f"local_{n}" for n in (1, 2, 4, 8, 16, 32, 64)] + ["local", "local fast", "od_sgd mu 0.9", "od_sgd mu 0.5", "mine"]
        names = {label: label.split("_")[0].split()[0] for label in labels if label.startswith("local")}
        names |= {label: "od_sgd" for label in labels if label.startswith("od_sgd")}
        whole = look_of_each(labels, names)
        self.assertEqual(look_of_each(list(reversed(labels)), names), whole)
        self.assertEqual(look_of_each(labels + ["sync", "async", "other"], names), {**look_of_each(["sync", "async", "other"], {}), **whole})
        for one, other in itertools.permutations(labels, 2):
            pair = look_of_each([one, other], names)
            self.assertEqual(pair, {label: whole[label] for label in (one, other)})

    def test_labels_that_differ_in_a_number_have_different_markers_or_dashes(self):
        for labels in ([f"async-{i}" for i in range(44)], [f"async_{2 ** i}" for i in range(12)], [f"async mu {m}" for m in (0.5, 0.9, 0.95, 0.99)]):
            look = Look(["async"] + labels, {label: "async" for label in labels})
            self.assertEqual(len({(look.marker(a), str(look.dashes(a))) for a in ["async"] + labels}), 1 + len(labels))

    def test_labels_of_one_algorithm_are_shades_of_its_colour_far_from_each_other_and_from_all_else(self):
        elsewhere = CLASSES + [c for s, c in STATES.items() if s != "update"] + [look[0] for look in ALGORITHMS.values()]
        for name, (own, _, _) in ALGORITHMS.items():
            found = shades(own)
            self.assertGreaterEqual(len(found), 3, name)
            for one, other in itertools.combinations(found, 2):
                self.assertGreaterEqual(apart(one, other), 10, (name, one, other))
            for shade, other in itertools.product(found, elsewhere):
                self.assertGreater(apart(shade, other), 9, (name, shade, other))
            for shade in found:
                self.assertLess(lab(shade)[0], 80, name)  # can be seen on white
        # Of async, of which a hundredth of the circle of hues is a change nobody sees.
        hue = [matplotlib.colors.rgb_to_hsv(matplotlib.colors.to_rgb(c))[0] for c in ["#D55E00"] + shades("#D55E00")]
        self.assertLess(max(hue) - min(hue), 0.02)

    def test_no_label_has_the_marker_and_dashes_of_an_algorithm(self):
        self.assertFalse({str(dashes) for dashes in LABEL_DASHES} & {str(look[2]) for look in ALGORITHMS.values()})

    def test_the_labels_of_a_shipped_scenario_differ_in_marker_and_where_shades_suffice_in_colour(self):
        seen = 0
        for file in sorted((ROOT / "scenarios").rglob("*.json")):
            scenario = json.loads(file.read_text())
            entries = scenario.get("algorithms", []) if isinstance(scenario, dict) else []
            names = {e.get("label", e["name"]): e["name"] for e in entries if isinstance(e, dict)}
            looks = look_of_each(list(names), names)
            for one, other in itertools.combinations(names, 2):
                if names[one] != names[other]:
                    continue
                seen += 1
                self.assertNotEqual(looks[one][1], looks[other][1], (file, one, other))
                if list(names.values()).count(names[one]) <= len(shades(ALGORITHMS[names[one]][0])):
                    self.assertGreaterEqual(apart(looks[one][0], looks[other][0]), 10, (file, one, other))
        self.assertGreater(seen, 5)

    def test_labels_that_would_look_alike_get_other_markers_or_dashes(self):
        labels = [f"async-{44 * 5 * i}" for i in range(44)]  # as far apart as there are places, and shades of async
        self.assertEqual(len({look_of(label, "async") for label in labels}), 1)
        for order in (labels, list(reversed(labels))):
            looks = look_of_each(order, {label: "async" for label in labels})
            self.assertEqual(len({look[1:] for look in looks.values()}), 44)
            self.assertEqual(looks[labels[0]], look_of(labels[0], "async"))

    def test_a_label_that_is_the_name_of_another_algorithm_does_not_look_like_that(self):
        self.assertNotEqual(look_of_each(["sync"], {"sync": "async"})["sync"], ALGORITHMS["sync"])

    def test_a_name_nobody_knows_has_a_look_whatever_it_is_made_of(self):
        look = Look(["\udcff", "", "$x$"] + [f"own{i}" for i in range(60)])
        for label in ("\udcff", "", "$x$", "own59"):
            self.assertRegex(look.colour(label), "^#[0-9A-F]{6}$")


if __name__ == "__main__":
    unittest.main()
