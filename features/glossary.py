"""The terms of the pages, each explained once: in the heads of tables and where a sentence first uses it.

A term of one or two letters is explained in heads alone; in a sentence it may be anything.
"""

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Term:
    """`plain` is what the term is called in plain words; `told` says what a low or high value means for the study."""

    plain: str
    told: str
    heads_only: bool = False


def _head(plain: str, told: str) -> Term:
    return Term(plain, told, heads_only=True)


_INTERVAL = Term(
    "95% interval",
    "Where the figure would plausibly lie had other raters and items come by chance. A wide one says that the study is "
    "too small to tell.",
    heads_only=True,
)
_RHO = Term(
    "Agreement in order (Spearman's ρ)",
    "1: both put the items in the same order; 0: the orders have nothing to do with each other; below 0: one is turned "
    "round.",
)
_R = Term(
    "Agreement on a line (Pearson's r)",
    "1: the values lie on one rising line; 0: no such line. It rises with the spread of the items and falls "
    "with noise.",
)
_ALPHA = Term(
    "How far ratings repeat (Krippendorff's alpha)",
    "1: raters give equal scores; 0: no more alike than any two ratings of the study. Low means that single ratings "
    "say little, so an item needs more of them.",
)
_KAPPA = Term(
    "Agreement beyond chance (kappa)",
    "1: always alike; 0: no more often than chance alone would give. It falls where nearly all answers are the same.",
)
_ICC = Term(
    "Reliability of ratings (intraclass correlation)",
    "The share of the differences that is the items' own. (·,1) is one rating's, (·,k) that of the mean of k ratings; "
    "high means that another study would order the items alike.",
)
_LETTERS = Term(
    "Letters of systems that may be equal",
    "Two that share a letter do not clearly differ in these data; two without a common letter differ.",
)
_HOLM = Term(
    "Adjusted for many tests (Holm)",
    "p values made larger because several were asked at once: of all tests of the column together, the chance of one "
    "false alarm stays at 5%.",
)
_SIZE = _head(
    "Share of the variation explained (η²)",
    "0: the groups' means are equal; 1: nothing else varies. Partial leaves the subjects' own differences out, "
    "generalised keeps them in.",
)
_EPSILON = _head(
    "Correction of the degrees of freedom (ε)",
    "1: differences between any two conditions vary alike; the further below, the more cautious the test must be.",
)
_RELIABILITY = _head(
    "Reliability",
    "The share of the differences between means that is the items' own and not their raters'. Near 1, another study of "
    "this size would find the same order.",
)
_GENERALISABILITY = _head(
    "Generalizability and dependability",
    "How well a mean of so many ratings stands for all that could have been asked: for comparing systems, and for a "
    "level on the scale. 0.80 is often asked for.",
)
_ABILITY = _head(
    "Worker's ability (GLAD)",
    "High: answers as the estimated truth has it, also on hard items; 0: at random; below 0: against it.",
)
_P = _head(
    "p value",
    "How often chance alone would give a difference at least this large. Below .05 counts as significant; a large p is "
    "no proof of equality.",
)
_HIT = _head(
    "Hits and misses",
    "Judged relevant and it is (TP), judged not and it is not (TN), wrongly yes (FP), wrongly no (FN).",
)
_ANSWER = _head(
    "Answers found in a summary",
    "R relevant, P partially relevant, I irrelevant, N not found. Much R + P: summaries share what matters; "
    "much N: what "
    "matters differs from author to author.",
)
_CURVE = _head(
    "Fitted curve a (1 − exp(−b x)) + c",
    "a: what more ratings can add; b: how soon it is gained (high: few ratings are enough); c: where the curve begins.",
)
_FAR = Term(
    "Screening of observers (ITU-R BT.500)",
    "Rejects whoever scores far from the others' in both directions on more than 5% of the items. Advice, not "
    "exclusion.",
)
_P913 = Term(
    "Screening of observers (ITU-T P.913)",
    "Rejects whoever correlates below 0.75 with the MOS, the worst first. Advice, not exclusion.",
)
_GREENHOUSE = _head(
    "Cautious p",
    "The p value with its degrees of freedom corrected by ε; it is the one to report where ε is well below 1.",
)
_BAND = _head(
    "Middle of the random partitions",
    "Nine of ten lie between these two; they show the luck of the partition, not the uncertainty of the figure.",
)
_SWAPS = _head(
    "Pairs that swap",
    "Pairs of systems whose order turns round. Few: the ranking hardly depends on those raters.",
)

_TAU = Term(
    "Agreement in order, pair by pair (Kendall's tau-b)",
    "The share of pairs of items in the same order less that in the other, ties aside: 1 the same order, 0 none. It is "
    "smaller than ρ for the same data.",
)
_KNEE = Term(
    "Where the curve bends (the knee)",
    "Ratings beyond it still help, but each much less than those before. It moves with how many were collected, so see "
    "its interval and the stopping rules.",
)
_SHUFFLES = _head(
    "Shuffled orders", "The same ratings in other random orders: how much the order of arrival matters."
)
_LIMITS = Term(
    "Limits of agreement",
    "95% of the items' differences lie between the limits; wide ones: single items cannot be exchanged.",
)
_DF = _head(
    "Degrees of freedom",
    "How much independent information the test rests on; few: only large differences show.",
)

TERMS: dict[str, Term] = {
    "MOS": Term(
        "Mean opinion score",
        "The mean of all ratings of an item; the more ratings, the less it depends on who rated.",
    ),
    "RMSE": Term(
        "Typical distance (root mean squared error)",
        "How far the two sides' values of an item lie apart, in points of the scale: 0 is equal, and a shift of "
        "the whole "
        "scale counts, too.",
    ),
    "Spearman's ρ": _RHO,
    "Spearman ρ": _RHO,
    "ρ": _head(_RHO.plain, _RHO.told),
    "Pearson's r": _R,
    "Pearson r": _R,
    "r": _head(_R.plain, _R.told),
    "Kendall's τ-b": _TAU,
    "Kendall τ-b": _TAU,
    "Concordance": Term(
        "Agreement in order and level (Lin's concordance)",
        "1 only where both sides give the same values; a shift or another spread lowers it although the order agrees.",
    ),
    "Ceiling": _head(
        "The highest correlation to hope for",
        "What a perfect candidate would reach, since the reference is itself not wholly reliable. Hold ρ against this, "
        "not against 1.",
    ),
    "Corrected r": _head(
        "Correlation without chance",
        "What r would be with endless ratings on both sides. Near 1: the sides differ by noise alone.",
    ),
    "Mean difference": _head(
        "Difference of level",
        "Candidate less reference in points of the scale: above 0 the candidate rates higher. Order may agree "
        "all the same.",
    ),
    "equivalence": Term(
        "Test of equality (two one-sided tests)",
        "A small p says that the two levels differ by less than the margin. No difference found is not yet equality.",
    ),
    "Winning rate": _head(
        "Winning rate",
        "The share of tested reference raters whom the candidate replaces; from a half on it can replace a rater.",
    ),
    "Advantage": _head(
        "Advantage over a rater",
        "The share of items on which the candidate is at least as near to the other raters as the rater is; 50% is "
        "about as good as a rater.",
    ),
    "Worth": _head(
        "Worth in reference raters",
        "The mean of so many reference raters correlates as well with the truth as the candidate alone; 0: it does not "
        "rank items.",
    ),
    "Can replace a rater": _head(
        "Can replace a rater", "Yes where the candidate replaces half of the tested reference raters or more."
    ),
    "Margin": _head(
        "Margin of equality", "Up to this many points of the scale a difference counts as none; you set it."
    ),
    "limits of agreement": _LIMITS,
    "Lower limit": _LIMITS,
    "Upper limit": _LIMITS,
    "Spread": _head(
        "Spread against spread",
        "How much further apart one side puts the items, noise aside: 1 alike, above 1 the candidate uses more "
        "of the scale.",
    ),
    "Slope": _head(
        "Slope of difference on level",
        "Other than 0: the sides differ more at one end of the scale. It describes; the p beside it tests the spread.",
    ),
    "Mann-Whitney U": _head(
        "Mann-Whitney U",
        "The candidate's values against the reference's in all pairs, for these raters only. Its size depends "
        "on the number of items.",
    ),
    "Rank-biserial": _head(
        "Effect of U",
        "−1 to 1: the share of pairs in which the candidate lies higher less that in which it lies lower; 0 is "
        "no shift.",
    ),
    "Wilcoxon W": _head(
        "Paired Wilcoxon test",
        "Signed ranks of the items' differences, for these raters only. Its size depends on the number of items.",
    ),
    "Holm": _HOLM,
    "labels exchanged": _head(
        "Test by exchange", "The p of how often groups drawn at random from all raters differ as much."
    ),
    "Krippendorff's alpha": _ALPHA,
    "Typical rater": _head(
        "Compared with the typical rater",
        "Clearly below or above the weighted median of all raters, adjusted for looking at all of them.",
    ),
    "Alpha without": _head(
        "Alpha without this rater", "Higher than with everyone: this rater pulls agreement down."
    ),
    "Alpha": _head(_ALPHA.plain, _ALPHA.told),
    "Cohen's kappa": _KAPPA,
    "kappa": _KAPPA,
    "Kappa": _KAPPA,
    "ICC": _ICC,
    "Reliability of one": _head(_ICC.plain, _ICC.told),
    "One rating": _head(
        "Reliability of one rating (ICC(1,1))",
        "The share of the differences between single ratings that is the items' own; all else is noise.",
    ),
    "Mean of ratings": _head(
        "Reliability of an item's mean (ICC(1,k))",
        "The same of the mean of an item's ratings. Near 1: another study would give the items nearly the same means.",
    ),
    "Split halves": _head(
        "Halves of an item's ratings against each other (Spearman's ρ)",
        "How alike the means of two random halves order the items, and how many ratings are in each half.",
    ),
    "Reliability": _RELIABILITY,
    "generalizability": _GENERALISABILITY,
    "dependability": _GENERALISABILITY,
    "knee": _KNEE,
    "Knee": _KNEE,
    "Without a knee": _head(
        "Draws without a knee",
        "The share of redrawn studies whose curve had no bend. High: the knee beside it is not to be relied on.",
    ),
    "R²": _head(
        "Fit (R²)",
        "1: the curve runs through all points; near 0 or below: it describes them no better than their mean.",
    ),
    "shuffles": _SHUFFLES,
    "shuffle": _SHUFFLES,
    "Limit ρ∞": _head(
        "Limit of the correlation",
        "What endless ratings would reach. Well below 1: the candidate measures something else.",
    ),
    "λ": _head(
        "Noise of one rating (λ)",
        "After so many ratings an item's mean is half noise. High: many ratings are needed.",
    ),
    "a": _CURVE,
    "b": _CURVE,
    "c": _CURVE,
    "95% of the limit": _head(
        "95% of the limit",
        "The fewest ratings whose correlation reaches this share of what endless ratings would give.",
    ),
    "Gain under": _head(
        "Small gain", "The fewest ratings after which one more adds less than this to the correlation."
    ),
    "Interval under": _head(
        "Narrow interval",
        "The fewest ratings after which an item's MOS is known to within this share of the scale on average.",
    ),
    "Power": _head(
        "The chance to find a difference that is there (power)",
        "80% is often asked for. Low: the study will probably find nothing, whatever the truth.",
    ),
    "Ratings per half": _head(
        "Ratings per half", "Ratings of an item in each of the two halves whose means are correlated."
    ),
    "Half of the interval": _head(
        "How closely the figure will be known",
        "The planned 95% interval is the figure plus and minus this. It narrows with the root of what is collected.",
    ),
    "Items for": _head(
        "Items that reach this power",
        "With these raters and ratings per item; a dash: no number of items is enough.",
    ),
    "Enough at": _head(
        "Enough at", "The fewest ratings per item with which both of what is wanted is reached."
    ),
    "For the interval": _head(
        "For the interval", "Ratings per item whose MOS is known as closely as wanted."
    ),
    "For the reliability": _head(
        "For the reliability", "Ratings per item whose mean is as reliable as wanted, with its interval."
    ),
    "More ratings": _head("More ratings", "To be collected beyond those at hand, over all items."),
    "Right": _head("How often the majority is right", "Over many items, ties drawn by lot."),
    "Price": _head("Price", "What ratings, items, raters and the fixed cost add up to at the prices typed."),
    "Given up": _head("Correlation given up", "What stopping there costs against all ratings."),
    "trimmed mean": _head(
        "Trimmed mean",
        "The mean without the lowest and highest ratings of an item: one odd rating does no harm.",
    ),
    "z-scored mean": _head("z-scored mean", "Each rater's scores are put on one mean and spread first."),
    "bias-corrected mean": _head(
        "Bias-corrected mean",
        "Each rater's mean deviation is removed first: strict and lenient raters count alike.",
    ),
    "reliability-weighted mean": _head(
        "Reliability-weighted mean", "Raters who agree with the others count more."
    ),
    "r_w": Term(
        "Agreement of a worker with the others (r_w)",
        "1: answers as the others do; 0: at random; below 0: against them. Low ones get little or no weight.",
    ),
    "e_w": _head(
        "Agreement of a worker with the expert (e_w)",
        "The share of items on which the worker answers as the expert or the gold does.",
    ),
    "PCC-H": Term(
        "Votes weighted by worker and item (PCC-H)",
        "Reliable workers and items with a clear answer count more. Where it says what equal weights say, unreliable "
        "workers do not matter.",
    ),
    "PRV": Term(
        "Preference by weighted votes (PRV)",
        "The share of the weighted votes that a system gets: 50% is a draw.",
    ),
    "W_q": _head(
        "Weight of an item (W_q)", "1: all votes alike; 0: as divided as can be, or too few votes to tell."
    ),
    "Entropy": _head("How divided the votes are", "0: all alike; 1: as many for each option."),
    "GLAD": Term(
        "Labels with ability and difficulty (GLAD)",
        "Estimates the true answers, each worker's ability and each item's difficulty together.",
    ),
    "GLAD ability": _ABILITY,
    "Difficulty": _head("Difficulty (GLAD)", "High: even able workers are often wrong on this item."),
    "Dawid-Skene": Term(
        "Labels by workers' error rates (Dawid-Skene)",
        "Estimates the true labels and how often each worker takes one for another.",
    ),
    "With the majority": _head(
        "With the majority", "The share of the worker's answers that most others gave, too."
    ),
    "item-wise majority": _head(
        "Majority item by item", "Each item goes to the option with most votes; the share of items won."
    ),
    "majority vote": _head(
        "Majority vote", "Each item gets the label with most votes; all workers count alike."
    ),
    "r_w-weighted vote": _head(
        "Weighted vote",
        "Each item gets the label with most weight; workers who agree with the others count more.",
    ),
    "equal weights": _head("Equal weights", "All votes count alike."),
    "worker weights": _head("Worker weights", "Votes count by the worker's r_w."),
    "Precision": _head("Precision", "Of those judged so, the share that is so. Low: many false alarms."),
    "Recall": _head("Recall", "Of those that are so, the share judged so. Low: many missed."),
    "F": _head(
        "Precision and recall in one (F), or the F of a variance analysis",
        "Beside precision and recall: their harmonic mean, 1 at best. In a variance analysis: 1 where groups "
        "differ by noise alone.",
    ),
    "TP": _HIT,
    "TN": _HIT,
    "FP": _HIT,
    "FN": _HIT,
    "LDC": _head(
        "Agreement with the gold judgments (LDC)",
        "The share of judgments that are as the assessors' of the collection.",
    ),
    "RP": _head(
        "Agreement with oneself (Relevance Prediction)",
        "The share of judgments that the same rater also gave the full text.",
    ),
    "HSD": _head(
        "Smallest difference that counts (Tukey's HSD)",
        "Means further apart than this differ, all pairs considered.",
    ),
    "MS error": _head(
        "Mean square of the error",
        "What is left unexplained in the variance analysis; small: differences show easily.",
    ),
    "η²": _SIZE,
    "ε": _EPSILON,
    "Greenhouse-Geisser": _GREENHOUSE,
    "Huynh-Feldt": _GREENHOUSE,
    "df": _DF,
    "df 1": _head("Degrees of freedom of the means", "Their number less 1."),
    "df 2": _DF,
    "t": _head(
        "Difference in standard errors (t)",
        "Beyond about ±2 it is significant, unless degrees of freedom are few.",
    ),
    "p": _P,
    "n": _head("How many", "What the figure rests on: the more, the narrower its interval."),
    "SD": _head("Standard deviation", "The typical distance from the mean: 0 where all are equal."),
    "SE": _head(
        "Standard error",
        "The typical error of the figure itself; twice as much to either side is a rough 95% interval.",
    ),
    "Skewness": _head(
        "Skewness",
        "0: symmetric; below 0: most values are high with a tail of low ones; above 0 the other way.",
    ),
    "Normality A²": _head(
        "Distance from a normal curve (Anderson-Darling)",
        "High with a small p: not a normal curve; tests that take one for granted are then rough.",
    ),
    "Bias": _head(
        "Bias",
        "How far above (+) or below (−) the others this rater scores on average. Where all rate all items it "
        "does no harm to their order.",
    ),
    "Inconsistency": _head(
        "Rater's own noise (P.910)",
        "The SD of a rater's scores around quality plus bias; high: scores vary without reason.",
    ),
    "Longest run": _head(
        "Longest run", "Most equal answers one after the other; long ones may be clicking through."
    ),
    "Chance of the run": _head(
        "Chance of the run", "How often random order gives one as long: small makes it suspicious."
    ),
    "BT.500": _FAR,
    "P.913": _P913,
    "mP − aP": _head(
        "Manual less automatic pyramid score",
        "Far from 0: the assessor finds more (+) or less (−) in the summaries than the words found in them by rule.",
    ),
    "Letters": _LETTERS,
    "May be equal to": _head(
        "Systems that may be equal to this one",
        "How many other systems have a score that does not clearly differ from this one's, over all pairs at once.",
    ),
    "letters": _LETTERS,
    "Strength": _head(
        "Place on the scale (Bradley-Terry)",
        "The higher, the more often chosen, with whom it was compared taken into account; 0 is the mean.",
    ),
    "Bradley-Terry": Term(
        "One scale from pairs (Bradley-Terry)",
        "Places all systems so that distance says how often one is chosen over the other.",
    ),
    "Chance": _head(
        "Chance to win",
        "The share of comparisons it would win against a system in the middle of the scale: 50% is even.",
    ),
    "Cluster": _head("Cluster", "Systems above a cluster clearly differ from all systems in it."),
    "Residual": _head(
        "Residual",
        "Observed less expected share in standard deviations: a pair far beyond ±2 does not fit on one scale.",
    ),
    "Differ": _head("Differ", "Whether the two clearly differ, all pairs considered."),
    "Score": _head(
        "Score of a system",
        "The mean of its topics' or items' means, in points of the scale, with its 95% interval.",
    ),
    "Rank": _head(
        "Rank", "1 comes first; in brackets, the ranks that it may have with other raters and items."
    ),
    "Shift": _head(
        "Shift of rank",
        "Places that the system moves once the raters are left out; near 0: it does not hang on them.",
    ),
    "Largest shift": _head(
        "Largest shift of rank",
        "The most places that any system moves; 0 or 1: the ranking does not hang on this rater.",
    ),
    "Pairs that swap": _SWAPS,
    "Systems lost": _head("Systems lost", "Systems that keep no rating at all."),
    "r, random": _head(
        "r when others go at random",
        "The same figure when equally many raters are drawn at random: only a clearly lower r says something of these.",
    ),
    "ρ, random": _head(
        "ρ when others go at random",
        "The same figure when equally many raters are drawn at random: only a clearly lower ρ says something of these.",
    ),
    "5–95%": _BAND,
    "5th to 95th percentile": _BAND,
    "In the mean": _head(
        "In the mean", "What is left of this source's variance in a mean over all its levels."
    ),
    "Variance": _head(
        "Variance", "How much this source makes scores differ, in squared points of the scale."
    ),
    "BOOT-BOTH": _head(
        "Interval over systems and inputs",
        "Both are redrawn, so it holds for other systems and other texts, too.",
    ),
    "PERM-BOTH": _head(
        "Test over systems and inputs",
        "Scores are exchanged within both, so it holds for other systems and other texts, too.",
    ),
    "Share of the human level": _head(
        "Share of the human level",
        "100%: machines share as much of what matters as people do among themselves.",
    ),
    "R": _ANSWER,
    "P": _ANSWER,
    "I": _ANSWER,
    "N": _ANSWER,
    "R + P": _ANSWER,
    "R + P + I": _ANSWER,
    "95%": _INTERVAL,
    "95% CI": _INTERVAL,
    "90% CI": _head(
        "90% interval", "Its whole width within the margin is what the test of equality asks for."
    ),
    "raters too": _head(
        "Interval over items and raters",
        "Holds for other raters of the same kind; hold this one against other studies.",
    ),
    "these raters": _head(
        "Interval over items alone", "Holds for these raters only: narrower, and says nothing of others."
    ),
}


@cache
def _pattern(heads: bool) -> re.Pattern[str]:
    words = sorted(
        (word for word, term in TERMS.items() if heads or not term.heads_only), key=len, reverse=True
    )
    between = "" if heads else r"\{[^}]*\}|<[^>]*>|"
    plural = "" if heads else "s?"
    return re.compile(rf"{between}(?<![\w·])(?P<term>{'|'.join(map(re.escape, words))}){plural}(?!\w)")


def in_head(head: str) -> list[Term]:
    """The terms of a table's head, each once.

    >>> [term.plain for term in in_head("r_w, 95%")]
    ['Agreement of a worker with the others (r_w)', '95% interval']
    >>> in_head("Story")
    []
    """
    return list(dict.fromkeys(TERMS[found["term"]] for found in _pattern(heads=True).finditer(head)))


def explained(head: str) -> str:
    """Return what a table's head says on hover; "" where it needs no explanation."""
    return " ".join(f"{term.plain}: {term.told}" for term in in_head(head))


def in_sentence(template: str) -> list[tuple[int, int, Term]]:
    """Return where a sentence of ours first uses each term, and the term; never within a value from data.

    >>> [(at, end) for at, end, _ in in_sentence("At the {knee} <b>knee</b> and knees")]
    [(17, 21)]
    """
    first: dict[Term, tuple[int, int]] = {}
    for found in _pattern(heads=False).finditer(template):
        if found["term"] is not None:
            first.setdefault(TERMS[found["term"]], found.span())
    return [(at, end, term) for term, (at, end) in first.items()]
