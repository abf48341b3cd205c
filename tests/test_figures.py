"""What the figures of workers, servers and links show, looked at as objects, and what holds for all figures."""
import pathlib
import tempfile
import unittest

from figure_case import FigureCase, labels, lines, named

import matplotlib.cbook
import matplotlib.colors
import numpy as np
import pandas as pd

from pictures import figures, report
from pictures.look import Look
from pictures.results import NoData, Results, energy_unit, names_of_objects
from pictures.style import CLASSES, STATES
from results_fixture import GAINS, write_expenses, write_results, write_whatif


class Figures(FigureCase):
    def test_an_algorithm_keeps_its_colour_and_marker_in_all_figures(self):
        look = Look.of(self.plain)
        for module in (figures.accuracy, figures.efficiency):
            line = lines(self.draw(module, self.plain).axes[0])["async"]
            self.assertEqual((line.get_color(), line.get_marker()), (look.colour("async"), look.marker("async")))
        bars = self.draw(figures.target, self.plain).axes[0].patches
        self.assertEqual(bars[0].get_facecolor()[:3], matplotlib.colors.to_rgb(look.colour("async")))

    def test_what_would_help_is_a_tornado_with_the_bottleneck_on_top(self):
        folder = pathlib.Path(self.place.name) / "whatif"
        write_results(folder, trace=False)
        write_whatif(folder, ["sync", "async"])
        panels = named(self.draw(figures.whatif, Results(folder)))
        self.assertEqual(list(panels), ["sync", "async"])
        ax = panels["sync"]
        words = [t.get_text() for t in ax.get_yticklabels()]
        self.assertEqual(len(words), len(GAINS) - 1)  # as it is has no bar
        self.assertEqual(words[:3], ["2x speed of cpu", "2x compute speed", "2x bandwidth"])
        drawn = [round(1 + bar.get_width(), 2) for bar in ax.patches]
        self.assertEqual(drawn, [1.38, 1.41, 1.3, 1.26, 1.02, 1.01, 1.0, 0.8])
        # Full colour: what the terminal names; the cpu bring 0.38 of 0.41, more than nine tenths.
        self.assertEqual([bar.get_alpha() for bar in ax.patches], [1] + [0.55] * 7)
        self.assertEqual(words[-1], "without cpu")  # takes away what is there: last, however much it changes

    def test_theorys_time_is_a_dotted_line_beside_the_times_to_target(self):
        folder = pathlib.Path(self.place.name) / "theory"
        write_results(folder, trace=False)
        self.assertEqual([line for line in self.draw(figures.target, Results(folder)).axes[0].lines if line.get_linestyle() == ":"], [])
        (folder / "limits.csv").write_text("algorithm,theory_same_s\nsync,2000\nasync,\n", encoding="utf-8")
        ax = self.draw(figures.target, Results(folder)).axes[0]
        dotted = [line for line in ax.lines if line.get_linestyle() == ":"]
        self.assertEqual([list(line.get_xdata()) for line in dotted], [[2000, 2000]])
        self.assertGreater(ax.get_xlim()[1], 2000)
        self.assertIn("up to a constant", ax.get_title(loc="left"))

    def test_what_is_to_be_known_of_gains_stands_below_the_tornado(self):
        folder = pathlib.Path(self.place.name) / "remarks"
        write_results(folder, trace=False)
        write_whatif(folder, ["sync", "async"], {("async", "as_is"): "few_updates", ("sync", "no_noise"): "lockstep"})
        fig = self.draw(figures.whatif, Results(folder))
        below = [t.get_text().replace("\n", " ") for t in fig.texts if t.get_position()[1] < 0]
        self.assertEqual(below, ["sync: no noise: 1.02x updates/s, as equal workers without noise keep in step and share the links "
                                 "async: few updates (100): a longer run may have other gains"])

    def test_every_column_of_the_tornado_has_numbers_below_its_last_panel(self):
        folder = pathlib.Path(self.place.name) / "columns"
        write_results(folder, trace=False)
        results = Results(folder)
        for labels in (["sync", "async", "local", "backup"], ["sync", "async", "local", "backup", "stale"]):  # five leave a gap
            write_whatif(folder, labels)
            results.whatif, results.algorithms = Results(folder).whatif, labels
            fig = self.draw(figures.whatif, results)
            fig.canvas.draw()
            columns = fig.axes[0].get_gridspec().ncols
            self.assertEqual([any(t.label1.get_visible() and t.label1.get_text() for t in ax.xaxis.get_major_ticks())
                              for ax in fig.axes], [i + columns >= len(labels) for i in range(len(labels))])

    def test_what_slows_down_or_could_not_be_tried_is_no_bottleneck(self):
        folder = pathlib.Path(self.place.name) / "slower"
        write_results(folder, trace=False)
        write_whatif(folder, ["sync"])
        results = Results(folder)
        gains = results.whatif["change"].map({"as_is": 1, "no_latency": 0.7, "compute_x2": 1.01})  # the others have none
        results.whatif["gain"] = gains
        results.whatif["named"] = results.whatif["bottleneck"] = float("nan")  # 1 % is not worth naming
        ax = self.draw(figures.whatif, results).axes[0]
        self.assertEqual([t.get_text() for t in ax.get_yticklabels()], ["2x compute speed", "no latency"])
        self.assertEqual([bar.get_alpha() for bar in ax.patches], [0.55] * 2)

    def test_the_frontier_has_those_that_nobody_beats_in_time_and_cost(self):
        with self.assertRaisesRegex(NoData, "power or a price"):
            self.draw(figures.frontier, self.plain)
        folder = pathlib.Path(self.place.name) / "expenses"
        write_results(folder, ("sync", "async", "local", "slow"), trace=False)
        write_expenses(folder)
        results = Results(folder)
        cost, energy = self.draw(figures.frontier, results).axes
        self.assertEqual([t.get_text() for t in cost.texts], ["async", "local"])  # the soonest first
        means = results.summary.set_index("algorithm")["time_to_target_mean_s"]
        self.assertEqual(list(cost.lines[0].get_xdata()), [means["async"], means["local"]])
        self.assertEqual(list(cost.lines[0].get_ydata()), [7, 3])
        self.assertEqual(len(cost.lines), 1 + 3)  # slow has no time
        self.assertEqual(list(energy.lines[0].get_ydata()), [7, 3])
        self.assertEqual(energy.get_ylabel(), "energy to target (kJ)")
        # Who did not always arrive is drawn, but is no reason to leave anybody out.
        results.summary.loc[results.summary["algorithm"] == "async", "reached"] = 2
        cost = self.draw(figures.frontier, results).axes[0]
        self.assertEqual([t.get_text() for t in cost.texts], ["local"])

    def test_long_names_of_a_frontier_are_letters_beside_the_panels_explained_below(self):
        folder = pathlib.Path(self.place.name) / "expenses_of_a_sweep"
        write_results(folder, ("sync", "async", "local", "slow"), trace=False)
        write_expenses(folder)
        results = Results(folder)
        for table in (results.runs, results.summary):
            table["/cluster/link"] = "1Gbps 50us"
        results.axes = ["/cluster/link"]
        fig = self.draw(figures.frontier, results)
        self.assertEqual([t.get_text() for t in fig.axes[0].texts], ["a", "b"])
        self.assertEqual([t.get_text() for t in fig.texts],
                         ["a: async, link = 1Gbps 50us", "b: local, link = 1Gbps 50us"])

    def test_swept_objects_are_called_by_what_tells_them_apart(self):
        links = ['{"bandwidth":"1Gbps","latency":"50us"}', '{"bandwidth":"10Gbps","latency":"50us"}']
        self.assertEqual(list(names_of_objects(links).values()), ["1Gbps", "10Gbps"])
        links.append('{"bandwidth":{"up":"1Gbps","down":"10Gbps"},"latency":"5ms"}')
        self.assertEqual(list(names_of_objects(links).values()), ["1Gbps 50us", "10Gbps 50us", "up 1Gbps down 10Gbps 5ms"])
        self.assertEqual(list(names_of_objects(['{"kind":"none"}', '{"kind":"top_k","share":0.01}']).values()),
                         ["none", "top_k share 0.01"])
        self.assertEqual(list(names_of_objects(['[1,2]', '[1,3]', "null"]).values()), ["0 1 1 2", "0 1 1 3", "null"])
        self.assertEqual(names_of_objects([1.0, 2.0]), {})
        self.assertEqual(names_of_objects(["1Gbps", "10Gbps"]), {})
        folder = pathlib.Path(self.place.name) / "objects"
        write_results(folder, trace=False, axes={"/cluster/link": ['{"bandwidth":"1Gbps"}', '{"bandwidth":"10Gbps"}']})
        results = Results(folder)
        self.assertEqual(results.points(), [("1Gbps",), ("10Gbps",)])
        ax = self.draw(figures.sweep, results).axes[0]
        self.assertEqual([t.get_text() for t in ax.get_xticklabels()], ["1Gbps", "10Gbps"])

    def test_staleness_has_a_panel_per_stale_algorithm_and_a_series_per_class(self):
        fig = self.draw(figures.staleness, self.plain)
        self.assertEqual(list(named(fig)), ["async"])
        self.assertTrue(all(tick == int(tick) for tick in fig.axes[0].get_xticks()))
        self.assertEqual(labels(fig.axes[0]), ["gpu", "cpu"])
        gpu = [p for p in fig.axes[0].patches if p.get_label() == "gpu"][0].get_data()
        self.assertAlmostEqual(gpu.values[2], 400 / 600)
        self.assertEqual(fig.axes[0].get_ylim()[0], 0)
        # Nothing is drawn along zero: cpu has nothing below 6, gpu nothing above 3.
        for outline in fig.axes[0].patches:
            if not outline.get_fill():
                for a, b in zip(outline.get_path().vertices, outline.get_path().vertices[1:]):
                    self.assertFalse(a[1] == b[1] == 0 and a[0] != b[0], (outline.get_label(), a, b))

    def test_the_gantt_chart_has_a_row_per_host_and_a_tick_per_update(self):
        fig = self.draw(figures.gantt, self.plain)
        ax = fig.axes[0]
        self.assertEqual([t.get_text() for t in ax.get_yticklabels()], ["gpu-0", "gpu-1", "cpu-2", "cpu-3", "server"])
        self.assertEqual(len(fig.axes), 4)
        self.assertEqual([t.get_text() for t in fig.legends[0].get_texts()], ["wait", "compute", "send", "receive", "update"])
        self.assertEqual(list(named(fig)), ["sync", "async", "local", "slow"])
        # Of the first host: sending and receiving are apart from each other and from computing.
        spans = {}
        for drawn in ax.collections:
            if type(drawn).__name__ != "LineCollection":
                box = drawn.get_paths()[0].get_extents()
                spans.setdefault(matplotlib.colors.to_hex(drawn.get_facecolor()[0]).upper(), (box.y0, box.y1))
        in_order = [spans[STATES[state]] for state in ("compute", "send", "receive")]
        for upper, lower in zip(in_order, in_order[1:]):
            self.assertLessEqual(upper[1], lower[0])
        updates = [c for c in ax.collections if type(c).__name__ == "LineCollection"]
        self.assertEqual(sum(len(c.get_segments()) for c in updates), 4)

    def test_the_gantt_chart_shows_when_a_host_is_slowed(self):
        results = Results(self.plain.folder)
        # Two periods that touch, and one apart: of cpu-2, the third row.
        times = [(1.0, 1.5, 0.5), (1.5, 2.0, 0.25), (3.0, 3.5, 0.5)]
        slowed = [{"run": run, "host": "cpu-2", "state": "slowed", "begin_s": begin, "end_s": end, "factor": factor}
                  for run in results.events["run"].unique() for begin, end, factor in times]
        results.events = pd.concat([results.events, pd.DataFrame(slowed)], ignore_index=True)
        fig = self.draw(figures.gantt, results)
        self.assertEqual(fig.legends[0].get_texts()[-1].get_text(), "slowed")
        hatched = [c for c in fig.axes[0].collections if c.get_hatch()]
        boxes = [path.get_extents() for c in hatched for path in c.get_paths()]
        self.assertEqual([(box.x0, box.x1) for box in boxes], [(1.0, 2.0), (3.0, 3.5)])
        for box in boxes:
            self.assertTrue(1.5 <= box.y0 < box.y1 <= 1.7, box)
        # It is no activity: a host that is only slowed has no row.
        self.assertEqual(len(fig.axes[0].get_yticks()), 5)

    def test_a_row_for_several_workers_weighs_as_many(self):
        results = Results(self.plain.folder)
        run = results.runs[results.runs["algorithm"] == "sync"]["run"].iloc[0]
        mine = results.workers[(results.workers["run"] == run) & (results.workers["class"] == "gpu")]
        busy = mine[["compute_s", "transfer_s", "wait_s", "discarded_s"]].sum()
        idle = {"run": run, "worker": "gpu-*", "class": "gpu", "wait_s": 10.0, "compute_s": 0, "transfer_s": 0,
                "discarded_s": 0, "speed": 1e9, "samples": 0, "workers": 1000}
        results.workers = pd.concat([results.workers.assign(workers=1), pd.DataFrame([idle])], ignore_index=True)
        runs = results.runs[results.runs["run"] == run]
        shares = figures.time_budget.shares(results, runs).loc[("sync", "gpu")]
        self.assertAlmostEqual(shares["wait_s"], (busy["wait_s"] + 10000) / (busy.sum() + 10000))
        # Who never took part is no marker.
        self.assertNotIn("gpu-*", figures.contribution.shares(results, runs).loc["sync"].index)

    def with_a_failure(self):
        """cpu-2 is down from 2 s to 3 s of 4 s, in every run."""
        results = Results(self.plain.folder)
        down = [{"run": run, "host": "cpu-2", "state": "down", "begin_s": 2.0, "end_s": 3.0}
                for run in results.events["run"].unique()]
        results.events = pd.concat([results.events, pd.DataFrame(down)], ignore_index=True)
        return results

    def test_around_failures_throughput_learning_and_who_is_up_are_drawn(self):
        with self.assertRaises(NoData) as caught:
            self.draw(figures.failures, self.plain)
        self.assertEqual(str(caught.exception), "no host was down while a timeline was recorded")
        results = self.with_a_failure()
        top, middle, strip = self.draw(figures.failures, results).axes
        self.assertEqual(list(lines(top)), ["sync", "async", "local", "slow"])
        run = results.runs[results.runs["algorithm"] == "async"]["run"].iloc[0]
        curve = results.curves[results.curves["run"] == run].sort_values("time_s")
        drawn = lines(middle)["async"]
        self.assertAlmostEqual(drawn.get_ydata()[0], (curve["epochs"].iloc[1] - curve["epochs"].iloc[0]) /
                               (curve["time_s"].iloc[1] - curve["time_s"].iloc[0]))
        self.assertEqual(strip.get_ylim(), (0, 4))

    def test_epochs_per_second_fall_where_a_gap_without_evaluations_begins(self):
        results = self.with_a_failure()
        run = results.runs[results.runs["algorithm"] == "sync"]["run"].iloc[0]
        row = results.curves[results.curves["run"] == run].iloc[0]
        # An epoch in every second, but nothing between 2 s and 12 s.
        rows = [row.to_dict() | {"time_s": t, "epochs": e, "test_accuracy": a}
                for t, e, a in ((0, 0, 0.1), (1, 1, 0.4), (2, 2, 0.6), (12, 3, 0.7), (13, 4, 0.8))]
        results.curves = pd.concat([results.curves[results.curves["run"] != run], pd.DataFrame(rows)], ignore_index=True)
        top, middle, _ = self.draw(figures.failures, results).axes
        self.assertEqual(self.seen_at(lines(middle)["sync"], [0.5, 1.5, 2.5, 11.5, 12.5]), [1, 1, 0.1, 0.1, 1])
        self.assertEqual(self.seen_at(lines(top)["sync"], [0.5, 2.5, 11.5, 12.5]), [0.1, 0.6, 0.6, 0.7])

    def seen_at(self, line, moments):
        """How high a line is drawn, as steps if it has steps."""
        x, y = matplotlib.cbook.STEP_LOOKUP_MAP[line.get_drawstyle()](line.get_xdata(), line.get_ydata())
        return [round(float(np.interp(moment, x, y)), 9) for moment in moments]

    def test_the_strip_counts_the_workers_that_are_up(self):
        strip = self.draw(figures.gantt, self.with_a_failure()).axes[-1]
        self.assertEqual(strip.get_ylim(), (0, 4))
        up = strip.collections[0].get_paths()[0]
        self.assertTrue(up.contains_point((2.5, 2.9)) and not up.contains_point((2.5, 3.1)))
        self.assertTrue(up.contains_point((1.9, 3.9)))

    def test_of_a_sweep_the_first_point_is_shown_and_named(self):
        for module in (figures.gantt, figures.staleness, figures.time_budget, figures.contribution, figures.links,
                       figures.decisions):
            fig = self.draw(module, self.sweep)
            self.assertEqual(fig._suptitle.get_text(), "spread ratio = 1, cost model size = 1MB", module.NAME)

    def test_many_workers_are_sampled_and_that_is_said(self):
        results = Results(self.plain.folder)
        copies = []
        for i in range(300):
            copies.append(results.workers.assign(worker=results.workers["worker"] + f"_{i}"))
        results.workers = pd.concat(copies)
        ax = self.draw(figures.contribution, results).axes[0]
        self.assertEqual(ax.figure._suptitle.get_text(), "200 of 1200 workers")
        self.assertEqual(sum(len(line.get_xdata()) for line in lines(ax).values()), 200)
        results.events = pd.concat([results.events.assign(host=results.events["host"] + f"_{i}") for i in range(9)])
        ax = self.draw(figures.gantt, results).axes[0]
        self.assertEqual(ax.get_title(loc="left"), "sync (16 of 45 traced hosts)")
        self.assertEqual(len(ax.get_yticks()), 16)

    def test_energies_have_a_unit_of_their_size(self):
        self.assertEqual([energy_unit(joules)[1] for joules in (1, 1e3, 3.6e6, 3.6e9, 3.6e12, 1e20)],
                         ["J", "kJ", "kWh", "MWh", "GWh", "GWh"])

    def test_the_time_budget_adds_up_to_one(self):
        ax = self.draw(figures.time_budget, self.plain).axes[0]
        ends = {}
        for bar in ax.patches:
            ends[round(bar.get_y(), 3)] = ends.get(round(bar.get_y(), 3), 0) + bar.get_width()
        self.assertEqual(len(ends), 8)  # four algorithms, two classes
        for total in ends.values():
            self.assertAlmostEqual(total, 1)
        self.assertEqual(labels(ax), ["compute", "transfer", "wait", "discarded"])

    def test_contribution_has_a_panel_per_algorithm_and_a_marker_per_worker_in_its_class(self):
        panels = named(self.draw(figures.contribution, self.plain))
        self.assertEqual(list(panels), ["sync", "async", "local", "slow"])
        drawn = lines(panels["async"])
        # Two gpu of speed 4 and two cpu of speed 1; 40 of 120 thousand samples each, and 20.
        self.assertEqual(drawn["gpu"].get_xydata().round(6).tolist(), [[0.4, 0.333333]] * 2)
        self.assertEqual(drawn["cpu"].get_xydata().round(6).tolist(), [[0.1, 0.166667]] * 2)
        self.assertEqual({ax.get_xlabel() for ax in panels.values()}, {"share of speed"})  # all hold as much data

    def test_uneven_data_have_panels_of_their_own(self):
        results = Results(self.plain.folder)
        results.workers.loc[results.workers["class"] == "cpu", "data_samples"] = 30000
        fig = self.draw(figures.contribution, results)
        self.assertEqual([ax.get_xlabel() for ax in fig.axes], ["share of speed"] * 4 + ["share of data"] * 4)
        self.assertEqual(lines(fig.axes[4])["cpu"].get_xdata().round(6).tolist(), [0.375] * 2)  # 30 of 80 thousand

    def test_links_are_bars_of_utilisation_with_a_tick_of_busy_time(self):
        fig = self.draw(figures.links, self.plain)
        self.assertEqual(list(named(fig)), [f"{a}: 40 GB" for a in ("sync", "async", "local", "slow")])
        ax = fig.axes[0]
        self.assertEqual([t.get_text() for t in ax.get_yticklabels()], ["server_up", "server_down", "gpu-0_up"])
        self.assertEqual([round(bar.get_width(), 3) for bar in ax.patches], [0.5, 0.4, 0.1])
        self.assertAlmostEqual(ax.lines[0].get_xdata()[0], 0.6)

    def test_links_of_one_group_are_one_bar_of_their_mean(self):
        results = Results(self.plain.folder)
        second = results.links[results.links["link"] == "gpu-0_up"].assign(link="gpu-1_up", utilisation=0.3)
        wire = second.assign(link="gpu-7_up", group="gpu-7_up", utilisation=0.05)  # alike in name only
        results.links = pd.concat([results.links, second, wire], ignore_index=True)
        ax = self.draw(figures.links, results).axes[0]
        self.assertEqual([t.get_text() for t in ax.get_yticklabels()], ["server_up", "server_down", "gpu-*_up", "gpu-7_up"])
        self.assertAlmostEqual(ax.patches[2].get_width(), 0.2)  # of 0.1 and 0.3
        self.assertEqual(ax.patches[2].get_facecolor()[:3], matplotlib.colors.to_rgb(CLASSES[0]))  # the first class

    def test_decisions_are_steps_that_last_to_the_end(self):
        fig = self.draw(figures.decisions, self.plain)
        ax = fig.axes[0]
        self.assertEqual(len(ax.lines), 4)
        self.assertEqual(labels(ax), ["gpu", "cpu"])
        self.assertEqual(list(ax.lines[0].get_xdata()), [0, 60, 300])
        self.assertEqual(list(ax.lines[0].get_ydata()), [4, 8, 8])
        self.assertEqual(ax.get_ylabel(), "local steps")

    def test_that_a_bound_became_active_is_no_decision(self):
        results = Results(self.plain.folder)
        event = {"run": "async-0", "time_s": 2.0, "worker": "gpu-0", "quantity": "held_back", "value": 4.0}
        results.decisions = pd.concat([results.decisions, pd.DataFrame([event])], ignore_index=True)
        self.assertEqual(list(named(self.draw(figures.decisions, results))), ["local"])
        self.assertEqual(list(report.decision_data(results, results.runs)), ["local: local steps"])
        results.decisions = pd.DataFrame([event])
        with self.assertRaises(NoData) as caught:
            self.draw(figures.decisions, results)
        self.assertEqual(str(caught.exception), "no algorithm here makes decisions during the run")

    def test_long_hidden_and_mathematical_names_leave_the_figures_readable(self):
        names = {"async": "a" * 250, "local": "_local", "slow": "$\\frac{$", "gpu": "g" * 250, "server_up": "l" * 250}
        results = Results(self.plain.folder)
        for table in (results.runs, results.summary, results.bands, results.workers, results.staleness, results.links,
                      results.decisions, results.events):
            for column in set(table.columns) & {"algorithm", "class", "worker", "host", "link", "baseline"}:
                table[column] = table[column].replace(names)
        results.algorithms = [names.get(a, a) for a in results.algorithms]
        for module in figures.ALL:
            if module in (figures.sweep, figures.best, figures.final, figures.tuning, figures.whatif, figures.frontier,
                          figures.failures):
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
                   figures.tuning: "nothing was tuned in this scenario", figures.whatif: "no changes of the cluster were tried",
                   figures.sweep: "nothing is swept in this scenario",
                   figures.final: "nothing is swept in this scenario", figures.best: "fewer than two axes are swept"}
        for module, reason in reasons.items():
            with self.assertRaises(NoData) as caught:
                self.draw(module, self.single)
            self.assertEqual(str(caught.exception), reason)

    def test_an_empty_folder_has_no_figures_and_all_say_why(self):
        with tempfile.TemporaryDirectory() as empty:
            results = Results(empty)
            self.assertEqual(len(results.missing), 10)
            for module in figures.ALL:
                with self.assertRaises(NoData):
                    self.draw(module, results)


if __name__ == "__main__":
    unittest.main()
