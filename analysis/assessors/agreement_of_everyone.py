"""How far all raters agree on the items, by every figure there is: alpha, the ICCs, and agreement beyond chance."""

from collections.abc import Callable
from dataclasses import replace
from math import exp, nan

import numpy as np

from analysis.agreement.alpha import LEVELS, krippendorff_alpha
from analysis.agreement.chance_corrected import NAMES, agreement_coefficients
from analysis.agreement.intraclass import icc
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings

MOST_CELLS = 20_000_000
"""Items x raters x values up to which coefficients are worked out."""
TOO_MANY = "there are too many items, raters and values for it"
CALLED = dict(
    zip(
        NAMES,
        ("percent agreement", "Brennan-Prediger", "Gwet's AC2", "Fleiss' kappa", "Conger's kappa"),
        strict=True,
    )
)
COHEN = "Cohen's kappa"


def agreement_of_everyone(
    ratings: Ratings, on_progress: Callable[[float], object] | None = None
) -> dict[str, Estimate]:
    """Each figure by its name; alpha of ratios only where no score is below 0.

    Percent agreement counts equal values; the coefficients after it give credit for near misses (quadratic weights). Of
    a rater's several ratings of an item they take the first.
    """
    figures: dict[str, Estimate] = {}
    for at, level in enumerate(LEVELS):
        if level != "ratio" or ratings.score.min(initial=0) >= 0:
            figures[f"alpha, {level}"] = krippendorff_alpha(ratings.item, ratings.score, level)
        if on_progress is not None:
            on_progress((at + 1) / (len(LEVELS) + 1))
    forms = icc(ratings)
    return (
        figures
        | {
            "ICC(1,1)": forms.one_way,
            "ICC(A,1)": forms.agreement,
            "ICC(C,1)": forms.consistency,
            "ICC(1,k)": forms.one_way_k,
            "ICC(A,k)": forms.agreement_k,
            "ICC(C,k)": forms.consistency_k,
        }
        | beyond_chance(ratings)
    )


def beyond_chance(ratings: Ratings) -> dict[str, Estimate]:
    """Percent agreement and, with quadratic weights, Brennan-Prediger, Gwet's AC2 and the kappas."""
    _, rater = np.unique(ratings.rater, return_inverse=True)
    items, item = np.unique(ratings.item, return_inverse=True)
    raters = int(rater.max(initial=-1)) + 1
    _, first = np.unique(item * max(raters, 1) + rater, return_index=True)
    called = CALLED | ({"Conger kappa": COHEN} if raters == 2 else {})
    if len(items) * raters * len(np.unique(ratings.score)) > MOST_CELLS:
        return {name: Estimate(nan, n=len(items), reason=TOO_MANY) for name in called.values()}
    columns = item[first], rater[first], ratings.score[first]
    plain = agreement_coefficients(*columns).estimates
    near = agreement_coefficients(*columns, weights="quadratic").estimates
    return {
        name: _on_disagreement((plain if key == "percent agreement" else near)[key])
        for key, name in zip(NAMES, called.values(), strict=True)
    }


def _on_disagreement(estimate: Estimate) -> Estimate:
    """The interval on the logarithm of what is missing to 1, where chance is more alike: coverage of AC2 and
    Brennan-Prediger rises from 92 to 95 % with 20 items."""
    missing = 1 - estimate.value
    if not missing > 0 or estimate.low != estimate.low:
        return estimate
    half = (estimate.value - estimate.low) / missing
    return replace(estimate, low=1 - missing * exp(half), high=1 - missing * exp(-half))
