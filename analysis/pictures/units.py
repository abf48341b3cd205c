"""Quantities as scenarios write them: "10Gbps", "2.5Tf", "50us". The units are those of sim/scenario/units.cpp."""
import math
import re

BYTES = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1024, "MiB": 1048576, "GiB": 1073741824}
UNITS = {"time": {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600},
         "data": BYTES,
         "rate": {f"{prefix}{unit}": size * bytes_each for unit, bytes_each in (("bps", 0.125), ("Bps", 1))
                  for prefix, size in (("", 1), ("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12))},
         "flops": {"f": 1, "kf": 1e3, "Mf": 1e6, "Gf": 1e9, "Tf": 1e12, "Pf": 1e15},
         "power": {"mW": 1e-3, "W": 1, "kW": 1e3, "MW": 1e6}}
WRITTEN = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?) *([A-Za-z]*)")


def amount_of(value):
    """(number, unit) of 3, "3" or "10Gbps"; None of what is no number, with or without a unit."""
    if isinstance(value, bool):
        return None
    found = WRITTEN.fullmatch(str(value))
    return (float(found[1]), found[2]) if found and math.isfinite(float(found[1])) else None


def quantity_of(value):
    """(size in SI, dimension) of a number with a unit; None of anything else."""
    amount = amount_of(value) if isinstance(value, str) else None
    for dimension, units in UNITS.items():
        if amount and amount[1] in units:
            return amount[0] * units[amount[1]], dimension
    return None


def sizes_of(values):
    """The values as sizes in SI, to be drawn to scale, if all are quantities of one dimension and no two the same; else
    None."""
    found = [quantity_of(value) for value in values]
    if not found or None in found or len({dimension for _, dimension in found}) > 1 or len(set(found)) < len(found):
        return None
    return [size for size, _ in found]
