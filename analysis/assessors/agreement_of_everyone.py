"""How far all raters agree on the items, by every figure there is: alpha, the ICCs, and agreement beyond chance."""

from collections.abc import Callable
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from analysis.agreement.alpha import LEVELS, krippendorff_alpha
from analysis.agreement.chance_corrected import NAMES, Agreement, Name, Weights, agreement_coefficients
from analysis.agreement.intraclass import icc
from analysis.agreement.rating_table import likely_scale
from analysis.values.codes import coded
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings

MOST_NUMBERS = 20_000_000
"""Ratings x values up to which coefficients are worked out."""
TOO_MANY = "there are too many ratings and values for it"
CALLED = dict(
    zip(
        NAMES,
        (
            "percent agreement",
            "Brennan-Prediger",
            "Gwet's AC2",
            "Fleiss' kappa",
            "Conger's kappa",
            "mean pairwise kappa",
        ),
        strict=True,
    )
)
COHEN = "Cohen's kappa"


@dataclass(frozen=True)
class AgreementFigure:
    """A figure of agreement: `fixed` with its interval over items for these raters, `random` with that over items and
    raters, None where it has none; `error` the published standard error over items, NaN where there is none."""

    fixed: Estimate | None
    random: Estimate | None = None
    error: float = nan


@dataclass(frozen=True, eq=False)
class BeyondChance:
    """Agreement beyond chance: percent agreement of equal values (`plain`), the rest with weights (`near`)."""

    plain: Agreement
    near: Agreement
    called: dict[Name, str]

    def of(self, name: Name) -> Agreement:
        """Whichever the figure is taken from."""
        return self.plain if name == "percent agreement" else self.near

    @property
    def figures(self) -> dict[str, AgreementFigure]:
        """By the names people use."""
        return {
            called: AgreementFigure(
                self.of(name).estimates[name], self.of(name).over_raters[name], self.of(name).errors[name]
            )
            for name, called in self.called.items()
        }

    def differences(self, other: "BeyondChance") -> dict[str, AgreementFigure]:
        """Each figure less the other's, over what both share."""
        return {
            called: AgreementFigure(
                self.of(name).difference(other.of(name), name),
                self.of(name).difference(other.of(name), name, over_raters=True),
            )
            for name, called in self.called.items()
        }


def agreement_of_everyone(
    ratings: Ratings, on_progress: Callable[[float], object] | None = None
) -> dict[str, AgreementFigure]:
    """Alphas and ICCs by name; alpha of ratios only where no score is below 0."""
    figures: dict[str, AgreementFigure] = {}
    for at, level in enumerate(LEVELS):
        if level != "ratio" or ratings.score.min(initial=0) >= 0:
            figures[f"alpha, {level}"] = AgreementFigure(
                krippendorff_alpha(ratings.item, ratings.score, level)
            )
        if on_progress is not None:
            on_progress((at + 1) / (len(LEVELS) + 1))
    forms = icc(ratings)
    one_way = {"ICC(1,1)": forms.one_way, "ICC(1,k)": forms.one_way_k}
    two_way = {
        "ICC(A,1)": forms.agreement,
        "ICC(C,1)": forms.consistency,
        "ICC(A,k)": forms.agreement_k,
        "ICC(C,k)": forms.consistency_k,
    }
    over_items = {} if not forms.complete else one_way
    over_both = two_way if forms.complete else one_way | two_way
    return (
        figures
        | {name: AgreementFigure(e) for name, e in over_items.items()}
        | {name: AgreementFigure(None, e) for name, e in over_both.items()}
    )


def beyond_chance(
    ratings: Ratings, weights: Weights = "quadratic", scores: ArrayLike = ()
) -> BeyondChance | None:
    """Percent agreement and, with credit for near misses, Brennan-Prediger, Gwet's AC and the kappas.

    Of a rater's several ratings of an item the first counts. `scores` are further ones of the same measure, such as
    those of other groups: the scale is inferred from all (`likely_scale`), so that a grade which these ratings lack
    counts. None where there are too many ratings and values.
    """
    _, rater = coded(ratings.rater)
    _, item = coded(ratings.item)
    raters = int(rater.max(initial=-1)) + 1
    _, first = np.unique(item * max(raters, 1) + rater, return_index=True)
    scale = likely_scale(np.concatenate([ratings.score, np.asarray(scores, dtype=np.float64)]))
    if len(first) * len(scale) > MOST_NUMBERS:
        return None
    called = dict(CALLED)
    if weights == "identity":
        called["Gwet AC"] = "Gwet's AC1"
    if raters == 2:
        called["Conger kappa"] = COHEN
        del called["mean pairwise kappa"]
    once = ratings.item[first], ratings.rater[first], ratings.score[first]
    near = agreement_coefficients(*once, weights, scale)
    plain = near if weights == "identity" else agreement_coefficients(*once, scale=scale)
    return BeyondChance(plain, near, called)
