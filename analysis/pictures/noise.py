"""Whether two rows of summary.csv can be told apart."""


def known(value):
    return value is not None and value == value


def within_noise(first, row):
    """Why the two cannot be told apart, in words; "" when they can, or when one run each says nothing about it.

    Against the baseline there is a paired comparison, which is sharper than two intervals side by side."""
    if first["baseline"] in (first["algorithm"], row["algorithm"]):
        paired = row if first["algorithm"] == first["baseline"] else first
        if not known(paired["speedup_low"]):
            return ""
        return "the 95 % interval of the speed-up contains 1" if paired["speedup_low"] <= 1 <= paired["speedup_high"] else ""
    cells = [first["time_to_target_low_s"], first["time_to_target_high_s"], row["time_to_target_low_s"],
             row["time_to_target_high_s"]]
    if not all(known(c) for c in cells):
        return ""
    return "the 95 % intervals overlap" if row["time_to_target_low_s"] <= first["time_to_target_high_s"] else ""
