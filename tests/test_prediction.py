#!/usr/bin/env python3
"""The figure of predicted against measured times: analysis/prediction.py."""
import itertools
import pathlib
import sys
import unittest

ANALYSIS = pathlib.Path(__file__).resolve().parents[1] / "analysis"
sys.path.insert(0, str(ANALYSIS))

import pandas as pd
from matplotlib.text import Text

import prediction
from pictures.style import plt


def table_of(times):
    """An algorithm for each (measured, predicted)."""
    return pd.DataFrame([{"algorithm": f"algorithm_{i}", "measured_update_s": measured, "predicted_update_s": predicted,
                          "update_error": predicted / measured - 1} for i, (measured, predicted) in enumerate(times)])


class Names(unittest.TestCase):
    def check_apart(self, times):
        figure = prediction.draw_prediction(table_of(times))
        figure.canvas.draw()
        boxes = [Text.get_window_extent(text) for text in figure.axes[0].texts]  # without their lines
        plt.close(figure)
        self.assertEqual(len(boxes), len(times))
        for a, b in itertools.combinations(boxes, 2):
            self.assertFalse(a.overlaps(b), f"{a} and {b}")
        for box in boxes:
            self.assertGreater(box.x0, 0)
            self.assertTrue(0 <= box.y0 and box.y1 <= figure.bbox.height, box)

    def test_names_of_forty_algorithms_do_not_meet(self):
        self.check_apart([(0.1 * 1.05 ** i, 0.1 * 1.05 ** i * (0.9 if i % 2 else 1.1)) for i in range(40)])

    def test_names_of_algorithms_that_take_equally_long_do_not_meet(self):
        self.check_apart([(0.5, 0.5)] * 12 + [(0.6, 0.5)])

    def test_one_algorithm_has_its_name_where_its_point_is(self):
        figure = prediction.draw_prediction(table_of([(0.5, 0.52)]))
        figure.canvas.draw()
        axes = figure.axes[0]
        height = axes.transData.transform((0.5, 0.52))[1]
        box = Text.get_window_extent(axes.texts[0])
        plt.close(figure)
        self.assertTrue(box.y0 < height < box.y1)

    def test_places_are_moved_no_further_than_they_must_be(self):
        self.assertEqual(prediction.spread([0.2, 0.5], 0.1, 0, 1), [0.2, 0.5])
        # Two at the upper end: the last goes to the end, the one before by the gap below it.
        self.assertEqual(prediction.spread([0.25, 2, 2], 0.25, 0, 1), [0.25, 0.75, 1])
        self.assertEqual(prediction.spread([-1, 0.125], 0.25, 0, 1), [0, 0.25])


class Fit(unittest.TestCase):
    def test_every_kind_of_timing_is_drawn(self):
        rows = [{"what": what, "measured_s": 0.1 + 0.01 * i, "fitted_s": 0.1} for i, what in enumerate(prediction.MARKERS)]
        figure = prediction.draw_fit(pd.DataFrame(rows))
        labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        plt.close(figure)
        self.assertIn("gradient", labels)
        self.assertEqual(set(labels), {"up", "down", "incast", "outcast", "ring", "gradient", "within 10%"})


if __name__ == "__main__":
    unittest.main()
