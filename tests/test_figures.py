"""What the figures of analysis/ show, looked at as objects: series, bands, marks, words."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "analysis"))

import matplotlib.colors
import matplotlib.pyplot as plt
import pandas as pd

from pictures import figures
from pictures.results import NoData, Results
from pictures.style import Look
from results_fixture import TARGET, write_results

RATIO, SIZE = "/cluster/workers/0/spread/ratio", "/cost/model_size"


def labels(ax):
    return [text for text in ax.get_legend_handles_labels()[1]]


def lines(ax):
    """label -> line of what is drawn with a name."""
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def texts(ax):
    return [t.get_text() for t in ax.texts]


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.place.name)
        cls.plain = Results(write_results(folder / "plain", ("sync", "async", "local", "slow")))
        cls.single = Results(write_results(folder / "single", replicas=1, trace=False, decisions=False))
        cls.sweep = Results(write_results(folder / "sweep", axes={RATIO: [1, 4, 16], SIZE: ["1MB", "10MB"]}))

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def tearDown(self):
        plt.close("all")

    def draw(self, module, results):
        return module.draw(results, Look(results.algorithms))

    def test_curves_have_a_line_and_a_band_per_algorithm_and_the_target(self):
        fig = self.draw(figures.accuracy, self.plain)
        accuracy, loss = fig.axes
        self.assertEqual(labels(accuracy), ["sync", "async", "local", "slow", f"target {TARGET}"])
        self.assertEqual(labels(loss), ["sync", "async", "local", "slow"])  # the target is one of accuracy
        self.assertEqual(len(accuracy.collections), 4)  # bands
        self.assertEqual(set(lines(accuracy)[f"target {TARGET}"].get_ydata()), {TARGET})
        self.assertEqual(accuracy.get_xlabel(), "virtual time (s)")
        self.assertEqual((accuracy.get_ylabel(), loss.get_ylabel()), ("test accuracy", "test loss"))
        last = lines(accuracy)["async"].get_xydata()[-1]
        self.assertEqual(last[0], 300)
        self.assertAlmostEqual(last[1], 0.9, places=3)

    def test_one_replica_has_no_band(self):
        fig = self.draw(figures.accuracy, self.single)
        self.assertEqual(len(fig.axes[0].collections), 0)
        self.assertEqual(len(lines(fig.axes[0])["sync"].get_xdata()), 101)  # its own points

    def test_a_band_is_what_the_simulator_wrote(self):
        at, mean, low, high = self.plain.band((), "async", "time_s", "test_accuracy")
        fig = self.draw(figures.accuracy, self.plain)
        drawn = lines(fig.axes[0])["async"]
        self.assertEqual((list(drawn.get_xdata()), list(drawn.get_ydata())), (list(at), list(mean)))
        edges = fig.axes[0].collections[1].get_paths()[0].vertices
        self.assertTrue({(at[50], low[50]), (at[50], high[50])} <= set(map(tuple, edges)))

    def test_efficiency_is_drawn_against_epochs_and_updates(self):
        fig = self.draw(figures.efficiency, self.plain)
        self.assertEqual([ax.get_xlabel() for ax in fig.axes[:2]],
                         ["epochs (samples used / training set)", "updates of the global model"])
        for ax in fig.axes:
            self.assertEqual(labels(ax)[:4], ["sync", "async", "local", "slow"])

    def test_updates_that_differ_tenfold_are_on_a_log_scale_that_is_said(self):
        results = Results(self.plain.folder)
        results.curves.loc[results.curves["run"].str.startswith("async"), "updates"] *= 20
        fig = self.draw(figures.efficiency, results)
        self.assertEqual([ax.get_xscale() for ax in fig.axes[:2]], ["linear", "log"])
        self.assertEqual(fig.axes[1].get_xlabel(), "updates of the global model (log scale)")

    def test_an_algorithm_keeps_its_colour_and_marker_in_all_figures(self):
        look = Look(self.plain.algorithms)
        for module in (figures.accuracy, figures.efficiency, figures.contribution):
            line = lines(self.draw(module, self.plain).axes[0])["async"]
            self.assertEqual((line.get_color(), line.get_marker()), (look.colour("async"), look.marker("async")))
        bars = self.draw(figures.target, self.plain).axes[0].patches
        self.assertEqual(bars[0].get_facecolor()[:3], matplotlib.colors.to_rgb(look.colour("async")))

    def test_times_to_target_are_bars_from_zero_with_intervals_and_not_reached_is_said(self):
        left, right = self.draw(figures.target, self.plain).axes
        self.assertEqual([t.get_text() for t in left.get_yticklabels()], ["async", "local", "sync", "slow"])
        rows = self.plain.summary.set_index("algorithm")
        self.assertAlmostEqual(left.patches[0].get_width(), rows.loc["async", "time_to_target_mean_s"])
        self.assertEqual([ax.get_xlim()[0] for ax in (left, right)], [0, 0])
        self.assertEqual(len(left.patches), 3)  # no bar for what has no value
        self.assertIn("not reached (0/3)", texts(left))
        self.assertEqual(right.get_xlabel(), "speed-up over sync")
        spans = [c.get_segments() for c in left.collections]
        low, high = rows.loc["async", ["time_to_target_low_s", "time_to_target_high_s"]]
        self.assertAlmostEqual(spans[0][0][0][0], low)
        self.assertAlmostEqual(spans[0][0][1][0], high)

    def test_pairs_that_did_not_both_reach_the_target_are_counted(self):
        results = Results(self.plain.folder)
        results.summary.loc[results.summary["algorithm"] == "local", ["reached", "speedup_pairs"]] = [2, 1]
        left, right = self.draw(figures.target, results).axes
        self.assertEqual([t for t in texts(left) if "/" in t], ["70.5 s  (2/3)", "not reached (0/3)"])
        self.assertEqual([t for t in texts(right) if "/" in t], ["1.50x  (1/3 pairs)"])
        self.assertEqual([bar.get_hatch() for bar in right.patches], [None, "////", None])

    def test_an_interval_too_long_for_the_axis_ends_in_an_arrow_and_a_number(self):
        results = Results(self.plain.folder)
        results.summary.loc[results.summary["algorithm"] == "local", "speedup_high"] = 80
        _, right = self.draw(figures.target, results).axes
        self.assertLess(right.get_xlim()[1], 10)
        self.assertEqual([t for t in texts(right) if "to" in t], ["1.50x  (to 80)"])
        self.assertEqual([line.get_xdata()[0] for line in right.lines if line.get_marker() == ">"], [7.5])

    def test_bands_stay_where_values_can_be(self):
        results = Results(self.plain.folder)
        results.bands["test_accuracy_high"] += 0.5
        results.bands["test_loss_low"] -= 2
        accuracy, loss = self.draw(figures.accuracy, results).axes
        self.assertLessEqual(accuracy.get_ylim()[1], 1)
        self.assertGreaterEqual(loss.get_ylim()[0], 0)

    def test_a_sweep_has_a_line_per_algorithm_over_its_values(self):
        left, right = self.draw(figures.sweep, self.sweep).axes
        self.assertEqual(labels(left), ["sync", "async", "local"])
        self.assertEqual(list(lines(left)["sync"].get_xdata()), [1, 4, 16])
        times = list(lines(left)["sync"].get_ydata())
        self.assertAlmostEqual(times[1] / times[0], 2)  # made up: slower with the root of the ratio
        self.assertEqual(left.get_xlabel(), "spread ratio (log scale)")  # 1, 4, 16: each four times the one before
        self.assertEqual(left.get_xscale(), "log")
        self.assertEqual(left.get_title(loc="left"), "cost model size = 1MB")
        self.assertEqual(left.get_ylim()[0], 0)
        self.assertEqual(len(left.collections), 3)

    def test_the_map_names_the_winner_of_every_cell(self):
        ax = self.draw(figures.best, self.sweep).axes[0]
        self.assertEqual(len(ax.patches), 6)
        self.assertEqual(texts(ax), ["async"] * 6)
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("spread ratio", "cost model size"))

    def test_staleness_has_a_panel_per_stale_algorithm_and_a_series_per_class(self):
        fig = self.draw(figures.staleness, self.plain)
        self.assertEqual([ax.get_title() for ax in fig.axes], ["async"])
        self.assertEqual(labels(fig.axes[0]), ["gpu", "cpu"])
        gpu = [p for p in fig.axes[0].patches if p.get_label() == "gpu"][0].get_data()
        self.assertAlmostEqual(gpu.values[2], 400 / 600)
        self.assertEqual(fig.axes[0].get_ylim()[0], 0)

    def test_the_gantt_chart_has_a_row_per_host_and_a_tick_per_update(self):
        fig = self.draw(figures.gantt, self.plain)
        ax = fig.axes[0]
        self.assertEqual([t.get_text() for t in ax.get_yticklabels()], ["gpu0", "gpu1", "cpu2", "cpu3", "server"])
        self.assertEqual(len(fig.axes), 4)
        self.assertEqual([t.get_text() for t in fig.legends[0].get_texts()], ["wait", "receive", "send", "compute", "update"])
        updates = [c for c in ax.collections if type(c).__name__ == "LineCollection"]
        self.assertEqual(sum(len(c.get_segments()) for c in updates), 4)

    def test_of_a_sweep_the_point_that_is_shown_is_named(self):
        for module in (figures.gantt, figures.staleness, figures.time_budget, figures.contribution, figures.links,
                       figures.decisions):
            fig = self.draw(module, self.sweep)
            self.assertEqual(fig._suptitle.get_text(), "spread ratio = 16, cost model size = 10MB", module.NAME)

    def test_many_workers_are_sampled_and_that_is_said(self):
        results = Results(self.plain.folder)
        copies = []
        for i in range(300):
            copies.append(results.workers.assign(worker=results.workers["worker"] + f"_{i}"))
        results.workers = pd.concat(copies)
        ax = self.draw(figures.contribution, results).axes[0]
        self.assertEqual(ax.get_title(loc="left"), "200 of 1200 workers")
        self.assertEqual({len(line.get_xdata()) for line in lines(ax).values()}, {200})
        results.events = pd.concat([results.events.assign(host=results.events["host"] + f"_{i}") for i in range(9)])
        ax = self.draw(figures.gantt, results).axes[0]
        self.assertEqual(ax.get_title(loc="left"), "sync-0 (16 of 45 traced hosts)")
        self.assertEqual(len(ax.get_yticks()), 16)

    def test_the_time_budget_adds_up_to_one(self):
        ax = self.draw(figures.time_budget, self.plain).axes[0]
        ends = {}
        for bar in ax.patches:
            ends[round(bar.get_y(), 3)] = ends.get(round(bar.get_y(), 3), 0) + bar.get_width()
        self.assertEqual(len(ends), 8)  # four algorithms, two classes
        for total in ends.values():
            self.assertAlmostEqual(total, 1)
        self.assertEqual(labels(ax), ["compute", "transfer", "wait", "discarded"])

    def test_contribution_is_drawn_against_speed_and_data(self):
        fig = self.draw(figures.contribution, self.plain)
        self.assertEqual([ax.get_xlabel() for ax in fig.axes], ["share of speed", "share of data"])
        points = lines(fig.axes[0])["async"].get_xydata()
        self.assertEqual(points.round(6).tolist(), [[0.4, 0.333333]] * 2 + [[0.1, 0.166667]] * 2)

    def test_links_are_bars_of_utilisation_with_a_tick_of_busy_time(self):
        left, right = self.draw(figures.links, self.plain).axes
        self.assertEqual([t.get_text() for t in right.get_yticklabels()][:3], ["server_up", "server_down", "gpu0_up"])
        self.assertEqual([round(bar.get_width(), 3) for bar in right.patches[:3]], [0.5, 0.4, 0.1])
        self.assertAlmostEqual(right.lines[0].get_xdata()[0], 0.6)
        self.assertEqual(left.get_xlabel(), "bytes delivered (GB)")
        self.assertEqual(right.get_xlim(), (0, 1))

    def test_decisions_are_steps_that_last_to_the_end(self):
        fig = self.draw(figures.decisions, self.plain)
        ax = fig.axes[0]
        self.assertEqual(len(ax.lines), 4)
        self.assertEqual(labels(ax), ["gpu", "cpu"])
        self.assertEqual(list(ax.lines[0].get_xdata()), [0, 60, 300])
        self.assertEqual(list(ax.lines[0].get_ydata()), [4, 8, 8])
        self.assertEqual(ax.get_ylabel(), "local steps")

    def test_long_hidden_and_mathematical_names_leave_the_figures_readable(self):
        names = {"async": "a" * 250, "local": "_local", "slow": "$\\frac{$", "gpu": "g" * 250, "server_up": "l" * 250}
        results = Results(self.plain.folder)
        for table in (results.runs, results.summary, results.bands, results.workers, results.staleness, results.links,
                      results.decisions, results.events):
            for column in set(table.columns) & {"algorithm", "class", "worker", "host", "link", "baseline"}:
                table[column] = table[column].replace(names)
        results.algorithms = [names.get(a, a) for a in results.algorithms]
        for module in figures.ALL:
            if module in (figures.sweep, figures.best):
                continue
            fig = self.draw(module, results)
            fig.canvas.draw()
            width = fig.get_tightbbox(fig.canvas.get_renderer()).width
            self.assertLess(width, 1.25 * fig.get_figwidth(), module.NAME)
        self.assertEqual(labels(self.draw(figures.accuracy, results).axes[0])[1:4],
                         ["a" * 16 + "…" + "a" * 15, " _local", "$\\frac{$"])

    def test_a_figure_without_data_says_why(self):
        reasons = {figures.gantt: "no timeline was recorded: run with --trace",
                   figures.decisions: "no algorithm here makes decisions during the run",
                   figures.sweep: "nothing is swept in this scenario", figures.best: "fewer than two axes are swept"}
        for module, reason in reasons.items():
            with self.assertRaises(NoData) as caught:
                self.draw(module, self.single)
            self.assertEqual(str(caught.exception), reason)

    def test_an_empty_folder_has_no_figures_and_all_say_why(self):
        with tempfile.TemporaryDirectory() as empty:
            results = Results(empty)
            self.assertEqual(len(results.missing), 9)
            for module in figures.ALL:
                with self.assertRaises(NoData):
                    self.draw(module, results)

    def test_the_script_writes_three_formats_that_are_not_blank_and_tells_what_it_leaves_out(self):
        out = pathlib.Path(self.place.name) / "figs"
        told = subprocess.run([sys.executable, ROOT / "analysis" / "compare.py", self.plain.folder, "--out", out,
                               "--only", "target", "sweep"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(sorted(f.name for f in out.iterdir()), ["target.pdf", "target.png", "target.svg"])
        self.assertIn("left out: sweep (nothing is swept in this scenario)", told)
        picture = plt.imread(out / "target.png")
        self.assertGreater(picture[..., :3].std(), 0.05)
        self.assertIn("async", (out / "target.svg").read_text())


if __name__ == "__main__":
    unittest.main()
