"""When an axis is logarithmic, and how it is numbered then."""
import math

from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

from ..results import value_text

LOG_BEYOND = 12  # largest over smallest: on a linear axis the smallest could not be told apart
CLOSEST = 0.22   # of an axis, for two numbers beside each other


def is_number(values):
    return all(isinstance(v, (int, float)) for v in values)


def is_geometric(values):
    """Whether they belong on a log scale: each so many times the one before, or far apart."""
    if not is_number(values) or min(values) <= 0:
        return False
    steps = [b / a for a, b in zip(values, values[1:])]
    return max(values) / min(values) >= 30 or (len(values) > 2 and steps[0] >= 1.5 and max(steps) - min(steps) < 0.01 * steps[0])


def spans_much(values):
    """Whether values that could start at zero are too far apart for that."""
    values = [v for v in values if v == v]
    return bool(values) and min(values) > 0 and max(values) / min(values) >= LOG_BEYOND


def log_axis(axis, decades=2):
    """Plain numbers at 1, 2 and 5 times the powers of ten, so that a short range has some, too; at the powers alone when
    there are many decades."""
    if axis.axis_name == "x":
        axis.axes.set_xscale("log")
    else:
        axis.axes.set_yscale("log")
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades <= 2 else (1,)))
    axis.set_major_formatter(FormatStrFormatter("%g"))
    axis.set_minor_formatter(NullFormatter())


def number_values(axis, values, log):
    """Numbers at the values themselves; of those too close to each other for that, not all."""
    at = [math.log(value) if log else value for value in values]
    shown = []
    for place, value in zip(at, values):
        if not shown or place - shown[-1][0] >= CLOSEST * (at[-1] - at[0]):
            shown.append((place, value))
    axis.set_ticks([value for _, value in shown], [f"{value:.3g}" if isinstance(value, float) else value_text(value) for _, value in shown])
    axis.set_ticks([], minor=True)
