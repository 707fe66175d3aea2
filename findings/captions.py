"""What stands beside a table or a figure in a paper: what it shows, what it rests on, and how it was computed."""

from collections.abc import Mapping
from typing import Any

from data.kinds.definitions import KINDS
from features.study import Study
from features.words import Sentence, of_many, plain

_PCCH = "each worker weighs as much as he agrees with the others (PCC-H; Habibi and Popescu-Belis 2012)"
_CLUSTERED = "intervals add the variances over raters and over items (Cameron, Gelbach and Miller 2011)"
_EXCLUSION = (
    "A system's score is the mean over topics of its mean score within the topic (Owczarzak, Rankel, Dang and "
    "Conroy 2012)"
)
METHODS: Mapping[str, str] = {
    "distributions": ("An item's mean opinion score (MOS) is the mean of all its ratings in a group."),
    "agreement": (
        "Agreement of single ratings is Krippendorff's alpha with the interval metric (Krippendorff 2011), the "
        "reliability of an item's mean an intraclass correlation of means (McGraw and Wong 1996), split halves the "
        "mean correlation of two random halves of each item's ratings (Spearman 1910)."
    ),
    "crowd-vs-lab": (
        "Groups are compared over the items that both rated: in order by Spearman's ρ of the items' mean opinion "
        "scores, in level by their mean difference with a test over raters, in distance by the RMSE; p values over "
        "the measures are adjusted after Holm (1979). The design follows Iskender, Polzehl and Möller (2020)."
    ),
    "repetitions": (
        "What an item gets from its first r ratings or votes is held against the reference, in their order and in "
        "random ones; an exponential curve is fitted and its knee found by Kneedle (Satopää et al. 2011), after "
        "Iskender, Polzehl and Möller (2020)."
    ),
    "standing-in": (
        "Whether a candidate may take a rater's place is the alternative annotator test (Calderon, Reichart and "
        "Dror 2025): each rater in turn is held against the candidate by the other raters' ratings."
    ),
    "ranking": (
        "A rater's consistency is Krippendorff's alpha over identical texts judged again, or, without such texts, "
        "the correlation with the mean of the others (Owczarzak, Rankel, Dang and Conroy 2012)."
    ),
    "screening": ("Raters are screened as in ITU-R BT.500 and ITU-T P.913; the verdicts are advice."),
    "raters": (
        "Agreement of each rater with the others is Pearson's correlation with the mean of the other raters."
    ),
    "workers": (
        "r_w is, for each option, Pearson's correlation over items of a worker's choices with the share of all "
        "others who chose it, averaged over options (PCC-H; Habibi and Popescu-Belis 2012)."
    ),
    "variance": (
        "Variance components by restricted maximum likelihood or, of large designs, Henderson's first method; "
        "coefficients of generalisability and dependability after Brennan (2001)."
    ),
    "d-study": (
        "Coefficients of generalisability and dependability for other numbers of raters and items (Brennan 2001)."
    ),
    "exclusion": (
        f"{_EXCLUSION}; rankings with and without the raters left out are compared by Pearson's and Spearman's "
        "correlations."
    ),
    "leave-one-out": (
        f"{_EXCLUSION}; each rater in turn is left out, and the ranking compared with everyone's."
    ),
    "systems": (
        f"{_EXCLUSION}, or the additive model system + topic where cells are missing; all pairs are compared at once"
        " (max-T)."
    ),
    "metrics": (
        "The automatic metric is correlated with the mean human scores of the systems and of single items."
    ),
    "pyramid": (
        "Manual less automatic Pyramid score of each assessor over the summaries that the assessor scored."
    ),
    "preference": (f"Shares of the preference by majority, by weights where {_PCCH}, and by GLAD."),
    "scale": (
        f"One strength per system from all pairs (Bradley and Terry 1952), ties after Davidson (1970); {_CLUSTERED}."
    ),
    "labels": ("Labels by majority, weighted votes, Dawid and Skene's and GLAD's model, held against gold."),
    "comprehension": (
        "Each summary is asked the questions that other authors set on its story; an answer found in it is "
        "relevant, partially relevant, irrelevant or not found (Kolluru and Gotoh 2005)."
    ),
    "summary_length": (
        "Pearson's correlation of each author's share found with the mean length of the author's summaries (Kolluru"
        " and Gotoh 2005)."
    ),
    "relevance": (
        "LDC Agreement holds a judgment against gold, Relevance Prediction against what the same rater said of the "
        f"full text (Hobson, Dorr, Monz and Schwartz 2007); {_CLUSTERED}."
    ),
    "kappa": (
        "Cohen's kappa of every pair of raters on the documents that both judged, the mean over pairs (Cohen 1960)."
    ),
    "differences": ("Analysis of variance with each subject's own level removed; letters after Tukey's HSD."),
}
"""By the name of what is downloaded: how its figures were computed, in a sentence."""


def caption(what: str, study: Study | None, overview: Mapping[str, Any]) -> str:
    """What a table or figure shows, and the data that it rests on."""
    return what if study is None else f"{what.rstrip('.')}. {plain(size(study, overview))}"


def size(study: Study, overview: Mapping[str, Any]) -> Sentence:
    """How many rows of how many items by how many raters, from the row of the query `overview`."""
    kind = KINDS[study.dataset.kind]
    return (
        "<b>{name}</b>: {rows} of {items}{raters}{groups}.",
        {
            "name": study.dataset.name,
            "rows": of_many(overview["rows"][0], kind.rows),
            "items": of_many(overview["items"][0], kind.items),
            "raters": f" by {of_many(overview['raters'][0], kind.raters)}"
            if study.raters_are_persons
            else "",
            "groups": f" in {len(study.groups)} groups" if len(study.groups) > 1 else "",
        },
    )
