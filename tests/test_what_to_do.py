"""What the report advises, its size, what can be saved of it, and how its charts are used without a mouse."""
import csv
import io
import json
import re
import unittest

import pandas

import chromium
from report_case import ALGORITHMS, RATIO, FolderCase, page_of
from pictures import figures, report, shown_rows, what_to_do, words
from pictures.drawing import draw_all
from pictures.figures import gantt
from pictures.results import Results
from results_fixture import GAINS, write_results, write_whatif

SIZE, STEP = "/cost/model_size", "/defaults/step_size"
MOST_BYTES = 2_000_000
FIGURES_BYTES = 850_000  # of gantt, best, frontier, whatif and tuning, which are pictures, and of their data


class Advice(FolderCase):
    def advice(self, *arguments, **more):
        write_results(self.folder, *(arguments or (ALGORITHMS,)), **more)
        return what_to_do.sentences(Results(self.folder))

    def test_the_first_is_chosen_where_it_is_decided(self):
        self.assertTrue(self.advice()[0].startswith("Choose async: it reaches 80 % test accuracy in 42.3 s, 2.50x"))

    def test_those_that_cannot_be_told_from_it_are_named(self):
        self.assertIn("local cannot be told from it", self.advice(undecided=[("async", "local")])[0])

    def test_one_replica_is_no_ground_for_a_choice(self):
        self.assertIn('set "replicas" to 5 or more', self.advice(replicas=1)[0])

    def test_what_to_improve_and_what_not_is_of_the_chosen_one(self):
        write_results(self.folder, ALGORITHMS)
        write_whatif(self.folder, ALGORITHMS)
        lines = what_to_do.sentences(Results(self.folder))
        # The fixture's gains: 1.38 by the speed of cpu, its bottleneck; 1.01 without latency, below 2 %.
        self.assertIn("To make async faster, begin with the speed of cpu: twice the speed of cpu makes 1.38 times as many updates "
                      "per second (then: twice the bandwidth, 1.30x; twice the server's bandwidth, 1.26x; no noise, 1.02x).", lines)
        self.assertIn("Do not pay for the latency: for async no latency changes less than 2 %.", lines)

    def test_who_never_arrives_is_to_be_given_more_time(self):
        self.assertIn("to know how long slow takes", self.advice()[-1])

    def test_the_cheapest_is_weighed_against_the_fastest(self):
        rows = [{"algorithm": "a", "reached": 2, "n": 2, "time_to_target_mean_s": 10.0, "cost_to_target_mean": 6.0},
                {"algorithm": "b", "reached": 2, "n": 2, "time_to_target_mean_s": 15.0, "cost_to_target_mean": 4.0}]
        self.assertEqual(what_to_do.weigh_costs(rows), ["Where cost matters more than time: b needs 4 to the target against 6 of a, "
                                                        "and takes 1.50 times as long."])
        rows[1]["cost_to_target_mean"] = 7.0
        self.assertEqual(what_to_do.weigh_costs(rows), ["It needs the least cost, too: 6 to the target."])

    def test_a_sweep_is_answered_by_its_values(self):
        lines = self.advice(axes={RATIO: [1, 4]})
        self.assertEqual(lines[0], "Choose by spread ratio: async at 1 and 4.")

    def test_of_a_sweep_it_says_where_the_choice_is_not_decided(self):
        lines = self.advice(axes={RATIO: [1, 4]}, undecided=[("async", "local")])
        self.assertEqual(lines[0], "Choose by spread ratio: async at 1 and 4. That it is faster than every other is not decided at 1 and 4.")

    def test_where_step_sizes_are_swept_nobody_is_chosen(self):
        for axes in ({STEP: [1, 2, 4]}, {RATIO: [1, 4], STEP: [1, 2, 4]}):
            lines = self.advice(axes=axes)
            self.assertTrue(lines[0].startswith("Do not choose yet: which algorithm is faster, each at its best step size, is not tested here."),
                            lines[0])
            self.assertFalse([line for line in lines if line.startswith("Choose")])

    def test_without_a_target_nothing_is_advised(self):
        write_results(self.folder, ALGORITHMS)
        file = self.folder / "scenario.json"
        scenario = json.loads(file.read_text())
        del scenario["target"]
        file.write_text(json.dumps(scenario))
        self.assertEqual(what_to_do.sentences(Results(self.folder)), [])


class Headline(FolderCase):
    def test_step_sizes_are_no_points_of_the_question(self):
        write_results(self.folder, ALGORITHMS, axes={STEP: [1, 2, 4]})
        line = words.over_the_sweep(Results(self.folder))
        # In the fixture only sync depends on the value, and is fastest at the smallest.
        self.assertTrue(line.startswith("At its best step size, async reaches 80 % test accuracy first, in 42.3 s at step size 1."), line)
        self.assertIn("Chosen by mean time, without a test, among 3 values of step size, and by the same runs", line)
        self.assertNotIn("points", line)

    def test_what_else_is_swept_is_the_question(self):
        write_results(self.folder, ALGORITHMS, axes={RATIO: [1, 4], STEP: [1, 2, 4]})
        line = words.over_the_sweep(Results(self.folder))
        self.assertTrue(line.startswith("First to reach 80 % test accuracy, each at its best step size: async at 2 of 2 points."), line)
        self.assertIn("Chosen by mean time, without a test", line)


class Size(FolderCase):
    def page_of_runs(self, points, replicas):
        axes = {RATIO: [2 ** i for i in range(points // 5)], SIZE: [f"{2 ** i}MB" for i in range(5)]} if points > 1 else None
        write_results(self.folder, ALGORITHMS, replicas=replicas, axes=axes, trace=False)
        write_whatif(self.folder, ALGORITHMS)
        results = Results(self.folder)
        self.assertEqual(len(results.runs), 1000)
        page = page_of(self.folder, report.library() or "x" * 200_000)
        self.assertLess(len(page.encode()), MOST_BYTES - FIGURES_BYTES)
        return page

    def test_a_thousand_runs_at_fifty_points_fit_into_two_megabytes(self):
        page = self.page_of_runs(points=50, replicas=5)
        self.assertEqual(page.count('<div class="scroll" data-point='), 50)  # and nothing is left out
        self.assertNotIn("evenly spread; charts over", page)

    def test_a_thousand_runs_at_as_many_points_as_there_can_be_fit_and_what_is_left_out_is_said(self):
        page = self.page_of_runs(points=250, replicas=1)
        told = int(re.search(r"Point by point for (\d+) of 250 points, evenly spread", page).group(1))
        self.assertGreater(told, 50)
        self.assertEqual(page.count('<div class="scroll" data-point='), told)  # of the points that can be chosen
        listed = re.search(r'<select data-choice="point".*?</select>', page).group(0)
        self.assertEqual(listed.count("<option"), told)

    def test_a_thousand_runs_of_one_point_fit(self):
        self.page_of_runs(points=1, replicas=250)

    def test_decisions_of_many_workers_fit(self):
        write_results(self.folder, ("sync", "local"))
        lines = ["run,time_s,worker,quantity,value"]
        lines += [f"local-0,{t},w{w},local_steps,{t % 7}" for w in range(150) for t in range(200)]
        (self.folder / "decisions.csv").write_text("\n".join(lines) + "\n")
        drawn = report.page_data(Results(self.folder))["decisions"]["all"]["local: local steps"]["lines"]
        self.assertEqual(len(drawn), 150)
        self.assertLess(sum(len(line["x"]) for line in drawn), report.MOST_DECISIONS + 2 * 150)
        self.assertEqual((drawn[0]["x"][0], drawn[0]["x"][-2]), (0, 199))  # from the first to the last


class Pictures(FolderCase):
    """What is no chart has its data and its picture, too."""

    def setUp(self):
        super().setUp()
        write_results(self.folder, ALGORITHMS, axes={RATIO: [1, 4], SIZE: ["1MB", "10MB"]})
        write_whatif(self.folder, ALGORITHMS)

    def test_every_figure_has_the_rows_that_it_draws(self):
        results = Results(self.folder)
        for module in figures.ALL:
            self.assertIn(module.NAME, shown_rows.TABLES)
        events, every = shown_rows.csv_of(results, "gantt")
        self.assertEqual(every, 1)
        rows = list(csv.DictReader(io.StringIO(events)))
        shown = gantt.shown_runs(results)[1].head(gantt.MOST_RUNS)
        self.assertEqual({row["run"] for row in rows}, set(shown["run"]))
        # The fixture has for each of four workers four rounds of three states, of two of them also the wait, and four updates.
        self.assertEqual(len(rows), len(shown) * (4 * 4 * 3 + 2 * 4 + 4))
        gains, _ = shown_rows.csv_of(results, "whatif")
        self.assertEqual(len(gains.splitlines()) - 1, len(ALGORITHMS) * len(GAINS))
        best, _ = shown_rows.csv_of(results, "best")
        self.assertEqual(len(best.splitlines()) - 1, len(ALGORITHMS) * 4)

    def test_what_is_too_much_says_what_is_left_out(self):
        results = Results(self.folder)
        results.events = pandas.concat([results.events] * 60, ignore_index=True)
        rows, every = shown_rows.csv_of(results, "gantt")
        self.assertGreater(every, 1)
        self.assertLessEqual(len(rows), 1.1 * shown_rows.MOST_BYTES)

    def test_the_page_offers_both(self):
        results = Results(self.folder)
        drawn, _ = draw_all(results, self.folder / "figures", only={"gantt", "best", "whatif"}, formats=("png",))
        page = report.page(results, drawn, [], self.folder / "figures", "")
        data = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.DOTALL).group(1))
        for name in ("gantt", "best", "whatif"):
            self.assertIn(f'data-rows="{name}"', page)
            self.assertIn(f'data-picture="{name}"', page)
            self.assertEqual(data["rows"][name], shown_rows.csv_of(results, name)[0])


@unittest.skipIf(chromium.PROGRAM is None, "Chromium is not installed")
@unittest.skipIf(report.library() is None, "Chart.js is not installed (Debian: libjs-chart.js)")
class WithoutAMouse(FolderCase):
    def open(self, page, width=1100):
        write_results(self.folder, ALGORITHMS)
        file = self.folder / "report.html"
        file.write_text(page_of(self.folder, report.library()))
        page.open(file)

    def press(self, page, chart, key):
        page.evaluate(f"""motley.charts.{chart}.canvas.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }}))""")
        return page.evaluate("document.querySelector('.spoken').textContent")

    def test_keys_walk_along_the_values_and_they_are_spoken(self):
        with chromium.Page() as page:
            self.open(page)
            first = self.press(page, "target", "ArrowDown")
            second = self.press(page, "target", "ArrowDown")
            self.assertTrue(first.startswith("Time to target, async: 42.2"), first)
            self.assertTrue(second.startswith("Time to target, local: 70.4"), second)
            self.assertEqual(self.press(page, "target", "Home"), first)
            self.assertIn("sync", self.press(page, "curves", "ArrowRight"))
            self.assertIn("async", self.press(page, "curves", "ArrowDown"))
            self.assertEqual(page.errors, [])

    def test_every_chart_can_be_focused_and_says_what_it_shows(self):
        with chromium.Page() as page:
            self.open(page)
            labels = page.evaluate("[...document.querySelectorAll('canvas')].map((c) => [c.tabIndex, c.getAttribute('aria-label')])")
            self.assertGreater(len(labels), 5)
            for index, label in labels:
                self.assertEqual(index, 0)
                self.assertRegex(label, r"^.+\. .*\d")
            self.assertIn("async: from 0 at 0 to 0.9", page.evaluate("motley.describe('curves')"))

    def test_the_data_of_a_chart_are_a_table_and_a_file(self):
        with chromium.Page() as page:
            self.open(page)
            lines = page.evaluate("motley.csvOf('target')").splitlines()
            self.assertEqual(lines[0], "series,part,of,virtual time to target (s)")
            self.assertEqual(len(lines), 1 + 3)  # slow never arrives
            self.assertTrue(page.evaluate("motley.pictureOf('target')").startswith("data:image/png;base64,"))
            buttons = page.evaluate("[...document.querySelectorAll('[data-chart=target] .tools button')].map((b) => b.textContent)")
            self.assertEqual(buttons, ["data", "picture"])
            rows = page.evaluate("""(() => { const d = document.querySelector('[data-chart=target] details'); d.open = true;
                d.dispatchEvent(new Event('toggle')); return d.querySelectorAll('tr').length; })()""")
            self.assertEqual(rows, 1 + 3)


if __name__ == "__main__":
    unittest.main()
