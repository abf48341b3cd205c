"""The report's answer: who is first, by how much, and how sure that is."""
import math
import re
import unittest

from report_case import ALGORITHMS, RATIO, FolderCase, page_of
from pictures import report, verdicts, what_to_do, words
from pictures.figures import best
from pictures.results import Results
from results_fixture import write_results


class Answer(FolderCase):
    def test_the_question_says_who_takes_part(self):
        results = Results(write_results(self.folder))
        self.assertEqual(words.question(results),
                         "4 workers: 2 gpu (4 Tf/s each) and 2 cpu (1 Tf/s each); the fastest is 4 times as fast as the "
                         "slowest. Links of 10Gbps, 50us latency. Model: mlp, trained on synthetic. Which of sync, async and "
                         "local reaches 80 % test accuracy first? Runs stop at time 300s.")

    def test_the_first_lines_say_what_was_trained_and_what_was_modelled(self):
        results = Results(write_results(self.folder))
        small_one = ("Times and bytes are those of the modelled architecture; accuracy and loss are those of the small model that was "
                     "trained. 4 workers: ")
        for cost, modelled in (({"profile": "resnet50", "model_size": "auto"}, "resnet50"),
                               ({"profile": [{"flops": "1Gf", "bytes": "1MB"}]}, "a model of 1 layer"),
                               ({"flops_per_sample": "10Gf", "model_size": "10MB"},
                                "a model of 10Gf per sample and 10MB on the wire")):
            results.scenario["cost"] = cost
            self.assertTrue(words.question(results).startswith(f"Trained: mlp. Modelled: {modelled}. {small_one}"), words.question(results))
        results.scenario["model"] = {"kind": "none"}
        self.assertTrue(words.question(results).startswith("Modelled: a model of 10Gf per sample and 10MB on the wire. Nothing is trained"))
        results.scenario["cost"] = {"flops_per_sample": "auto", "model_size": "auto"}
        self.assertTrue(words.question(results).startswith("4 workers: "))

    def test_the_answer_names_the_first_how_much_and_who_never(self):
        results = Results(write_results(self.folder, ALGORITHMS))
        self.assertEqual(words.answer_at(results, ()), [
            "async reaches 80 % test accuracy in 42.3 s, 2.50x (95 %: 2.25 to 2.75) as fast as sync.",
            "Slower: local 70.5 s and sync 106 s.", "slow never reaches it."])

    def test_what_the_simulator_leaves_undecided_is_said_to_be(self):
        results = Results(write_results(self.folder, ("sync", "async", "local"), undecided=[("async", "local")]))
        self.assertEqual(words.answer_at(results, ())[1:], [
            "Undecided against it, after correction for the number of pairs or within the resolution: local 70.5 s.", "Slower: sync 106 s."])
        # The same of a pair the other way round: nothing is decided here.
        results.summary.at[1, "verdicts"] = {"local": "slower", "sync": "faster"}
        self.assertEqual(words.answer_at(results, ())[1:], [
            "Placed behind it, though faster by the paired test: local 70.5 s.", "Slower: sync 106 s."])

    def test_a_verdict_that_is_missing_is_undecided_wherever_it_is_shown(self):
        results = Results(write_results(self.folder, ("sync", "async", "local")))
        results.summary["verdicts"] = [{}, {"sync": "faster"}, {}]  # nothing is said of async against local
        first = results.summary.iloc[1]
        self.assertEqual([verdicts.verdict_against(first, other) for other in ("sync", "local")], ["faster", "undecided"])
        self.assertIn("Undecided against it, after correction for the number of pairs or within the resolution: local 70.5 s.",
                      words.answer_at(results, ()))
        self.assertIn("local cannot be told from it", what_to_do.sentences(results)[0])
        self.assertEqual(best.winner(results.summary)[2], "local")
        for nothing in (None, math.nan, "", "fast"):
            self.assertTrue(verdicts.is_undecided(first.to_dict() | {"verdict": nothing}))
        self.assertFalse(verdicts.is_undecided(first))

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
        self.assertIn(", at least 2.25x as fast as sync.", words.answer_at(results, ())[0])  # 0.9 * 2.5: what the data support
        self.assertIn("<td>&gt; 2.25x</td>", report.table_html(results))
        results.summary["speedup_low"] = 0.001
        self.assertIn(" (no bound on its speed-up over sync).", words.answer_at(results, ())[0])
        self.assertIn("<td>no bound</td>", report.table_html(results))
        drawn = {row["algorithm"]: row for row in report.summary_data(results, ())}["async"]
        self.assertEqual((drawn["speedup"], drawn["mark"]), (None, "no bound"))
        results.summary[["speedup_low", "speedup_high"]] = float("nan")  # one pair
        self.assertIn("<td>&gt; 2.50x</td>", report.table_html(results))

    def test_an_interval_that_is_open_is_said_so(self):
        write_results(self.folder, ("sync", "async"))
        results = Results(self.folder)
        results.summary.loc[1, "time_to_target_high_s"] = float("nan")
        page = report.page(results, [], [], self.folder / "figures", "")
        self.assertIn("<td>42.3 s<small>[40.2, open]</small></td>", page)
        self.assertNotIn("nan", report.table_html(results).lower())
        drawn = {row["algorithm"]: row for row in report.summary_data(results, ())}["async"]
        self.assertEqual((drawn["time_to_target_low_s"], drawn["time_to_target_high_s"]),
                         (float(f"{results.summary.loc[1, 'time_to_target_low_s']:.5g}"), None))
        results.summary.loc[1, "reached"] = 2  # a bound has none
        self.assertIn("<td>&gt; 42.3 s</td>", report.table_html(results))
        lines = (self.folder / "summary.csv").read_text()
        (self.folder / "summary.csv").write_text(lines.replace("time_to_target_high_s", "something_else"))
        self.assertNotIn("[40.2, open]", page_of(self.folder))  # unknown is not open

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

    def test_curves_of_real_models_and_of_oracles_are_two(self):
        write_results(self.folder, replicas=5, merged_every_s={"local": 30})
        drawn = report.page_data(Results(self.folder))["curves"]["all"]["test_accuracy/time_s"]
        self.assertEqual(drawn["local"]["x"], list(range(0, 301, 30)))
        self.assertEqual(len(drawn["local"]["low"]), 11)
        self.assertEqual(drawn["local"]["oracle"]["x"], [time for time in range(0, 301, 3) if time % 30])
        self.assertEqual(drawn["local"]["oracle"]["name"], "local: if merged there (oracle)")
        self.assertNotIn("oracle", drawn["sync"])

    def test_a_bound_has_no_interval_in_the_table_and_times_cut_on_both_sides_are_marked(self):
        results = Results(write_results(self.folder, ("sync", "async", "local")))
        results.summary["speedup_bound"] = ["", "at_least", "mixed"]
        results.summary.loc[1, "reached"] = 2
        table = report.table_html(results)
        mean = words.seconds(results.summary.loc[1, "time_to_target_mean_s"])
        self.assertIn(f"<td>&gt; {mean}</td><td>&gt; 2.25x</td><td>2 of 3</td>", table)
        self.assertIn("<td>1.50x<small>1.35x to 1.65x</small><small>(cut)</small></td>", table)
        drawn = {row["algorithm"]: row for row in report.summary_data(results, ())}
        self.assertEqual([drawn["async"][c] for c in ("time_to_target_low_s", "time_to_target_high_s", "speedup_low", "speedup_high")],
                         [None] * 4)
        self.assertIsNotNone(drawn["local"]["speedup_low"])

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


if __name__ == "__main__":
    unittest.main()
