"""What the report says of the reasons: how it was tuned, what decides, what to beware of."""
import html
import json
import re
import unittest

from report_case import ALGORITHMS, RATIO, ROOT, FolderCase, page_of
from pictures import how_tuned, report, resolution, what_decides, words
from pictures.results import Results
from results_fixture import WHATIF, write_comparisons, write_csv, write_results, write_tuned, write_whatif


class Reasons(FolderCase):
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
            # The grid is a row of equal ratios, 0.01, 0.0316..., 0.1, ...; write_tuned() tries 0.03 and 0.3 instead.
            "Tried for sync, async and local: step_size 0.01, 0.1 and 1 of the grid 0.01 to 1 in 5 steps (log), without "
            "0.0316227766017 and 0.316227766017, and outside it 0.03 and 0.3.",
            "Not tuned, with the values given in the scenario: slow.",
            "Warning: chosen at the edge of the grid, so that better may lie beyond: async (step_size 1)."])
        html = page_of(self.folder)
        self.assertIn('<section id="tuned"><h2>Tuning</h2>', html)
        self.assertIn("<td>async</td><td>step_size 1</td><td>5</td><td>9</td><td>at the edge of its grid</td>", html)
        self.assertIn("<td>sync</td><td>step_size 0.3</td><td>5</td><td>9</td><td></td>", html)

    def write_candidates(self, tried, axes=()):
        """tried: (algorithm, {column: value}) per row of tuned.csv; the first of each algorithm is chosen."""
        rows = [{"algorithm": label, "candidate": i, "seeds": 1, "chosen": int(label not in [l for l, _ in tried[:i]]), "at_edge": 0, **given}
                for i, (label, given) in enumerate(tried)]
        write_csv(self.folder / "tuned.csv", ["algorithm", "candidate", *axes, "step_size", "staleness", "rung", "seeds", "reached",
                                              "broken", "time_to_target_s", "best_test_accuracy", "final_test_loss", "chosen", "at_edge"], rows)
        return how_tuned.sentences(Results(self.folder))

    def test_what_was_tried_is_told_from_the_candidates_and_not_from_the_grid(self):
        write_results(self.folder, ("sync", "async", "local"))
        self.with_tuning({"step_size": {"from": 0.001, "to": 1, "steps": 4, "scale": "log"}, "runs": 8}, local={"staleness": [1, 4]})
        told = self.write_candidates([("sync", {"step_size": s}) for s in (0.001, 0.1, 1, 0.0001)] +
                                     [("async", {"step_size": s}) for s in (0.001, 0.01, 0.1, 1)] +
                                     [("local", {"step_size": s, "staleness": b}) for s, b in ((0.001, 1), (0.01, 4), (0.1, 1), (1, 4))])
        tried = [line for line in told if line.startswith("Tried")]
        self.assertEqual(tried, [
            "Tried for sync: step_size 0.001, 0.1 and 1 of the grid 0.001 to 1 in 4 steps (log), without 0.01, and outside it 0.0001.",
            "Tried for async: step_size the whole grid 0.001 to 1 in 4 steps (log).",
            # Four step sizes times two bounds are eight.
            "Tried for local: step_size the whole grid 0.001 to 1 in 4 steps (log); staleness the whole grid 1, 4; "
            "4 of the 8 combinations of these grids."])

    def test_what_was_tried_at_some_points_only_is_said(self):
        write_results(self.folder, ("sync",), axes={RATIO: [1, 4]})
        self.with_tuning({"step_size": [0.1, 0.2], "runs": 3})
        told = self.write_candidates([("sync", {"step_size": s, RATIO: r}) for r, s in ((1, 0.1), (1, 0.2), (4, 0.1), (4, 0.05))], [RATIO])
        self.assertIn("Tried for sync: step_size 0.1, at some points only 0.2 of the grid 0.1, 0.2, and outside it at some points only 0.05.", told)

    def test_what_decides_is_said_by_the_rule_of_the_terminal(self):
        write_results(self.folder)
        write_whatif(self.folder, ["sync", "async"])
        # In the order in which whatif.csv names them; what has no number there is not told.
        line = ("bottleneck: speed of cpu (twice the speed of cpu: 1.38x updates/s; twice the bandwidth: 1.30x; twice the "
                "server's bandwidth: 1.26x; no noise: 1.02x)")
        self.assertEqual(what_decides.lines(Results(self.folder)), {"sync": line, "async": line})
        page = page_of(self.folder)
        why = page[page.index('<section id="why">'):page.index('<section id="sure">')]
        self.assertIn('<h3 id="decides">What decides</h3>', why)
        self.assertIn(f'<li data-label="sync"><b>sync</b>: {html.escape(line)}</li>', why)
        self.assertNotIn("near 1", page.lower())
        self.assertNotIn('id="decides"', page_of(write_results(self.folder / "not_asked")))

    def test_a_file_that_does_not_say_what_is_worth_naming_is_no_ground_for_a_bottleneck(self):
        write_results(self.folder)
        write_csv(self.folder / "whatif.csv", [column for column in WHATIF if column not in ("named", "bottleneck")],
                  [{"algorithm": "sync", "change": "as_is", "gain": 1}, {"algorithm": "sync", "change": "no_latency", "gain": 1.5}])
        results = Results(self.folder)
        self.assertEqual(what_decides.lines(results), {})
        self.assertIn("whatif.csv (no columns named, bottleneck)", results.missing)

    def test_what_was_not_tried_is_said_and_fewer_workers_are_no_bottleneck(self):
        write_results(self.folder)
        rows = [{"change": "as_is", "gain": 1, "samples_per_s": 80}, {"change": "no_latency", "gain": 0.9, "samples_per_s": 72},
                {"change": "without:cpu", "gain": 2.5, "samples_per_s": 100, "named": 1, "bottleneck": 0},  # 100 / 80 = 1.25
                {"change": "server_bandwidth_x2", "reason": "there is no server"}]
        write_csv(self.folder / "whatif.csv", WHATIF,
                  [{"algorithm": "sync", **row} for row in rows])
        results = Results(self.folder)
        self.assertEqual(what_decides.lines(results), {"sync": "without cpu: 2.50x updates/s, 1.25x samples/s"})
        self.assertEqual(what_decides.notes(results), ["twice the server's bandwidth: not tried: there is no server"])

    def test_where_few_updates_or_lockstep_explain_a_gain_it_is_said_in_the_words_of_the_terminal(self):
        write_results(self.folder)
        write_whatif(self.folder, ["sync", "async"], {("sync", "as_is"): "few_updates", ("async", "no_noise"): "lockstep"})
        told = ["sync: few updates (100): a longer run may have other gains",
                "async: no noise: 1.02x updates/s, as equal workers without noise keep in step and share the links"]
        self.assertEqual(what_decides.notes(Results(self.folder)), told)
        page = page_of(self.folder)
        for line in told:
            self.assertIn(f'<p class="note">{html.escape(line)}</p>', page)
        terminal = (ROOT / "sim" / "cli" / "tables" / "whatif_lines.cpp").read_text()
        for words_of_both in ("): a longer run may have other gains", " updates/s, as equal workers without noise keep in step and share the links"):
            self.assertIn(words_of_both, terminal)
        write_whatif(self.folder, [f"a{i}" for i in range(20)], {("a0", "as_is"): "few_updates"})
        self.assertEqual(what_decides.notes(Results(self.folder)), [])  # too many to be told

    def test_evaluations_too_coarse_for_a_time_to_target_are_warned_of(self):
        write_results(self.folder, ("sync", "async"))
        said = "crossed the target before its second evaluation, so its time to target is hardly known: evaluate more often (/evaluate/every)"
        write_csv(self.folder / "warnings.csv", ["run", "kind", "text"],
                  [{"run": "sync-0", "kind": "coarse", "text": f'"{said}"'}])
        self.assertIn(f"<li>sync-0 {said}</li>", page_of(self.folder))

    def test_over_a_sweep_the_bottlenecks_are_counted_and_told_point_by_point(self):
        write_results(self.folder, ("sync",), axes={RATIO: [1, 4, 16]})
        gains = {1: {"no_latency": 1.5}, 4: {"no_latency": 1.2, "compute_x2": 1.1}, 16: {"no_latency": 1.0, "compute_x2": 1.7}}
        named = {1: ["no_latency"], 4: ["no_latency", "compute_x2"], 16: ["compute_x2"]}
        write_csv(self.folder / "whatif.csv", [*WHATIF, RATIO],
                  [{"algorithm": "sync", RATIO: ratio, "change": change, "gain": gain, "bottleneck": int(change == named[ratio][0]),
                    "named": named[ratio].index(change) + 1 if change in named[ratio] else None}
                   for ratio, mine in gains.items() for change, gain in {"as_is": 1, **mine}.items()])
        results = Results(self.folder)
        self.assertEqual(what_decides.lines(results), {"sync": "bottleneck: latency at 2 points, compute speed at 1 point"})
        self.assertEqual(what_decides.lines(results, (4,)),
                         {"sync": "bottleneck: latency (no latency: 1.20x updates/s; twice the compute speed: 1.10x)"})
        page = page_of(self.folder)
        self.assertIn('<div data-point="spread ratio = 16"><p>At spread ratio = 16:</p><ul><li data-label="sync"><b>sync</b>: '
                      "bottleneck: compute speed (", page)

    def test_the_resolution_of_time_to_target_is_said_where_neighbours_are_within_it(self):
        def said_of(later_by, gap, within):
            write_results(self.folder, ("sync", "async"))
            write_comparisons(self.folder, [
                {"algorithm": "async", "against": "sync", "verdict": "faster", "later_by_s": later_by, "resolution_s": gap,
                 "within_resolution": within},
                {"algorithm": "sync", "against": "async", "verdict": "slower", "later_by_s": -later_by, "resolution_s": gap,
                 "within_resolution": within}])
            results = Results(self.folder)
            return resolution.lines(results), report.page(results, [], [], self.folder, None)
        self.assertEqual(said_of(64, 3, 0)[0], [])
        # The simulator says it; it is not worked out again from the times.
        self.assertEqual(said_of(2.5, 3, 0)[0], [])
        self.assertEqual(said_of(2.5, 3, None)[0], [])
        lines, page = said_of(2.5, 3, 1)
        self.assertEqual(lines, ["Resolution of time to target: 3.00 s between evaluations (/evaluate/every) or merges; "
                                 "within it: async and sync."])
        self.assertIn("<li>Resolution of time to target: 3.00 s", page)

    def test_in_a_sweep_the_pairs_within_the_resolution_are_named_with_their_points(self):
        write_results(self.folder, ("sync", "async"), axes={RATIO: [1, 4]})
        write_comparisons(self.folder, [
            {"algorithm": a, "against": b, RATIO: ratio, "verdict": "undecided", "later_by_s": 1, "resolution_s": 3,
             "within_resolution": 1}
            for ratio in (1, 4) for a, b in (("sync", "async"), ("async", "sync"))])
        self.assertTrue(resolution.lines(Results(self.folder))[0].endswith(
            "; within it: async and sync at spread ratio = 1, async and sync at spread ratio = 4."))

    def test_warnings_of_tuning_name_the_algorithm_and_the_point(self):
        write_results(self.folder, ("sync", "async"), axes={RATIO: [1, 4]})
        runs = Results(self.folder).runs
        first = runs[(runs["algorithm"] == "async") & (runs[RATIO] == 4)]["run"].iloc[0]
        write_csv(self.folder / "warnings.csv", ["run", "kind", "text"], [
            {"run": first, "kind": "at_edge", "text": "was tuned to the edge"}, {"run": first, "kind": "chance_level", "text": "is lost"}])
        self.assertEqual(words.run_warnings(Results(self.folder)),
                         ["async at spread ratio = 4 was tuned to the edge", f"{first} is lost"])

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

    def test_a_warning_of_several_runs_alike_is_one_line_that_names_them_if_they_are_few(self):
        write_results(self.folder, ("sync", "async"), replicas=5)
        warned = [f"sync-{i}" for i in range(4)] + [f"async-{i}" for i in range(3)]
        write_csv(self.folder / "warnings.csv", ["run", "kind", "text"], [{"run": r, "kind": "odd", "text": "is odd"} for r in warned])
        self.assertEqual(words.run_warnings(Results(self.folder)),
                         ["sync (4 of 5 runs) is odd", "async (3 of 5 runs: async-0, async-1, async-2) is odd"])

    def test_runs_that_broke_alike_are_one_line(self):
        write_results(self.folder, ("sync", "async"), replicas=3, statuses={"sync-0": "diverged", "sync-2": "diverged", "async-1": "failed"})
        reason = {run["run"]: run["reason"] for _, run in Results(self.folder).runs.iterrows()}
        self.assertEqual(words.broken_runs(Results(self.folder)),
                         [f"sync (2 of 3 runs: sync-0, sync-2) diverged: {reason['sync-0']}", f"async-1 failed: {reason['async-1']}"])

    def test_a_warning_of_all_of_few_runs_does_not_list_them(self):
        write_results(self.folder, ("sync", "async"), replicas=2)
        write_csv(self.folder / "warnings.csv", ["run", "kind", "text"], [
            {"run": run, "kind": "odd", "text": "is odd"} for run in ("sync-0", "sync-1", "async-1")])
        self.assertEqual(words.run_warnings(Results(self.folder)), ["sync (2 of 2 runs) is odd", "async-1 is odd"])

    def test_a_warning_of_tuning_at_few_points_names_them_in_one_line(self):
        write_results(self.folder, ("sync",), axes={RATIO: [1, 4, 16]})
        runs = Results(self.folder).runs.drop_duplicates(RATIO)
        write_csv(self.folder / "warnings.csv", ["run", "kind", "text"], [
            {"run": run, "kind": "at_edge", "text": "was tuned to the edge"} for run in runs["run"].iloc[1:]])
        self.assertEqual(words.run_warnings(Results(self.folder)),
                         ["sync (at 2 points: spread ratio = 4, spread ratio = 16) was tuned to the edge"])


if __name__ == "__main__":
    unittest.main()
