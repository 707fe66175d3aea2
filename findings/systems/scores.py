"""Which systems differ: scores, ranks with their intervals, and who is told apart from whom."""

from collections.abc import Callable
from functools import partial
from math import isnan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.assessors.exclusion import Exclusion
from analysis.assessors.exclusion_intervals import Intervals
from analysis.systems.system_ranking import SystemRanking
from analysis.values.estimate import Estimate
from charts.systems.scores import letters_fit, rank_words
from features.blocks import Finding
from features.plotting.numbers import count, decimal, decimal_with_interval, interval, p_value
from features.study import Scenario
from features.tables import Shown, Written
from features.verdicts import clear, not_applicable, not_enough_data, uncertain
from features.words import Sentence, counted, listed
from findings.leaving_out import left_out_words

NO_SYSTEMS = (
    "No item that {group} rated on {measure} has a system. Choose another group or measure in the sidebar."
)
LOWEST_FIRST = ("penalt", "error", "mistake", "badness", "annoy", "distort", "wer")
"""Parts of a measure's name with which low scores are the good ones, as far as a name can tell."""
_EXACT = partial(decimal, digits=3)
PAIRS_WRITTEN: dict[str, Callable[[float], str]] = {"Difference": _EXACT, "p, all pairs": p_value}


def low_is_first(measure: str) -> bool:
    """Whether a measure's name says that low scores are the good ones.

    >>> low_is_first("mqm_penalty"), low_is_first("overall quality"), low_is_first("power")
    (True, False, False)
    """
    words = measure.casefold().replace("_", " ").replace("-", " ").split()
    return any(word.startswith(LOWEST_FIRST[:-1]) or word == LOWEST_FIRST[-1] for word in words)


def finding(
    ranking: SystemRanking,
    names: NDArray[np.str_],
    measure: str,
    raters: int,
    scenario: Scenario,
    lowest_first: bool,
) -> Finding:
    """Who comes first and how surely, and how many pairs are told apart."""
    k, values = len(ranking), dict(left_out_words(scenario))
    which = "lowest" if lowest_first else "highest"
    without = "Without {k} rater{s} ({name}): " if scenario.applied and scenario.excludes else ""
    values |= {"measure": measure, "systems": counted(k, "system"), "raters": counted(raters, "rater")}
    if not k:
        return not_enough_data(without + "No system has a score by {measure}.", values)
    first, score = names[ranking.systems[0]], ranking.scores[0]
    values |= {"first": first, "score": decimal(score.value), "between": _between(score)}
    if k == 1:
        return not_applicable(
            without + "{first} is the only system: <b>{score}</b>{between} by {measure}.", values
        )
    ahead = "{first} comes first of {systems} by {measure} (" + which + " score <b>{score}</b>{between})"
    if ranking.pairs is None:
        return uncertain(without + ahead + ".", values)
    if not ranking.compared:
        values |= {"reason": ranking.reason}
        return uncertain(without + ahead + "; which of them differ <b>cannot be told</b>: {reason}.", values)
    values |= {
        "apart": count(ranking.pairs.told_apart),
        "pairs": counted(ranking.pairs.pairs, "pair")
        + (" that can be compared" if ranking.pairs.pairs < k * (k - 1) // 2 else " of systems"),
        "last": count(int(ranking.rank_high[0])),
    }
    pairs = "<b>{apart}</b> of {pairs} are told apart, by {raters}."
    if ranking.pairs.pairs == ranking.pairs.told_apart == 1:
        pairs = "the only pair that can be compared is told apart, by {raters}."
    if not ranking.pairs.told_apart:
        return uncertain(
            without
            + "<b>No two</b> of {systems} can be told apart by {measure} ({pairs}, {raters}): {first} comes first with "
            + "{score}{between}, but its rank may be anything from 1 to {last}.",
            values,
        )
    if ranking.rank_high[0] == 1:
        values["others"] = "the other" if k == 2 else "all others"
        return clear(
            without
            + ahead.replace("{first}", "<b>{first}</b>", 1)
            + ", surely "
            + ("below" if lowest_first else "above")
            + " {others}; "
            + pairs,
            values,
        )
    level = [
        str(names[system])
        for system, apart in zip(ranking.systems, ranking.pairs.apart[0], strict=True)
        if not apart
    ][1:]
    values["level"] = listed(level, 3)
    return uncertain(without + ahead + ", but is not told apart from {level}; " + pairs, values)


def told_on_its_page(ratings: int) -> Sentence:
    """Where intervals are that a glance does not show."""
    return (
        "Which systems are told apart, with the intervals of their scores, stands on the page <b>Systems</b>: it takes "
        "each of {ratings} ratings.",
        {"ratings": count(ratings)},
    )


def _between(score: Estimate) -> str:
    between = interval(score)
    return "" if between == "–" else f", {between}"


def few_columns(ranking: SystemRanking) -> tuple[str, ...]:
    """The columns of the table that answer the question: letters, or where nobody could read them their sense."""
    return "System", "Score", "Rank", "Letters" if letters_fit(ranking) else "Not told apart from", "Ratings"


def table(ranking: SystemRanking, names: NDArray[np.str_]) -> Shown:
    """One row per system, the first on top."""
    columns: dict[str, object] = {
        "System": [str(names[system]) for system in ranking.systems],
        "Score": [score.value for score in ranking.scores],
        "Rank": ranking.rank,
    }
    if ranking.compared:
        columns |= {"Letters": list(ranking.letters), "Not told apart from": ranking.not_told_apart}
    columns |= {
        "Ratings": [score.n for score in ranking.scores],
        "Score from": [score.low for score in ranking.scores],
        "Score to": [score.high for score in ranking.scores],
    }
    if ranking.compared:
        columns |= {"Rank from": ranking.rank_low, "Rank to": ranking.rank_high}
    written: dict[str, Written] = {
        "Score": [decimal_with_interval(score) for score in ranking.scores],
        "Rank": [rank_words(ranking, at) for at in range(len(ranking))],
        **dict.fromkeys(("Not told apart from", "Ratings", "Rank from", "Rank to"), count),
        **dict.fromkeys(("Score from", "Score to"), _EXACT),
    }
    return pd.DataFrame(columns), written


def pairs_head(ranking: SystemRanking) -> str:
    """What stands over all pairs while they are folded."""
    pairs = ranking.pairs
    if pairs is None or pairs.reason:
        return ""
    return f"All pairs: {count(pairs.told_apart)} of {count(pairs.pairs)} told apart"


def pairs_table(ranking: SystemRanking, names: NDArray[np.str_]) -> Shown:
    """One row per pair, the one ahead first: its difference with the interval that holds for all pairs at once."""
    pairs = ranking.pairs
    if pairs is None or pairs.reason:
        return pd.DataFrame(), {}
    first, second = np.triu_indices(len(ranking), 1)
    called = names[ranking.systems]
    rows = pd.DataFrame(
        {
            "First": called[first],
            "Second": called[second],
            "Difference": pairs.differences[first, second],
            "Difference, 95 %": [
                interval(Estimate(0.0, float(low), float(high)))
                for low, high in zip(pairs.low[first, second], pairs.high[first, second], strict=True)
            ],
            "p, all pairs": pairs.p[first, second],
            "Told apart": np.where(pairs.apart[first, second], "yes", "no"),
        }
    )
    return rows, PAIRS_WRITTEN


def notes(
    point: Exclusion,
    drawn: Intervals | None,
    ranking: SystemRanking,
    names: NDArray[np.str_],
    without: bool,
    has_topics: bool,
) -> list[Sentence]:
    """How scores and intervals were made."""
    told: list[Sentence] = []
    if point.method == "additive":
        told.append(
            (
                "Scores: additive model system + topic ({why}); the plain mean is under <b>More</b>.",
                {"why": point.why},
            )
        )
    else:
        told.append(
            ("Scores: each system's mean over {what}.", {"what": "its topics" if has_topics else "its items"})
        )
    if drawn is None or drawn.reason:
        return told
    what = drawn.resampled_after if without else drawn.resampled_before
    told.append(
        (
            "Intervals: {draws} draws of {what}; those of ranks hold for all systems at once."
            + (" Two systems that share a letter are not told apart." if letters_fit(ranking) else ""),
            {"draws": count(drawn.draws), "what": what if has_topics else what.replace("topics", "items")},
        )
    )
    alone = [
        str(names[system])
        for system, score in zip(ranking.systems, ranking.scores, strict=True)
        if isnan(score.low)
    ]
    if alone:
        told.append(("No interval for {who}: too few raters or items tell of them.", {"who": listed(alone)}))
    return told


EXPLANATION = r"""
**Scores.** A system's score is the mean over topics (topic and condition where there are both) of the mean score within
the topic; without topics, the mean over its items of their means. Where systems have ratings in different topics, the
additive model *system + topic* is fitted to the cells' means by least squares, and the score is the mean of the fitted
values over all topics; with all cells present it is the plain mean. Where systems share no topic at all, nothing can
set the topics' difficulty aside, and the plain mean is shown; the line below the table says which it is.

**Intervals** weigh raters and topics (or items) anew in every draw and repeat the whole estimate, so they hold for
other raters *and* other items. Where each topic was judged by one rater, raters are drawn with all their topics. A
system that a single rater judged on a single topic has none: its chance cannot be seen.

**Told apart.** Systems share raters and topics, so two intervals may overlap and their difference still be clear: each
pair is judged by the interval of *its own* difference, from the same draws. One critical value serves all pairs, such
that the largest studentised difference exceeds it in 5 % of studies at most (max-T, never below Tukey's range). Where
each topic has few raters it is cautious. Two systems share a letter exactly when they are not told apart.

**Ranks.** A system's rank lies between one more than the number of systems surely above it and the number of all less
those surely below it,

$$1 + \#\{j : j \text{ surely above } i\} \;\le\; \text{rank}_i \;\le\; k - \#\{j : j \text{ surely below } i\}.$$

These intervals hold for all systems at once, since all pairs do: no draw of ranks is needed,
which would be too narrow where scores are close. In simulated studies they held for all systems together in 98 to 100
of 100 (docs/calibration.md). Wide intervals of ranks mean that more raters or items would be needed, not that systems
are equally good.

**Leaving raters out.** Scores, letters and ranks of this page are those without the raters that the sidebar leaves
out, while its switch is on; the hollow dots are the scores by everyone. What becomes of the ranking stands below.

Departures: Owczarzak et al. rank by plain means and compare no pairs; intervals, letters and ranks are added.

Sources: Owczarzak, Rankel, Dang and Conroy 2012, section 3 (scores); Searle 1971, section 7.1 (additive model); Owen
2007 (draws of raters and topics); Westfall and Young 1993, section 2.4 (max-T); Piepho 2004 (letters); Mohamad, Goeman
and van Zwet 2019, section 3 (ranks).
"""
