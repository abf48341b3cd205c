"""A results folder in words: the question, the answer, and how certain it is. Numbers are the simulator's."""
from .figures.target import rows_of, target_text
from .parameters import best_rows, choices_at_best, parameter_axes, question_axes
from .results import count_workers, energy_unit, list_of, object_of, seconds, value_text
from .verdicts import NO_BOUND, ONE_REPLICA, is_no_bound, is_undecided, known, sign, supported, verdict_against

MANY_ALIKE = 4  # runs with the same warning: so many are counted, fewer are named


def energy(joules):
    """As the closing table has it."""
    unit, name = energy_unit(joules)
    return f"{joules / unit:.3g} {name}"


def joined(parts):
    parts = [p for p in parts if p]
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + " and " + parts[-1]


def percent(share):
    return "under 1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def speed(flops):
    for size, unit in ((1e15, "Pf"), (1e12, "Tf"), (1e9, "Gf"), (1e6, "Mf")):
        if flops >= size:
            return f"{flops / size:.3g} {unit}/s"
    return f"{flops:.3g} f/s"


def number(count, noun):
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def cluster(results):
    """"8 workers: 4 gpu (4 Tf/s each) and 4 cpu (1 Tf/s each), 4:1"."""
    workers = results.workers[results.workers["run"] == results.workers["run"].iloc[0]] \
        if len(results.workers) else results.workers
    if workers.empty:
        return ""
    classes = []
    for name, mine in workers.groupby("class", sort=False):
        slow, fast = mine["speed"].min(), mine["speed"].max()
        each = speed(slow) + (" each" if len(mine) > 1 else "") if slow == fast else f"{speed(slow)} to {speed(fast)}"
        if count_workers(mine) > len(mine):  # of most, only the mean is known
            each = f"{speed(mine.loc[mine['workers'].idxmax(), 'speed'])} on average"
        classes.append(f"{count_workers(mine)} {name} ({each})")
    slowest = workers["speed"].min()
    ratio = workers["speed"].max() / slowest if slowest > 0 else 1
    if count_workers(workers) > len(workers):
        ratio = results.runs.set_index("run")["speed_ratio"].get(workers["run"].iloc[0], ratio)
    return (f"{number(count_workers(workers), 'worker')}: {joined(classes)}" +
            (f"; the fastest is {ratio:.3g} times as fast as the slowest" if ratio > 1 else "") +
            (" (at the first point of the sweep)" if any(a.startswith("/cluster/") for a in results.axes) else ""))


def noise_law(described):
    """The law of the first noise the cluster has, of all workers or of a class; None without."""
    for part in [described] + [object_of(w) for w in list_of(described.get("workers"))]:
        law = object_of(part.get("noise")).get("law")
        if law and law != "none":
            return law
    return None


def both_ways(bandwidth):
    """10Gbps, or 20Mbps up and 100Mbps down."""
    ways = object_of(bandwidth)
    return f"{ways.get('up')} up and {ways.get('down')} down" if ways else bandwidth


def modelled(cost):
    """Which architecture's costs were simulated in place of the trained model's; "" when they are its own."""
    profile = cost.get("profile")
    if isinstance(profile, list):
        return f"a model of {number(len(profile), 'layer')}"
    if profile:
        return str(profile)
    given = [f"{cost[key]} {words}" for key, words in (("flops_per_sample", "per sample"), ("model_size", "on the wire"))
             if cost.get(key) not in (None, "auto")]
    return "a model of " + joined(given) if given else ""


def trained_and_modelled(results):
    """First of all: what was trained, and what only its times and bytes were simulated of."""
    other = modelled(results.section("cost"))
    kind = str(results.section("model").get("kind", ""))
    if not other or not kind:
        return []
    if kind == "none":
        return [f"Modelled: {other}", "Nothing is trained, only times are simulated"]
    swept = " (at the first point of the sweep)" if any(a.startswith("/cost") for a in results.axes) else ""
    return [f"Trained: {kind}", f"Modelled: {other}{swept}",
            "Times and bytes are those of the modelled architecture; accuracy and loss are those of the small model that was trained"]


def question(results):
    """The scenario in a few sentences."""
    sentences = trained_and_modelled(results) + [cluster(results)]
    data, link = results.section("data"), results.section("cluster", "link")
    classes = [object_of(one) for one in list_of(results.section("cluster").get("workers"))]
    own = {str(one.get("name")): object_of(one["link"]).get("bandwidth") for one in classes if one.get("link")}
    nodes = [f"{one['per_node']} ({one.get('name')})" for one in classes if one.get("per_node")]
    if nodes:
        sentences.append("Nodes of " + joined(nodes))
    fabric = results.section("cluster", "fabric").get("kind")
    if fabric in ("racks", "sites"):
        sentences.append(f"Joined by {fabric}")
    if own:
        sentences.append("Links of " + joined([f"{both_ways(rate)} ({name})" for name, rate in own.items()]) +
                         (f", {both_ways(link['bandwidth'])} of the others" if link.get("bandwidth") and len(own) < len(classes) else ""))
    elif link.get("bandwidth") and not any(axis.startswith(("/cluster/link", "/cluster/server")) for axis in results.axes):
        other = results.section("cluster", "server", "link").get("bandwidth")
        sentences.append(f"Links of {both_ways(link['bandwidth'])}, {link.get('latency', '0s')} latency" +
                         (f"; the server's of {both_ways(other)}" if other and other != link["bandwidth"] else ""))
    servers = [object_of(one).get("count", 1) for one in list_of(results.section("cluster").get("servers"))]
    if servers:
        sentences.append(number(sum(count if isinstance(count, int) else 1 for count in servers), "server"))
    law = noise_law(results.section("cluster"))
    if law:
        sentences.append(f"Step times vary at random ({law})")
    learnt = str(results.section("model").get("kind", ""))
    if learnt == "none":
        sentences.append("Timing only: nothing is trained")
    elif data.get("kind"):
        learnt += f", trained on {data['kind']}"
        split = results.section("data", "partition").get("kind", "iid")
        if split != "iid":
            learnt += f" (split {split})"
    if learnt and learnt != "none":
        sentences.append(f"Model: {learnt}")
    algorithms = joined(results.algorithms)
    wanted = target_text(results)
    if algorithms:
        several = len(results.algorithms) > 1
        sentences.append(f"Which of {algorithms} reaches {wanted} first?" if wanted and several
                         else f"How far {'do' if several else 'does'} {algorithms} get" + (f" towards {wanted}?" if wanted else "?"))
    swept = [f"{results.axis_name(axis)} over {joined([value_text(v) for v in dict.fromkeys(results.runs[axis])])}"
             for axis in results.axes]
    if swept:
        sentences.append("Swept: " + "; ".join(swept))
    stop = results.section("stop")
    ends = [f"{key} {stop[key]}" for key in ("time", "updates", "samples", "epochs") if stop.get(key)]
    if ends:
        sentences.append("Runs stop at " + " or ".join(ends))
    return " ".join(x if x.endswith("?") else f"{x}." for x in sentences if x) or "The question is unknown: scenario.json is missing."


def reached_text(row):
    """" (3 of 5 runs)" when not every run reached the target."""
    return f" ({row['reached']:g} of {row['n']:g} runs)" if row["reached"] < row["n"] else ""


def speedup_text(row):
    if not known(row["speedup"]) or row["algorithm"] == row["baseline"]:
        return ""
    if is_no_bound(row):
        return f" ({NO_BOUND} on its speed-up over {row['baseline']}{', undecided' if is_undecided(row) else ''})"
    text = {"> ": "at least ", "< ": "at most "}.get(sign(row), "") + f"{supported(row):.2f}x"
    if known(row["speedup_low"]) and known(row["speedup_high"]) and not sign(row):
        text += f" (95 %: {row['speedup_low']:.2f} to {row['speedup_high']:.2f})"
    elif not known(row["speedup_low"]) and row["n"] > 1 and known(row["speedup_pairs"]):
        text += f" ({number(int(row['speedup_pairs']), 'pair')} of runs)"
    return f", {text} as fast as {row['baseline']}" + (" (undecided)" if is_undecided(row) else "")


def without_accuracy(results, point):
    """The answer where there is no target and no accuracy: the loss, or else how much work was done."""
    losses = rows_of(results, point).dropna(subset=["final_loss_mean"])
    if len(losses):
        return f"No target is set; {losses.iloc[0]['algorithm']} ends with the lowest test loss, {losses.iloc[0]['final_loss_mean']:.3g}."
    runs = results.at(point)
    work = runs[runs["status"] == "ok"].groupby("algorithm", sort=False)["samples"].mean().dropna()
    if len(work):
        return f"No target is set; {work.idxmax()} processes the most samples, {work.max():,.0f}."
    return "No target is set, and no run finished successfully."


def accuracy_text(row):
    """"90.0 % (95 %: 89.0 to 91.0 %)"."""
    text = f"{100 * row['final_accuracy_mean']:.1f} %"
    if known(row["final_accuracy_low"]) and known(row["final_accuracy_high"]):
        text += f" (95 %: {100 * row['final_accuracy_low']:.1f} to {100 * row['final_accuracy_high']:.1f} %)"
    return text


def final_accuracies(rows):
    """The answer where there is an accuracy, but no target: in the order of places, without a verdict."""
    there = rows[rows["final_accuracy_mean"].notna()]
    others = [f"{row['algorithm']} {accuracy_text(row)}" for _, row in there.iloc[1:].iterrows()]
    return ([f"No target is set; {there.iloc[0]['algorithm']} ends with the best accuracy, {accuracy_text(there.iloc[0])}."] +
            ([f"Then {joined(others)}."] if others else []))


def time_text(row):
    return f"{row['algorithm']} {seconds(row['time_to_target_mean_s'])}{reached_text(row)}"


# By the verdict on the first against the other.
BEHIND = {"faster": "Slower: {}.", "undecided": "Undecided against it, after correction for the number of pairs or within the resolution: {}.",
          "slower": "Placed behind it, though faster by the paired test: {}."}


def those_behind(first, others):
    """Who else reaches the target, in the order of places."""
    if first["replicas"] <= 1:
        return [f"Then {joined([time_text(row) for row in others])}."] if others else []
    sentences = []
    for verdict in ("undecided", "slower", "faster"):
        found = [time_text(row) for row in others if verdict_against(first, row["algorithm"]) == verdict]
        sentences += [BEHIND[verdict].format(joined(found))] if found else []
    return sentences


def answer_at(results, point):
    """Sentences about one point of the sweep."""
    rows = rows_of(results, point)
    wanted = target_text(results)
    if rows.empty:
        return ["No run has finished."]
    if wanted is None:
        return final_accuracies(rows) if rows["final_accuracy_mean"].notna().any() else [without_accuracy(results, point)]
    there = rows[rows["time_to_target_mean_s"].notna()]
    absent = rows[rows["time_to_target_mean_s"].isna()]
    failed = list(absent[absent["failed"] >= absent["n"]]["algorithm"])
    diverged = list(absent[(absent["diverged"] >= absent["n"]) & ~absent["algorithm"].isin(failed)]["algorithm"])
    never = [label for label in absent["algorithm"] if label not in failed + diverged]
    bad = [f"All runs of {joined(labels)} {what}." for labels, what in ((failed, "failed"), (diverged, "diverged")) if labels]
    if there.empty and not never:
        return bad
    if there.empty:
        best = rows.sort_values("best_accuracy_mean", ascending=False, na_position="last").iloc[0]
        closest = (f" {best['algorithm']} comes closest, {100 * best['best_accuracy_mean']:.1f} % at best."
                   if results.target[0] == "test_accuracy" and known(best["best_accuracy_mean"]) else "")
        return [f"No algorithm reaches {wanted} before the runs end." + closest] + bad
    first = there.iloc[0]
    sentences = [f"{first['algorithm']} reaches {wanted} in {seconds(first['time_to_target_mean_s'])}"
                 f"{reached_text(first)}{speedup_text(first)}."]
    sentences += those_behind(first, [row for _, row in there.iloc[1:].iterrows()])
    if never:
        sentences.append(f"{joined(never)} never {'reaches' if len(never) == 1 else 'reach'} it.")
    once = [ONE_REPLICA] if first["replicas"] <= 1 and len(rows) > 1 and len(results.points()) == 1 else []
    return sentences + bad + once


def at_best_values(results):
    """The answer where parameters of algorithms are swept, such as step sizes: each algorithm at its best values, over what
    else is swept. Nothing is decided between points, and values that were chosen by the runs that are shown look better than
    they are: both are said."""
    best, wanted = best_rows(results), target_text(results)
    axes = parameter_axes(results)
    names = joined([results.axis_name(axis) for axis in axes])
    if not best:
        return f"No algorithm reaches {wanted}, whatever {names}."
    caution = (f" Chosen by mean time, without a test, among {number(len(results.runs[axes].drop_duplicates()), 'value')} of {names}, and by "
               "the same runs, which makes it look better than it is; \"tune\" chooses on other seeds.")
    if question_axes(results):
        total = len(results.runs[question_axes(results)].drop_duplicates())
        parts = [f"{label} at {count}" + (f" of {total} points" if i == 0 else "") for i, (label, count) in enumerate(choices_at_best(results))]
        nobody = [f"none at {total - len(best)}"] if len(best) < total else []
        return f"First to reach {wanted}, each at its best {names}: {joined(parts + nobody)}." + caution
    rows = next(iter(best.values()))

    def one(row):
        values = ", ".join(f"{results.axis_name(axis)} {value_text(row[axis])}" for axis in axes)
        return f"{seconds(row['time_to_target_mean_s'])} at {values}{reached_text(row)}"
    others = [f"{row['algorithm']} {one(row)}" for row in rows[1:]]
    return (f"At its best {names}, {rows[0]['algorithm']} reaches {wanted} first, in {one(rows[0])}." +
            (f" Then {joined(others)}." if others else "") + caution)


def over_the_sweep(results):
    """Who is first how often: "async is first at 5 of 8 points, sync at 3"."""
    if parameter_axes(results):
        return at_best_values(results)
    firsts, nobody, unsure = {}, 0, 0
    for point in results.points():
        there = rows_of(results, point).dropna(subset=["time_to_target_mean_s"])
        if there.empty:
            nobody += 1
        else:
            first = there.iloc[0]
            firsts[first["algorithm"]] = firsts.get(first["algorithm"], 0) + 1
            unsure += first["decided"] == 0
    total = len(results.points())
    ordered = sorted(firsts.items(), key=lambda item: -item[1])
    doubt = f" At {unsure} of these points it is not decided that the first is faster than every other." if unsure else ""
    if unsure and results.summary["replicas"].max() <= 1:
        doubt = f" {ONE_REPLICA}"
    if len(ordered) == 1 and not nobody:
        return f"{ordered[0][0]} reaches {target_text(results)} first at all {total} points of the sweep." + doubt
    if not ordered:
        return f"No algorithm reaches {target_text(results)} at any of the {total} points of the sweep."
    parts = [f"{label} at {count}" + (f" of {total} points" if i == 0 else "") for i, (label, count) in enumerate(ordered)]
    if nobody:
        parts.append(f"none at {nobody}")
    return f"First to reach {target_text(results)}: {joined(parts)}." + doubt


def answer(results):
    """The answer first: (heading, sentences) for every point of a sweep; without one the heading is empty."""
    if results.runs.empty:
        return [("", ["There are no finished runs in this folder."])]
    if results.summary.empty:
        return [("", ["summary.csv is missing or empty, so there is nothing to compare; individual runs are shown below."])]
    if not results.says_places:
        return [("", ["summary.csv does not say who is first: it is of an older version. Run the same command again to renew it."])]
    undone = len(results.planned) - len(results.runs)
    partly = [f"Only {len(results.runs)} of {len(results.planned)} planned runs have finished."] if undone > 0 else []
    points = results.points()
    return [(results.point_title(point), answer_at(results, point) + (partly if len(points) == 1 else [])) for point in points]


def budget(results, runs):
    """algorithm -> "compute 48 %, transfer 23 %, wait 29 %; busiest link: server_up at 15 % utilisation"."""
    lines = {}
    for label in results.algorithms_of(runs):
        mine = runs[(runs["algorithm"] == label) & (runs["status"] != "failed")]
        columns = ["compute_s", "transfer_s", "wait_s", "discarded_s", "down_s"]
        parts = mine[[column for column in columns if column in mine]].sum()
        if not parts.sum() > 0:
            continue
        text = ", ".join(f"{name[:-2]} {percent(value / parts.sum())}" for name, value in parts.items() if value > 0)
        links = results.links[results.links["run"].isin(mine["run"])]
        if len(links) and links["max_utilisation"].max() > 0:
            busiest = links.loc[links["max_utilisation"].idxmax()]
            text += f"; busiest link: {busiest['link']} at {percent(busiest['max_utilisation'])} utilisation"
        if mine["mean_staleness"].max() > 0:
            text += f"; mean staleness {mine['mean_staleness'].mean():.2f}, maximum {mine['max_staleness'].max():.0f}"
        lines[label] = text
    return lines


def who_is_meant(label, runs, total):
    """"sync-3", "sync (3 of 5 runs: sync-0, sync-2, sync-3)", "sync (4 of 5 runs)"."""
    if len(runs) == 1:
        return runs[0]
    listed = f": {', '.join(runs)}" if len(runs) < min(MANY_ALIKE, total) else ""
    return f"{label} ({len(runs)} of {total} runs{listed})"


def which_points(label, points):
    """"sync at ratio = 4", "sync (at 2 points: ratio = 4, ratio = 8)", "sync (at 5 points)"."""
    if len(points) == 1:
        return label + (f" at {points[0]}" if points[0] else "")
    return f"{label} (at {len(points)} points{': ' + ', '.join(points) if len(points) < MANY_ALIKE else ''})"


def alike(said):
    """{(label, words): runs} of (label, words, run), in their order."""
    found = {}
    for label, text, run in said:
        found.setdefault((label, text), []).append(run)
    return found


def run_warnings(results):
    """One line per warning, as in the terminal: what is the same of several runs of an algorithm is one line, which names them
    if they are few."""
    algorithm_of = dict(zip(results.runs["run"], results.runs["algorithm"]))
    totals = results.runs["algorithm"].value_counts()

    def where_of(run):
        rows = results.runs[results.runs["run"] == run]
        return results.point_title(tuple(rows.iloc[0][axis] for axis in results.axes)) if len(rows) else ""

    kinds = dict(zip(results.warnings["text"], results.warnings["kind"]))
    warned = alike((algorithm_of.get(run, run), text, run) for run, text in zip(results.warnings["run"], results.warnings["text"]))
    return [(which_points(label, [where_of(run) for run in runs]) if kinds[text] in ("at_edge", "tuned_in_vain", "sampled_grid", "cut_short")
             else who_is_meant(label, runs, totals.get(label, 0))) + f" {text}" for (label, text), runs in warned.items()]


def broken_runs(results):
    """One line per way in which runs of an algorithm failed or diverged."""
    totals = results.runs["algorithm"].value_counts()
    broken = results.runs[results.runs["status"].isin(["failed", "diverged"])]
    said = alike((run["algorithm"], f"{run['status']}: {run['reason'] if isinstance(run['reason'], str) else 'no reason given'}",
                  run["run"]) for _, run in broken.iterrows())
    return [f"{who_is_meant(label, runs, totals[label])} {text}" for (label, text), runs in said.items()]


def how_sure(results):
    """What a reader should know before trusting the answer."""
    lines = []
    runs = results.runs
    counts = runs.groupby(["algorithm"] + results.axes, dropna=False).size() if len(runs) else []
    if len(counts):
        fewest, most = min(counts), max(counts)
        if most == 1:
            lines.append("One run per algorithm: there are no confidence intervals, and nothing is decided. "
                         "Set replicas in the scenario to get intervals.")
        else:
            lines.append(f"{fewest if fewest == most else f'{fewest} to {most}'} replicas per algorithm, each with its "
                         "own seed. Intervals are 95 % confidence intervals computed by the simulator; "
                         "speed-ups compare runs with the same seed, and a difference counts if the paired test says "
                         "so after Holm's correction over all pairs of algorithms (comparisons.csv).")
    undone = [run for run in results.planned if run not in set(runs["run"])]
    if undone:
        some = joined(undone[:3] + ([f"{len(undone) - 3} more"] if len(undone) > 3 else []))
        lines.append(f"Not finished: {len(undone)} of {len(results.planned)} planned runs ({some}). Run the same command again to finish them.")
    if results.target is not None and len(runs):
        late = runs[runs["time_to_target_s"].isna() & (runs["status"] == "ok")]
        for label, mine in late.groupby("algorithm", sort=False):
            total = len(runs[runs["algorithm"] == label])
            lines.append(f"{label}: {len(mine)} of {total} runs did not reach the target.")
    warnings = run_warnings(results)
    lines += warnings[:10]
    if len(warnings) > 10:
        lines.append(f"... and {number(len(warnings) - 10, 'more warning')} (warnings.csv).")
    broken = broken_runs(results)
    lines += broken[:10]
    if len(broken) > 10:
        lines.append(f"... and {len(broken) - 10} more ways in which runs failed or diverged (runs.csv).")
    for name in results.missing:
        lines.append(f"Missing: {name}.")
    return lines
