"""How the parameters were tuned, in words: from tuned.csv and the scenario."""
from .figures.target import target_text
from .figures.tuning import tuned_parameters
from .results import value_text
from .tried import by_point, tried_sentences
from .verdicts import known
from .words import joined, number

FIRST_TUNING_SEED = 1_000_000  # after the scenario's own, as docs/scenario.md says of tune


def choices(results):
    """One object per algorithm and point that was tuned: where, what was chosen, of how many candidates, in how many
    runs, and whether the choice is at the edge of its grid."""
    axes = [axis for axis in results.axes if axis in results.tuned]
    found = []
    for label, rows in ((label, rows) for label, points in by_point(results).items() for rows in points):
        point = [rows[0][axis] for axis in axes]
        for row in [row for row in rows if row["chosen"] > 0][:1]:
            values = [f"{name} {value_text(row[name])}" for name in tuned_parameters(results) if known(row[name])]
            where = ", ".join(f"{results.axis_name(axis)} = {value_text(value)}" for axis, value in zip(axes, point))
            found.append({"algorithm": label, "where": where, "values": ", ".join(values), "candidates": len(rows),
                          "runs": int(sum(row["seeds"] for row in rows if known(row["seeds"]))),
                          "at_edge": row["at_edge"] > 0})
    return found


def by_algorithm(results):
    """The same, with one object for an algorithm that chose the same at all points."""
    merged = []
    mine = {}
    for choice in choices(results):
        mine.setdefault(choice["algorithm"], []).append(choice)
    for made in mine.values():
        alike = len({choice["values"] for choice in made}) == 1
        if len(made) == 1 or not alike:
            merged += made
        else:
            merged.append({**made[0], "where": f"all {len(made)} points", "at_edge": any(c["at_edge"] for c in made),
                           "candidates": max(c["candidates"] for c in made), "runs": max(c["runs"] for c in made)})
    return merged


def sentences(results):
    """What a reader asks of a comparison that says it is fair. Empty when nothing was tuned."""
    made = choices(results)
    if not made:
        return []
    tune = results.section("tune")
    counts = sorted({choice["runs"] for choice in made if choice["candidates"] > 1})
    once = tune.get("at") == "first_point"
    place = " at the first point of the sweep, whose values all points have" if once and results.axes else (
        " at every point of the sweep" if results.axes else "")
    seed = results.scenario.get("seed")
    seeds = f" {seed + FIRST_TUNING_SEED} and following" if isinstance(seed, int) else ""
    spent = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}" if counts else "no"
    lines = [f"Each algorithm was tuned by itself{place}, with {spent} runs each, by successive halving over the seeds{seeds}; "
             "none of these seeds is reported."]
    if len(counts) > 1:
        lines.append("Not all took the same number of runs: the tuning is not finished.")
    wanted = target_text(results)
    lines.append(f"Better is who reaches {wanted} with more of the seeds; among those that always do, who is sooner; among the "
                 "others, who has the better accuracy (the lower loss, where the target is a loss)." if wanted else "Better is the lower final loss.")
    lines += tried_sentences(results)
    tuned = {choice["algorithm"] for choice in made}
    by_hand = [label for label in results.algorithms if label not in tuned]
    if by_hand:
        lines.append(f"Not tuned, with the values given in the scenario: {joined(by_hand)}.")
    edges = dict.fromkeys(f"{choice['algorithm']} ({choice['values']})" for choice in made if choice["at_edge"])
    if edges:
        some = list(edges)[:8] + ([number(len(edges) - 8, "more")] if len(edges) > 8 else [])
        lines.append(f"Warning: chosen at the edge of the grid, so that better may lie beyond: {joined(some)}.")
    return lines
