"""How far all raters agree on the items, by every figure there is: alpha at each level, and the six ICCs."""

from collections.abc import Callable

from analysis.agreement.alpha import LEVELS, krippendorff_alpha
from analysis.agreement.intraclass import icc
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings


def agreement_of_everyone(
    ratings: Ratings, on_progress: Callable[[float], object] | None = None
) -> dict[str, Estimate]:
    """Each figure by its name; alpha of ratios only where no score is below 0."""
    figures: dict[str, Estimate] = {}
    for at, level in enumerate(LEVELS):
        if level != "ratio" or ratings.score.min(initial=0) >= 0:
            figures[f"alpha, {level}"] = krippendorff_alpha(ratings.item, ratings.score, level)
        if on_progress is not None:
            on_progress((at + 1) / (len(LEVELS) + 1))
    forms = icc(ratings)
    return figures | {
        "ICC(1,1)": forms.one_way,
        "ICC(A,1)": forms.agreement,
        "ICC(C,1)": forms.consistency,
        "ICC(1,k)": forms.one_way_k,
        "ICC(A,k)": forms.agreement_k,
        "ICC(C,k)": forms.consistency_k,
    }
