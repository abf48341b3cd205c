"""Whether two rows of summary.csv can be told apart: as the simulator decided it in comparisons.csv."""


def known(value):
    return value is not None and value == value


def within_noise(first, row):
    """Why the two cannot be told apart, in words; "" when they can, or when one run each says nothing about it."""
    return "the paired test over the replicas does not decide it" if row["algorithm"] in first["undecided_with"] else ""
