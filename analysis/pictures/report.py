"""report.html: one file that holds everything it shows."""
import base64
import html
import json
import math
import pathlib
import shlex

from . import how_tuned, resolution, shown_rows, what_decides, what_to_do, words
from .figures import contribution, curves, decisions, links, staleness, time_budget
from .figures import sweep as sweep_figure
from .figures.scales import is_geometric, spans_much
from .figures.target import open_text, rows_of
from .look import Look
from .results import NoData, value_text
from .style import CLASSES, STATES, evenly
from .verdicts import (WHAT_BOUNDS_MEAN, WHAT_CUT_MEANS, WHAT_MARKS_MEAN, WHAT_OPEN_MEANS, is_at_edge, is_cut, is_open, known, mark,
                       ratio_text, sign, supported)

PAGE = pathlib.Path(__file__).parent / "page"
LIBRARIES = [pathlib.Path("/usr/share/javascript/chart.js/chart.min.js"),
             pathlib.Path("/usr/share/nodejs/chart.js/dist/chart.min.js")]
# Chart.js' names of the figures' markers.
POINTS = {"o": "circle", "s": "rect", "^": "triangle", "D": "rectRot", "v": "triangle", "P": "cross", "X": "crossRot",
          "*": "star", "<": "triangle", ">": "triangle", "h": "rectRounded"}
ROTATIONS = {"v": 180, "<": -90, ">": 90}
X_WORDS = {"time_s": "virtual time (s)", "epochs": "epochs", "updates": "updates of the global model"}
Y_WORDS = {"test_accuracy": "test accuracy", "test_loss": "test loss"}
MOST_LINES = 200  # of one chart
POINTS_BYTES = 800_000  # of all that is said point by point, so that a page of a thousand runs has at most two megabytes
FEWEST_PLACES, MOST_PLACES = 6, 200  # at which a curve is drawn: as finely as a screen shows, if there is room
MOST_DECISIONS = 4_000  # places of all lines of one point
SCREENFUL = 40  # rows; a longer table waits until it is asked for


def rounded(value):
    """Five digits are more than a screen shows, and JSON knows neither nan nor infinity."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return float(f"{value:.5g}") if not isinstance(value, str) else value


def rounded_list(values):
    return None if values is None else [rounded(float(v)) for v in values]


def key_of(results, point):
    return results.point_title(point) or "all"


def curve_data(results, point, most):
    """At most so many places of each curve. Bands and single replicas by the rule of the figures."""
    data = {}
    runs = results.at(point)
    for y in curves.measures(results):
        for x in X_WORDS:
            series = {}
            for label in results.algorithms_of(runs):
                drawn = results.band(point, label, x, y)
                if drawn:
                    has_band, lines = curves.single_replicas(results, runs[runs["algorithm"] == label], drawn, x, y)
                    shown = drawn if has_band else (*drawn[:2], None, None)
                    thin = [None if part is None else evenly(list(part), most) for part in shown]
                    series[label] = dict(zip(("x", "mean", "low", "high"), map(rounded_list, thin)))
                    series[label]["replicas"] = [{"x": rounded_list(evenly(list(at), most)), "y": rounded_list(evenly(list(values), most))}
                                                 for at, values, _ in lines]
                seen = results.band(point, label, x, y, oracle=True)
                if seen:
                    thin = [rounded_list(evenly(list(part), most)) for part in seen[:2]]
                    series.setdefault(label, {"x": [], "mean": [], "low": None, "high": None, "replicas": []})
                    series[label]["oracle"] = {**dict(zip(("x", "mean"), thin)), "name": f"{label}: {curves.ORACLE_SAW}"}
            data[f"{y}/{x}"] = series
    return data


def summary_data(results, point):
    wanted = ["algorithm", "n", "reached", "time_to_target_mean_s", "time_to_target_low_s", "time_to_target_high_s",
              "speedup", "speedup_low", "speedup_high"]
    return [{**{c: rounded(row[c]) for c in wanted}, "speedup": rounded(supported(row)), **without_interval(row), "mark": mark(row)}
            for row in rows_of(results, point).to_dict("records")]


def without_interval(row):
    """Of what is only a bound, no ends of an interval."""
    bounds = (["time_to_target"] if row["reached"] < row["n"] else []) + (["speedup"] if sign(row) else [])
    return {f"{what}_{end}{'_s' if what == 'time_to_target' else ''}": None for what in bounds for end in ("low", "high")}


def sweep_lines(results, rows, axis, place, cell_of, marks):
    """{label: line} of one chart: what was measured, with its intervals, and beside it what is only a bound; and whether the
    values ask for a log scale. marks: (label, place) -> what stands in front of the value."""
    series = sweep_figure.cells_along(results, rows, axis, place, cell_of)
    aside = sweep_figure.beside_each_other(series)
    lines = {}
    for label, cells in series.items():
        inside = [(low, high) if known(low) and known(high) and not bound else (None, None) for _, _, low, high, bound in cells]
        lines[label] = {"x": [x for x, *_ in cells], "mean": [None if bound else rounded(value) for _, value, _, _, bound in cells],
                        "low": [rounded(low) for low, _ in inside], "high": [rounded(high) for _, high in inside],
                        "marks": [marks.get((label, x), "") for x, *_ in cells],
                        "bounds": [{"x": x, "y": rounded(value), "way": {"at_least": 1, "at_most": -1}.get(bound, 0),
                                    "aside": aside.get((label, x), 0), "mark": marks.get((label, x), "> ")}
                                   for x, value, _, _, bound in cells if bound]}
    return {"lines": lines, "log": bool(spans_much([value for cells in series.values() for _, value, *_ in cells]))}


def sweep_data(results):
    try:
        axis = sweep_figure.sweep_axis(results)
    except NoData:
        return None
    if axis not in results.summary or results.target is None:
        return None
    rows, fixed = sweep_figure.rows_along(results, axis)
    place, to_scale = sweep_figure.places_of(list(dict.fromkeys(rows[axis])))
    place = {value: float(where) for value, where in place.items()}
    order = sorted(place, key=place.get)
    verdicts = {(row["algorithm"], place[row[axis]]): mark(row) for row in rows.to_dict("records")}
    return {"axis": results.axis_name(axis) + (f" ({fixed})" if fixed else ""),
            "to_scale": to_scale, "log": to_scale and is_geometric([place[value] for value in order]),
            "places": [place[value] for value in order], "names": [value_text(value) for value in order],
            "time": sweep_lines(results, rows, axis, place, sweep_figure.time_at, {}),
            "speedup": sweep_lines(results, rows, axis, place, sweep_figure.speedup_at, verdicts)}


def time_data(results, runs):
    table = time_budget.shares(results, runs)
    return [{"algorithm": label, "class": name, **{p: rounded(float(row[f"{p}_s"])) for p in time_budget.parts_of(results)}}
            for label in results.algorithms_of(runs) if label in table.index.get_level_values(0)
            for name, row in table.loc[label].iterrows()]


def staleness_data(results, runs):
    table = results.staleness.merge(runs[["run", "algorithm"]], on="run")
    rows = []
    for label in results.algorithms_of(runs):
        mine = table[table["algorithm"] == label]
        if not (mine["staleness"] > 0).any():
            continue
        step, edges = staleness.bins(mine)
        for i, name in enumerate(results.classes()[:len(CLASSES)]):
            shares = staleness.binned(staleness.histogram(mine[mine["class"] == name]), edges)
            rows.append({"algorithm": label, "class": name, "x": [float(e) + step / 2 for e in edges[:-1]],
                         "share": rounded_list(shares), "step": step, "dash": [[], [6, 3], [2, 2]][i % 3]})
    return rows


def link_data(results, runs):
    return [{"algorithm": label, "link": name, "utilisation": rounded(row["utilisation"]),
             "busy_share": rounded(row["busy_share"])}
            for label, rows in links.busiest(results, runs).items() for name, row in rows.iterrows()
            if row["utilisation"] > 0]


def contribution_data(results, runs):
    table = contribution.shares(results, runs).dropna(subset=["contribution"])
    return [{"algorithm": label, "worker": worker, **{c: rounded(float(row[c])) for c in table.columns}}
            for label in results.algorithms_of(runs) if label in table.index.get_level_values(0)
            for worker, row in contribution.sampled(table, label).iterrows()]


def decision_data(results, runs):
    chosen = {}
    names = results.classes()
    for _, run in decisions.runs_that_decide(results, runs).iterrows():
        mine = decisions.made(results)
        mine = mine[mine["run"] == run["run"]]
        classes = results.workers[results.workers["run"] == run["run"]].set_index("worker")["class"].to_dict()
        for quantity, rows in mine.groupby("quantity", sort=False):
            lines = []
            shown = evenly(rows.groupby("worker", sort=False), MOST_LINES)
            most = max(2, MOST_DECISIONS // len(shown))
            for worker, steps in shown:
                steps = steps.iloc[evenly(range(len(steps)), most)]
                kind = classes.get(worker)
                lines.append({"worker": worker, "colour": CLASSES[names.index(kind) % len(CLASSES)] if kind in names else "#888888",
                              "x": rounded_list(list(steps["time_s"]) + [run["virtual_s"]]),
                              "y": rounded_list(list(steps["value"]) + [steps["value"].iloc[-1]])})
            chosen[f"{run['algorithm']}: {quantity.replace('_', ' ')}"] = {
                "algorithm": run["algorithm"], "quantity": quantity.replace("_", " "), "lines": lines}
    return chosen


def point_data(results, point):
    """What the charts draw of one point, but for its curves."""
    runs = results.at(point)
    runs = runs[runs["status"] != "failed"]
    return {"summary": summary_data(results, point) if len(results.summary) else [], "time": time_data(results, runs),
            "staleness": staleness_data(results, runs), "links": link_data(results, runs),
            "contribution": contribution_data(results, runs), "decisions": decision_data(results, runs)}


def room_for(results):
    """(the points that the page tells of one by one, at how many places it draws their curves): all points if they fit, else
    as many as do, evenly spread. By the sizes of some of them."""
    points = results.points()
    some = evenly(points, 5)
    least = sum(len(embedded(curve_data(results, p, FEWEST_PLACES))) for p in some) / len(some)
    other = sum(len(embedded(point_data(results, p))) + len(point_html(results, p)) for p in some) / len(some)
    shown = evenly(points, max(2, int(POINTS_BYTES / (least + other))))
    places = FEWEST_PLACES * (POINTS_BYTES / len(shown) - other) / max(1, least)
    return shown, int(min(MOST_PLACES, max(FEWEST_PLACES, places)))


def page_data(results, room=None):
    """All that the charts draw."""
    look = Look.of(results)
    points, places = room or room_for(results)
    by_point = {key_of(results, p): point_data(results, p) for p in points}
    baseline = results.summary["baseline"].dropna()
    return {
        "algorithms": results.algorithms_of(results.runs), "points": list(by_point),
        "look": {a: {"colour": look.colour(a), "point": POINTS[look.marker(a)], "rotation": ROTATIONS.get(look.marker(a), 0),
                     "dash": [] if look.dashes(a) == "-" else [2 * part for part in look.dashes(a)[1]]}
                 for a in results.algorithms},
        "target": list(results.target) if results.target else None,
        "baseline": baseline.iloc[0] if len(baseline) else "the baseline",
        "words": {**X_WORDS, **Y_WORDS}, "states": STATES, "parts": time_budget.parts_of(results),
        "curves": {key_of(results, p): curve_data(results, p, places) for p in points},
        "sweep": sweep_data(results),
        **{what: {key: data[what] for key, data in by_point.items()}
           for what in ("summary", "time", "staleness", "links", "contribution", "decisions")},
    }


def embedded(data):
    """JSON inside a <script>: without any "<", nothing in it can end the script or begin a comment."""
    return json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def text(value):
    return html.escape(str(value))


def choice(name, options, label):
    """options: value -> words. One option is no choice, but the script still reads it."""
    items = "".join(f'<option value="{text(v)}">{text(w)}</option>' for v, w in options.items())
    return f'<select data-choice="{name}" aria-label="{text(label)}"{"" if len(options) > 1 else " hidden"}>{items}</select>'


ZOOM = ('<button data-zoom="0.5" aria-label="zoom in">+</button><button data-zoom="2" aria-label="zoom out">&minus;</button>'
        '<button data-zoom="all">all</button>')


def card(name, title, note, tools="", wide=False):
    return (f'<div class="card{" wide" if wide else ""}" data-chart="{name}"><h3>{text(title)}</h3>'
            f'<div class="tools">{tools}</div><div class="plot"><canvas role="img" aria-label="{text(title)}"></canvas></div>'
            f"<p>{text(note)}</p></div>")


def picture(folder, module, rows):
    """rows: figure -> CSV, filled in with what this one shows."""
    file = folder / f"{module.NAME}.png"
    width = int.from_bytes(file.read_bytes()[16:20], "big")  # where PNG keeps it; half of it suits a screen
    encoded = base64.b64encode(file.read_bytes()).decode()
    save = f'<button type="button" data-picture="{module.NAME}" aria-label="download the picture of {text(module.TITLE)}">picture</button>'
    csv, every = rows(module.NAME)
    if csv:
        part = "data" if every == 1 else f"data, one row in {every}; all are in {shown_rows.TABLES[module.NAME]}.csv"
        save = (f'<button type="button" data-rows="{module.NAME}" aria-label="download the data of {text(module.TITLE)} as CSV">{part}</button>' + save)
    return (f'<div class="card wide"><h3>{text(module.TITLE)}</h3><div class="tools">{save}</div><div class="scroll"><img width="{width // 2}" alt="{text(module.TITLE)}" '
            f'src="data:image/png;base64,{encoded}"></div><p>{text(module.HOW_TO_READ)}</p></div>')


def any_rows(data, key):
    return any(data[key].values())


def chart_cards(data):
    """The charts that have data."""
    cards = []
    measures = [y for y in Y_WORDS if any(series.get(f"{y}/time_s") for series in data["curves"].values())]
    if measures:
        first = data["target"][0] if data["target"] and data["target"][0] in measures else measures[0]
        ordered = {y: Y_WORDS[y] for y in [first] + [m for m in measures if m != first]}
        tools = (choice("y", ordered, "what is shown") + choice("x", X_WORDS, "against what") +
                 choice("point", {p: p for p in data["points"]}, "point of the sweep") + ZOOM)
        cards.append(card("curves", "Learning curves", "Mean over replicas as far as all of them go, with its 95 % band where there are "
                          "five or more; thin lines are single replicas; dots are what merges would have given (an oracle), where "
                          "no worker holds that model. Drag to zoom, double-click "
                          "to reset; the buttons at the top hide an algorithm in every chart.", tools, wide=True))
    if data["target"] and any(r["time_to_target_mean_s"] is not None for rows in data["summary"].values() for r in rows):
        cards.append(card("target", "Time to target", "Mean and 95 % interval, in the order of places. An interval that ends in an arrow goes on. "
                          "Pale, with an arrow: the mean of the runs that reached the target, where others did not."))
        cards.append(card("speedup", "Speed-up", f"With the interval of the paired comparison. {WHAT_MARKS_MEAN} "
                          "Pale, with an arrow: a bound, and the true value lies in the arrow's direction."))
    if data["sweep"]:
        cards.append(card("sweep", f"Over {data['sweep']['axis']}", "One line per algorithm through what was measured, with its 95 % band. An open marker with an arrow: not "
                          "every run reached the target there, and the true value lies in the arrow's direction (where no run did, from where "
                          "the runs end). Open without an arrow: runs on both sides did not, and times are cut where these ended.",
                          choice("y", {"time": "time to target", "speedup": "speed-up"}, "what is shown") + ZOOM, wide=True))
    return cards


def why_cards(data):
    cards = []
    if any_rows(data, "time"):
        cards.append(card("time", "Where the workers' time goes", "The four shares add up to 100 % of a class's time."))
    if any_rows(data, "links"):
        cards.append(card("links", "Busiest links", "Share of the bandwidth used and share of time busy. Whether more bandwidth would help is answered under What decides."))
    if any_rows(data, "staleness"):
        cards.append(card("staleness", "Staleness", "How many updates were made between reading a model and applying the gradient computed on it.", ZOOM))
    if any_rows(data, "contribution"):
        columns = {"speed_share": "against share of speed"}
        if any("data_share" in row for rows in data["contribution"].values() for row in rows):
            columns["data_share"] = "against share of data"
        cards.append(card("contribution", "Contribution of each worker", "One marker per worker (an evenly spaced subset of many); on the dashed line the two shares are equal.",
                          choice("x", columns, "against what")))
    if any_rows(data, "decisions"):
        kinds = dict.fromkeys(kind for chosen in data["decisions"].values() for kind in chosen)
        cards.append(card("decisions", "Decisions made during the run", "One line per worker, coloured by class (an evenly spaced subset of many).",
                          choice("what", {k: k for k in kinds}, "which decision") + ZOOM, wide=True))
    return cards


def interval_cell(row, mean, low, high, show):
    if not words.known(row[mean]):
        return None
    cell = show(row[mean])
    if words.known(row[low]) and words.known(row[high]) and row[low] != row[high]:  # the baseline is exactly as fast as itself
        cell += f"<small>{show(row[low])} to {show(row[high])}</small>"
    return cell


def counted(number):
    return f"{number:g}" if words.known(number) else "?"


def expenses_of(results):
    """(column of summary.csv, how it is headed, how it is shown) of what the scenario gives power or prices for."""
    where = "_to_target" if results.target else ""
    heading = " to target" if results.target else ""
    known = [(f"cost{where}_mean", "cost" + heading, lambda v: f"{v:.3g}"),
             (f"energy{where}_mean_J", "energy" + heading, words.energy)]
    return [expense for expense in known if results.summary[expense[0].replace("_to_target", "")].notna().any()]


def expense_heads(results):
    return [heading for _, heading, _ in expenses_of(results)]


def expense_cells(results, row):
    return [show(row[column]) if words.known(row[column]) else "-" for column, _, show in expenses_of(results)]


def table_html(results, points=None, explained=True):
    """Of these points, or of all."""
    if results.summary.empty:
        return "<p>summary.csv is missing: nothing to compare.</p>"
    tables = []
    look = Look.of(results)
    for point in points or results.points():
        rows = []
        for _, row in rows_of(results, point).iterrows():
            time = interval_cell(row, "time_to_target_mean_s", "time_to_target_low_s", "time_to_target_high_s", words.seconds)
            if time and row["reached"] < row["n"]:  # a bound has no interval
                time = "&gt; " + interval_cell(row, *["time_to_target_mean_s"] * 3, words.seconds)
            if is_open(row):
                time += f"<small>{open_text(row).strip()}</small>"
            speed = interval_cell(row, "speedup", "speedup_low", "speedup_high", lambda v: f"{v:.2f}x")
            if speed and sign(row):  # a bound has no interval
                speed = text(ratio_text(row))
            elif speed:
                speed = text(mark(row)) + speed + ("<small>(cut)</small>" if is_cut(row) else "")
            accuracy = interval_cell(row, "final_accuracy_mean", "final_accuracy_low", "final_accuracy_high",
                                     lambda v: f"{100 * v:.2f} %")
            bad = [f"{row[k]:g} {k}" for k in ("failed", "diverged") if words.known(row[k]) and row[k] > 0]
            bad = f"<small>{', '.join(bad)}</small>" if bad else ""
            utilisation = words.percent(row["utilisation"]) if words.known(row["utilisation"]) else "-"
            if results.target:
                cut = row.get("cut_short_s")
                cells = [time or (f"cut at {words.seconds(cut)}" if words.known(cut) else "not reached"), speed or "-", f"{counted(row['reached'])} of {counted(row['n'])}" + bad, accuracy or "-",
                         utilisation, links.data_size(row["bytes_to_target"]) if words.known(row["bytes_to_target"]) else "-"]
            else:
                cells = [counted(row["n"]) + bad, accuracy or "-", utilisation]
            cells += expense_cells(results, row)
            label = text(row["algorithm"])
            edge = "<small>tuned to the edge of its grid</small>" if is_at_edge(row) else ""
            share = row.get("tuned_share_of_grid")
            if words.known(share) and share < 1:
                edge += "<small>tuned on a part of its grid</small>"
            colour = look.colour(row["algorithm"]) if row["algorithm"] in results.algorithms else "#888"
            rows.append(f'<tr data-label="{label}"><td><span class="swatch" style="background:{colour}"></span>{label}{edge}</td>' +
                        "".join(f"<td>{c}</td>" for c in cells) + "</tr>")
        heads = ["algorithm", "time to target", f"vs {text(results.summary['baseline'].dropna().iloc[0])}"
                 if results.summary["baseline"].notna().any() else "speed-up", "reached", "final accuracy", "utilisation",
                 "bytes to target"] if results.target else ["algorithm", "runs", "final accuracy", "utilisation"]
        heads += expense_heads(results)
        title = results.point_title(point)
        tables.append(f'<div class="scroll" data-point="{text(key_of(results, point))}">' +
                      (f"<h3>{text(title)}</h3>" if title else "") + "<table><thead><tr>" +
                      "".join(f"<th>{h}</th>" for h in heads) + "</tr></thead><tbody>" + "".join(rows) + "</tbody></table></div>")
    note = (f"<p class=\"note\">Small figures: 95 % intervals. {WHAT_MARKS_MEAN} {text(WHAT_BOUNDS_MEAN)} "
            f"{WHAT_CUT_MEANS} {WHAT_OPEN_MEANS}</p>" if results.target and explained else "")
    return "".join(tables) + note


def some_html(results, points):
    """Says so where the page does not tell of every point."""
    everything = len(results.points())
    if len(points) >= everything:
        return ""
    return (f'<p class="note">Point by point for {len(points)} of {everything} points, evenly spread; charts over the swept values have all of '
            "them, and so has summary.csv.</p>")


def answer_html(results):
    parts = words.answer(results)
    if len(parts) == 1:
        return "".join(f"<p>{text(s)}</p>" for s in parts[0][1])
    listed = "<dl>" + "".join(f"<dt>{text(title)}</dt><dd>{text(' '.join(sentences))}</dd>" for title, sentences in parts) + "</dl>"
    lead = f"<p>{text(words.over_the_sweep(results))}</p>" if results.target else ""
    if len(results.planned) > len(results.runs):
        lead += f"<p>Only {len(results.runs)} of {len(results.planned)} planned runs have finished.</p>"
    return lead + (listed if len(parts) <= 4 else f"<details><summary>Point by point</summary>{listed}</details>")


def to_do_html(results):
    """Empty where there is nothing to advise."""
    lines = what_to_do.sentences(results)
    listed = "".join(f"<li>{text(line)}</li>" for line in lines)
    return f'<section id="do"><h2>What to do</h2><ul>{listed}</ul></section>' if lines else ""


def label_list(lines):
    """algorithm -> line."""
    return "<ul>" + "".join(f'<li data-label="{text(a)}"><b>{text(a)}</b>: {text(line)}</li>' for a, line in lines.items()) + "</ul>"


def decides_at(results, point):
    here = what_decides.lines(results, point)
    return (f'<div data-point="{text(key_of(results, point))}"><p>At {text(results.point_title(point))}:</p>{label_list(here)}</div>'
            if here else "")


def decides_html(results, drawn, points, picture_of):
    """What decides, in words and as a tornado; empty when no changes of the cluster were tried."""
    lines = what_decides.lines(results)
    parts = [label_list(lines)] if lines else []
    parts += [decides_at(results, point) for point in points] if results.axes else []
    parts += [f'<p class="note">{text(note)}</p>' for note in what_decides.notes(results)]
    figure = "".join(picture_of(m) for m in drawn if m.NAME == "whatif")
    parts.append(f'<div class="cards">{figure}</div>' if figure else "")
    return f'<h3 id="decides">What decides</h3><p>{text(what_decides.HEADING)}</p>' + "".join(parts) if any(parts) else ""


def why_at(results, point):
    lines = words.budget(results, results.at(point))
    where = f"<p>At {text(results.point_title(point))}:</p>" if point else ""
    return f'<div data-point="{text(key_of(results, point))}">{where}{label_list(lines)}</div>' if lines else ""


def point_html(results, point):
    """All words about one point."""
    return table_html(results, [point], explained=False) + why_at(results, point) + (decides_at(results, point) if results.axes else "")


def why_html(results, data, points):
    lists = [why_at(results, point) for point in points]
    return ("<h3>Where the time went</h3>" + ("".join(lists) or "<p>No run got far enough to tell.</p>") +
            f'<div class="cards">{"".join(why_cards(data))}</div>')


def tuned_html(results, drawn, picture_of):
    """How it was tuned, with the figure; empty when nothing was."""
    lines = how_tuned.sentences(results)
    if not lines:
        return ""
    choices = how_tuned.by_algorithm(results)
    swept = any(choice["where"] for choice in choices)
    heads = ["algorithm"] + (["where"] if swept else []) + ["chosen", "candidates", "runs each", ""]
    rows = []
    for choice in choices:
        cells = [choice["algorithm"]] + ([choice["where"]] if swept else []) + [
            choice["values"], choice["candidates"], choice["runs"], "at the edge of its grid" if choice["at_edge"] else ""]
        rows.append(f'<tr data-label="{text(choice["algorithm"])}">' + "".join(f"<td>{text(c)}</td>" for c in cells) + "</tr>")
    table = ('<div class="scroll"><table><thead><tr>' + "".join(f"<th>{h}</th>" for h in heads) + "</tr></thead><tbody>" +
             "".join(rows) + "</tbody></table></div>")
    if len(rows) > SCREENFUL:
        table = f"<details><summary>All {len(rows)} choices</summary>{table}</details>"
    figure = "".join(picture_of(m) for m in drawn if m.NAME == "tuning")
    figure = f'<div class="cards">{figure}</div>' if figure else ""
    return ('<section id="tuned"><h2>Tuning</h2><ul>' + "".join(f"<li>{text(line)}</li>" for line in lines) + "</ul>" + table +
            figure + "<p class=\"note\">Every candidate with its score: tuned.csv.</p></section>")


def made_html(results, left_out, folder):
    p = results.provenance
    command = p.get("command")
    command = shlex.join(map(str, command)) if isinstance(command, list) else command
    rows = {**({"command": command} if command else {}),
            **{k: v for k, v in p.items() if k != "command" and isinstance(v, (str, int, float))}}
    listed = "".join(f"<dt>{text(k.replace('_', ' '))}</dt><dd>{text(v)}</dd>" for k, v in rows.items())
    missing = "".join(f"<li>{text(m.TITLE)}: {text(reason)}</li>" for m, reason in left_out)
    scenario = text(json.dumps(results.scenario, indent=2))
    return (f'<dl class="made">{listed}</dl>' +
            "<p>To reproduce: <code>./motley run " + text(results.folder / "scenario.json") + " --out results/again</code></p>" +
            f"<p>Figures as PNG, SVG and PDF: <code>{text(folder)}</code>.</p>" +
            (f"<details><summary>Figures left out, and why</summary><ul>{missing}</ul></details>" if missing else "") +
            (f"<details><summary>The full scenario</summary><pre>{scenario}</pre></details>" if results.scenario else
             "<p>The scenario is missing.</p>"))


def library():
    for file in LIBRARIES:
        if file.is_file():
            return file.read_text(encoding="utf-8")
    return None


def page(results, drawn, left_out, figures_folder, chart_library):
    """The whole page. Without a chart library the figures take the place of the charts."""
    points, places = room_for(results) if len(results.runs) else ([], 0)
    data = page_data(results, (points, places)) if points else {"algorithms": [], "points": [], "look": {}, "decisions": {}}
    data["rows"] = {}
    figures_folder = pathlib.Path(figures_folder)

    def rows(name):
        csv, every = shown_rows.csv_of(results, name)
        data["rows"][name] = csv
        return csv, every

    def picture_of(module):
        return picture(figures_folder, module, rows)

    interactive = chart_library is not None and len(results.runs)
    if interactive:
        cards = chart_cards(data) + [picture_of(m) for m in drawn if m.NAME in ("gantt", "best", "frontier")]
        charts = f'<div class="cards">{"".join(cards)}</div>'
        why = why_html(results, data, points)
    else:
        note = "" if chart_library is not None else ("<p>Chart.js is not installed (Debian: libjs-chart.js), so the charts "
                                                     "are static images.</p>")
        charts = note + f'<div class="cards">{"".join(picture_of(m) for m in drawn if m.NAME not in ("tuning", "whatif"))}</div>'
        why = why_html(results, {"time": {}, "links": {}, "staleness": {}, "contribution": {}, "decisions": {}}, points)
    if not drawn and not len(results.runs):
        charts = "<p>There is nothing to draw.</p>"
    parts = {
        "title": text(results.scenario.get("name", results.folder.name)), "question": text(words.question(results)),
        "answer": answer_html(results), "do": to_do_html(results), "table": table_html(results, points or None) + some_html(results, points), "charts": charts,
        "why": decides_html(results, drawn, points, picture_of) + why,
        "tuned": tuned_html(results, drawn, picture_of),
        "sure": "<ul>" + "".join(f"<li>{text(line)}</li>" for line in words.how_sure(results) + resolution.lines(results)) + "</ul>",
        "made": made_html(results, left_out, figures_folder), "style": (PAGE / "page.css").read_text(),
        "library": chart_library or "",
        "script": (PAGE / "page.js").read_text() + (PAGE / "access.js").read_text(),
    }
    parts["data"] = embedded(data)  # the pictures have added what they show
    filled = (PAGE / "template.html").read_text()
    # One pass: what is filled in is never searched for places.
    pieces = filled.split("{{")
    return pieces[0] + "".join(parts[rest.split("}}", 1)[0]] + rest.split("}}", 1)[1] for rest in pieces[1:])
