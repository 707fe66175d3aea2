"""What pages say of figures whose share lies outside its limits, or that are shown for what they are not for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Said:
    """A sentence that stands on a page near figures: where, some of its words, and the shares of which it is true."""

    figures: tuple[str, ...]
    module: str
    words: str
    low: float
    high: float


R_AND_RHO = "Pearson's r", "Spearman's rho"
SAID = (
    Said(
        tuple(f"PERM-BOTH, taken for other systems, {name}" for name in R_AND_RHO),
        "findings.metric_comparison",
        "it tells 20 to 60 of 100 pairs apart",
        0.15,
        0.65,
    ),
    Said(
        ("knee",),
        "findings.repetitions.knee_table",
        "it held in 99 to 100 % of simulated studies",
        0.985,
        1.0,
    ),
    Said(
        ("votes that are no guesses",),
        "findings.planning.votes",
        "it is wider than it says where items are few",
        0.945,
        0.995,
    ),
    Said(
        ("knee of votes",),
        "findings.repetitions.choice_curves",
        "its interval held in 99 to 100 % of simulated studies",
        0.985,
        1.0,
    ),
    Said(
        ("share of the limit", "gain of one more", "ratings for a reliability", "ratings for a width"),
        "findings.repetitions.stopping_rules",
        "and held in 95 to 99 of 100 simulated studies",
        0.945,
        0.995,
    ),
    Said(
        ("BOOT-BOTH, Spearman's rho",),
        "findings.metric_comparison",
        "for Spearman's ρ it is wider than it says (it held in 98 to 100 of 100 simulated studies)",
        0.975,
        1.0,
    ),
    Said(
        tuple(
            f"accuracy of labels, {method}"
            for method in ("majority vote", "r_w-weighted vote", "Dawid-Skene", "GLAD")
        ),
        "features.systems.labels_findings",
        "near 100 % of the items more often",
        0.975,
        1.0,
    ),
    Said(
        ("accuracy above majority", "accuracy above majority, Dawid-Skene", "accuracy above majority, GLAD"),
        "features.systems.labels_findings",
        "differences 94 to 100",
        0.935,
        1.0,
    ),
    Said(
        tuple(
            f"change of the metric {over}, {name}"
            for over in ("over systems", "on single items")
            for name in R_AND_RHO
        ),
        "findings.assessors.automatic_metrics",
        "That of a difference is wider than it says: it held in 99 of 100 simulated studies",
        0.975,
        1.0,
    ),
    Said(
        ("test of equal true SDs",),
        "findings.crowd_vs_lab.agreement",
        "a cautious test where each item has other raters: it rejected 2 to 4 of 100 true nulls",
        0.02,
        0.04,
    ),
    Said(
        ("change of a trained metric's correlation",),
        "findings.assessors.metric_training",
        "Those of a difference are wider than they say: they held in 99 to 100 of 100 simulated studies",
        0.985,
        1.0,
    ),
    Said(
        ("share of a pair of authors",),
        "findings.comprehension.matrix",
        "Intervals of pairs near 0 or 100 % are wider than they say: they held in 99 of 100 simulated studies",
        0.975,
        1.0,
    ),
    Said(
        ("adjusted p of two surrogates",),
        "panels.relevance.anova",
        "some pair is called different in 10 to 11 of 100 studies without any difference, instead of 5",
        0.09,
        0.12,
    ),
    Said(
        (
            *(
                f"{name} ({side})"
                for side in ("LDC", "RP")
                for name in ("accuracy", "precision", "recall", "F")
            ),
            "accuracy lost against the full text",
            "kappa with gold beyond chance",
        ),
        "findings.relevance.agreement",
        "they held in 97 to 99 of 100 simulated studies",
        0.965,
        1.0,
    ),
    Said(
        ("RMSE",),
        "findings.crowd_vs_lab.agreement",
        "is a little wide and held in 98 to 99 of 100",
        0.98,
        0.99,
    ),
    Said(
        ("change of a score by an exclusion",),
        "findings.assessors.exclusion",
        "where each topic has one rater it is wider than it says and held in 99 to 100 of 100 simulated studies",
        0.985,
        1.0,
    ),
    Said(
        ("metric of true negatives", "metric of false positives"),
        "findings.relevance.metrics",
        "its interval is a little narrow: it held in 91 to 92 of 100 simulated studies",
        0.91,
        0.92,
    ),
    Said(
        ("seconds saved",), "findings.relevance.agreement", "that of seconds saved in 92 to 94", 0.915, 0.945
    ),
)


def said_of(figure: str, share: float) -> Said | None:
    """The sentence that speaks of this figure at this share, None where there is none."""
    return next((one for one in SAID if figure in one.figures and one.low <= share <= one.high), None)
