"""summary.csv as a table for LaTeX; needs the package booktabs."""
from .figures.target import target_text
from .results import value_text
from .verdicts import (NO_BOUND, OPEN, WHAT_BOUNDS_MEAN, WHAT_CUT_MEANS, WHAT_EDGE_MEANS, WHAT_MARKS_MEAN, WHAT_OPEN_MEANS,
                       is_at_edge, is_cut, is_no_bound, is_open, is_undecided, known, sign, supported)

ESCAPES = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
           "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}"}
DAGGER = r"$^\dagger$"


def escaped(text):
    return "".join(ESCAPES.get(letter, letter) for letter in str(text))


def number(value):
    """Three digits, never as 1e+03."""
    return f"{value:.0f}" if abs(value) >= 99.95 else f"{value:#.3g}"


def with_interval(row, value, low, high, text=number):
    """"12.3 [11.9, 12.7]"; only the value without an interval, a dash without a value."""
    if not known(row.get(value)):
        return "--"
    if not (known(row.get(low)) and known(row.get(high))):
        return text(row[value])
    return f"{text(row[value])} [{text(row[low])}, {text(row[high])}]"


def speedup_cell(row):
    """As in the closing table: what is undecided and what is a bound is marked as such."""
    if not known(row["speedup"]):
        return "--"
    if row["algorithm"] == row["baseline"]:
        return "1"
    if is_no_bound(row):
        return (r"$\sim$" if is_undecided(row) else "") + NO_BOUND
    bound = {"> ": "$>$ ", "< ": "$<$ "}.get(sign(row), "")
    text = f"{supported(row):.2f}" if bound else with_interval(row, "speedup", "speedup_low", "speedup_high", lambda v: f"{v:.2f}")
    return (r"$\sim$" if is_undecided(row) else "") + bound + text + (" (cut)" if is_cut(row) else "")


def time_cell(row):
    """A bound, of runs that did not all arrive, has no interval; one beyond the end of the runs is open."""
    if row["reached"] < row["n"] and known(row["time_to_target_mean_s"]):
        return f"$>$ {number(row['time_to_target_mean_s'])}"
    if is_open(row):
        return f"{number(row['time_to_target_mean_s'])} [{number(row['time_to_target_low_s'])}, {OPEN}]"
    return with_interval(row, "time_to_target_mean_s", "time_to_target_low_s", "time_to_target_high_s")


def cells(row):
    return [time_cell(row), f"{row['reached']:g}/{row['n']:g}",
            speedup_cell(row),
            with_interval(row, "final_accuracy_mean", "final_accuracy_low", "final_accuracy_high", lambda v: f"{100 * v:.1f}"),
            "--" if not known(row["utilisation"]) else f"{100 * row['utilisation']:.0f}"]


def table(results):
    """The whole tabular; a row per algorithm and point of the sweep."""
    axes = [axis for axis in results.axes if axis in results.summary and results.summary[axis].nunique() > 1]
    baseline = results.summary["baseline"].dropna()
    heads = ["algorithm"] + [results.axis_name(axis) for axis in axes] + [
        f"time to {target_text(results) or 'target'} (s)", "reached",
        f"speed-up over {baseline.iloc[0]}" if len(baseline) else "speed-up", "final accuracy (%)", "utilisation (%)"]
    lines = ["% Means with 95 % intervals.", f"% {WHAT_OPEN_MEANS}", f"% {WHAT_BOUNDS_MEAN}", f"% {WHAT_MARKS_MEAN}",
             f"% {WHAT_CUT_MEANS}", f"% {WHAT_EDGE_MEANS}",
             "% Needs \\usepackage{booktabs}.",
             f"\\begin{{tabular}}{{{'l' * (1 + len(axes))}{'r' * (len(heads) - 1 - len(axes))}}}", "\\toprule",
             " & ".join(map(escaped, heads)) + " \\\\", "\\midrule"]
    before = None
    for _, row in results.summary.iterrows():
        at = [row[axis] for axis in axes]
        if before is not None and at != before:
            lines.append("\\addlinespace")
        before = at
        lines.append(" & ".join([escaped(row["algorithm"]) + (DAGGER if is_at_edge(row) else "")] + [escaped(value_text(v)) for v in at] + cells(row)) + " \\\\")
    return "\n".join(lines + ["\\bottomrule", "\\end{tabular}"]) + "\n"
