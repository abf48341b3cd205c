"""scenarios/papers: the page's table follows from what is committed, and the orders it calls supported show in shortened runs."""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "analysis"))

import claims

PAPERS = ROOT / "scenarios" / "papers"
# Stands in for CIFAR-10, which has to be fetched: what is asserted below is about times.
IMAGES = {"kind": "synthetic", "train": 500, "test": 100, "features": 3072, "shape": [3, 32, 32], "classes": 10}


def short_runs(name, **changes):
    """(point of the sweep, algorithm) -> row of runs.csv. `changes` are values at the top of the scenario; None removes one."""
    with tempfile.TemporaryDirectory() as place:
        words = [word for key, value in ({"replicas": 1} | changes).items() for word in ("--set", f"/{key}={json.dumps(value)}")]
        told = subprocess.run([os.environ["MOTLEY_BINARY"], "run", PAPERS / f"{name}.json", "--no-whatif", "-q", "--out", "short", *words],
                              cwd=place, capture_output=True, text=True)
        if told.returncode != 0:
            raise AssertionError(told.stderr)
        with open(pathlib.Path(place) / "short" / "runs.csv", newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
    axes = [key for key in rows[0] if key.startswith("/")]
    return {(*(row[axis] for axis in axes), row["algorithm"]): row for row in rows}


def times(rows):
    return {key: float(row["virtual_s"]) for key, row in rows.items()}


class Orders(unittest.TestCase):
    def test_batches_by_speed_save_time_in_proportion_to_how_uneven_the_ring_is(self):
        speeds = ["100Gf", "200Gf", "800Gf"]
        taken = times(short_runs("allocation", stop={"epochs": 1}, sweep={"/cluster/workers/0/speed": speeds}))
        self.assertEqual(taken["100Gf", "static"], taken["100Gf", "equal"])
        saved = [1 - taken[speed, "static"] / taken[speed, "equal"] for speed in speeds]
        # 1 - v_min/mean(v) of computing alone, less what the ring takes, which is the same for all
        for share, computing in zip(saved, (0, 1 / 3, 7 / 9)):
            self.assertLessEqual(share, computing + 0.01)
            self.assertGreater(share, computing - 0.05)

    def test_a_stronger_worker_and_a_weak_one_more_help_only_with_batches_by_speed(self):
        scenario = json.loads((PAPERS / "allocation_cluster.json").read_text(encoding="utf-8"))
        clusters = scenario["sweep"]["/cluster/workers"][:3]
        taken = times(short_runs("allocation_cluster", stop={"epochs": 1}, sweep={"/cluster/workers": clusters}))
        four, stronger, weak = dict.fromkeys(point for point, _ in taken)
        self.assertAlmostEqual(taken[stronger, "equal"] / taken[four, "equal"], 1, delta=0.01)
        self.assertLess(taken[stronger, "static"], 0.75 * taken[four, "static"])
        self.assertGreater(taken[weak, "equal"], 2 * taken[four, "equal"])
        self.assertLess(taken[weak, "static"], 0.96 * taken[four, "static"])

    def test_an_iteration_of_od_sgd_takes_the_longer_of_computing_and_communicating(self):
        bandwidths = ["100Gbps", "8Gbps", "1Gbps"]
        taken = times(short_runs("od_sgd_throughput", stop={"updates": 40}, replicas=1, **{"cluster/noise": None},
                                 sweep={"/cluster/server/link/bandwidth": bandwidths}))
        for bandwidth in bandwidths:
            self.assertLessEqual(taken[bandwidth, "od_sgd"], taken[bandwidth, "sync"])
            self.assertLessEqual(taken[bandwidth, "od_sgd_2_in_flight"], taken[bandwidth, "od_sgd"] * (1 + 1e-9))
        computing = 32 * 242.4e6 / 400e9  # of 32 samples of ResNet-20
        self.assertAlmostEqual(taken["100Gbps", "od_sgd"] / 40, computing, delta=0.1 * computing)
        communicating = 2 * 8 * 1.079e6 * 8 / 1e9  # eight models through a port of 1 Gbps, each way
        self.assertAlmostEqual(taken["1Gbps", "od_sgd"] / 40, communicating, delta=0.1 * communicating)

    def test_at_32_to_1_steps_by_speed_compute_about_32_times_as_much_as_sync(self):
        rows = short_runs("biased_local", stop={"time": "1.6s"}, data=IMAGES, tune=None, target=None, evaluate={"every": "1s"},
                          defaults={"batch_size": 32, "momentum": 0.9, "step_size": 0.001},
                          algorithms=[{"name": "sync"}, {"name": "biased_local", "local_steps": 32}])
        samples = {key[0]: int(row["samples"]) for key, row in rows.items()}
        # In a round each of 8 GPUs makes 32 steps and each of 2 CPUs one, where sync makes one of all ten.
        self.assertAlmostEqual(samples["biased_local"] / samples["sync"], (8 * 32 + 2) / 10, delta=2.6)


class Table(unittest.TestCase):
    def test_it_follows_from_the_claims_and_the_results_that_are_committed(self):
        self.assertEqual(claims.table(list(claims.judged(claims.listed(PAPERS), PAPERS))), (PAPERS / "claims.csv").read_text(encoding="utf-8"),
                         "make it anew: python3 analysis/claims.py scenarios/papers")

    def test_an_interval_is_held_against_what_is_claimed(self):
        self.assertEqual(claims.against_range(1.1, 1.3, [1.2, 3.7]), "within")
        self.assertEqual(claims.against_range(1.0, 1.1, [1.2, 3.7]), "below")
        self.assertEqual(claims.against_range(4.0, 5.0, [1.2, 3.7]), "above")
        self.assertEqual(claims.against_range(4.0, 5.0, [1.2, None]), "within")


class Decisions(unittest.TestCase):
    """What has no target is decided by the program, too."""

    def measured(self, runs, **claim):
        """runs: (point, algorithm) -> values, one per replica."""
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            (folder / "results" / "made_up").mkdir(parents=True)
            with open(folder / "results" / "made_up" / "runs.csv", "w", newline="", encoding="utf-8") as stream:
                writer = csv.writer(stream)
                writer.writerow(["algorithm", "replica", claim["quantity"], "/x"])
                for (point, algorithm), values in runs.items():
                    writer.writerows([algorithm, replica, value, point] for replica, value in enumerate(values))
            return claims.measured({"results": "made_up", "algorithm": "a", "against": "b", "at": {"x": "1"}} | claim, folder)

    def test_more_accuracy_and_less_loss_are_better(self):
        runs = {("1", "a"): [0.80, 0.82, 0.84], ("1", "b"): [0.40, 0.405, 0.43], ("2", "a"): [0.1, 0.1, 0.1]}
        ratio, low, high, bound, decided = self.measured(runs, quantity="final_test_accuracy")
        self.assertAlmostEqual(ratio, (0.80 * 0.82 * 0.84 / (0.40 * 0.405 * 0.43)) ** (1 / 3))
        self.assertTrue(1 < low < ratio < high)
        self.assertEqual((bound, decided), ("", True))
        less = self.measured(runs, quantity="final_test_loss")
        self.assertAlmostEqual(less[0], 1 / ratio)
        self.assertTrue(less[4])

    def test_pairs_that_never_vary_have_no_interval_and_are_not_decided(self):
        ratio, low, high, _, decided = self.measured({("1", "a"): [23] * 3, ("1", "b"): [1] * 3}, quantity="epochs")
        self.assertAlmostEqual(ratio, 23)
        self.assertTrue(math.isnan(low) and math.isnan(high))
        self.assertFalse(decided)

    def test_two_points_are_corrected_for_all_pairs_at_both(self):
        # Logarithms of a at the two points differ by m - d, m, m + d with m = 10 d / sqrt(3): t = 10 with two degrees of freedom, so
        # p = 1 - t / sqrt(2 + t^2) = 0.0099. Four algorithms and points make six pairs, and 6 p = 0.059.
        d = 0.1
        logs = [10 * d / math.sqrt(3) + x for x in (-d, 0, d)]
        runs = {("1", "a"): [1, 1, 1], ("2", "a"): [math.exp(x) for x in logs]}
        claim = {"quantity": "final_test_loss", "against": "a", "against_at": {"x": "2"}}
        self.assertTrue(self.measured(runs, **claim)[4])  # alone, it needs no correction
        noisy = {("1", "b"): [3, 0.3, 1.5], ("2", "b"): [0.4, 2, 1]}
        ratio, low, _, _, decided = self.measured(runs | noisy, **claim)
        self.assertAlmostEqual(ratio, math.exp(10 * d / math.sqrt(3)))
        self.assertGreater(low, 1)
        self.assertFalse(decided)


if __name__ == "__main__":
    unittest.main()
