"""scenarios/papers: the page's table follows from what is committed, and the orders it calls supported show in shortened runs."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "analysis"))

import claims
from pictures import paired

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


class Paired(unittest.TestCase):
    def test_student_s_t_has_the_quantiles_of_the_tables(self):
        for degrees, t in ((1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (30, 2.042)):
            self.assertAlmostEqual(paired.quantile(degrees), t, delta=6e-4)
            self.assertAlmostEqual(paired.two_sided_p(t, degrees), 0.05, delta=1e-4)

    def test_a_ratio_is_the_geometric_mean_of_the_pairs(self):
        ratio, low, high, p = paired.ratio([1, 1, 1], [2, 2, 2])
        self.assertEqual((ratio, low, high, p), (2, 2, 2, 0))
        ratio, low, high, p = paired.ratio([1, 4], [4, 1])
        self.assertAlmostEqual(ratio, 1)
        self.assertAlmostEqual(low * high, 1)
        self.assertAlmostEqual(p, 1)

    def test_holm_multiplies_the_smallest_chance_most_and_keeps_the_order(self):
        corrected = paired.holm({"a": 0.01, "b": 0.04, "c": 0.03})
        self.assertEqual({key: round(p, 6) for key, p in corrected.items()}, {"a": 0.03, "c": 0.06, "b": 0.06})


if __name__ == "__main__":
    unittest.main()
