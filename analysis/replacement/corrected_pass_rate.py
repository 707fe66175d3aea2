"""The true pass rate behind a judge whose errors are known from items that people labeled, too."""

from math import nan, sqrt

from scipy.stats import norm

from analysis.values.errors import InputError
from analysis.values.estimate import Estimate

NO_BETTER = "the judge is not clearly better than chance, so that its errors cannot be corrected"


def corrected_pass_rate(
    pass_rate: float,
    n: int,
    specificity: float,
    fails: int,
    sensitivity: float,
    passes: int,
    level: float = 0.95,
) -> Estimate:
    """Return the share of items that people would pass, from a judge's share and its known errors.

    Parameters
    ----------
    pass_rate : share of items that the judge passes, from 0 to 1
    n : items that the judge labeled
    specificity : share that the judge fails of the items that people fail
    fails : items that people fail, on which the judge was checked
    sensitivity : share that the judge passes of the items that people pass
    passes : items that people pass, on which the judge was checked
    level : of the interval

    Returns
    -------
    Estimate
        the corrected rate, with an interval that holds the chance in all three samples; `n` is that of the judge. NaN
        with a reason where sensitivity and specificity do not clearly add to more than 1.

    Raises
    ------
    InputError
        where a share is not between 0 and 1, a number below 1, or the level not between 0 and 1.

    Notes
    -----
    theta = (p + q0 - 1) / (q0 + q1 - 1), cut to 0 and 1. Right where the judge errs alike in both samples, whatever
    their mix of passes and fails; the labeled items need not be a random part of all.
    Source: Rogan and Gladen 1978, Lee et al. 2025; methods: section 13.
    """
    for name, share in (
        ("pass_rate", pass_rate),
        ("specificity", specificity),
        ("sensitivity", sensitivity),
    ):
        if not 0 <= share <= 1:
            raise InputError(f"`{name}` must be between 0 and 1, got {share}")
    for name, number in (("n", n), ("fails", fails), ("passes", passes)):
        if number < 1:
            raise InputError(f"`{name}` must be 1 or more, got {number}")
    if not 0 < level < 1:
        raise InputError(f"`level` must be between 0 and 1, got {level}")
    z = float(norm.ppf((1 + level) / 2))
    p, total = (n * pass_rate + z**2 / 2) / (n + z**2), n + z**2
    q0, m0 = (fails * specificity + 1) / (fails + 2), fails + 2
    q1, m1 = (passes * sensitivity + 1) / (passes + 2), passes + 2
    error0, error1 = q0 * (1 - q0) / m0, q1 * (1 - q1) / m1
    better = q0 + q1 - 1
    if specificity + sensitivity <= 1 or better <= z * sqrt(error0 + error1):
        return Estimate(nan, n=n, reason=NO_BETTER)
    theta = _cut((p + q0 - 1) / better)
    shift = 2 * z**2 * (theta * error1 - (1 - theta) * error0)
    error = sqrt(p * (1 - p) / total + (1 - theta) ** 2 * error0 + theta**2 * error1) / better
    value = _cut((pass_rate + specificity - 1) / (specificity + sensitivity - 1))
    return Estimate(value, _cut(theta + shift - z * error), _cut(theta + shift + z * error), n)


def _cut(share: float) -> float:
    return min(max(share, 0.0), 1.0)
