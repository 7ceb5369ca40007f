"""A figure of several seeds, as tables show it."""

import statistics


def spread(fractions, sign=""):
    """Mean and deviation in percent; one value has no deviation.

    >>> spread([0.5]), spread([0.25, 0.75], sign="+")
    ('50.00', '+50.00 ± 35.36')
    """
    percents = [100 * fraction for fraction in fractions]
    mean = f"{statistics.mean(percents):{sign}.2f}"
    if len(percents) < 2:
        return mean
    return f"{mean} ± {statistics.stdev(percents):.2f}"
