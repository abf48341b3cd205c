#!/usr/bin/env python3
"""The figure of predicted against measured times: analysis/prediction.py."""
import itertools
import pathlib
import sys
import unittest
import warnings

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

    def test_how_far_off_it_may_be_by_chance_is_drawn_where_replicas_tell(self):
        table = table_of([(0.5, 0.52), (0.2, 0.2)])
        table["update_chance"] = [0.2, float("nan")]
        figure = prediction.draw_prediction(table)
        bars = [bar for bar in figure.axes[0].containers if bar.lines[2][0].get_segments()]
        labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        plt.close(figure)
        self.assertEqual(len(bars), 1)
        self.assertIn("by chance (95 %)", labels)
        (low, high), = [segment[:, 1] for segment in bars[0].lines[2][0].get_segments()]
        self.assertAlmostEqual(low, 0.42)
        self.assertAlmostEqual(high, 0.62)

    def test_places_are_moved_no_further_than_they_must_be(self):
        self.assertEqual(prediction.spread([0.2, 0.5], 0.1, 0, 1), [0.2, 0.5])
        # Two at the upper end: the last goes to the end, the one before by the gap below it.
        self.assertEqual(prediction.spread([0.25, 2, 2], 0.25, 0, 1), [0.25, 0.75, 1])
        self.assertEqual(prediction.spread([-1, 0.125], 0.25, 0, 1), [0, 0.25])


def timings_of(rows):
    return pd.DataFrame(rows, columns=["what", "bytes", "measured_s", "fitted_s"])


class Fit(unittest.TestCase):
    def test_every_kind_of_timing_is_drawn(self):
        kinds = list(prediction.MARKERS)
        figure = prediction.draw_fit(timings_of([(what, 0 if what == "gradient" else 1e6, 0.1 + 0.01 * i, 0.1)
                                                 for i, what in enumerate(kinds)]))
        labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        plt.close(figure)
        self.assertEqual(set(labels), {"up", "down", "incast", "outcast", "ring", "gradient", "within 10%"})

    def test_a_fit_without_latency_has_all_its_points_within_the_axes(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a limit that the axes ignore
            figure = prediction.draw_fit(timings_of([("up", 0, 1e-3, 0.0), ("up", 1e3, 1e-3, 8e-5), ("up", 1e6, 0.08, 0.09)]))
        axes = figure.axes[0]
        self.assertEqual(axes.get_xlim(), axes.get_ylim())
        low, high = axes.get_ylim()
        points = [point for line in axes.lines if line.get_marker() == "^" for point in line.get_xydata()]
        labels = [text.get_text() for text in axes.get_legend().get_texts()]
        plt.close(figure)
        self.assertAlmostEqual(low, 8e-5 / 1.4)
        self.assertEqual(len(points), 3)
        for point in points:
            self.assertTrue(all(low <= value <= high for value in point), point)
        self.assertIn("below 100 kB: not fitted", labels)


if __name__ == "__main__":
    unittest.main()
