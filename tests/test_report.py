"""report.html as a text, and as Chromium sees it."""
import html
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "analysis"))

import chromium
from pictures import how_tuned, report, resolution, what_decides, words
from pictures.look import Look
from pictures.results import TEXT, Results
from results_fixture import write_comparisons, write_csv, write_results, write_tuned, write_whatif

RATIO = "/cluster/workers/0/spread/ratio"
ALGORITHMS = ("sync", "async", "local", "slow")


def page_of(folder, library=""):
    """The page without pictures, which test_figures looks at."""
    return report.page(Results(folder), [], [], folder / "figures", library)


class Words(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)
        self.addCleanup(self.place.cleanup)

    def test_the_question_says_who_takes_part(self):
        results = Results(write_results(self.folder))
        self.assertEqual(words.question(results),
                         "4 workers: 2 gpu (4 Tf/s each) and 2 cpu (1 Tf/s each); the fastest is 4 times as fast as the "
                         "slowest. Links of 10Gbps, 50us latency. Model: mlp, trained on synthetic. Which of sync, async and "
                         "local reaches 80 % test accuracy first? Runs stop at time 300s.")

    def test_the_answer_names_the_first_how_much_and_who_never(self):
        results = Results(write_results(self.folder, ALGORITHMS))
        self.assertEqual(words.answer_at(results, ()), [
            "async reaches 80 % test accuracy in 42.3 s, 2.50x (95 %: 2.25 to 2.75) as fast as sync.",
            "Slower: local 70.5 s and sync 106 s.", "slow never reaches it."])

    def with_tuning(self, tune, **entries):
        """Of the scenario: its tune, and that of single algorithms."""
        file = self.folder / "scenario.json"
        scenario = json.loads(file.read_text())
        for entry in scenario["algorithms"]:
            if entry["label"] in entries:
                entry["tune"] = entries[entry["label"]]
        file.write_text(json.dumps({**scenario, "tune": tune}))

    def test_how_it_was_tuned_is_said(self):
        write_results(self.folder, ALGORITHMS)
        self.with_tuning({"step_size": {"from": 0.01, "to": 1, "steps": 5, "scale": "log"}, "runs": 9, "at": "every_point"},
                         local={"local_steps": [4, 8], "momentum": None})
        write_tuned(self.folder)
        results = Results(self.folder)
        # write_tuned(): three of five candidates on one seed, one on two, the best on four.
        self.assertEqual(how_tuned.sentences(results), [
            "Each algorithm was tuned by itself, with 9 runs each, by successive halving over the seeds 1000001 and following; "
            "none of these seeds is reported.",
            "Better is who reaches 80 % test accuracy with more of the seeds; among those that always do, who is sooner; among "
            "the others, who has the better accuracy (the lower loss, where the target is a loss).",
            "Tried for every algorithm that takes it: step_size 0.01 to 1 in 5 steps (log).",
            "For local: local_steps 4, 8.",
            "Not tuned, with the values given in the scenario: slow.",
            "Warning: chosen at the edge of the grid, so that better may lie beyond: async (step_size 1)."])
        html = page_of(self.folder)
        self.assertIn('<section id="tuned"><h2>Tuning</h2>', html)
        self.assertIn("<td>async</td><td>step_size 1</td><td>5</td><td>9</td><td>at the edge of its grid</td>", html)
        self.assertIn("<td>sync</td><td>step_size 0.3</td><td>5</td><td>9</td><td></td>", html)

    def test_what_decides_is_said_by_the_rule_of_the_terminal(self):
        write_results(self.folder)
        write_whatif(self.folder, ["sync", "async"])
        # GAINS: of twice the compute speed (+ 0.41) the cpu alone bring 0.38, more than nine tenths; of twice the bandwidth
        # (+ 0.3) the server's link alone brings 0.26, less than 0.27, so that both are told. No latency: below 2 %.
        line = ("bottleneck: speed of cpu (twice the speed of cpu: 1.38x updates/s; twice the bandwidth: 1.30x; twice the "
                "server's bandwidth: 1.26x; no noise: 1.02x)")
        self.assertEqual(what_decides.lines(Results(self.folder)), {"sync": line, "async": line})
        page = page_of(self.folder)
        why = page[page.index('<section id="why">'):page.index('<section id="sure">')]
        self.assertIn('<h3 id="decides">What decides</h3>', why)
        self.assertIn(f'<li data-label="sync"><b>sync</b>: {html.escape(line)}</li>', why)
        self.assertNotIn("near 1", page.lower())
        self.assertNotIn('id="decides"', page_of(write_results(self.folder / "not_asked")))

    def test_what_was_not_tried_is_said_and_fewer_workers_are_no_bottleneck(self):
        write_results(self.folder)
        rows = [{"change": "as_is", "gain": 1, "samples_per_s": 80}, {"change": "no_latency", "gain": 0.9, "samples_per_s": 72},
                {"change": "without:cpu", "gain": 2.5, "samples_per_s": 100},  # 100 / 80 = 1.25
                {"change": "server_bandwidth_x2", "reason": "there is no server"}]
        write_csv(self.folder / "whatif.csv", ["algorithm", "change", "updates", "updates_per_s", "gain", "samples_per_s", "reason"],
                  [{"algorithm": "sync", **row} for row in rows])
        results = Results(self.folder)
        self.assertEqual(what_decides.lines(results), {"sync": "without cpu: 2.50x updates/s, 1.25x samples/s"})
        self.assertEqual(what_decides.notes(results), ["twice the server's bandwidth: not tried: there is no server"])

    def test_over_a_sweep_the_bottlenecks_are_counted_and_told_point_by_point(self):
        write_results(self.folder, ("sync",), axes={RATIO: [1, 4, 16]})
        gains = {1: {"no_latency": 1.5}, 4: {"no_latency": 1.2, "compute_x2": 1.1}, 16: {"no_latency": 1.0, "compute_x2": 1.7}}
        write_csv(self.folder / "whatif.csv", ["algorithm", RATIO, "change", "updates", "updates_per_s", "gain", "samples_per_s",
                                               "reason"],
                  [{"algorithm": "sync", RATIO: ratio, "change": change, "gain": gain}
                   for ratio, mine in gains.items() for change, gain in {"as_is": 1, **mine}.items()])
        results = Results(self.folder)
        self.assertEqual(what_decides.lines(results), {"sync": "bottleneck: latency at 2 points, compute speed at 1 point"})
        self.assertEqual(what_decides.lines(results, (4,)),
                         {"sync": "bottleneck: latency (no latency: 1.20x updates/s; twice the compute speed: 1.10x)"})
        page = page_of(self.folder)
        self.assertIn('<div data-point="spread ratio = 16"><p>At spread ratio = 16:</p><ul><li data-label="sync"><b>sync</b>: '
                      "bottleneck: compute speed (", page)

    def test_the_resolution_of_time_to_target_is_said_where_neighbours_are_within_it(self):
        def said_of(later_by, gap):
            write_results(self.folder, ("sync", "async"))
            write_comparisons(self.folder, [
                {"algorithm": "async", "against": "sync", "verdict": "faster", "later_by_s": later_by, "resolution_s": gap},
                {"algorithm": "sync", "against": "async", "verdict": "slower", "later_by_s": -later_by, "resolution_s": gap}])
            results = Results(self.folder)
            return resolution.lines(results), report.page(results, [], [], self.folder, None)
        self.assertEqual(said_of(64, 3)[0], [])
        lines, page = said_of(2.5, 3)
        self.assertEqual(lines, ["Resolution of time to target: 3.00 s between evaluations (/evaluate/every); "
                                 "within it: async and sync."])
        self.assertIn("<li>Resolution of time to target: 3.00 s", page)

    def test_without_tuning_there_is_no_such_section(self):
        self.assertNotIn('id="tuned"', page_of(write_results(self.folder)))

    def test_choices_that_differ_from_point_to_point_are_all_told(self):
        write_results(self.folder, ("sync", "async"), axes={RATIO: [1, 4]})
        rows = [{"algorithm": label, "candidate": i, RATIO: ratio, "way": way, "seeds": 2, "chosen": int(way == best), "at_edge": 0}
                for label, bests in (("sync", "aa"), ("async", "ab")) for ratio, best in zip((1, 4), bests)
                for i, way in enumerate("ab")]
        write_csv(self.folder / "tuned.csv", ["algorithm", "candidate", "way", RATIO, "rung", "seeds", "reached", "broken",
                                              "time_to_target_s", "best_test_accuracy", "final_test_loss", "chosen", "at_edge"], rows)
        self.assertEqual([(c["algorithm"], c["where"], c["values"], c["runs"]) for c in how_tuned.by_algorithm(Results(self.folder))],
                         [("sync", "all 2 points", "way a", 4), ("async", "spread ratio = 1", "way a", 4),
                          ("async", "spread ratio = 4", "way b", 4)])

    def test_the_edge_of_a_grid_is_said_in_the_table(self):
        write_results(self.folder)
        file = self.folder / "summary.csv"
        head, *lines = file.read_text().splitlines()
        column = head.split(",").index("tuned_at_edge")
        cells = [line.split(",") for line in lines]
        cells[1][column] = "1"  # async
        file.write_text("\n".join([head] + [",".join(c) for c in cells]) + "\n")
        self.assertEqual(re.findall(r"</span>(\w+)<small>tuned to the edge of its grid</small>", report.table_html(Results(self.folder))),
                         ["async"])

    def test_a_warning_of_many_runs_alike_is_one_line(self):
        write_results(self.folder, ("sync", "async"), replicas=5)
        warned = [f"sync-{i}" for i in range(4)] + [f"async-{i}" for i in range(3)]
        write_csv(self.folder / "warnings.csv", ["run", "kind", "text"], [{"run": r, "kind": "odd", "text": "is odd"} for r in warned])
        self.assertEqual(words.run_warnings(Results(self.folder)),
                         ["sync (4 of 5 runs) is odd", "async-0 is odd", "async-1 is odd", "async-2 is odd"])

    def test_what_the_simulator_leaves_undecided_is_said_to_be(self):
        results = Results(write_results(self.folder, ("sync", "async", "local"), undecided=[("async", "local")]))
        self.assertEqual(words.answer_at(results, ())[1:], [
            "Undecided against it, after correction for the number of pairs: local 70.5 s.", "Slower: sync 106 s."])
        # The same of a pair the other way round: nothing is decided here.
        results.summary.at[1, "verdicts"] = {"local": "slower", "sync": "faster"}
        self.assertEqual(words.answer_at(results, ())[1:], [
            "Placed behind it, though faster by the paired test: local 70.5 s.", "Slower: sync 106 s."])

    def test_the_order_is_that_of_the_places(self):
        # As where fewer of async's runs reach the target: its mean is lower, and it is not first.
        results = Results(write_results(self.folder, ("sync", "async", "local")))
        results.summary["place"] = [2, 3, 1]
        self.assertTrue(words.answer_at(results, ())[0].startswith("local reaches 80 % test accuracy in 70.5 s"))
        self.assertEqual(re.findall(r"</span>(\w+)", report.table_html(results)), ["local", "sync", "async"])
        self.assertEqual([row["algorithm"] for row in report.summary_data(results, ())], ["local", "sync", "async"])

    def test_results_that_do_not_say_who_is_first_are_not_ranked(self):
        results = Results(write_results(self.folder))
        results.summary["place"] = None
        self.assertEqual(words.answer(results), [("", ["summary.csv does not say who is first: it is of an older version. "
                                                       "Run the same command again to renew it."])])

    def test_intervals_that_overlap_do_not_overrule_the_verdict(self):
        results = Results(write_results(self.folder, ("sync", "async")))
        results.summary.loc[results.summary["algorithm"] == "sync", "time_to_target_low_s"] = 40.0
        self.assertEqual(words.answer_at(results, ())[1:], ["Slower: sync 106 s."])

    def test_a_bound_is_said_as_one(self):
        results = Results(write_results(self.folder, ("sync", "async")))
        results.summary.loc[results.summary["algorithm"] == "async", "speedup_bound"] = "at_least"
        self.assertIn(", at least 2.50x as fast as sync.", words.answer_at(results, ())[0])
        self.assertIn("<td>&gt; 2.50x</td>", report.table_html(results))  # the interval is not that of the ratio

    def test_runs_that_did_not_reach_the_target_are_said(self):
        results = Results(write_results(self.folder, ("sync", "async", "local")))
        summary = results.summary.set_index("algorithm")
        summary.loc["sync", "reached"] = 1
        summary.loc["async", ["speedup_low", "speedup_high", "speedup_pairs"]] = [None, None, 1]
        results.summary = summary.reset_index()
        self.assertEqual(words.answer_at(results, ()), [
            "async reaches 80 % test accuracy in 42.3 s, 2.50x (1 pair of runs) as fast as sync.",
            "Slower: local 70.5 s and sync 106 s (1 of 3 runs)."])

    def test_where_nobody_reaches_the_target_the_closest_is_named(self):
        results = Results(write_results(self.folder, ("slow",)))
        results.summary["best_accuracy_mean"] = 0.62
        self.assertEqual(words.answer_at(results, ()),
                         ["No algorithm reaches 80 % test accuracy before the runs end. slow comes closest, 62.0 % at best."])

    def test_without_a_target_accuracy_loss_or_work_is_compared(self):
        results = Results(write_results(self.folder, ("sync", "async")))
        del results.scenario["target"]
        columns = ["final_accuracy_mean", "final_accuracy_low", "final_accuracy_high"]
        results.summary["place"] = [1, 2]
        results.summary.loc[results.summary["algorithm"] == "sync", columns] = [0.9, None, None]
        self.assertEqual(words.answer_at(results, ()), ["No target is set; sync ends with the best accuracy, 90.0 %.",
                                                        "Then async 88.0 %."])
        results.summary[columns] = [[0.9, 0.89, 0.91], [0.88, 0.87, 0.895]]
        self.assertEqual(words.answer_at(results, ()), [
            "No target is set; sync ends with the best accuracy, 90.0 % (95 %: 89.0 to 91.0 %).",
            "Then async 88.0 % (95 %: 87.0 to 89.5 %)."])
        results.summary["final_accuracy_mean"] = None
        self.assertEqual(words.answer_at(results, ()), ["No target is set; sync ends with the lowest test loss, 0.3."])
        results.summary["final_loss_mean"] = None
        results.runs.loc[results.runs["algorithm"] == "async", "samples"] = 192000
        self.assertEqual(words.answer_at(results, ()), ["No target is set; async processes the most samples, 192,000."])

    def test_a_speed_up_too_close_to_tell_is_marked_in_the_table(self):
        results = Results(write_results(self.folder, ("sync", "async", "local"), undecided=[("sync", "local")]))
        table = report.table_html(results)
        self.assertIn("<td>~1.50x<small>1.35x to 1.65x</small></td>", table)
        self.assertIn("<td>2.50x<small>", table)
        self.assertIn("~: undecided, after correction for the number of pairs", table)
        self.assertEqual([row["mark"] for row in report.summary_data(results, ())], ["", "~", ""])
        results.summary["place"] = [2, 3, 1]  # local first
        self.assertTrue(words.answer_at(results, ())[0].endswith(" as fast as sync (undecided)."))

    def test_seconds_have_three_digits_and_no_exponent(self):
        self.assertEqual([words.seconds(v) for v in (0.0616, 1, 9.996, 40, 99.96, 999.7, 12345)],
                         ["0.0616 s", "1.00 s", "10.0 s", "40.0 s", "100 s", "1000 s", "12345 s"])

    def test_a_sweep_says_who_is_first_how_often(self):
        results = Results(write_results(self.folder, axes={RATIO: [1, 4]}, undecided=[("async", "local")]))
        self.assertEqual(words.over_the_sweep(results), "async reaches 80 % test accuracy first at all 2 points of the sweep. "
                         "At 2 of these points it is not decided that the first is faster than every other.")
        first = (results.summary["algorithm"] == "local") & (results.summary[RATIO] == 4)
        results.summary.loc[first, ["place", "decided"]] = [0, 1]
        self.assertEqual(words.over_the_sweep(results), "First to reach 80 % test accuracy: async at 1 of 2 points and local at 1. "
                         "At 1 of these points it is not decided that the first is faster than every other.")
        self.assertIn("(at the first point of the sweep)", words.question(results))

    def test_one_replica_is_not_sure(self):
        results = Results(write_results(self.folder, replicas=1))
        self.assertIn("One run per algorithm: there are no confidence intervals", words.how_sure(results)[0])
        self.assertEqual(words.answer_at(results, ()), [
            "async reaches 80 % test accuracy in 43.9 s, 2.50x as fast as sync.", "Then local 73.2 s and sync 110 s.",
            "One replica: nothing is decided; see replicas."])
        self.assertNotIn("~2", report.table_html(results))
        sweep = Results(write_results(self.folder / "sweep", replicas=1, axes={RATIO: [1, 4]}))
        self.assertEqual(words.over_the_sweep(sweep), "async reaches 80 % test accuracy first at all 2 points of the sweep. "
                         "One replica: nothing is decided; see replicas.")
        self.assertNotIn("replicas", " ".join(sentence for _, said in words.answer(sweep) for sentence in said))  # once is enough

    def test_failed_and_diverged_runs_are_named_with_their_reason(self):
        results = Results(write_results(self.folder, statuses={"sync-0": "failed", "local-1": "diverged"}))
        lines = words.how_sure(results)
        self.assertIn("sync-0 failed: the loss grew without bound", lines)
        self.assertIn("local-1 diverged: the loss grew without bound", lines)
        self.assertIn("local-1 diverged", page_of(self.folder))

    def test_algorithms_whose_runs_all_failed_did_not_just_miss_the_target(self):
        results = Results(write_results(self.folder, ALGORITHMS))
        summary = results.summary.set_index("algorithm")
        summary.loc["sync", ["time_to_target_mean_s", "failed"]] = [None, 3]
        summary.loc["local", ["time_to_target_mean_s", "diverged"]] = [None, 3]
        results.summary = summary.reset_index()
        self.assertEqual(words.answer_at(results, ())[1:],
                         ["slow never reaches it.", "All runs of sync failed.", "All runs of local diverged."])

    def test_planned_runs_that_are_not_finished_are_counted_and_named(self):
        write_results(self.folder)
        plan = [{"run": f"{a}-{r}"} for a in ("sync", "async", "local", "backup") for r in range(3)]
        (self.folder / "plan.json").write_text(json.dumps({"runs": plan}))
        results = Results(self.folder)
        self.assertIn("Not finished: 3 of 12 planned runs (backup-0, backup-1 and backup-2). Run the same command again to finish them.",
                      words.how_sure(results))
        self.assertIn("Only 9 of 12 planned runs have finished.", page_of(self.folder))

    def test_an_empty_folder_is_reported_as_empty(self):
        page = page_of(self.folder)
        self.assertIn("There are no finished runs in this folder.", page)
        self.assertIn("Missing: runs.csv (not there).", page)
        self.assertIn("The question is unknown: scenario.json is missing.", page)

    def test_a_folder_before_its_first_run_has_headers_only(self):
        write_results(self.folder)
        for file in self.folder.glob("*.csv"):
            file.write_text(file.read_text().splitlines()[0] + "\n")
        self.assertIn("There are no finished runs in this folder.", page_of(self.folder))

    def test_every_file_may_be_missing(self):
        write_results(self.folder)
        for file in sorted(self.folder.iterdir()):
            copy = self.folder.parent / (self.folder.name + "_copy")
            shutil.copytree(self.folder, copy)
            (copy / file.name).unlink()
            with self.subTest(missing=file.name):
                page = page_of(copy)
                if file.name not in ("events.csv", "decisions.csv"):
                    self.assertIn(f"Missing: {file.name} (not there).", page)
            shutil.rmtree(copy)

    def test_only_failed_runs_are_reported(self):
        write_results(self.folder, ("sync",), replicas=1, statuses={"sync-0": "failed"})
        self.assertIn("sync-0 failed: the loss grew without bound", page_of(self.folder))

    def test_names_cannot_break_the_page(self):
        write_results(self.folder)
        for file in self.folder.glob("*"):
            file.write_text(file.read_text().replace("local", "</script><b>x"))
        page = page_of(self.folder)
        self.assertNotIn("<b>x", page)
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1]
        self.assertIn("</script><b>x", json.loads(data)["algorithms"])
        self.assertNotIn("<", data)  # "<!--<script>" would swallow the scripts after it

    def test_a_description_of_another_shape_is_no_description(self):
        write_results(self.folder)
        whole = json.loads((self.folder / "scenario.json").read_text())
        for value in (None, [], "x", 5, True, math.nan, [None], {"kind": None}):
            (self.folder / "scenario.json").write_text(json.dumps({key: value for key in whole}))
            (self.folder / "provenance.json").write_text(json.dumps({"command": value}))
            (self.folder / "plan.json").write_text(json.dumps({"runs": value}))
            with self.subTest(sections=value):
                self.assertIn("4 workers: 2 gpu", page_of(self.folder))
            for name in ("scenario.json", "provenance.json", "plan.json"):
                (self.folder / name).write_text(json.dumps(value))
            with self.subTest(whole=value):
                page = page_of(self.folder)
                if not isinstance(value, dict):
                    for name in ("scenario.json", "provenance.json", "plan.json"):
                        self.assertIn(f"Missing: {name} (not a JSON object).", page)

    def test_a_description_nested_too_deep_to_read_is_missing(self):
        write_results(self.folder)
        (self.folder / "scenario.json").write_text("[" * 100_000)
        self.assertIn("Missing: scenario.json (cannot be read).", page_of(self.folder))

    def test_numbers_that_are_none_leave_gaps_and_missing_columns_are_named(self):
        for value in ("inf", "nan", "-1", "0", "x", "", "1e308"):
            write_results(self.folder, replicas=1)
            for file in sorted(self.folder.glob("*.csv")):
                header, *rows = [line.split(",") for line in file.read_text().splitlines()]
                damaged = [header] + [[cell if column in TEXT else value for column, cell in zip(header, row)] for row in rows]
                file.write_text("\n".join(map(",".join, damaged)) + "\n")
            with self.subTest(value=value):
                self.assertIn("4 workers: 2 gpu", page_of(self.folder))
        write_results(self.folder, replicas=1)
        for file in sorted(self.folder.glob("*.csv")):
            lines = file.read_text().splitlines()
            file.write_text("\n".join(line.rsplit(",", 2)[0] for line in lines) + "\n")
        page = page_of(self.folder)
        self.assertIn("Missing: staleness.csv (no columns staleness, count).", page)
        self.assertIn("Missing: summary.csv (no columns final_loss_low, final_loss_high).", page)

    def test_axes_that_end_alike_are_named_in_full(self):
        first, second = "/algorithms/0/step_size", "/algorithms/1/step_size"
        results = Results(write_results(self.folder, ("sync",), replicas=1, axes={first: [1], second: [2], RATIO: [4]}))
        self.assertEqual(results.point_title((1, 2, 4)), f"{first} = 1, {second} = 2, spread ratio = 4")

    def test_values_of_a_sweep_that_differ_late_are_different_points(self):
        results = Results(write_results(self.folder, ("sync",), replicas=1, axes={RATIO: [1.0000001, 1.0000002, 2]}))
        self.assertEqual(report.page_data(results)["points"],
                         ["spread ratio = 1.0000001", "spread ratio = 1.0000002", "spread ratio = 2"])

    def test_nothing_in_the_page_is_fetched(self):
        page = page_of(write_results(self.folder), report.library() or "")
        self.assertEqual(re.findall(r'(?:src|href)="(?!data:)[^"]*"', page), [])


class Script(unittest.TestCase):
    """analysis/report.py as it is called."""

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)
        self.addCleanup(self.place.cleanup)

    def report(self, *arguments):
        told = subprocess.run([sys.executable, "-B", ROOT / "analysis" / "report.py", *arguments], capture_output=True, text=True,
                              errors="surrogateescape")
        self.assertNotIn("Traceback", told.stderr)
        return told.returncode, told.stderr

    def test_a_folder_without_results_is_refused_and_left_alone(self):
        self.assertEqual(self.report(self.folder),
                         (2, f"motley: report: {self.folder}: holds no results (runs.csv is not there)\n"))
        self.assertEqual(list(self.folder.iterdir()), [])
        (self.folder / "runs.csv").write_text("date,distance\n2020-01-01,12\n")  # somebody else's
        self.assertEqual(self.report(self.folder), (2, f"motley: report: {self.folder}: holds no results (runs.csv has no column "
                                                       "run or algorithm)\n"))
        self.assertEqual([f.name for f in self.folder.iterdir()], ["runs.csv"])

    def test_a_place_that_cannot_be_written_is_named(self):
        results = write_results(self.folder / "results", ("sync",), replicas=1)
        file = self.folder / "file"
        file.write_text("")
        code, told = self.report(results, "--out", file / "report.html")
        self.assertEqual((code, told), (1, f"motley: report: cannot write {file}/figures: Not a directory\n"))
        code, told = self.report(results, "--out", self.folder)
        self.assertEqual((code, told), (2, f"motley: report: --out: {self.folder} is a folder; name the page, such as "
                                           f"{self.folder}/report.html\n"))

    def test_names_that_are_not_utf_8_and_formulas_are_drawn_as_they_are(self):
        results = write_results(self.folder / os.fsdecode(b"caf\xe9"), ("sync", "local"), replicas=1)
        for file in results.glob("*"):
            file.write_text(file.read_text().replace("local", "$\\\\frac{$"))  # in JSON, and a name in the CSV, too
        self.assertEqual(self.report(results), (0, ""))
        self.assertTrue((results / "report.html").is_file())


class OfTheProgram(unittest.TestCase):
    """What motley really writes is what analysis/ reads."""

    def test_a_run_with_report_leaves_figures_and_a_page_that_answers(self):
        scenario = {
            "name": "small", "data": {"kind": "synthetic", "train": 400, "test": 200, "features": 8, "classes": 3},
            "model": {"kind": "softmax"},
            "cluster": {"workers": [{"name": "fast", "count": 2, "speed": "4Gf"}, {"name": "slow", "count": 2, "speed": "1Gf"}],
                        "server": {"speed": "1Tf"}, "link": {"bandwidth": "1Gbps", "latency": "1ms"}},
            "cost": {"flops_per_sample": "10Mf", "model_size": "1MB"}, "target": {"accuracy": 0.6}, "stop": {"updates": 60},
            "evaluate": {"every": 1}, "defaults": {"batch_size": 8, "step_size": 0.1},
            "algorithms": [{"name": "sync"}, {"name": "async"}]}
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            (folder / "small.json").write_text(json.dumps(scenario))
            told = subprocess.run([os.environ["MOTLEY_BINARY"], "run", "small.json", "--out", "out", "--trace", "--report"],
                                  cwd=folder, capture_output=True, text=True)
            self.assertEqual(told.returncode, 0, told.stdout + told.stderr)
            self.assertIn("Report: out/report.html", told.stdout)
            self.assertNotIn("missing:", told.stdout)
            self.assertIn("left out: sweep (nothing is swept in this scenario)", told.stdout)
            for name in ("accuracy", "efficiency", "target", "staleness", "gantt", "time_budget", "contribution", "links"):
                for kind in ("png", "svg", "pdf"):
                    self.assertTrue((folder / "out" / "figures" / f"{name}.{kind}").is_file(), name)
            page = (folder / "out" / "report.html").read_text()
            decides = told.stdout[told.stdout.index("\nWhat decides"):].split("\n\n")[0].splitlines()[2:]
            self.assertTrue(decides)
            for line in decides:
                label, words_of_it = line.strip().split(": ", 1)
                self.assertTrue(f"<b>{label}</b>: {html.escape(words_of_it)}</li>" in page, line)
            self.assertRegex(page, r"<p>a?sync reaches 60 % test accuracy in [0-9.]+ s")
            self.assertIn("4 workers: 2 fast (4 Gf/s each) and 2 slow (1 Gf/s each)", page)

    def test_report_names_what_it_does_not_find(self):
        told = subprocess.run([os.environ["MOTLEY_BINARY"], "report", "nowhere"], capture_output=True, text=True)
        self.assertEqual((told.returncode, told.stderr), (2, "motley: report: no such folder: nowhere\n"))
        with tempfile.TemporaryDirectory() as empty:
            told = subprocess.run([os.environ["MOTLEY_BINARY"], "report", empty], capture_output=True, text=True)
            self.assertEqual((told.returncode, told.stderr),
                             (2, f"motley: report: {empty}: holds no results (runs.csv is not there)\n"))
            self.assertEqual(os.listdir(empty), [])


@unittest.skipIf(chromium.PROGRAM is None, "Chromium is not installed")
@unittest.skipIf(report.library() is None, "Chart.js is not installed (Debian: libjs-chart.js)")
class InChromium(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)
        self.addCleanup(self.place.cleanup)

    def write(self, **arguments):
        write_results(self.folder, ALGORITHMS, **arguments)
        file = self.folder / "report.html"
        file.write_text(page_of(self.folder, report.library()))
        return file

    def check_quiet(self, page):
        self.assertEqual(page.errors, [])
        self.assertEqual([r for r in page.requests if not r.startswith(("file:", "data:"))], [])

    def test_the_charts_show_their_series_and_an_algorithm_can_be_hidden(self):
        file = self.write()
        series = """Object.fromEntries(Object.entries(motley.charts).map(([name, chart]) => [name,
            [...new Set(chart.data.datasets.flatMap((d) => d.algorithms || (d.algorithm ? [d.algorithm] : [])))]]))"""
        with chromium.Page() as page:
            page.open(file)
            seen = page.evaluate(series)
            self.assertEqual(sorted(seen), ["contribution", "curves", "decisions", "links", "speedup", "staleness",
                                            "target", "time"])
            for name in ("curves", "time", "links", "contribution"):
                self.assertEqual(seen[name], list(ALGORITHMS), name)
            self.assertEqual(seen["target"], ["async", "local", "sync", "slow"])
            self.assertEqual(seen["staleness"], ["async"])
            # As in the figures: a marker of its own, a few of them on a line.
            styles = page.evaluate("motley.charts.curves.data.datasets.filter((d) => d.algorithm && !d.band).map((d) => d.pointStyle)")
            self.assertEqual(styles, ["circle", "rect", "triangle", report.POINTS[Look(["slow"]).marker("slow")]])
            drawn = page.evaluate("motley.charts.curves.getDatasetMeta(0).data.filter((p) => p.options.radius > 0).length")
            self.assertTrue(8 <= drawn <= 10, drawn)
            self.assertEqual(seen["decisions"], ["local"])
            page.evaluate("document.querySelector('#algorithms [data-label=async]').click()")
            hidden = page.evaluate(series)
            for name, shown in hidden.items():
                self.assertNotIn("async", shown, name)
            self.assertTrue(page.evaluate("document.querySelector('tr[data-label=async]').hidden"))
            page.evaluate("document.querySelector('#algorithms [data-label=async]').click()")
            self.assertEqual(page.evaluate(series), seen)
            # Something is painted: not all pixels of the curves' canvas are the same.
            self.assertGreater(page.evaluate("""new Set(new Uint32Array(document.querySelector('[data-chart=curves] canvas')
                .getContext('2d').getImageData(0, 0, 600, 250).data.buffer)).size"""), 3)
            self.check_quiet(page)

    def test_choosing_and_zooming_change_what_is_shown(self):
        file = self.write()
        with chromium.Page() as page:
            page.open(file)
            page.evaluate("""(() => { const x = document.querySelector('[data-chart=curves] [data-choice=x]');
                x.value = 'updates'; x.dispatchEvent(new Event('change')); })()""")
            self.assertEqual(page.evaluate("motley.charts.curves.options.scales.x.title.text"), "updates of the global model")
            self.assertEqual(page.evaluate("motley.charts.curves.scales.x.max"), 3000)
            page.evaluate("document.querySelector('[data-chart=curves] [data-zoom=\"0.5\"]').click()")
            self.assertEqual(page.evaluate("motley.charts.curves.scales.x.max"), 1500)
            page.evaluate("document.querySelector('[data-chart=curves] [data-zoom=all]').click()")
            self.assertEqual(page.evaluate("motley.charts.curves.scales.x.max"), 3000)
            page.evaluate("""(() => { const c = motley.charts.curves, box = c.canvas.getBoundingClientRect();
                const at = (share) => ({ pointerType: 'mouse', bubbles: true, clientX: box.left + c.chartArea.left + share * c.chartArea.width });
                c.canvas.dispatchEvent(new PointerEvent('pointerdown', at(0.25)));
                c.canvas.dispatchEvent(new PointerEvent('pointermove', at(0.75)));
                window.dispatchEvent(new PointerEvent('pointerup', at(0.75))); })()""")
            self.assertAlmostEqual(page.evaluate("motley.charts.curves.scales.x.min"), 750, delta=10)
            self.assertAlmostEqual(page.evaluate("motley.charts.curves.scales.x.max"), 2250, delta=10)
            self.check_quiet(page)

    def test_a_sweep_of_a_hundred_runs_loads_at_once_and_shows_its_axis(self):
        file = self.write(axes={RATIO: [1, 2, 4, 8, 16]}, replicas=5, trace=False)
        self.assertLess(file.stat().st_size, 3e6)
        with chromium.Page() as page:
            page.open(file)
            self.assertIn("sweep", page.evaluate("Object.keys(motley.charts)"))
            self.assertEqual(page.evaluate("motley.charts.sweep.data.datasets[0].data.map((p) => p.x)"), [1, 2, 4, 8, 16])
            # The table and the list of what decides.
            shown = "[...document.querySelectorAll('[data-point]')].filter((e) => !e.hidden).map((e) => e.dataset.point)"
            self.assertEqual(page.evaluate(shown), ["spread ratio = 1"] * 2)
            page.evaluate("""(() => { const p = document.querySelector('[data-choice=point]');
                p.value = 'spread ratio = 8'; p.dispatchEvent(new Event('change')); })()""")
            self.assertEqual(page.evaluate(shown), ["spread ratio = 8"] * 2)
            steps = page.evaluate("motley.charts.decisions.data.datasets.length")
            self.assertEqual(steps, 4)  # one line per worker, at this point as at the first
            self.check_quiet(page)

    def test_a_phone_in_the_dark_scrolls_only_down(self):
        file = self.write()
        with chromium.Page(width=390, height=800, dark=True) as page:
            page.open(file)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
            self.assertEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(20, 23, 26)")
            self.assertEqual(page.evaluate("motley.charts.curves.options.scales.x.ticks.color"), "#e8eaed")
            self.check_quiet(page)

    def test_names_that_look_like_markup_or_are_long_leave_a_page_that_works(self):
        hostile = {"local": "<!--<script>", "gpu0": "</script><script>alert(1)</script>", "slow": "s" * 250, "cpu": "'\"&amp;\u2028"}
        write_results(self.folder, ALGORITHMS)
        for file in self.folder.glob("*"):
            content = file.read_text()
            for plain, name in hostile.items():
                cell = json.dumps(name)[1:-1] if file.suffix == ".json" else name.replace('"', '""')
                quoted = rf'(?<![\w"]){plain}([^,\n]*)'
                content = content.replace(plain, cell) if file.suffix == ".json" else \
                    re.sub(quoted, lambda m, cell=cell: f'"{cell}{m[1]}"', content)
            file.write_text(content)
        file = self.folder / "report.html"
        file.write_text(page_of(self.folder, report.library()))
        with chromium.Page(width=390, height=800) as page:
            page.open(file)
            self.assertEqual(page.evaluate("motley.data.algorithms"), ["sync", "async", "<!--<script>", "s" * 250])
            self.assertIn("</script><script>alert(1)</script>", page.evaluate("motley.data.contribution.all.map((r) => r.worker)"))
            self.assertEqual(page.evaluate("motley.charts.target.data.labels"),
                             ["async", "<!--<script>", "sync", "s" * 16 + "…" + "s" * 15 + " (not reached)"])
            self.assertEqual(page.evaluate("document.querySelectorAll('script').length"), 3)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
            self.check_quiet(page)

    def test_empty_and_failed_results_open_without_a_complaint(self):
        with chromium.Page() as page:
            for name, statuses in (("empty", None), ("failed", {f"{a}-0": "failed" for a in ALGORITHMS})):
                folder = self.folder / name
                folder.mkdir()
                if statuses:
                    write_results(folder, ALGORITHMS, replicas=1, statuses=statuses, trace=False, decisions=False)
                (folder / "report.html").write_text(page_of(folder, report.library()))
                page.open(folder / "report.html")
                self.assertTrue(page.evaluate("document.querySelector('#answer').innerText.length > 0"))
                self.check_quiet(page)


if __name__ == "__main__":
    if "InChromium" in sys.argv and (chromium.PROGRAM is None or report.library() is None):
        print("SKIPPED: the report was not opened in a browser: install chromium and libjs-chart.js", file=sys.stderr)
        sys.exit(77)
    unittest.main()
