"""What the figures of learning and of times to target show, looked at as objects: series, bands, marks, words."""
import math
import pathlib
import re
import unittest

from figure_case import RATIO, ROOT, SIZE, FigureCase, arrows, labels, lines, named, texts

import matplotlib.colors
import matplotlib.pyplot as plt
import pandas as pd

from pictures import figures
from pictures.figures import curves
from pictures.look import ALGORITHMS, Look
from pictures.results import NoData, Results
from pictures.style import set_font_size
from pictures.units import UNITS, sizes_of
from results_fixture import (HORIZON_S, STEP_SIZES, TARGET, TUNED_S, write_comparisons, write_csv, write_results, write_tuned)


class Learning(FigureCase):
    def test_curves_have_a_line_and_a_band_per_algorithm_and_the_target(self):
        fig = self.draw(figures.accuracy, self.five)
        accuracy, loss = fig.axes
        self.assertEqual(labels(accuracy), ["sync", "async", "local", f"target {TARGET}"])
        self.assertEqual(labels(loss), ["sync", "async", "local"])  # the target is one of accuracy
        self.assertEqual(len(accuracy.collections), 3)  # bands
        self.assertEqual(set(lines(accuracy)[f"target {TARGET}"].get_ydata()), {TARGET})
        self.assertEqual((accuracy.get_ylabel(), loss.get_ylabel()), ("test accuracy", "test loss"))
        last = lines(accuracy)["async"].get_xydata()[-1]
        self.assertEqual(last[0], 300)
        self.assertAlmostEqual(last[1], 0.9, places=3)

    def test_with_fewer_than_five_replicas_each_is_a_thin_line_instead_of_a_band(self):
        ax = self.draw(figures.accuracy, self.plain).axes[0]
        self.assertEqual(len(ax.collections), 0)
        thin = [line for line in ax.lines if line.get_label() == "_replica"]
        self.assertEqual(len(thin), 4 * 3)
        self.assertLess(thin[0].get_linewidth(), lines(ax)["sync"].get_linewidth())
        mine = self.plain.curves[self.plain.curves["run"] == "async-1"]
        self.assertIn(list(mine["test_accuracy"]), [list(line.get_ydata()) for line in thin])

    def test_the_crossing_of_the_target_is_marked_and_open_when_not_every_run_crosses(self):
        results = Results(self.plain.folder)
        results.summary.loc[results.summary["algorithm"] == "local", "reached"] = 2
        ax = self.draw(figures.accuracy, results).axes[0]
        look = Look.of(results)
        marks = {line.get_color(): line for line in ax.lines if line.get_label() == "_crossing"}
        self.assertEqual(set(marks), {look.colour(a) for a in ("sync", "async", "local")})  # slow never does
        times = results.summary.set_index("algorithm")["time_to_target_mean_s"]
        self.assertEqual(marks[look.colour("async")].get_xydata().tolist(), [[times["async"], TARGET]])
        self.assertEqual(marks[look.colour("local")].get_markerfacecolor(), "white")
        self.assertEqual(marks[look.colour("sync")].get_markerfacecolor(), look.colour("sync"))

    def test_time_ends_a_little_after_the_last_crossing_and_later_where_somebody_never_crosses(self):
        ax = self.draw(figures.accuracy, self.five).axes[0]
        last = self.five.summary["time_to_target_high_s"].max()
        self.assertAlmostEqual(ax.get_xlim()[1], 1.3 * last)
        self.assertEqual(ax.get_xlabel(), f"virtual time (s); runs last up to {HORIZON_S} s")
        never = Results(self.five.folder)  # local, now: the axis is as long as the others ask for, with room to see it
        mine = never.summary["algorithm"] == "local"
        never.summary.loc[mine, "reached"] = 0
        never.summary.loc[mine, [f"time_to_target_{part}_s" for part in ("mean", "low", "high")]] = math.nan
        others = never.summary["time_to_target_high_s"].max()
        ax = self.draw(figures.accuracy, never).axes[0]
        self.assertAlmostEqual(ax.get_xlim()[1], 2 * others)
        never.summary["reached"], never.summary["time_to_target_mean_s"] = 0, math.nan  # nobody: the whole run matters
        self.assertGreaterEqual(self.draw(figures.accuracy, never).axes[0].get_xlim()[1], HORIZON_S)

    def stopped_at_target(self):
        """Of five replicas: each ends with the first evaluation that finds the target reached, as the bands do with the first
        of them."""
        results = Results(self.five.folder)
        reached = results.curves["run"].map(results.runs.set_index("run")["time_to_target_s"])
        results.curves = results.curves[results.curves["time_s"] < reached + 3]  # evaluations are every 3 s
        ends = results.curves.groupby("run")["time_s"].max()
        first = ends.groupby(results.runs.set_index("run")["algorithm"]).min()
        in_time = results.bands["against"] == "time_s"
        results.bands = results.bands[in_time & (results.bands["x"] <= results.bands["algorithm"].map(first))]
        return results, ends, first

    def test_runs_that_stop_at_the_target_are_followed_to_it_after_the_mean_ends(self):
        results, ends, first = self.stopped_at_target()
        ax = self.draw(figures.accuracy, results).axes[0]
        look = Look.of(results)
        self.assertEqual(lines(ax)["sync"].get_xdata()[-1], first["sync"])
        tails = [line for line in ax.lines if line.get_label() == "_replica" and line.get_color() == look.colour("sync")]
        self.assertEqual([tail.get_xdata()[0] for tail in tails], [first["sync"] - 3] * 5)
        self.assertEqual(sorted(tail.get_xdata()[-1] for tail in tails), sorted(ends[[f"sync-{i}" for i in range(5)]]))
        dots = [line.get_xydata()[0] for line in ax.lines if line.get_label() == "_stopped"]
        self.assertEqual(len(dots), 3 * 5)
        self.assertTrue(all(y >= TARGET for _, y in dots))
        self.assertGreater(ax.get_ylim()[1], TARGET)
        whole = self.draw(figures.accuracy, self.five).axes[0]  # runs that go on are not followed
        self.assertEqual([line.get_label() for line in whole.lines if line.get_label() in ("_replica", "_stopped")], [])

    def test_the_target_lies_inside_the_axes(self):
        for kind, place, targets in (("accuracy", 0, (0.05, 0.99)), ("loss", 0, (0.1, 1.2))):
            for wanted in targets:  # below and above all that is drawn after the first moments
                results = Results(self.five.folder)
                results.scenario["target"] = {kind: wanted}
                low, high = self.draw(figures.accuracy, results).axes[place].get_ylim()
                self.assertLess(low, wanted)
                self.assertGreater(high, wanted)
                self.assertGreater(min(wanted - low, high - wanted), 0.01 * (high - low), (kind, wanted))

    def test_the_measure_of_the_target_is_drawn_first_and_in_a_sweep_alone(self):
        results = Results(self.plain.folder)
        results.scenario["target"] = {"loss": 0.5}
        fig = self.draw(figures.accuracy, results)
        self.assertEqual([ax.get_ylabel() for ax in fig.axes], ["test loss", "test accuracy"])
        self.assertIn("target 0.5", labels(fig.axes[0]))
        self.assertEqual(len([line for line in fig.axes[0].lines if line.get_label() == "_crossing"]), 3)
        swept = Results(self.sweep.folder)
        swept.scenario["target"] = {"loss": 0.5}
        self.assertEqual({ax.get_ylabel() for ax in self.draw(figures.accuracy, swept).axes}, {"test loss"})

    def test_the_legend_has_full_rows_with_the_long_names_in_the_last_column(self):
        results = Results(write_results(pathlib.Path(self.place.name) / "merged_async", ("sync", "async", "local", "slow"),
                                        merged_every_s={"async": 30}))
        legend = self.draw(figures.accuracy, results).legends[0]
        self.assertEqual([t.get_text() for t in legend.get_texts()],
                         ["sync", "async", "local", "slow", "target 0.8", "async: if merged there (oracle)"])
        self.assertEqual(legend._ncols, 6)  # 0.69 + 0.75 + 0.75 + 0.69 + 1.05 + 2.31 of 7.16 inches

    def test_losses_over_many_decades_have_plain_numbers(self):
        results = Results(self.plain.folder)
        for table in (results.curves, results.bands):
            for column in [name for name in table if name.startswith("test_loss")]:
                table[column] = 10.0 ** (-table["time_s" if "time_s" in table else "x"] / 20)
        fig = self.draw(figures.accuracy, results)
        fig.canvas.draw()
        losses = next(ax for ax in fig.axes if ax.get_ylabel() == "test loss (log scale)")
        numbers = [tick.get_text() for tick in losses.get_yticklabels()]
        self.assertIn("0.01", numbers)
        self.assertFalse([number for number in numbers if "$" in number])

    def test_what_an_oracle_saw_is_dotted_and_named_so(self):
        # Local merges every 30 s; evaluations are every 3 s.
        results = Results(write_results(pathlib.Path(self.place.name) / "merged_local", replicas=5, merged_every_s={"local": 30}))
        ax = self.draw(figures.accuracy, results).axes[0]
        drawn = lines(ax)
        self.assertEqual(list(drawn["local"].get_xdata()), list(range(0, HORIZON_S + 1, 30)))
        oracle = drawn["local: if merged there (oracle)"]
        self.assertEqual(list(oracle.get_xdata()), [time for time in range(0, HORIZON_S + 1, 3) if time % 30])
        # The oracle sees 0.05 more: neither its line nor the others mix the two.
        for line, more in ((drawn["local"], 0), (oracle, 0.05)):
            wanted = [sum(0.9 * (1 - math.exp(-0.03 * (1 + 0.04 * k) * time)) for k in range(5)) / 5 + more for time in line.get_xdata()]
            self.assertLess(max(abs(a - b) for a, b in zip(line.get_ydata(), wanted)), 1e-12)
        band = ax.collections[results.algorithms.index("local")].get_paths()[0].vertices
        self.assertTrue(set(band[:, 0]) <= set(range(0, HORIZON_S + 1, 30)))
        self.assertEqual(drawn["local"].get_drawstyle(), "steps-post")
        self.assertTrue(oracle.is_dashed())
        self.assertFalse(drawn["sync"].is_dashed())
        # Dots as long as the line is thick: no algorithm's own dashes are as short.
        self.assertEqual(curves.ORACLE["linestyle"][1][0], 1)
        self.assertTrue(all(dashes == "-" or dashes[1][0] > 2 for _, _, dashes in ALGORITHMS.values()))
        self.assertEqual([name for name in drawn if "oracle" in name], ["local: if merged there (oracle)"])

    def test_a_band_of_an_older_version_that_mixes_real_models_with_those_of_an_oracle_is_not_drawn(self):
        folder = write_results(pathlib.Path(self.place.name) / "mixed", merged_every_s={"local": 30})
        bands = pd.read_csv(folder / "bands.csv").drop(columns="oracle")
        bands.to_csv(folder / "bands.csv", index=False)
        results = Results(folder)
        self.assertIn("bands.csv (no column oracle)", results.missing)
        self.assertEqual(labels(self.draw(figures.accuracy, results).axes[0]), ["sync", "async", f"target {TARGET}"])

    def test_thin_lines_of_replicas_are_of_models_that_existed(self):
        results = Results(write_results(pathlib.Path(self.place.name) / "merged_few", merged_every_s={"local": 30}))
        ax = self.draw(figures.accuracy, results).axes[0]
        colour = lines(ax)["local"].get_color()
        thin = [line for line in ax.lines if line.get_label() == "_replica" and line.get_color() == colour]
        self.assertEqual([list(line.get_xdata()) for line in thin], [list(range(0, HORIZON_S + 1, 30))] * 3)

    def test_beyond_seven_algorithms_each_has_a_panel_before_the_others_in_grey(self):
        results = Results(self.five.folder)
        names = ["sync"] + [f"copy{i}" for i in range(7)]
        for table in ("runs", "summary", "bands", "curves"):
            parts = []
            for name in names:
                rows = getattr(results, table)
                rows = rows[rows["run"].str.startswith("sync")] if table == "curves" else rows[rows["algorithm"] == "sync"]
                rows = rows.copy()
                for column in set(rows) & {"run", "algorithm"}:
                    rows[column] = rows[column].str.replace("sync", name)
                parts.append(rows)
            setattr(results, table, pd.concat(parts, ignore_index=True))
        results.algorithms = names[:7]
        kept = results.runs["algorithm"].isin(names[:7])
        everybody, results.runs = results.runs, results.runs[kept]
        self.assertEqual(len(self.draw(figures.accuracy, results).axes), 2)  # seven: accuracy and loss
        results.algorithms, results.runs = names, everybody
        panels = named(self.draw(figures.accuracy, results))
        self.assertEqual(list(panels), names)
        for name, ax in panels.items():
            self.assertIn(name, lines(ax))
            self.assertEqual(sum(line.get_label() == "_behind" for line in ax.lines), 7)
        results.bands = results.bands.copy()  # which is read once, as long as it is the same table
        results.bands.loc[(results.bands["algorithm"] == "copy0") & (results.bands["x"] % 30 != 0), "oracle"] = 1
        told = [t.get_text() for t in self.draw(figures.accuracy, results).legends[0].get_texts()]
        self.assertEqual(told, ["target 0.8", "copy0: if merged there (oracle)"])

    def test_one_replica_has_no_band(self):
        fig = self.draw(figures.accuracy, self.single)
        self.assertEqual(len(fig.axes[0].collections), 0)
        self.assertEqual(len(lines(fig.axes[0])["sync"].get_xdata()), 101)  # its own points

    def test_a_band_is_what_the_simulator_wrote(self):
        at, mean, low, high = self.five.band((), "async", "time_s", "test_accuracy")
        fig = self.draw(figures.accuracy, self.five)
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

    def test_times_to_target_are_bars_from_zero_with_intervals_and_not_reached_is_said(self):
        left, right = self.draw(figures.target, self.plain).axes
        self.assertEqual([t.get_text() for t in left.get_yticklabels()], ["async", "local", "sync", "slow"])
        rows = self.plain.summary.set_index("algorithm")
        self.assertAlmostEqual(left.patches[0].get_width(), rows.loc["async", "time_to_target_mean_s"])
        self.assertEqual([ax.get_xlim()[0] for ax in (left, right)], [0, 0])
        # What was never reached is an arrow from the end of the runs.
        self.assertEqual(left.patches[3].get_width(), HORIZON_S)
        self.assertEqual(arrows(left), [(HORIZON_S, 3)])
        self.assertIn(f"> {HORIZON_S} s  (0/3)", texts(left))
        self.assertEqual(len(right.patches), 3)
        self.assertEqual(left.get_xlabel(), "virtual time to 80 % test accuracy (s)")
        self.assertEqual(right.get_xlabel(), "speed-up over sync")
        spans = [c.get_segments() for c in left.collections]
        low, high = rows.loc["async", ["time_to_target_low_s", "time_to_target_high_s"]]
        self.assertAlmostEqual(spans[0][0][0][0], low)
        self.assertAlmostEqual(spans[0][0][1][0], high)

    def test_pairs_that_did_not_both_reach_the_target_are_counted(self):
        results = Results(self.plain.folder)
        results.summary.loc[results.summary["algorithm"] == "local", ["reached", "speedup_pairs", "speedup_bound"]] = [2, 1, "mixed"]
        left, right = self.draw(figures.target, results).axes
        self.assertEqual([t for t in texts(left) if "/" in t], ["> 70.5 s  (2/3)", "> 300 s  (0/3)"])
        self.assertEqual([t for t in texts(right) if "/" in t], ["1.50x (cut)  (1/3 pairs)"])
        self.assertEqual([bar.get_alpha() for bar in right.patches], [None, 0.4, None])

    def test_a_run_that_only_failed_or_diverged_says_nothing_about_time(self):
        results = Results(self.plain.folder)
        results.runs.loc[results.runs["algorithm"] == "slow", "status"] = "diverged"
        left, _ = self.draw(figures.target, results).axes
        self.assertEqual(arrows(left), [])
        self.assertIn("not reached  (0/3)", texts(left))

    def test_times_that_differ_much_are_points_on_a_log_axis_that_is_said(self):
        results = Results(self.plain.folder)
        results.summary.loc[results.summary["algorithm"] == "async", "time_to_target_mean_s"] = HORIZON_S / 12
        left, right = self.draw(figures.target, results).axes
        self.assertEqual((left.get_xscale(), right.get_xscale()), ("log", "linear"))
        self.assertEqual(left.get_xlabel(), "virtual time to 80 % test accuracy (s, log scale)")
        self.assertEqual(len(left.patches), 0)  # a bar has no foot on a log axis

    def test_a_ratio_of_censored_runs_is_a_bound_with_an_arrow(self):
        results = Results(self.plain.folder)
        results.summary["speedup_bound"] = ["", "at_least", "", "at_most"]
        results.summary.loc[3, ["speedup", "speedup_low", "speedup_high", "verdict"]] = [0.35, 0.3, 0.4, "slower"]
        _, right = self.draw(figures.target, results).axes
        # What the data support: the end of the interval on that side.
        self.assertIn("< 0.40x  (0/3 pairs)", texts(right))
        self.assertIn("> 2.25x", texts(right))
        low = results.summary.set_index("algorithm").loc["async", "speedup_low"]
        self.assertEqual(arrows(right), [(low, 0), (0.4, 3)])
        # A bound has no interval: those of local and sync are left, of which sync's is a point.
        self.assertEqual(len([c for c in right.collections if c.get_segments()]), 2)

    def test_a_bound_that_says_nothing_is_said_and_not_drawn(self):
        results = Results(self.plain.folder)
        results.summary["speedup_bound"] = ["", "at_least", "", ""]
        results.summary.loc[1, "speedup_low"] = 0.001
        _, right = self.draw(figures.target, results).axes
        self.assertIn("no bound", texts(right))
        self.assertEqual((arrows(right), len(right.patches)), ([], 2))  # local and sync
        results = Results(self.sweep.folder)
        before = len(self.draw(figures.sweep, results).axes[1].get_lines()[1].get_xdata())
        at = results.summary.index[results.summary["algorithm"] == "async"][0]
        results.summary.loc[at, ["speedup_bound", "speedup_low", "verdict"]] = ["at_least", 0.001, "undecided"]
        right = self.draw(figures.sweep, results).axes[1]
        self.assertEqual(len(lines(right)["async"].get_xdata()), before - 1)
        self.assertNotIn("~", texts(right))

    def test_an_interval_that_is_open_ends_in_an_arrow(self):
        results = Results(self.five.folder)
        results.summary.loc[results.summary["algorithm"] == "async", "time_to_target_high_s"] = math.nan
        low, mean = results.summary.set_index("algorithm").loc["async", ["time_to_target_low_s", "time_to_target_mean_s"]]
        left, _ = self.draw(figures.target, results).axes
        self.assertEqual([(text.xy, text.get_text()) for text in left.texts if text.get_gid() == "open"], [((mean, 0), "")])
        self.assertEqual([list(line.get_xdata()) for line in left.lines if line.get_label() == "_open"], [[low, mean]])
        self.assertIn("40.8 s [38.8, open]", texts(left))
        self.assertFalse([text for text in texts(left) if "nan" in text])
        swept = Results(write_results(pathlib.Path(self.place.name) / "open", replicas=5, axes={RATIO: [1, 4]}, trace=False))
        at = swept.summary.index[swept.summary["algorithm"] == "async"][1]
        swept.summary.loc[at, "time_to_target_high_s"] = math.nan
        fig = self.draw(figures.sweep, swept)
        drawn = [line for line in fig.axes[0].lines if line.get_label() == "_open"]
        self.assertEqual([list(line.get_ydata()) for line in drawn], [[low, mean]])
        self.assertEqual(fig.legends, [])  # it is no bound

    def test_a_time_that_not_every_run_reached_has_no_interval(self):
        results = Results(self.plain.folder)
        before = len(self.draw(figures.target, results).axes[0].collections)
        results.summary.loc[results.summary["algorithm"] == "local", "reached"] = 2
        self.assertEqual(len(self.draw(figures.target, results).axes[0].collections), before - 1)

    def test_who_was_tuned_to_the_edge_is_marked_and_explained(self):
        results = Results(self.plain.folder)
        results.summary["tuned_at_edge"] = [0, 1, 0, 0]
        fig = self.draw(figures.target, results)
        self.assertEqual([t.get_text() for t in fig.axes[0].get_yticklabels()], ["async †", "local", "sync", "slow"])
        self.assertEqual([t.get_text() for t in fig.legends[0].get_texts()], ["† tuned to the edge of its grid"])
        self.assertEqual(self.draw(figures.target, self.plain).legends, [])
        results = Results(self.sweep.folder)
        results.summary["tuned_at_edge"] = ((results.summary["algorithm"] == "async") & (results.summary[RATIO] == 4)).astype(int)
        fig = self.draw(figures.best, results)
        self.assertEqual(sum(words == "async †" for words in texts(fig.axes[0])), 2)  # of the two sizes
        self.assertIn("† tuned to the edge of its grid", [t.get_text() for t in fig.legends[0].get_texts()])

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
        self.assertEqual(sorted(texts(left)), ["async", "local", "sync"])  # beside the lines
        self.assertEqual(list(lines(left)["sync"].get_xdata()), [1, 4, 16])
        times = list(lines(left)["sync"].get_ydata())
        self.assertAlmostEqual(times[1] / times[0], 2)  # made up: slower with the root of the ratio
        self.assertEqual(left.get_xlabel(), "spread ratio (log scale)")  # 1, 4, 16: each four times the one before
        self.assertEqual(left.get_xscale(), "log")
        self.assertEqual(left.get_title(loc="left"), "cost model size = 1MB, the first of 2 values")
        self.assertEqual(left.get_ylim()[0], 0)
        self.assertEqual(len(left.collections), 0)  # of three replicas the times themselves, no band
        dots = [line for line in left.lines if line.get_label() == "_replica"]
        # Sync at 16 would take ln(9) / (0.02 / 4) = 439 s, longer than the runs.
        self.assertEqual(sum(len(line.get_xdata()) for line in dots), 3 * 3 * 3 - 3)

    def test_in_a_sweep_what_was_not_reached_by_all_is_an_arrow(self):
        results = Results(self.sweep.folder)
        first = results.points()[0]
        rows = (results.summary[RATIO] == 1) & (results.summary["algorithm"] == "async")
        results.summary.loc[rows, "reached"] = 2
        gone = (results.summary[RATIO] == 16) & (results.summary["algorithm"] == "sync")
        results.summary.loc[gone, ["reached", "time_to_target_mean_s", "speedup"]] = [0, None, None]
        late = (results.runs[RATIO] == 16) & (results.runs["algorithm"] == "sync")
        results.runs.loc[late, "time_to_target_s"] = None
        left, _ = self.draw(figures.sweep, results).axes
        mean = results.summary[rows & (results.summary[SIZE] == first[1])]["time_to_target_mean_s"].iloc[0]
        self.assertEqual(sorted(arrows(left)), [(1, mean), (16, HORIZON_S)])

    def test_no_line_goes_through_bounds_and_those_at_one_place_are_side_by_side(self):
        results = Results(self.sweep.folder)
        gone = (results.summary[RATIO] == 4) & (results.summary["algorithm"] != "local")
        results.summary.loc[gone, ["reached", "time_to_target_mean_s", "speedup"]] = [0, None, None]
        results.runs.loc[(results.runs[RATIO] == 4) & (results.runs["algorithm"] != "local"), "time_to_target_s"] = None
        fig = self.draw(figures.sweep, results)
        left = fig.axes[0]
        drawn = lines(left)["async"].get_ydata()
        self.assertEqual([math.isnan(value) for value in drawn], [False, True, False])  # its line is interrupted at 4
        self.assertFalse(any(math.isnan(value) for value in lines(left)["local"].get_ydata()))
        fig.canvas.draw()
        bounds = [line for line in left.lines if line.get_label() == "_bound" and line.get_xdata()[0] == 4]
        self.assertEqual([line.get_ydata()[0] for line in bounds], [HORIZON_S] * 2)  # of sync and async
        at = [line.get_transform().transform((4, HORIZON_S))[0] for line in bounds]
        self.assertAlmostEqual((at[1] - at[0]) * 72 / fig.dpi, 7)
        self.assertAlmostEqual((at[0] + at[1]) / 2, left.transData.transform((4, HORIZON_S))[0])

    def swept(self, name, values):
        return Results(write_results(pathlib.Path(self.place.name) / name, axes={"/cluster/link/bandwidth": values}, trace=False))

    def test_quantities_are_drawn_to_scale_and_named_as_they_are_written(self):
        left = self.draw(figures.sweep, self.swept("quantities", ["20Mbps", "2Gbps", "200MBps"])).axes[0]
        self.assertEqual(left.get_xscale(), "log")
        self.assertEqual(left.get_xlabel(), "link bandwidth (log scale)")
        # A byte has eight bits: 2.5, 200 and 250 million bytes per second.
        self.assertEqual([round(place) for place in left.get_xticks()], [2_500_000, 200_000_000, 250_000_000])
        self.assertEqual([t.get_text() for t in left.get_xticklabels()], ["20Mbps", "200MBps", ""])  # the last is too near
        self.assertEqual([round(x) for x in lines(left)["sync"].get_xdata()], [2_500_000, 200_000_000, 250_000_000])
        left = self.draw(figures.sweep, self.swept("equal steps", ["1Gbps", "2Gbps", "3Gbps"])).axes[0]
        self.assertEqual((left.get_xscale(), left.get_xlabel()), ("linear", "link bandwidth"))
        left = self.draw(figures.sweep, self.swept("mixed", ["1Gbps", "fast", "3s"])).axes[0]
        self.assertEqual(list(left.get_xticks()), [0, 1, 2])  # no common scale

    def test_units_are_those_of_the_program(self):
        code = (ROOT / "sim" / "scenario" / "units.cpp").read_text()
        told = {name: float(size) for name, size in re.findall(r'\{"([A-Za-z]+)", *([0-9.e+-]+)\}', code)}
        self.assertEqual({name: size for units in UNITS.values() for name, size in units.items()}, told)
        self.assertIsNone(sizes_of(["1Gbps", "1000Mbps"]))  # one place for two values
        self.assertIsNone(sizes_of(["1Gbps", "1s"]))
        self.assertEqual(sizes_of(["1KiB", "2kB", "1e3 B"]), [1024, 2000, 1000])

    def test_words_below_the_axis_are_not_broken(self):
        results = self.swept("words", ["hierarchical", "halving_doubling", "ring of rings", "tree"])
        before = plt.rcParams["font.size"]
        set_font_size(9)
        self.addCleanup(set_font_size, before)
        left = figures.sweep.draw(results, Look.of(results, columns=1)).axes[0]
        self.assertEqual([t.get_text().replace("\n", " ") for t in left.get_xticklabels()],
                         ["hierarchical", "halving_doubling", "ring of rings", "tree"])
        self.assertTrue(all("\n" not in t.get_text() and t.get_rotation() == 35 for t in left.get_xticklabels()))

    def test_in_a_sweep_what_runs_of_both_sides_missed_is_open_and_explained(self):
        results = Results(self.sweep.folder)
        rows = (results.summary[RATIO] == 4) & (results.summary["algorithm"] == "local")
        results.summary.loc[rows, "speedup_bound"] = "mixed"
        gone = results.summary["time_to_target_mean_s"].isna()
        results.summary = results.summary[~gone]  # what was never reached has arrows
        fig = self.draw(figures.sweep, results)
        self.assertEqual(arrows(fig.axes[1]), [])
        self.assertEqual([t.get_text() for t in fig.legends[0].get_texts()],
                         ["runs on both sides did not: times are cut where these ended"])

    def test_labels_beside_lines_keep_their_order_and_do_not_overlap(self):
        places = figures.sweep.spread([0.5, 0.51, 0.49, 0.9], 0.1, 1)
        at = [places[i] for i in (2, 0, 1, 3)]
        self.assertEqual(at, sorted(at))
        for below, above in zip(at, at[1:]):
            self.assertGreaterEqual(above - below, 0.1 - 1e-6)

    def test_cells_of_the_map_are_grey_where_the_comparison_is_undecided(self):
        everywhere = [{"algorithm": "async", "against": other, RATIO: ratio, SIZE: size,
                       "verdict": "undecided" if (ratio, size, other) == (4, "10MB", "local") else "faster"}
                      for ratio in (1, 4, 16) for size in ("1MB", "10MB") for other in ("sync", "local")]
        folder = pathlib.Path(self.place.name) / "compared"
        write_results(folder, axes={RATIO: [1, 4, 16], SIZE: ["1MB", "10MB"]}, trace=False)
        write_comparisons(folder, everywhere)
        results = Results(folder)
        here = (results.summary[RATIO] == 4) & (results.summary[SIZE] == "10MB") & (results.summary["algorithm"] == "async")
        results.summary.loc[here, "decided"] = 0
        ax = self.draw(figures.best, results).axes[0]
        cells = dict(zip(texts(ax), [patch.get_facecolor() for patch in ax.patches]))
        self.assertEqual(sorted(texts(ax)), ["async"] * 5 + ["~ async\nlocal"])
        self.assertEqual(cells["~ async\nlocal"], matplotlib.colors.to_rgba(figures.best.UNDECIDED))
        self.assertEqual(cells["async"], matplotlib.colors.to_rgba(Look.of(self.sweep).colour("async")))

    def test_the_map_names_who_is_in_first_place_and_decides_nothing_of_one_replica(self):
        axes = {RATIO: [1, 4], SIZE: ["1MB", "10MB"]}
        results = Results(write_results(pathlib.Path(self.place.name) / "placed", axes=axes, trace=False))
        results.summary.loc[results.summary["algorithm"] == "local", ["place", "decided"]] = [0.5, 1]
        self.assertEqual(set(texts(self.draw(figures.best, results).axes[0])), {"local"})
        results.summary["place"] = None
        with self.assertRaisesRegex(NoData, "does not say who is first"):
            figures.best.draw(results, Look.of(results))
        one = Results(write_results(pathlib.Path(self.place.name) / "one", replicas=1, axes=axes, trace=False))
        fig = self.draw(figures.best, one)
        self.assertEqual(set(texts(fig.axes[0])), {"async"})
        self.assertEqual({patch.get_facecolor() for patch in fig.axes[0].patches}, {matplotlib.colors.to_rgba(figures.best.UNDECIDED)})
        self.assertEqual([t.get_text() for t in fig.legends[0].get_texts()], ["One replica: nothing is decided; see replicas"])

    def test_speed_ups_are_marked_by_the_verdict_and_not_by_their_interval(self):
        folder = pathlib.Path(self.place.name) / "marked"
        results = Results(write_results(folder, undecided=[("sync", "local")], trace=False))  # 1.35 to 1.65: without 1
        results.summary["place"] = [1, 3, 2]
        left, right = self.draw(figures.target, results).axes
        self.assertEqual([t.get_text() for t in left.get_yticklabels()], ["sync", "local", "async"])
        self.assertEqual(texts(right), ["1.00x", "~1.50x", "2.50x"])
        swept = Results(write_results(folder / "swept", axes={RATIO: [1, 4]}, undecided=[("sync", "local")], trace=False))
        _, right = self.draw(figures.sweep, swept).axes
        self.assertEqual(texts(right).count("~"), 2)  # of local, at either ratio

    def test_tuning_shows_every_candidate_and_rings_the_chosen_one(self):
        folder = pathlib.Path(self.place.name) / "tuned"
        write_results(folder, trace=False)
        write_tuned(folder)
        panels = named(self.draw(figures.tuning, Results(folder)))
        self.assertEqual(list(panels), ["sync", "async", "local"])
        for label, times in TUNED_S.items():
            ax = panels[label]
            best = min((t, s) for t, s in zip(times, STEP_SIZES) if t)
            ring = [line.get_xydata().tolist() for line in ax.lines if line.get_label() == "_chosen"]
            self.assertEqual(ring, [[[best[1], best[0]]]])
            self.assertEqual(ax.lines[0].get_xydata().tolist(), [[s, t] for s, t in zip(STEP_SIZES, times) if t])
            self.assertEqual([x for x, _ in arrows(ax)], [0.01])  # never reached
            self.assertEqual(texts(ax), ["at the edge"] if label == "async" else [])
            self.assertEqual((ax.get_xscale(), ax.get_xlabel()), ("log", "step size (log scale)"))

    def test_of_a_candidate_that_not_always_arrived_it_is_said_how_often(self):
        folder = pathlib.Path(self.place.name) / "not always"
        write_results(folder, trace=False)
        write_tuned(folder)
        results = Results(folder)
        # Sync's 0.1 (110 s, two seeds) arrived once: it is not chosen, however soon that was.
        mine = (results.tuned["algorithm"] == "sync") & (results.tuned["step_size"] == 0.1)
        results.tuned.loc[mine, ["reached", "time_to_target_s"]] = [1, 20]
        self.assertEqual(texts(named(self.draw(figures.tuning, results))["sync"]), ["1/2"])

    def tuned_with(self, name, rows):
        """rows: algorithm, parameters, seeds, time to target."""
        folder = pathlib.Path(self.place.name) / name
        write_results(folder, trace=False)
        parameters = list(dict.fromkeys(key for _, values, _, _ in rows for key in values))
        write_csv(folder / "tuned.csv", ["algorithm", "candidate", *parameters, "rung", "seeds", "reached", "broken",
                                         "time_to_target_s", "best_test_accuracy", "final_test_loss", "chosen", "at_edge"],
                  [{"algorithm": label, "candidate": i, **values, "rung": 0, "seeds": seeds, "reached": seeds if time else 0,
                    "time_to_target_s": time, "chosen": 0, "at_edge": 0} for i, (label, values, seeds, time) in enumerate(rows)])
        return self.draw(figures.tuning, Results(folder))

    def test_candidates_that_differ_in_two_parameters_are_not_joined(self):
        fig = self.tuned_with("two", [("sync", {"step_size": size}, 2, 50) for size in (0.0125, 0.05, 0.2)] +
                              [("local", {"step_size": 0.05, "local_steps": 2}, 3, 60), ("local", {"step_size": 0.2, "local_steps": 8}, 3, 70)])
        self.assertEqual([ax.get_title(loc="left") for ax in fig.axes], ["sync", "local", "local"])
        joined = [[line for line in ax.lines if line.get_linestyle() not in ("None", "none")] for ax in fig.axes]
        self.assertEqual([len(found) for found in joined], [1, 0, 0])
        # Local's two step sizes are of a grid whose values are each four times the one before.
        self.assertEqual([ax.get_xscale() for ax in fig.axes], ["log", "log", "linear"])
        self.assertEqual([list(ax.get_xticks()) for ax in fig.axes], [[0.0125, 0.05, 0.2], [0.05, 0.2], [2, 8]])
        self.assertEqual([t.get_text() for t in fig.axes[0].get_xticklabels()], ["0.0125", "0.05", "0.2"])

    def test_the_legend_of_tuning_has_what_is_drawn(self):
        def told(fig):
            return [t.get_text() for t in fig.legends[0].get_texts()]
        sizes = (0.01, 0.1, 1)
        # Two algorithms with different numbers of seeds, but no candidate that had fewer than others.
        alike = self.tuned_with("alike", [(a, {"step_size": s}, n, 50) for a, n in (("sync", 2), ("async", 3)) for s in sizes])
        self.assertEqual(told(alike), ["chosen"])
        # The one with fewer seeds never reached the target: an arrow, which has no size.
        arrow = self.tuned_with("arrow", [("sync", {"step_size": s}, n, t) for s, n, t in zip(sizes, (1, 2, 2), (None, 50, 60))])
        self.assertEqual(told(arrow), ["chosen", "target not reached"])
        self.assertEqual(arrow.legends[0].get_lines()[1].get_marker().vertices.tolist(), figures.arrows.ARROW.vertices.tolist())
        fewer = self.tuned_with("fewer", [("sync", {"step_size": s}, n, 50) for s, n in zip(sizes, (1, 2, 2))])
        self.assertEqual(told(fewer), ["chosen", "dropped after fewer seeds"])

    def test_the_map_names_the_winner_of_every_cell(self):
        ax = self.draw(figures.best, self.sweep).axes[0]
        self.assertEqual(len(ax.patches), 6)
        self.assertEqual(texts(ax), ["async"] * 6)
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("spread ratio", "cost model size"))


if __name__ == "__main__":
    unittest.main()
