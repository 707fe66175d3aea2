"""Known exceptions: figures and designs outside their limits, with the reason and the warning on the page."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class KnownException:
    """Figures whose measured share may lie from `low` to `high`, outside their limits, in designs that match a pattern.

    `module` holds the warning of the page, of which `words` are some. Where an interval is wider than it says,
    or a test too cautious, the details of the method have them instead.
    """

    figures: tuple[str, ...]
    reason: str
    module: str
    words: str
    low: float
    high: float
    designs: str = ""

    def covers(self, figure: str, design: str, share: float) -> bool:
        """Return True if this exception applies to a figure, design and share."""
        return (
            figure in self.figures
            and self.low <= share <= self.high
            and bool(re.search(self.designs, design))
        )


R_AND_RHO = "Pearson's r", "Spearman's rho"
EXCEPTIONS = (
    KnownException(
        tuple(f"PERM-BOTH, taken for other systems, {name}" for name in R_AND_RHO),
        "Exchanging scores asks about these systems only; here the p is read as a test for other systems.",
        "features.metric_pairs",
        "it names 20 to 60 of 100 pairs as different",
        0.15,
        0.65,
    ),
    KnownException(
        ("r_w",),
        "Each comparison costs one item, which is more than a mean of many small correlations loses.",
        "features.raters.workers",
        "raters who answer at random are then covered in up to 99 of 100",
        0.98,
        0.995,
        "on 15 comparisons",
    ),
    KnownException(
        ("knee",),
        "The ends of the interval are whole numbers of ratings, and samples without a knee open it.",
        "features.repetitions.ratings_section",
        "interval of the knee contains the knee *of studies of this size* in 99% and more",
        0.985,
        1.0,
    ),
    KnownException(
        ("weighted score of a system",),
        "Raters and topics are drawn together, which counts the noise of small cells twice.",
        "features.systems.scores_section",
        "with very unequal weights an interval held in 99",
        0.98,
        0.995,
        "weights whose log has a standard deviation of 1.2",
    ),
    KnownException(
        ("votes that are no guesses",),
        "Few items leave few clusters, for which Student's t is wide.",
        "features.planning.votes",
        "it is wider than it says where items are few",
        0.945,
        0.995,
    ),
    KnownException(
        ("knee of votes",),
        "The ends of the interval are whole numbers of votes, and samples without a knee open it.",
        "features.repetitions.votes",
        "contains it in 99 to 100% of simulated studies",
        0.985,
        1.0,
    ),
    KnownException(
        ("share of the limit", "gain of one more", "ratings for a reliability", "ratings for a width"),
        "The ends of the interval are whole numbers of ratings.",
        "features.repetitions.ratings_section",
        "contain the true number in 95 to 99 of 100 simulated studies",
        0.945,
        0.995,
    ),
    KnownException(
        ("BOOT-BOTH, Spearman's rho",),
        "Ranks of systems that are drawn twice are tied.",
        "features.metrics.section",
        "its intervals for Spearman's ρ are wide (they held in 98 to 100 of 100 simulated studies)",
        0.975,
        1.0,
    ),
    KnownException(
        tuple(
            f"accuracy of labels, {method}"
            for method in ("majority vote", "r_w-weighted vote", "Dawid-Skene", "GLAD")
        ),
        "Near 100% the interval is half an item wide at least.",
        "features.systems.labels_section",
        "near 100% of the items more often",
        0.975,
        1.0,
    ),
    KnownException(
        ("accuracy above majority", "accuracy above majority, Dawid-Skene", "accuracy above majority, GLAD"),
        "Two methods differ on few items, and the interval is half an item wide at least.",
        "features.systems.labels_section",
        "differences 94 to 100",
        0.935,
        1.0,
    ),
    KnownException(
        (
            *(f"change of the metric on single items, {name}" for name in R_AND_RHO),
            "change of the metric over systems, Spearman's rho",
        ),
        "Both correlations are of nearly the same ratings.",
        "features.metrics.section",
        "that of a difference is wider than it says: it held in 99 to 100 of 100 simulated studies",
        0.975,
        1.0,
    ),
    KnownException(
        ("test of equal true SDs",),
        "The degrees of freedom are those of the smaller group at most.",
        "features.comparison.section",
        "it rejected 0 to 4 of 100 true nulls, not 5, and hardly any with 3 raters in a group",
        0.0,
        0.04,
    ),
    KnownException(
        ("Holm-adjusted p of equal true SDs",),
        "The degrees of freedom are those of the smaller group at most, and Holm's adjustment adds to that.",
        "features.comparison.section",
        "it rejected 0 to 4 of 100 true nulls, not 5, and hardly any with 3 raters in a group",
        0.0,
        0.01,
    ),
    KnownException(
        ("ratio of true SDs",),
        "The degrees of freedom are those of the smaller group at most.",
        "features.comparison.section",
        "in a group the interval held in 99 to 100 of 100 studies",
        0.98,
        1.0,
        "against all [3-6] raters",
    ),
    KnownException(
        (
            "variance, residual",
            "ICC(C,1)",
            "generalizability coefficient of items",
            "ICC(A,1)",
            "index of dependability of items",
        ),
        "The jackknife over few raters has few degrees of freedom, which equally noisy raters do not need.",
        "features.raters.variance_section",
        "where raters were equally noisy, in 97 to 100",
        0.97,
        1.0,
        r"REML|log-SD of noise (0|0\.25),",
    ),
    KnownException(
        ("share of a pair of authors",),
        "Few answers give discrete shares.",
        "features.comprehension.findings",
        "Intervals of pairs near 0 or 100% are wider than they say: they held in 99 of 100 simulated studies",
        0.975,
        1.0,
    ),
    KnownException(
        ("adjusted p of two surrogates",),
        "Tukey's test takes the differences of all pairs to vary alike.",
        "features.relevance.agreement_findings",
        "so Tukey's test finds too many; trust",
        0.09,
        0.12,
    ),
    KnownException(
        (
            *(
                f"{name} ({side})"
                for side in ("LDC", "RP")
                for name in ("accuracy", "precision", "recall", "F")
            ),
            "accuracy lost against the full text",
            "kappa with gold beyond chance",
            "place between baseline and full text (LDC)",
            "place between baseline and full text (RP)",
        ),
        "Two-way intervals of rates near 0 or 1 are wide.",
        "features.relevance.agreement_findings",
        "they held in 97 to 99 of 100 simulated studies",
        0.965,
        1.0,
    ),
    KnownException(
        ("change of a score by an exclusion",),
        "Leaving out a rater leaves out all of its topics.",
        "features.raters.exclusion_findings",
        "where each topic has one rater it is wider than it says and held in 99 to 100 of 100 simulated studies",
        0.985,
        1.0,
    ),
    KnownException(
        (
            "percent agreement, raters too",
            "Brennan-Prediger, raters too",
            "Gwet's AC1, raters too",
            "Gwet's AC2, raters too",
            "Fleiss' kappa, raters too",
            "Conger's kappa, raters too",
            "mean pairwise kappa, raters too",
        ),
        "The variance over raters has two degrees of freedom.",
        "features.agreement.findings",
        "with fewer than six raters it is cautious",
        0.98,
        1.0,
        "all 3 raters",
    ),
    KnownException(
        ("mean difference", "test of level over raters", "equivalence test"),
        "Two or three reference raters leave one or two degrees of freedom.",
        "features.comparison.section",
        "too few to say what other raters would have given",
        0.0,
        1.0,
        "against all [23] raters",
    ),
    KnownException(
        ("Holm-adjusted p of disagreement",),
        "Holm's adjustment for many items whose variances are far from normal is cautious.",
        "features.items.section",
        "so that among items that are all alike one is named in at most 5 of 100 studies",
        0.0,
        0.01,
    ),
    KnownException(
        ("ranks of all systems",),
        "The intervals of all systems are counted at once, and each is that of several pairs.",
        "features.systems.scores_findings",
        "These intervals hold for all systems at once, because the pairs' intervals do",
        0.98,
        1.0,
    ),
    KnownException(
        (
            "index of dependability of items",
            "index of dependability of systems",
            "share, raters",
            "variance, raters",
        ),
        "The variance of raters has three degrees of freedom.",
        "features.raters.variance_section",
        "is hardly known, and intervals that include it are wide",
        0.98,
        1.0,
        "of 4 raters per item",
    ),
    KnownException(
        ("± of an agreement from a pilot", "± of an agreement for other raters from a pilot"),
        "Two reliabilities have the same width.",
        "features.planning.precision",
        "Those of an agreement hold it in more than 95%",
        0.98,
        1.0,
    ),
    KnownException(
        ("promised ± of the widest item",),
        "Items get variances of their own only with the further ratings, from a distribution that is hardly known.",
        "features.planning.collection_findings",
        "held in 88 of 100 simulated studies",
        0.8,
        0.92,
        "3 of 12 raters each, 120 further",
    ),
    KnownException(
        ("promised reliability",),
        "The interval is that of the reliability so far, most of which the further ratings share.",
        "features.planning.section",
        "in simulated studies they held in 97 to 100 of 100",
        0.98,
        1.0,
    ),
    KnownException(
        ("a rater named although all are alike",),
        "Few votes of each worker: with fewer than 50 nobody is named above.",
        "features.raters.workers",
        "in 0 to 4 of 100 (docs/calibration.md)",
        0.0,
        0.04,
        "workers per item, 2 options",
    ),
    KnownException(
        ("test that raters differ",),
        "The jackknife's variance is too large with few items: by 17% in studies of 15 items, by less than 1% with 60.",
        "features.raters.typical_rater_findings",
        "with 12 to 15 items it rejected 2 to 3 of 100 true nulls, not 5",
        0.01,
        0.03,
        "^1[2-5] items",
    ),
    KnownException(
        ("ICC(C,1)", "ICC(C,k)", "ICC(A,1)", "ICC(A,k)"),
        "The variance over raters has two degrees of freedom.",
        "features.agreement.findings",
        "rough with three to five, unknown with two",
        0.98,
        1.0,
        "all 3 raters",
    ),
    KnownException(
        (
            "variance, residual",
            "ICC(C,1)",
            "generalizability coefficient of items",
            "ICC(A,1)",
            "index of dependability of items",
        ),
        "Few raters miss the noisiest of raters like them, whose variance is most of the residual.",
        "features.raters.variance_section",
        "intervals may be too narrow if raters differ much in noise",
        0.82,
        0.92,
        "(all (3|5|6|10)|4 of 5) raters per item, log-SD",
    ),
    KnownException(
        ("reliability of one rating",),
        "Three raters miss the noisiest of raters like them.",
        "features.agreement.findings",
        "raters stand for raters like these",
        0.89,
        0.92,
        "all 3 raters per item, log-SD",
    ),
    KnownException(
        ("RMSE",),
        "The bootstrap over few items misses how far apart the groups can be on items like them.",
        "features.comparison.section",
        "over 12 items it held in 90 of 100 simulated studies",
        0.88,
        0.92,
        "^12 items, .* bootstrap",
    ),
    KnownException(
        ("alpha, interval", "alpha, nominal", "reliability of one rating", "ratings for a reliability"),
        "The hull of three intervals, widened for few informative items.",
        "features.agreement.findings",
        "widened where few items carry it",
        0.98,
        1.0,
        "^(20|40) items",
    ),
    KnownException(
        ("metric and accuracy, surrogates, Spearman's rho",),
        "Ranks of five surrogates are discrete.",
        "features.relevance.metrics_findings",
        "surrogates a little wide: over 5 it held in 98 to 99 of 100 simulated studies",
        0.98,
        0.995,
        "^5 surrogates",
    ),
    KnownException(
        ("effect of style", "p of style"),
        "Three raters leave two degrees of freedom.",
        "features.systems.scale_findings",
        "the interval of the effect of style held it in 99 to 100, and its test hardly rejects",
        0.0,
        1.0,
        "all of 3 workers",
    ),
    KnownException(
        ("strength from rankings",),
        "Few rankings leave few degrees of freedom for Student's t.",
        "features.systems.rankings",
        "with one task and 8 raters, intervals of strengths held it in 99",
        0.98,
        0.995,
        "^1 task, all 8 raters",
    ),
    KnownException(
        ("strength from rankings", "Kendall's W"),
        "Few raters leave few degrees of freedom for these tasks; rankings count what raters and tasks add as chance.",
        "features.systems.rankings",
        "For these tasks, or these raters and tasks, intervals of strengths and of *W* held it in 95 to 99",
        0.975,
        0.997,
        "for these (raters and )?tasks$",
    ),
    KnownException(
        ("alpha of a label", "alpha of sets by MASI", "alpha of sets by Jaccard"),
        "The smaller of both ways of clustering leaves few degrees of freedom.",
        "features.agreement.sets",
        "Over topics and systems, those for these raters held it in 98 to 99",
        0.98,
        0.995,
        "[0-9] systems",
    ),
    KnownException(
        ("alpha of a label, raters like these",),
        "Items and raters are counted twice where a label is rare, and the jackknife of few items is wide.",
        "features.agreement.sets",
        "alpha of a label held in 96 to 99 of 100",
        0.98,
        0.995,
    ),
    KnownException(
        ("alpha of sets by MASI, raters like these", "alpha of sets by Jaccard, raters like these"),
        "Each item has few of many raters, whose variance and that of items count twice what they share.",
        "features.agreement.sets",
        "in up to 99 where each item has few of many raters",
        0.98,
        0.998,
        "3 of 20 raters",
    ),
    KnownException(
        ("position of ranked options",),
        "Position adds nothing to tasks and raters, whose variances are both counted.",
        "features.systems.rankings",
        "the interval of the effect of position on ranks held it in 99",
        0.98,
        0.999,
        "^(8|20|30) tasks",
    ),
    KnownException(
        ("share of the preference, item-wise majority",),
        "The majority of a few votes changes with few of them.",
        "features.systems.pairs_section",
        "for the item-wise majority of 5 raters, or of 8 with weights, 99",
        0.98,
        1.0,
        "all of 5 workers|all of 8 workers.* weights",
    ),
    KnownException(
        ("equal judgments of raters",),
        "Four raters make six pairs, which are not independent.",
        "features.relevance.agreement_findings",
        "With 4 raters those of pairs of judgments alike are wider than they say",
        0.98,
        0.995,
        "^4 raters",
    ),
    KnownException(
        ("Brennan-Prediger", "Gwet's AC2"),
        "The highest grades, where nobody gave them, are not counted, so that the scale is shorter than the true one.",
        "features.agreement.findings",
        "their intervals held in 80 to 81 of 100 simulated studies",
        0.78,
        0.92,
        "scores at a floor",
    ),
    KnownException(
        ("share, residual",),
        "The residual's part of it allows for raters of unequal noise by a jackknife, whose variance is two to "
        "four times the true one where sparse raters are equally noisy (0.043 at the median, true 0.018). Without "
        "it the share holds in 94 to 96 of 100 of those studies, but in 75 of 100 where the log-SD of noise is 0.45.",
        "features.raters.variance_section",
        "that of the residual's share held in 93 to 99 of 100 simulated studies",
        0.96,
        1.0,
    ),
    KnownException(
        ("some pair of equal systems", "verdict on equal systems"),
        "Few raters leave few degrees of freedom, and the variance is at least half of the larger source's.",
        "features.systems.scores_findings",
        "for raters like these with 6 to 8 topics and 3 or 4 raters in 0 to 1%",
        0.0,
        0.01,
        "[68] topics, all [34] raters.*raters like these",
    ),
    KnownException(
        ("corrected score, tuned",),
        "It is shown where 5 rated items differ from the commonest score: at a ceiling these are the samples whose "
        "scores spread more than those of all items (standard deviation 0.57 where shown, 0.44 where not).",
        "features.replacement.corrected",
        "With 8 to 30 rated items at the end of a scale, intervals held in 92 to 99 of 100 simulated studies",
        0.98,
        0.995,
        "(15|30) of 200 items.*ceiling",
    ),
    KnownException(
        ("difference of a metric", "pairwise accuracy of a metric"),
        "Few systems leave few degrees of freedom, for which Student's t is wide.",
        "features.metrics.difference",
        "With 8 to 12 systems they held in 96 to 100 of 100 simulated studies.",
        0.98,
        1.0,
        "(8|12) systems",
    ),
    KnownException(
        ("true pass rate", "difference of true pass rates"),
        "The labeled items are a part of those that the judge labeled, so that chance in both partly cancels; and few "
        "items of one kind draw all shares toward one half.",
        "features.replacement.pass_rate",
        "In simulated studies these intervals held in 93 to 100 of 100.",
        0.98,
        1.0,
        "labeled by people",
    ),
)


def find_exception(figure: str, design: str, share: float) -> KnownException | None:
    """Return the first exception that applies to a row, None if there is none."""
    return next((one for one in EXCEPTIONS if one.covers(figure, design, share)), None)
