"""Rankings of options and best-worst choices: agreement, scales with intervals, and counting scores."""

from analysis.systems.rank_agreement import (
    BestWorstScores,
    Concordance,
    best_worst_scores,
    concordance,
    correlation_with_others,
)
from analysis.systems.ranked_options import (
    RankedOptions,
    fit_ranked,
    implied_pairs,
    ranked_options,
    scale_of_rankings,
)
from analysis.systems.rankings import KendallsW, kendalls_w, plackett_luce

__all__ = [
    "BestWorstScores",
    "Concordance",
    "KendallsW",
    "RankedOptions",
    "best_worst_scores",
    "concordance",
    "correlation_with_others",
    "fit_ranked",
    "implied_pairs",
    "kendalls_w",
    "plackett_luce",
    "ranked_options",
    "scale_of_rankings",
]
