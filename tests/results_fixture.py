"""Results folders for the tests of analysis/, written as motley run writes them (README, column tables).

Their curves are made up: an algorithm's accuracy approaches 0.9 at its own rate, so that who is first is known."""
import itertools
import json
import math
import pathlib

TARGET = 0.8
HORIZON_S = 300
RATES = {"sync": 0.02, "async": 0.05, "local": 0.03, "slow": 0.004}  # "slow" never reaches the target
CLASSES = [("gpu", 4e12), ("gpu", 4e12), ("cpu", 1e12), ("cpu", 1e12)]


def write_csv(file, columns, rows):
    lines = [",".join(columns)]
    for row in rows:
        lines.append(",".join("" if row.get(c) is None else str(row[c]) for c in columns))
    file.write_text("\n".join(lines) + "\n")


def rate_at(label, point):
    rate = RATES[label]
    for value in point.values():  # uneven speeds hurt those who wait
        rate /= value ** 0.5 if label == "sync" and isinstance(value, (int, float)) else 1
    return rate


def time_to_target(rate, replica):
    time = -math.log(1 - TARGET / 0.9) / (rate * (1 + 0.04 * replica))
    return time if time < HORIZON_S else None


def mean_and_interval(values):
    if not values:
        return None, None, None
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, None, None
    return mean, mean * 0.95, mean * 1.05


def write_results(folder, algorithms=("sync", "async", "local"), replicas=3, axes=None, trace=True, decisions=True,
                  statuses=None, undecided=(), merged_every_s=None):
    """axes: pointer -> values. statuses: run name -> failed or diverged. undecided: pairs of algorithms. merged_every_s:
    algorithm -> seconds between which only an oracle evaluates it, which sees 0.05 more than there is."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    axes, statuses = axes or {}, statuses or {}
    points = [dict(zip(axes, values)) for values in itertools.product(*axes.values())]
    runs, curves, workers, staleness, links, events, chosen, summary, bands = ([] for _ in range(9))
    compared = []
    for p, point in enumerate(points):
        means = {}
        for label in algorithms:
            rate = rate_at(label, point)
            times, before = [], len(curves)
            for replica in range(replicas):
                name = f"{label}-{replica}" if not axes else f"{label}-p{p}-{replica}"
                status = statuses.get(name, "ok")
                reached = time_to_target(rate, replica) if status == "ok" else None
                times += [reached] if reached else []
                add_run(name, label, replica, status, reached, rate, point, runs, curves, workers, staleness, links,
                        (merged_every_s or {}).get(label))
                if trace and status == "ok" and replica == 0:
                    add_events(name, events)
                if decisions and label == "local" and status == "ok" and replica == 0:
                    chosen += [{"run": name, "time_s": t, "worker": f"{c}-{i}", "quantity": "local_steps", "value": v}
                               for i, (c, _) in enumerate(CLASSES) for t, v in ((0, 4), (60, 2 if c == "cpu" else 8))]
            add_bands(label, point, [r["run"] for r in runs[-replicas:]], curves[before:], bands)
            mean, low, high = mean_and_interval(times)
            base, _, _ = mean_and_interval([t for t in (time_to_target(rate_at(algorithms[0], point), r)
                                                        for r in range(replicas)) if t])
            speedup = base / mean if mean and base else None
            several = replicas > 1
            means[label] = mean
            summary.append({"algorithm": label, **point, "n": replicas, "reached": len(times), "failed": 0, "diverged": 0,
                            "time_to_target_mean_s": mean, "time_to_target_median_s": mean, "time_to_target_low_s": low,
                            "time_to_target_high_s": high, "resolution_s": 3 if mean else None, "baseline": algorithms[0], "speedup": speedup,
                            "speedup_low": speedup * 0.9 if speedup and several else None,
                            "speedup_high": speedup * 1.1 if speedup and several else None, "speedup_pairs": len(times),
                            "verdict": verdict(label, algorithms[0], speedup, several, undecided),
                            "final_accuracy_mean": 0.88, "final_loss_mean": 0.3, "utilisation": 0.6, "bytes_to_target": 4e10 if mean else None})
        add_places(summary[-len(algorithms):], undecided)
        compared += [{"algorithm": a, "against": b, **point, "pairs": replicas,
                      "ratio": means[b] / means[a] if means[a] and means[b] else None,
                      "verdict": verdict(a, b, means[b] / means[a] if means[a] and means[b] else None, several, undecided)}
                     for a in algorithms for b in algorithms if a != b]
    pointers = list(axes)
    write_csv(folder / "comparisons.csv", ["algorithm", "against"] + pointers + [
        "pairs", "ratio", "ratio_low", "ratio_high", "bound", "later_by_s", "resolution_s", "within_resolution", "p_value",
        "p_holm", "verdict"], compared)
    write_csv(folder / "runs.csv", ["run", "algorithm", "replica", "seed", "status", "virtual_s", "updates", "gradients",
                                    "samples", "epochs", "bytes", "final_test_accuracy", "best_test_accuracy",
                                    "final_test_loss", "time_to_target_s", "averaging_s", "compute_s", "transfer_s", "wait_s",
                                    "discarded_s", "mean_staleness", "max_staleness", "wall_s", "peak_rss_mb", "reason",
                                    "speed_ratio", "speed_cv", "sync_efficiency"] + pointers, runs)
    write_csv(folder / "curves.csv", ["run", "time_s", "updates", "samples", "epochs", "bytes", "train_loss", "test_loss",
                                      "test_accuracy", "oracle"], curves)
    write_csv(folder / "workers.csv", ["run", "worker", "class", "speed", "compute_s", "transfer_s", "wait_s",
                                       "discarded_s", "gradients", "samples", "mean_staleness", "max_staleness",
                                       "data_samples"], workers)
    write_csv(folder / "summary.csv", ["algorithm"] + pointers + [
        "n", "reached", "failed", "diverged", "time_to_target_mean_s", "time_to_target_median_s", "time_to_target_low_s",
        "time_to_target_high_s", "resolution_s", "baseline", "speedup", "speedup_low", "speedup_high", "speedup_pairs", "speedup_bound",
        "verdict", "place", "decided",
        "final_accuracy_mean", "final_accuracy_low", "final_accuracy_high", "best_accuracy_mean", "best_accuracy_low",
        "best_accuracy_high", "accuracy_at_25", "accuracy_at_50", "accuracy_at_75", "accuracy_at_100", "utilisation",
        "tuned_at_edge", "cut_short_s", "tuned_share_of_grid", "bytes_to_target", "final_loss_mean", "final_loss_low", "final_loss_high"], summary)
    write_csv(folder / "bands.csv", ["algorithm"] + pointers + ["against", "oracle", "x", "n"] + [
        f"test_{y}_{part}" for y in ("accuracy", "loss") for part in ("mean", "low", "high")], bands)
    write_csv(folder / "staleness.csv", ["run", "class", "staleness", "count"], staleness)
    write_csv(folder / "links.csv", ["run", "link", "bandwidth_Bps", "bytes", "busy_share", "utilisation",
                                     "max_utilisation", "links", "group"], links)
    if trace:
        write_csv(folder / "events.csv", ["run", "host", "state", "begin_s", "end_s"], events)
    if decisions:
        write_csv(folder / "decisions.csv", ["run", "time_s", "worker", "quantity", "value"], chosen)
    (folder / "scenario.json").write_text(json.dumps(
        {"name": "made_up", "seed": 1, "data": {"kind": "synthetic"}, "model": {"kind": "mlp"},
         "cluster": {"link": {"bandwidth": "10Gbps", "latency": "50us"}}, "target": {"accuracy": TARGET},
         "stop": {"time": "300s"}, "algorithms": [{"name": a, "label": a} for a in algorithms]}))
    (folder / "provenance.json").write_text(json.dumps({"version": "0", "command": ["motley", "run", "made_up.json"]}))
    return folder


def verdict(label, other, ratio, several, undecided):
    if label == other:
        return None
    if not ratio or not several or (label, other) in undecided or (other, label) in undecided:
        return "undecided"
    return "faster" if ratio > 1 else "slower"


def add_places(rows, undecided):
    """Of one point: by the share that reached the target, then by the mean time."""
    ranked = sorted(rows, key=lambda row: (-row["reached"] / row["n"], row["time_to_target_mean_s"] or math.inf))
    for i, row in enumerate(ranked):
        row["place"] = i + 1
        behind = [other for other in ranked[i + 1:] if row["reached"]]
        unsure = row["n"] < 2 or any({row["algorithm"], other["algorithm"]} == set(pair) for other in behind for pair in undecided)
        row["decided"] = int(not unsure) if behind else None


def add_run(name, label, replica, status, reached, rate, point, runs, curves, workers, staleness, links, merged_every_s):
    failed = status == "failed"
    runs.append({"run": name, "algorithm": label, "replica": replica, "seed": 1 + replica, "status": status,
                 "virtual_s": 0 if failed else 300, "updates": 3000, "gradients": 3000, "samples": 96000, "epochs": 9.6,
                 "bytes": 4e10, "final_test_accuracy": None if status != "ok" else 0.88,
                 "best_test_accuracy": None if status != "ok" else 0.88, "final_test_loss": 0.3,
                 "time_to_target_s": reached, "compute_s": 600, "transfer_s": 200, "wait_s": 300, "discarded_s": 100,
                 "mean_staleness": 3 if label == "async" else 0, "max_staleness": 7 if label == "async" else 0, "wall_s": 1,
                 "peak_rss_mb": 50, "reason": None if status == "ok" else "the loss grew without bound", **point})
    if failed:
        return
    for i in range(101):
        time = 3 * i
        oracle = int(bool(merged_every_s) and time % merged_every_s != 0)
        accuracy = 0.9 * (1 - math.exp(-rate * (1 + 0.04 * replica) * time)) + 0.05 * oracle
        curves.append({"run": name, "time_s": time, "updates": 30 * i, "samples": 960 * i, "epochs": 0.096 * i,
                       "bytes": 4e8 * i, "train_loss": 1 - accuracy, "test_loss": 1.1 - accuracy, "test_accuracy": accuracy,
                       "oracle": oracle})
    for i, (kind, speed) in enumerate(CLASSES):
        busy = 150 if kind == "cpu" or label == "async" else 80
        workers.append({"run": name, "worker": f"{kind}-{i}", "class": kind, "speed": speed, "compute_s": busy,
                        "transfer_s": 50, "wait_s": 300 - busy - 50 - 10, "discarded_s": 10, "gradients": 700,
                        "samples": 40000 if label == "async" and kind == "gpu" else 20000, "mean_staleness": 0,
                        "max_staleness": 0, "data_samples": 10000})
    for kind, where in (("gpu", 2), ("cpu", 6)):
        ages = [(where, 400), (where + 1, 200)] if label == "async" else [(0, 600)]
        staleness += [{"run": name, "class": kind, "staleness": s, "count": c} for s, c in ages]
    links += [{"run": name, "link": link, "bandwidth_Bps": 1.25e9, "bytes": 2e10, "busy_share": use * 1.2,
               "utilisation": use, "max_utilisation": use, "links": 1, "group": link.replace("-0", "-*")}
              for link, use in (("server_up", 0.5), ("server_down", 0.4), ("gpu-0_up", 0.1))]


def add_bands(label, point, names, curves, bands):
    """All replicas are evaluated at the same places; models that existed and those of an oracle have bands of their own."""
    for kind, x in itertools.product((0, 1), ("time_s", "epochs", "updates")):
        groups = [[c for c in curves if c["run"] == name and c["oracle"] == kind] for name in names]
        for here in zip(*(g for g in groups if g)):
            row = {"algorithm": label, **point, "against": x, "oracle": kind, "x": here[0][x], "n": len(here)}
            for y in ("test_accuracy", "test_loss"):
                parts = mean_and_interval([c[y] for c in here])
                row |= {f"{y}_{part}": value for part, value in zip(("mean", "low", "high"), parts)}
            bands.append(row)


def add_events(name, events):
    for i, (kind, speed) in enumerate(CLASSES):
        for k in range(4):
            begin, length = k * 1.0, 8e11 / speed
            for state, start, end in (("receive", begin, begin + 0.1), ("compute", begin + 0.1, begin + 0.1 + length),
                                      ("send", begin + 0.1 + length, begin + 0.19 + length)):
                events.append({"run": name, "host": f"{kind}-{i}", "state": state, "begin_s": start, "end_s": end})
            if kind == "gpu":
                events.append({"run": name, "host": f"{kind}-{i}", "state": "wait", "begin_s": begin + 0.19 + length,
                               "end_s": begin + 1})
    events += [{"run": name, "host": "server", "state": "update", "begin_s": k + 1.0, "end_s": k + 1.0} for k in range(4)]


def write_comparisons(folder, rows):
    """rows: dicts with algorithm, against, verdict, and the values of the axes."""
    write_csv(folder / "comparisons.csv", list(dict.fromkeys(key for row in rows for key in row)), rows)


# Made up: async is first and dear, local slower and cheap; sync is behind both, slow never arrives.
COST = {"sync": 9.0, "async": 7.0, "local": 3.0}


def write_expenses(folder):
    """Adds costs, and energies of a thousand times as many joules, to summary.csv."""
    lines = (folder / "summary.csv").read_text().splitlines()
    columns = [f"{what}_{part}{unit}" for what, unit in (("energy", "_J"), ("cost", ""))
               for part in ("mean", "to_target_mean", "to_target_low", "to_target_high")]
    added = [",".join([lines[0], *columns])]
    for line in lines[1:]:
        cost = COST.get(line.split(",")[0])
        cells = [f"{1000 * cost}", f"{1000 * cost}", "", "", f"{cost}", f"{cost}", "", ""] if cost else [""] * 8
        added.append(",".join([line, *cells]))
    (folder / "summary.csv").write_text("\n".join(added) + "\n")


STEP_SIZES = [0.01, 0.03, 0.1, 0.3, 1.0]
# Made up: the best step size of each is known, async's is the last of the grid, and none reaches the target with 0.01.
TUNED_S = {"sync": [None, 200, 110, 80, 140], "async": [None, 150, 90, 60, 44], "local": [None, 90, 70, 75, 260]}


def write_tuned(folder):
    """Successive halving: all run with one seed, the better two with two, the best with four."""
    rows = []
    for label, times in TUNED_S.items():
        ranked = sorted(range(len(times)), key=lambda i: times[i] or math.inf)
        for i, time in enumerate(times):
            rung = 2 if i == ranked[0] else 1 if i == ranked[1] else 0
            rows.append({"algorithm": label, "candidate": i, "step_size": STEP_SIZES[i], "rung": rung, "seeds": 2 ** rung,
                         "reached": 2 ** rung if time else 0, "time_to_target_s": time, "best_test_accuracy": 0.7,
                         "final_test_loss": 0.5, "broken": 0, "chosen": int(rung == 2),
                         "at_edge": int(rung == 2 and i == len(times) - 1)})
    write_csv(folder / "tuned.csv", ["algorithm", "candidate", "step_size", "rung", "seeds", "reached", "time_to_target_s",
                                     "best_test_accuracy", "final_test_loss", "broken", "chosen", "at_edge"], rows)


GAINS = {"as_is": 1, "bandwidth_x2": 1.3, "server_bandwidth_x2": 1.26, "no_latency": 1.01, "compute_x2": 1.41,
         "speed_x2:cpu": 1.38, "speed_x2:gpu": 1.0, "no_noise": 1.02, "without:cpu": 0.8}


# Of twice the compute speed (+ 0.41) the cpu alone bring 0.38, more than nine tenths; of twice the bandwidth (+ 0.3) the
# server's link alone brings 0.26, less than 0.27, so that both are named. No latency: below 2 %.
NAMED = ["speed_x2:cpu", "bandwidth_x2", "server_bandwidth_x2", "no_noise"]
WHATIF = ["algorithm", "change", "updates", "updates_per_s", "gain", "samples_per_s", "reason", "named", "bottleneck", "note"]


def write_whatif(folder, algorithms, notes=None):
    """As the simulator would: the first of those that are named is the bottleneck. notes: (algorithm, change) -> note."""
    place = {change: i + 1 for i, change in enumerate(NAMED)}
    write_csv(folder / "whatif.csv", WHATIF,
              [{"algorithm": label, "change": change, "updates": 100, "updates_per_s": 10 * gain, "gain": gain,
                "named": place.get(change, ""), "bottleneck": int(place.get(change) == 1),
                "note": (notes or {}).get((label, change))}
               for label in algorithms for change, gain in GAINS.items()])
