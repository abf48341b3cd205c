"""The figures, one module each.

A module has NAME (of its files), TITLE, HOW_TO_READ, and draw(results, look), which returns a matplotlib
figure or raises NoData with the reason why there is none."""
from . import (accuracy, best, contribution, decisions, efficiency, failures, final, frontier, gantt, links, staleness, sweep, target,
               time_budget, tuning, whatif)

ALL = [accuracy, efficiency, target, frontier, sweep, best, final, tuning, whatif, staleness, gantt, failures, time_budget, contribution,
       links, decisions]
