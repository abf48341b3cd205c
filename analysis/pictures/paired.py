"""Ratios of two algorithms' results, pair by pair of replicas: as motley does for times to target, for everything else."""
import itertools
import math


def two_sided_p(t, degrees):
    """Chance that Student's t is as far from 0 as this: the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    angle = math.atan(abs(t) / math.sqrt(degrees))
    sine, cosine = math.sin(angle), math.cos(angle)
    even = degrees % 2 == 0
    term = 1.0 if even else cosine
    total = term if even or degrees > 1 else 0.0
    for k in range(2 if even else 3, degrees, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    inside = sine * total if even else 2 / math.pi * (angle + sine * total)
    return max(0.0, 1 - inside)


def quantile(degrees, p=0.05):
    """The t beyond which, on both sides together, p is left."""
    low, high = 0.0, 1e4
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided_p(middle, degrees) > p else (low, middle)
    return high


def ratio(ours, theirs):
    """Geometric mean of theirs/ours over pairs, its 95 % interval, and p of no difference. Values that never differ from
    pair to pair are known exactly."""
    logs = [math.log(b / a) for a, b in zip(ours, theirs, strict=True)]
    n = len(logs)
    if n < 2:
        raise ValueError("an interval takes two pairs or more")
    mean = sum(logs) / n
    error = math.sqrt(sum((x - mean) ** 2 for x in logs) / (n - 1) / n)
    half = quantile(n - 1) * error
    p = two_sided_p(mean / error, n - 1) if error > 0 else float(mean == 0)
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half), p


def holm(chances):
    """Each p after Holm's correction for all of them."""
    order = sorted(chances, key=chances.get)
    corrected, largest = {}, 0.0
    for place, key in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - place) * chances[key]))
        corrected[key] = largest
    return corrected


def corrected_p(values, one, other):
    """p of two algorithms, corrected for all pairs of those in `values`: label -> a list, one value per replica."""
    chances = {frozenset(pair): ratio(values[pair[0]], values[pair[1]])[3] for pair in itertools.combinations(values, 2)}
    return holm(chances)[frozenset((one, other))]
