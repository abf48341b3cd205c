"""What to do: whom to choose, what to improve, what not to pay for, and what to find out first. Every number is the
simulator's: verdicts of summary.csv and comparisons.csv, costs of summary.csv, gains of whatif.csv."""
from . import words
from .figures.target import rows_of, target_text
from .parameters import best_rows, parameter_axes
from .results import seconds, value_text
from .verdicts import is_at_edge, known, verdict_against
from .what_decides import asked, words_of

WORTH = 1.02  # the least gain that is worth naming, as in whatif.csv
ENOUGH_REPLICAS = 5
BOUGHT = ("bandwidth_x2", "no_latency", "compute_x2", "server_bandwidth_x2", "server_speed_x2")
KEPT = 0.95  # of its samples per second: then a class is hardly missed


def named(change):
    """What a change improves, with an article: "the speed of cpu"."""
    thing = words_of(change)[1]
    return thing if thing.startswith(("the ", "what ", "failures", "noise")) else f"the {thing}"


def undecided_against(first, rows):
    """Those that the paired test does not tell from the first."""
    return [row["algorithm"] for row in rows if row["algorithm"] != first["algorithm"] and
            verdict_against(first, row["algorithm"]) == "undecided" and known(row["time_to_target_mean_s"])]


def choose(results, rows):
    """Whom to choose, by time."""
    first, wanted = rows[0], target_text(results)
    if first["replicas"] <= 1:
        return [f"{first['algorithm']} is first here, but one replica decides nothing: set \"replicas\" to {ENOUGH_REPLICAS} or more "
                "before you choose."]
    alike = undecided_against(first, rows)
    line = f"Choose {first['algorithm']}: it reaches {wanted} in {seconds(first['time_to_target_mean_s'])}{words.speedup_text(first)}."
    if alike:
        line += f" {words.joined(alike)} cannot be told from it: choose among them for other reasons, or run more replicas."
    return [line]


def weigh_costs(rows):
    """What the fastest costs against the cheapest; nothing without prices or power."""
    lines = []
    for column, noun, show in (("cost_to_target_mean", "cost", lambda v: f"{v:.3g}"), ("energy_to_target_mean_J", "energy", words.energy)):
        there = [row for row in rows if known(row.get(column)) and row["reached"] >= row["n"]]
        if len(there) < 2:
            continue
        cheapest, first = min(there, key=lambda row: row[column]), there[0]
        if cheapest is first:
            lines.append(f"It needs the least {noun}, too: {show(first[column])} to the target.")
        else:
            slower = cheapest["time_to_target_mean_s"] / first["time_to_target_mean_s"]
            lines.append(f"Where {noun} matters more than time: {cheapest['algorithm']} needs {show(cheapest[column])} to the target "
                         f"against {show(first[column])} of {first['algorithm']}, and takes {slower:.2f} times as long.")
    return lines


def improve(results, point, label):
    """What to improve for this algorithm, what is not worth it, and who is hardly missed."""
    mine = next((one for one in asked(results, point) if one.algorithm == label and not one.failed), None)
    if mine is None:
        return []
    lines, levers = [], {change: gain for change, gain in mine.gains.items() if not change.startswith("without:")}
    helping = [change for change in mine.named if change in levers and levers[change] >= WORTH]
    if helping:
        best = mine.bottleneck if mine.bottleneck in helping else helping[0]
        more = [f"{words_of(change)[0]}, {levers[change]:.2f}x" for change in helping if change != best][:3]
        lines.append(f"To make {label} faster, begin with {named(best)}: {words_of(best)[0]} makes {levers[best]:.2f} times as "
                     "many updates per second" + (f" (then: {'; '.join(more)})" if more else "") + ".")
    elif levers:
        lines.append(f"Nothing that was tried makes {label} faster by 2 %: it uses the cluster as it is.")
    useless = [change for change, gain in levers.items() if gain < WORTH and change in BOUGHT]
    idle = [named(change) for change in useless]
    if idle and helping:
        lines.append(f"Do not pay for {words.joined(idle)}: for {label} {words.joined([words_of(c)[0] for c in useless])} changes less than 2 %.")
    for change in mine.gains:
        samples = mine.samples.get(change)
        if change.startswith("without:") and samples is not None and samples >= KEPT:
            lines.append(f"{label} hardly needs {change.partition(':')[2]}: without these workers it still computes "
                         f"{words.percent(samples)} of the samples per second.")
    return lines


def find_out(rows):
    """What to find out before trusting the choice."""
    lines = []
    at_edge = [row["algorithm"] for row in rows if is_at_edge(row)]
    if at_edge:
        lines.append(f"Widen the grid that {words.joined(at_edge)} {'was' if len(at_edge) == 1 else 'were'} tuned on: the best value is at its edge.")
    late = [row["algorithm"] for row in rows if known(row["reached"]) and row["reached"] < row["n"] and not row["failed"] >= row["n"]]
    if late:
        lines.append(f"Let runs go on longer (\"stop\") to know how long {words.joined(late)} {'takes' if len(late) == 1 else 'take'}: not all arrived.")
    return lines


def by_value(results, axis):
    """"allreduce at 1Gbps, async at 8Gbps and 16Gbps": whom to choose along the only axis of a sweep."""
    chosen, unsure = {}, []
    for point in results.points():
        there = rows_of(results, point).dropna(subset=["time_to_target_mean_s"])
        if len(there):
            chosen.setdefault(there.iloc[0]["algorithm"], []).append(value_text(point[0]))
            unsure += [value_text(point[0])] if there.iloc[0]["decided"] == 0 else []
    if not chosen:
        return []
    parts = [f"{label} at {words.joined(values)}" for label, values in chosen.items()]
    doubt = f" That it is faster than every other is not decided at {words.joined(unsure)}." if unsure else ""
    return [f"Choose by {results.axis_name(axis)}: {'; '.join(parts)}.{doubt}"]


def over_a_sweep(results):
    """Whom to choose where. Nobody where parameters of algorithms are swept: nothing is tested between points."""
    axes = parameter_axes(results)
    if axes:
        names = words.joined([results.axis_name(axis) for axis in axes])
        return [f"Do not choose yet: which algorithm is faster, each at its best {names}, is not tested here. Tune them with \"tune\", "
                "which gives every algorithm the same number of tries, on seeds that are not reported."] if best_rows(results) else []
    return by_value(results, results.axes[0]) if len(results.axes) == 1 else [words.over_the_sweep(results)]


def sentences(results):
    """What to do, in the order of its weight; nothing where there is no target or nobody reaches it."""
    if results.target is None or results.summary.empty or not results.says_places:
        return []
    points = results.points()
    rows = rows_of(results, points[0]).to_dict("records")
    there = [row for row in rows if known(row["time_to_target_mean_s"])]
    if not there:
        return [f"No algorithm reaches {target_text(results)}: let runs go on longer, choose an easier target, or tune the step sizes."]
    if len(points) > 1:
        lines = over_a_sweep(results)
        more = improve(results, points[0], there[0]["algorithm"])
        return lines + [f"At {results.point_title(points[0])}: {line[0].lower()}{line[1:]}" for line in more[:1]] + find_out(
            results.summary.drop_duplicates("algorithm").to_dict("records") if not parameter_axes(results) else [])
    return choose(results, there) + weigh_costs(there) + improve(results, points[0], there[0]["algorithm"]) + find_out(rows)
