"""The rows of the result files that a figure draws, for whoever wants its numbers."""
from .figures import decisions, gantt
from .results import NoData

# Figure -> the table it draws.
TABLES = {"accuracy": "bands", "efficiency": "bands", "target": "summary", "sweep": "summary", "best": "summary", "final": "summary",
          "frontier": "summary", "tuning": "tuned", "whatif": "whatif", "staleness": "staleness", "gantt": "events", "failures": "curves",
          "time_budget": "workers", "contribution": "workers", "links": "links", "decisions": "decisions"}
AT_FIRST_POINT = {"tuning", "whatif"}
AT_LAST_POINT = {"staleness", "time_budget", "contribution", "links"}
MOST_BYTES = 50_000  # of one figure, so that the page stays small


def at_point(results, table, point):
    for axis, value in zip(results.axes, point):
        if axis in table:
            table = table[table[axis] == value]
    return table


def of_runs(table, runs):
    return table[table["run"].isin(runs["run"])]


def rows_of(results, name):
    """Of the table that the figure of this name draws, as far as it draws it."""
    table = getattr(results, TABLES[name])
    if name in AT_FIRST_POINT:
        return at_point(results, table, results.points()[0])
    if name in AT_LAST_POINT:
        return of_runs(table, results.at(results.points()[-1]))
    if name == "decisions":
        deciding = [p for p in results.points() if len(decisions.runs_that_decide(results, results.at(p)))]
        return of_runs(table, decisions.runs_that_decide(results, results.at(deciding[-1])))
    if name == "failures":
        return of_runs(table, gantt.shown_runs(results)[1])
    if name == "gantt":
        return gantt.shown_events(results)
    return table


def csv_of(results, name):
    """(the rows as CSV, how many there are for each that is in it). Columns that say nothing are left out."""
    try:
        rows = rows_of(results, name)
    except (NoData, IndexError):
        return None, 1
    rows = rows.drop(columns=[column for column in rows if not rows[column].map(has_value).any()])
    text = rows.to_csv(index=False, float_format="%.6g")
    every = -(-len(text) // MOST_BYTES)
    return (text if every <= 1 else rows.iloc[::every].to_csv(index=False, float_format="%.6g")), max(1, every)


def has_value(cell):
    """Neither missing nor empty, nor what results.py keeps beside the columns."""
    return not isinstance(cell, (dict, list)) and cell == cell and cell is not None and cell != ""
