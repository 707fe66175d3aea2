"""Headings of pages under which intervals or p values are shown, and their figures in docs/calibration.md.

By script: a regular expression over a heading (`tests/pages/test_shown_figures.py` reads them off the pages: 'column …
(what the table is)', 'figure …', 'sentence …') -> names of `figures.FIGURES`; none where it only looks like one.
"""

import re

NO_INTERVAL: tuple[str, ...] = ()
CONSISTENCY = ("correlation with the others", "alpha on identical texts")
NAMING = ("a rater named although all are alike", "a noisy rater named")
TYPICAL = {
    r"sentence .*· typical rater −?\d": (
        *CONSISTENCY,
        "r_w",
        "correlation of a rater's ranks",
        "agreement of a rater's sets",
    ),
    "sentence .*test of equal consistency p [=<]": ("test that raters differ",),
}
"""Evidence on raters who are compared with the typical rater."""
AGREEMENT = (
    "percent agreement",
    "Brennan-Prediger",
    "Gwet's AC1",
    "Gwet's AC2",
    "Fleiss' kappa",
    "Conger's kappa",
    "mean pairwise kappa",
)
OF_EVERYONE = (
    *(f"alpha, {level}" for level in ("nominal", "ordinal", "interval", "ratio")),
    *(f"ICC({form})" for form in ("A,1", "C,1", "A,k", "C,k")),
    *AGREEMENT,
    "Cohen's kappa, weighted",
    *(f"{name}, raters too" for name in AGREEMENT),
)
DIFFERENCES = tuple(f"difference of {name}" for name in AGREEMENT if name not in (AGREEMENT[2], AGREEMENT[6]))
CORRELATIONS = ("Spearman's rho", "Pearson's r", "Kendall's tau-b", "Lin's concordance", "RMSE")
PREFERENCE = tuple(
    f"share of the preference, {by}"
    for by in (
        "equal weights",
        "least reliable dropped",
        "worker weights",
        "PCC-H",
        "item-wise majority",
        "GLAD",
    )
)
DESIGNS = ("difference between designs, equal weights", "difference between designs, PCC-H")
ACCURACY = (
    "accuracy of labels, majority vote",
    "accuracy of labels, r_w-weighted vote",
    "accuracy of labels, Dawid-Skene",
    "accuracy of labels, GLAD",
    "accuracy of labels, one rater alone",
)
ABOVE_MAJORITY = (
    "accuracy above majority",
    "accuracy above majority, Dawid-Skene",
    "accuracy above majority, GLAD",
)
OF_RATINGS = ("curve, r = 1", "curve, r = half", "curve, r = all")
OF_HALVES = tuple(f"split-half {one}" for one in OF_RATINGS)
OF_VOTES = ("share of votes, r = 1", "share of votes, r = half", "share of votes, r = all")
NEEDED = ("ratings for a reliability", "reliability of one rating")
SHARES = (
    "share of answers",
    "share of not found",
    "share of a summary author",
    "share of a question author",
    "share of a pair of authors",
    "share of a type of stories",
    "level of a machine",
    "level of people next to it",
    "share of a judge",
)
ALPHAS = tuple(f"alpha of judges, {name}" for name in ("nominal", "ordinal", "binary"))
AGREEMENT = (
    *(f"{name} ({side})" for side in ("LDC", "RP") for name in ("accuracy", "precision", "recall", "F")),
    "accuracy lost against the full text",
    "judgments unlike those of the full text",
    "accuracy within an event (LDC)",
    "accuracy within an event (RP)",
)
KAPPAS = ("kappa within the rater (LDC)", "kappa within the rater (RP)", "kappa with gold beyond chance")
SECONDS = ("mean seconds", "seconds saved")
P_OF_AGREEMENTS = tuple(
    f"{kind} of the agreements{rate}"
    for rate in ("", " in precision", " in F")
    for kind in ("paired t", "Holm-adjusted p")
)
AUTHORS = (
    "p of summary authors",
    "p of summary authors at equal length",
    "adjusted interval of summary authors",
    "change of the share with length",
)
VALUES = (
    "mean score of a value",
    *(
        f"{kind} of {name} by an attribute"
        for kind in ("p", "difference")
        for name in ("scores", "agreement", "correlation after some ratings")
    ),
    "correlation after some ratings by an attribute",
)
PLACES = tuple(f"place between baseline and full text ({side})" for side in ("LDC", "RP"))
OUTCOMES = tuple(
    f"metric of {one}" for one in ("true positives", "true negatives", "false positives", "false negatives")
)
R_AND_RHO = "Pearson's r", "Spearman's rho"
METRIC = tuple(f"metric {over}, {name}" for over in ("over systems", "on single items") for name in R_AND_RHO)
CHANGE = tuple(
    f"change of the metric {over}, {name}"
    for over in ("over systems", "on single items")
    for name in R_AND_RHO
)
WILLIAMS = tuple(f"Williams' test{how}, {name}" for how in ("", ", Holm-adjusted") for name in R_AND_RHO)
OVER = "surrogates", "surrogates x events", "adjusted for events"
P_OF_METRIC = tuple(f"p of a metric, {over}, {name}" for over in OVER for name in R_AND_RHO)
R_OF_METRIC = tuple(f"metric and accuracy, {over}, {name}" for over in OVER for name in R_AND_RHO)
OF_METRICS = tuple(f"difference of two metrics, {name}" for name in R_AND_RHO)
LENGTH = ("length and share, over authors", "length and share, within stories")

SOURCES = ("items", "raters", "systems", "topics", "system × rater", "topic × rater", "residual")
VARIANCES = tuple(f"variance, {source}" for source in SOURCES)
SHARES_OF_VARIANCE = tuple(f"share, {source}" for source in SOURCES)
COEFFICIENTS = "generalizability coefficient of items", "generalizability coefficient of systems"
DEPENDABILITIES = "index of dependability of items", "index of dependability of systems"

HELD = r"sentence .*held in \d+ to \d+ (of 100|%)"
"""Sentence of a page on its own intervals, as docs/calibration.md has it."""
PAIRS_OF_METRICS: dict[str, tuple[str, ...]] = {
    "sentence .*PERM-BOTH is for": NO_INTERVAL,
    r"column Difference( from| to)? \(Pairs of metrics": OF_METRICS,
    r"column p( \(Holm\))? \(Pairs of metrics": WILLIAMS,
    r"column BOOT-BOTH": tuple(f"BOOT-BOTH, {name}" for name in R_AND_RHO),
    r"column PERM-BOTH, p": tuple(
        f"PERM-BOTH, {how}, {name}"
        for how in ("for these systems", "taken for other systems")
        for name in R_AND_RHO
    ),
    r"sentence (.*and .* · difference |r .* and )": (
        *OF_METRICS,
        *WILLIAMS,
    ),
}
SETS = tuple(
    f"{name}{scope}"
    for name in ("alpha of sets by MASI", "alpha of sets by Jaccard", "alpha of a label")
    for scope in ("", ", raters like these")
)
OF_GOLD = ("precision of a label", "recall of a label", "F1 of a label")
BEFORE_AND_AFTER = {
    r"column (Before|After)( from| to)? \(Scores": ("score of a system", "score after an exclusion by rule"),
    r"column Change( from| to)? \(Scores": ("change of a score by an exclusion",),
    "column .*, random 5–95%": NO_INTERVAL,
}
POWER = ("power from a pilot, crossed", "power from a pilot, both within")
WIDTHS = tuple(
    f"± of {what} from a pilot"
    for what in ("a MOS", "a system's mean", "an agreement", "an agreement for other raters", "a correlation")
)
PROMISES = (
    "promised ± of the widest item",
    "promised reliability",
    "promised ± of systems' differences",
    "promised ± on a preference scale",
    "promised share of right labels",
    "promised ± of a rater's alpha",
)
HEADINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "planning.py": {
        "sentence .*are not guesses": ("votes that are no guesses",),
        r"sentence .*from the pilot": (*POWER, *WIDTHS),
        r"sentence .*quality (?:of summaries )?from": NO_INTERVAL,
        r"sentence .*(reliability|Now [\d.]+ per item)": (*NEEDED, "ratings for a width"),
        r"column (?:Reliability|For the reliability) ": NEEDED,
        r"column (?:For the interval|Items for \d+ ?%)": NO_INTERVAL,
        "figure plan curves": POWER,
        "figure precision of .* curves": WIDTHS,
        "figure enough curves": ("ratings for a width",),
        r"sentence .*(urther .* br(ing|ought)|\d further (ratings|comparisons|votes))": PROMISES,
        "figure collection by-strategy": PROMISES,
        r"column (?:Half-width|Reliability|Right labels) \(What further": PROMISES,
    },
    "items.py": {
        r"sentence Most clearly .*: SD ": ("SD of an item's ratings", "Holm-adjusted p of disagreement"),
        r"sentence Most clearly .*: r = ": ("discrimination of an item", "Holm-adjusted p of discrimination"),
        r"column SD of its ratings \(Items": ("SD of an item's ratings",),
        r"column p of disagreement \(Holm\)": ("Holm-adjusted p of disagreement",),
        r"column r with agreement \(Items": ("discrimination of an item",),
        r"column p of r \(Holm\)": ("Holm-adjusted p of discrimination",),
        r"column MOS \(MOS of the item": ("MOS of an item", "weighted MOS of an item"),
        "figure item item_means": ("MOS of an item", "weighted MOS of an item"),
        "sentence .*for raters like these": ("MOS of an item", "weighted MOS of an item"),
    },
    "overview.py": {
        "sentence .*usual minimum": ("alpha, interval", "reliability of one rating"),
        "sentence Agreement of raters": ("alpha, interval",),
        "sentence Reliability of an item": ("reliability of one rating",),
        "sentence Ratings needed per item": NEEDED,
        "sentence Correlation with": CORRELATIONS,
        "figure overview repetitions card needed": NEEDED,
        "figure overview repetitions card curves": NO_INTERVAL,
        "sentence .*Reliability of one rating": NEEDED,
        r"sentence .*\d further (ratings|comparisons|votes)": PROMISES,
        "figure overview planning card": PROMISES,
        "figure overview comparison card order": CORRELATIONS,
        "figure overview agreement card": ("alpha, interval",),
        "figure overview replacement card": NO_INTERVAL,
        "sentence .*(Krippendorff|reliabilities from|alpha .*95% CI)": (
            "alpha, interval",
            "reliability of one rating",
        ),
        "figure overview_consistency": CONSISTENCY,
        "figure overview systems card": ("score of a system",),
        "sentence .*rank(s first|s above| [0-9])": ("score of a system",),
        "figure overview raters card": (
            "r_w",
            "correlation of a rater's ranks",
            "agreement of a rater's sets",
        ),
        "figure overview agreement card sets": SETS,
        "sentence .*(MASI distance|sets of labels)": SETS,
        "figure overview labels card gold": OF_GOLD,
        "sentence .*mean Jaccard index": ("exact sets", "Jaccard index of sets"),
        "figure overview labels card shares": ("share of a class",),
        "sentence .*is the most common": ("share of a class",),
        "figure overview scale card": ("chance on the scale", "strength from rankings"),
        "sentence .*against an average (system|item)": ("chance on the scale", "strength from rankings"),
        "figure overview pair card": PREFERENCE,
        "figure overview labels card labels": ACCURACY,
        "figure overview length card": SHARES,
        "figure overview accuracy card": AGREEMENT,
        "figure overview kappa card": KAPPAS,
        "sentence .*Lowest agreement: ": ("r_w",),
        "sentence .*across the .* authors": LENGTH,
        r"sentence .*questions · .*stories · ": SHARES,
        r"sentence .*judgments on the full text|sentence .*· saves ": (*AGREEMENT, *SECONDS),
        r"sentence .*kappa −?\d": (*KAPPAS, "kappa between raters", "equal judgments of raters"),
        **TYPICAL,
        "sentence .*Authors with longer summaries": LENGTH,
        r"sentence .*any correlation from|sentence .*the longer ones answer more": LENGTH,
    },
    "distributions.py": {
        r"column p \(": ("p of normality (Anderson-Darling)",),
        r"column Ratings per item \(Size": NO_INTERVAL,
    },
    "agreement.py": {
        r"column Alpha( from| to)? \(Agreement on whole sets": SETS,
        "figure sets": SETS,
        "sentence .*(MASI distance|sets of labels|alpha of)": SETS,
        "column Alpha": ("alpha, interval",),
        "column (One rating|Mean of ratings)": ("reliability of one rating",),
        "figure agreement alpha": ("alpha, interval",),
        "figure agreement reliability-of-means": ("reliability of one rating",),
        "sentence .*rater pairs": NO_INTERVAL,
        "sentence .*(alpha|item means)": ("alpha, interval", "reliability of one rating"),
        r"column 95% CI, .*\(Every coefficient": OF_EVERYONE,
        r"column Difference, 95% CI, .*\(Every coefficient": DIFFERENCES,
        "sentence .*(Raters agree|raters agree more on)": ("difference of Gwet's AC2",),
    },
    "standing_in.py": {
        "figure standing-in( draft [0-9]+)? (standing-in|prices)": ("advantage of a candidate",),
        "sentence .*advantage": ("advantage of a candidate",),
        "sentence Alpha ": ("alpha, interval", "alpha, nominal"),
        "sentence .*(ρ with|points|level difference|ranks items)": (
            "effective number of raters",
            "Spearman's rho",
            "mean difference",
        ),
        r"column Advantage( from| to)? \(Candidates": ("advantage of a candidate",),
        "column Worth, raters": ("effective number of raters",),
        "column Spearman ρ": ("Spearman's rho",),
        "column Mean difference": ("mean difference",),
        r"column p \(equivalence\)": ("equivalence test",),
        "sentence .*(rrors of the candidates|independent candidates)": (
            "errors shared by two candidates",
            "errors shared by all candidates",
            "independent candidates",
        ),
        "column Correlation of errors": ("errors shared by two candidates",),
        "(sentence .*the mean score is|column Corrected|figure .*corrected)": ("corrected score, tuned",),
        "column Plain form": ("corrected score, plain",),
        "(sentence .*from the reference alone|column Reference alone)": ("score of the reference alone",),
        r"column p \(Each candidate against": ("p of replacing one rater",),
        "(sentence .*The true (pass rate|share)|column True rate|figure .*pass-rate)": (
            "true pass rate",
            "true share of a class",
        ),
        "column Random part": ("corrected score, tuned",),
        "sentence .*that people pass": ("sensitivity of a judge",),
        "sentence .*(in their true pass rate|truly passes)": ("difference of true pass rates",),
    },
    "crowd_vs_lab.py": {
        "column Spearman ρ": ("Spearman's rho",),
        "column Pearson r": ("Pearson's r",),
        "column Kendall τ-b": ("Kendall's tau-b",),
        "column Concordance": ("Lin's concordance",),
        "column RMSE": ("RMSE",),
        "column Mean difference": ("mean difference",),
        "column ρ over systems": ("Spearman's rho over systems",),
        "column r over systems": ("Pearson's r over systems",),
        "column Reliability, candidate": ("reliability of the candidate's means",),
        "column Reliability, reference": ("reliability of the reference's means",),
        "column Ceiling": ("ceiling",),
        "column Corrected r": ("corrected correlation",),
        "column Spread": ("ratio of true SDs",),
        r"column p \(spread\)": ("test of equal true SDs",),
        r"column p \(spread, Holm\)": ("Holm-adjusted p of equal true SDs",),
        "column 90% CI (from|to)": ("equivalence test",),
        "column (Lower|Upper) limit": ("limits of agreement",),
        "column p of ρ": ("p of Spearman's rho",),
        r"column p \(raters\)": ("test of level over raters", "test of level by exchanged labels"),
        r"column p \(raters, Holm\)": ("Holm-adjusted p of level",),
        r"column p \(U\)": ("p of Mann-Whitney U",),
        r"column p \(W\)": ("p of Wilcoxon's W",),
        r"column p \(equivalence\)": ("equivalence test",),
        r"column p \(equivalence, Holm\)": ("Holm-adjusted p of equivalence",),
        "sentence .*(differ most|correlate at|Best:|Highest:|lowest:|no verdict)": (
            "Spearman's rho",
            "Spearman's rho over systems",
        ),
        "sentence .*(Largest|Difference|rates (higher|lower)|differ in level|Levels differ)": (
            "mean difference",
            "test of level over raters",
            "test of level over items",
        ),
        "sentence .*90% CI": ("equivalence test",),
        "sentence .*(Without rater noise|Lowest:)": ("ceiling", "corrected correlation"),
        "sentence .*Ratio of true SDs": ("ratio of true SDs", "test of equal true SDs"),
        "figure .*order$": ("Spearman's rho",),
        "figure .*level$": ("mean difference",),
    },
    "repetitions.py": {
        r"column Ratings needed": NEEDED,
        "column (Reliability now|Reliability of one)": ("reliability of one rating",),
        r"column Knee.* \(Ratings per item for": ("knee",),
        r"column Knee.* \(Share of items after": ("knee of votes",),
        "column At the knee": ("share of votes at the knee",),
        "column R² shuffles": NO_INTERVAL,
        "column .*% of the limit": ("share of the limit",),
        "column Gain under": ("gain of one more",),
        r"column Reliability \d": ("ratings for a reliability",),
        "column Interval under": ("ratings for a width",),
        "column Systems .* apart": NO_INTERVAL,
        "figure .* needed$": NEEDED,
        "figure .* curves$": OF_VOTES,
        "figure .* models$": (*OF_RATINGS, *OF_HALVES),
        "sentence .*(Reliability of one rating|needs about)": NEEDED,
        "sentence .*(Correlations? |Halves|correlates? )": ("correlation with all ratings",),
        "sentence .*Gains slow after": ("knee", "knee of votes"),
        "sentence .*(majority|votes? per item)": ("share of votes with all votes",),
        r"sentence .*95 to 99 of 100": NO_INTERVAL,
    },
    "assessors.py": {
        r"column (Mean score|r with the others|ρ after .*)( from| to)? \(Raters by": VALUES,
        r"figure .*(values|value-curves)": VALUES,
        r"column (p|Difference)( from| to)? \(Differences between values|sentence .* above .* by ": VALUES,
        r"column (Alpha|r with the others)( from| to)? \(|sentence .*is least consistent on repeated": CONSISTENCY,
        r"column Agreement with the others( from| to)? \(": ("correlation with the others",),
        r"column r with the reference( from| to)? \(": ("r with the reference",),
        "figure raters": ("correlation with the others",),
        "figure known against r": ("correlation with the others", "r with the reference", "e_w with r_w"),
        "sentence ρ = ": ("e_w with r_w",),
        r"column Adjusted p \(": NAMING,
        r"column Bias\b": ("bias of a rater",),
        r"column Inconsistency\b": ("inconsistency of a rater",),
        "column P.913": NO_INTERVAL,
        **BEFORE_AND_AFTER,
        r"column Share( from| to)? \(Variance of a single": SHARES_OF_VARIANCE,
        r"column Variance( from| to)? \(Variance of a single": VARIANCES,
        r"column Comparing ": COEFFICIENTS,
        r"column Level ": DEPENDABILITIES,
        "figure variance( draft .*)? shares": SHARES_OF_VARIANCE,
        "figure variance( draft .*)? d-study": (*COEFFICIENTS, *DEPENDABILITIES),
        "sentence .*(largest source of variance|generalizability coefficient|dependability|95% CI.*then )": (
            *SHARES_OF_VARIANCE,
            *COEFFICIENTS,
            *DEPENDABILITIES,
        ),
        "figure consistency": CONSISTENCY,
        "figure exclusion leave-one-out": NO_INTERVAL,
        **TYPICAL,
        "sentence .*With everyone, alpha": ("alpha, interval", "alpha, ordinal", "alpha, nominal"),
    },
    "metrics.py": {
        r"column (Before|After|Correlation)( from| to)? \(Correlation": METRIC,
        r"column Difference( from| to)? \(Correlation": CHANGE,
        **PAIRS_OF_METRICS,
        "sentence .*on single items within a rater .* instead of": CHANGE,
        r"sentence 95% CI .* instead of ": CHANGE,
        "sentence .*on single items within a rater": METRIC,
        "column (Prefer|Clearly prefer)": ("difference of a metric",),
        "figure metric-difference": ("difference of a metric",),
        r"column Pairwise accuracy( from| to)? \(": ("pairwise accuracy of a metric",),
        r"column Soft pairwise accuracy( from| to)? \(": ("soft pairwise accuracy",),
        r"column On single items( from| to)? \(": ("accuracy on single items",),
        "sentence .*(usually agree with|No observed difference|those two values)": (
            "difference of a metric",
        ),
    },
    "pyramid.py": {
        r"column mP − aP( from| to)? \(": ("manual minus automatic Pyramid score",),
        "figure pyramid": ("manual minus automatic Pyramid score",),
        "sentence .*highest: ": ("manual minus automatic Pyramid score",),
    },
    "training.py": {
        r"column r when tested": ("trained metric and human scores",),
        r"column Difference( from| to)? \(The chosen models": ("change of a trained metric's correlation",),
        "figure training": ("trained metric and human scores",),
        "sentence Largest change: ": ("change of a trained metric's correlation",),
        "sentence .*the best of": ("trained metric and human scores",),
    },
    "systems.py": {
        r"column Share of votes \(Classes": ("share of a class",),
        r"column Kappa \(The crowd's label": ("kappa of the crowd with gold",),
        "figure classes shares": ("share of a class",),
        "figure labels( draft .*)? known-answers": ("kappa of the crowd with gold",),
        "figure scale( draft .*)? (scale|style)": ("chance on the scale", "strength on the scale"),
        "sentence .*95% CI.* next: ": ("share of a class",),
        "sentence .*Kappa ": ("kappa of the crowd with gold",),
        r"column Accuracy \(How often each method": ACCURACY,
        r"column Accuracy \(Accuracy of each rater": ("e_w",),
        "column Points above majority": ABOVE_MAJORITY,
        "sentence .*points above majority": (*ACCURACY, *ABOVE_MAJORITY),
        "figure preference preference": PREFERENCE,
        r"column (Share of|Share by PCC-H)\b.* \((Share of the preference|Comparisons)": PREFERENCE,
        r"column .* (minus|difference).* \(Share of the preference": DESIGNS,
        "figure crowd_sets( draft .*)? gold": OF_GOLD,
        "figure crowd_sets( draft .*)? shares": ("share of a label",),
        r"column (F1|Precision|Recall)( from| to)? \(The crowd's sets": OF_GOLD,
        r"column Share of raters( from| to)? \(": ("share of a label",),
        "sentence .*mean Jaccard index": ("exact sets", "Jaccard index of sets"),
        "sentence .*(next: .* items|[0-9] items · for these raters)": ("share of a label",),
        "figure rankings( draft .*)? scale": ("strength from rankings",),
        r"column (Adjusted chance|Chance)( from| to)? \(": ("chance on the scale", "strength from rankings"),
        r"column (Adjusted s|S)trength( from| to| without position)? \(": (
            "strength on the scale",
            "strength from rankings",
        ),
        r"column (Adjusted rank|Rank)( from| to)? \(All (systems|items)": (
            "strength on the scale",
            "strength from rankings",
        ),
        r"column Difference( from| to)? \(All pairs of systems": (
            "difference on the scale",
            "strength from rankings",
        ),
        r"column Adjusted p \(All pairs of systems": (
            "adjusted p of pairs on the scale",
            "some pair of equal options ranked apart",
        ),
        r"column Score( from| to)? \(Counting score": ("counting score",),
        "sentence .*Mean of [0-9]+ halves": NO_INTERVAL,
        "sentence .*mean correlation of two raters": ("Kendall's W", "p of Kendall's W"),
        "figure labels( draft .*)? labels": ACCURACY,
        "sentence .*went to the one in first position": ("share of the first position",),
        "sentence .*fits? the results of the pairs": ("p of one scale",),
        "sentence .*Odds ratio": (
            "effect of standing first",
            "p of standing first",
            "position of ranked options",
        ),
        "sentence .*against an average (system|item)": ("chance on the scale", "strength from rankings"),
        "sentence .*(is preferred over|clearly preferred|by PCC-H)": PREFERENCE,
        "sentence .*rank(s first|s above| [0-9])": ("score of a system",),
        "figure systems( draft .*)? systems": ("score of a system", "weighted score of a system"),
        r"column Score( from| to)? \(": ("score of a system", "weighted score of a system"),
        r"column Rank( from| to)? \(": ("ranks of all systems",),
        r"column Difference( from| to)? \(Differences between systems": (
            "some pair of equal systems",
            "some pair of equal systems, weighted",
        ),
        r"column Adjusted p \(Differences between systems": ("some pair of equal systems",),
        **BEFORE_AND_AFTER,
    },
    "workers.py": {
        r"column (Value|Range) \((Raters and ratings|Mean, SD, range)": NO_INTERVAL,
        "column Agreement with the others": ("r_w",),
        "sentence .*Lowest agreement: ": ("r_w",),
        "column Agreement with the (expert|gold answers)": ("e_w",),
        "figure workers": ("r_w",),
        "figure labelers( draft .*)? raters": ("agreement of a rater's sets",),
        "figure labelers( draft .*)? known": ("agreement of a rater's sets", "Jaccard index of sets"),
        r"column Alpha( from| to)? \(Agreement of each rater": ("agreement of a rater's sets",),
        r"column Jaccard with gold( from| to)? \(": ("Jaccard index of sets",),
        "figure rankers": ("correlation of a rater's ranks",),
        r"column r( from| to)? \(Agreement of each rater": ("correlation of a rater's ranks",),
        "figure known against r": ("r_w", "e_w", "e_w with r_w"),
        "sentence .*agree least": ("worker figures with each other",),
        r"column .*\(Spearman's ρ of each pair of methods": ("worker figures with each other",),
        "sentence ρ = ": ("e_w with r_w",),
        "column Adjusted p": (
            *NAMING,
            "a ranker named although all are alike",
            "a labeler named although all are alike",
        ),
        **TYPICAL,
    },
    "comprehension.py": {
        r"column Krippendorff's alpha( from| to)? \(": ALPHAS,
        r"sentence .*across the .* authors": LENGTH,
        r"column Share( from| to)? \(Shares of all answers": SHARES,
        r"column Cohen's kappa": ("Cohen's kappa of judges",),
        r"column Equal answers": ("equal answers of judges",),
        r"column Found( from| to)? \(Words": SHARES,
        "column (Difference of|Machine:|People:) R": ("a machine's minus people's share", *SHARES),
        "column Share of the human level": ("share of the human level",),
        r"column .*\(Differences between types of stories": ("difference of shares between stories",),
        r"column (R|P|I|N|R \+ P|found .*)( from| to)? \(": SHARES,
        r"sentence .*(questions|stories) · ": SHARES,
        r"sentence .*points \(": ("difference of shares between stories", *AUTHORS, *SHARES),
        r"column .*\(Differences of summary authors|sentence .*[Ss]ummary authors": AUTHORS,
        "figure judges( draft .*)? alphas": ALPHAS,
        "figure summary_length( draft .*)? length": SHARES,
        "sentence .*Authors with longer summaries": LENGTH,
        "sentence .*any correlation from|sentence .*the longer ones answer more": LENGTH,
        "sentence .*Of stories of type": ("difference of shares between stories", *SHARES),
        "sentence .*judges agree at alpha": ALPHAS,
        "sentence .*of what others found important": SHARES,
        "sentence .*meet questions of|sentence .*summaries of .*meet": SHARES,
        "sentence .*of the human level|sentence .*n level: its summaries": (
            "share of the human level",
            *SHARES,
        ),
    },
    "relevance.py": {
        **PAIRS_OF_METRICS,
        r"column (Accuracy|Precision|Recall|F)( from| to)? \(Agreement of each": (*AGREEMENT,),
        r"column Kappa( from| to)? \(Agreement of each": KAPPAS,
        r"column Seconds( from| to)? \(Agreement of each": SECONDS,
        r"sentence .*points \(": ("difference of the two agreements", *P_OF_AGREEMENTS),
        r"column RP minus LDC( from| to)? \(": (
            "difference of the two agreements",
            "difference of the two agreements in precision",
            "difference of the two agreements in F",
        ),
        r"column p( \(Holm\))? \(Relevance Prediction minus": P_OF_AGREEMENTS,
        r"column (Share of|Length of) the way|sentence .*(of the way|not clearly better)": PLACES,
        "column Pairs of judgments alike": ("equal judgments of raters",),
        "column Between raters": ("kappa between raters",),
        "column With (gold|own full text)": KAPPAS,
        r"column Mean( over events)?( from| to)? \(Mean ": ("mean of a surrogate", *OUTCOMES),
        r"column Difference( from| to)? \(": ("difference of two surrogates",),
        r"column p \(Differences of all pairs": ("adjusted p of two surrogates",),
        r"column p \(Analysis of variance": ("p of surrogates",),
        r"column p \(Greenhouse-Geisser\)": ("p of surrogates, Greenhouse-Geisser",),
        "column Partial η²": ("partial eta squared",),
        r"column 95% \(Mean(s)? of the metric": (*OUTCOMES, "mean of a surrogate"),
        "column p of F": ("p of surrogates",),
        "column (Surrogates|Surrogates × events|Adjusted for events), p": P_OF_METRIC,
        "column (Surrogates|Surrogates × events|Adjusted for events)": R_OF_METRIC,
        r"column (5th to 95th percentile|Mean r).* \(Correlation over random": (
            "correlation over partitions",
        ),
        r"column Equal( from| to)? \(Share of equal judgments": ("equal judgments given twice",),
        "figure relevance( draft .*)? relevance-agreement": AGREEMENT,
        "figure (kappa .*)?alike": ("equal judgments of raters",),
        "figure kappa": (*KAPPAS, "kappa between raters"),
        "sentence .*stay the same": ("equal judgments given twice",),
        r"sentence r: .*": ("correlation over partitions",),
        r"sentence .*F\(\d": ("p of surrogates",),
        r"sentence .*(surrogates × events|over .* surrogates|r = .* surrogates)": (
            *P_OF_METRIC,
            *R_OF_METRIC,
        ),
        r"sentence .*kappa −?\d": (*KAPPAS, "kappa between raters", "equal judgments of raters"),
        "figure differences( draft .*)? differences": ("mean of a surrogate",),
        "figure metrics( draft .*)? metric-": (*OUTCOMES, "mean of a surrogate"),
        "figure order( draft .*)?": ("equal judgments given twice",),
        "figure partitions( draft .*)?": ("correlation over partitions",),
        "figure relevance( draft .*)? speed": (*AGREEMENT, *SECONDS),
        "sentence .*(to go|goes) with accuracy": (*P_OF_METRIC, *R_OF_METRIC),
        r"sentence .*(over .* surrogates|adjusted for events)": (*P_OF_METRIC, *R_OF_METRIC),
        "sentence .*differs? between surrogates|sentence .*Surrogates differ": ("p of surrogates",),
        "sentence .*(judgments on the full text|as gold does)": (*AGREEMENT, *SECONDS),
        "sentence .*Agreement with gold": P_OF_AGREEMENTS,
        "sentence .*correlate at": ("correlation over partitions",),
        "sentence Highest: .* · groups of ": ("correlation over partitions",),
        "sentence .*judged twice": ("equal judgments given twice",),
        "sentence .*decide alike": ("equal judgments of raters", "kappa between raters"),
        r"sentence \* p": NO_INTERVAL,
    },
}


def figures_of(page: str, heading: str) -> tuple[str, ...] | None:
    """Return the figures that a page shows under a heading, None if none are listed."""
    patterns = {HELD: NO_INTERVAL} | HEADINGS.get(page, {})
    found = (names for pattern, names in patterns.items() if re.match(pattern, heading))
    return next(found, None)
