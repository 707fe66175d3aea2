"""Verdicts and tables of systems' scores: which system ranks first, and which systems differ."""

from functools import partial
from math import isnan

import numpy as np
import pandas as pd

from analysis.assessors.exclusion import PLAIN_MEANS
from analysis.pairs.paired_differences import FEWEST_RATERS
from analysis.systems.system_ranking import SystemRanking
from analysis.values.estimate import Estimate
from features.blocks import Finding, NextStep, Note, Status, Table
from features.evidence import capitalized, confidence_interval, evidence, for_raters
from features.plotting.numbers import count, decimal, decimal_with_interval, interval, p_value
from features.study import Scenario
from features.systems.scores_results import RankedSystems, ScoresSpec
from features.tables import Written
from features.words import counted, listed

MOST_LETTERS = 8
"""Letters at one system that can be read."""
EXACT = partial(decimal, digits=3)


def system_name(name: object) -> str:
    """Return a system's name as a headline has it.

    >>> system_name("human 2"), system_name("system B")
    ('System human 2', 'System B')
    """
    text = str(name)
    return capitalized(text) if text.casefold().startswith("system") else f"System {text}"


def missing_systems(group: str, measure: str) -> Finding:
    """Return the finding of ratings whose items have no systems."""
    return Finding(
        ("Not enough data to rank systems: no item has one.", {}),
        evidence(f"Ratings by {group} on {measure}", "choose another group or measure in the sidebar"),
        Status.NOT_ENOUGH_DATA,
        next_step=NextStep("Map a column to system", "datasets.py"),
    )


def ranking_finding(ranked: RankedSystems, spec: ScoresSpec) -> Finding:
    """Return which system ranks first, and whether it differs from the others."""
    ranking = ranked.ranking
    k = len(ranking)
    if not k:
        return Finding(
            ("Not enough data to rank systems: none has a rating.", {}),
            evidence(f"Measure: {spec.measure}"),
            Status.NOT_ENOUGH_DATA,
        )
    values: dict[str, object] = {
        "first": system_name(ranked.names[ranking.systems[0]]),
        "others": count(k - 1),
    }
    line = _evidence(ranked, spec)
    if k == 1:
        return Finding(
            ("{first} is the only one, so there is no ranking.", values), line, Status.NOT_APPLICABLE
        )
    if ranking.pairs is None:
        return Finding(("{first} ranks first.", values), line, Status.UNCERTAIN)
    if not ranking.compared:
        return Finding(
            ("Not enough data to say which systems differ.", values),
            evidence(
                capitalized(ranking.reason),
                counted(k, "system"),
                counted(ranked.raters, "rater"),
                _scope(ranked),
            ),
            Status.NOT_ENOUGH_DATA,
            next_step=_next_step(ranked),
        )
    if not ranking.pairs.told_apart:
        return Finding(("No two systems clearly differ.", values), line, Status.UNCERTAIN)
    if ranking.rank_high[0] == 1:
        values["other"] = ranked.names[ranking.systems[1]]
        headline = (
            "{first} ranks above {other}." if k == 2 else "{first} ranks above the other {others} systems."
        )
        return Finding((headline, values), line, Status.CLEAR)
    alike = [int(at) for at in np.flatnonzero(~ranking.pairs.apart[0]) if at]
    values |= {"alike": count(len(alike)), "other": ranked.names[ranking.systems[alike[0]]]}
    rivals = "{other}" if len(alike) == 1 else "{alike} others"
    return Finding((f"{{first}} ranks first, but {rivals} may be as good.", values), line, Status.UNCERTAIN)


def _evidence(ranked: RankedSystems, spec: ScoresSpec) -> tuple[str, dict[str, str]]:
    ranking = ranked.ranking
    score = ranking.scores[0]
    ranks = f"rank {int(ranking.rank_low[0])}–{int(ranking.rank_high[0])}" if ranking.compared else ""
    template, values = evidence(
        f"{capitalized(spec.measure)} {decimal(score.value)}",
        confidence_interval(score),
        ranks,
        _pairs_that_differ(ranking),
        _power(ranking) if ranking.pairs is not None and not ranking.pairs.told_apart else "",
        counted(len(ranking), "system"),
        counted(ranked.raters, "rater"),
        _scope(ranked),
        "the lowest score ranks first" if spec.ranks_lowest_first else "",
    )
    return template, {name: str(value) for name, value in values.items()}


def _scope(ranked: RankedSystems) -> str:
    return "" if ranked.scope is None else for_raters(ranked.scope)


def _next_step(ranked: RankedSystems) -> NextStep | None:
    """Return the step to the other score or scope, where that is what is missing."""
    if ranked.ranking.reason == PLAIN_MEANS:
        return NextStep("Score by the additive model", "systems.py", {"method": "the additive model"})
    if ranked.scope != "raters like these" or ranked.raters >= FEWEST_RATERS:
        return None
    return NextStep("Compare for these raters", "systems.py", {"generalize": "these raters"})


def _power(ranking: SystemRanking) -> str:
    """Return which difference such a study finds, "" where that is not known."""
    pairs = ranking.pairs
    if pairs is None or isnan(pairs.detectable):
        return ""
    return f"a difference of {decimal(pairs.detectable)} would be found with 80% power"


def _pairs_that_differ(ranking: SystemRanking) -> str:
    pairs = ranking.pairs
    if pairs is None or pairs.reason:
        return ""
    return f"{count(pairs.told_apart)} of {counted(pairs.pairs, 'pair')} differ"


def exclusion_finding(ranked: RankedSystems, scenario: Scenario) -> Finding:
    """Return how the ranking changes without the excluded raters, in these ratings."""
    who = counted(len(scenario.names), "rater")
    if len(scenario.names) == 1:
        (who,) = scenario.names
        who = who if " " in who or who.casefold().startswith("rater") else f"rater {who}"
    change, before = ranked.exclusion.change, ranked.by_everyone
    moved = int((change.shifts != 0).sum())
    values: dict[str, object] = {"who": who, "moved": count(moved)}
    headline = "Without {who}, no system changes rank."
    if moved:
        headline = "Without {who}, {moved} systems change rank."
    if before is not None and len(before) and len(ranked.ranking):
        old, new = before.systems[0], ranked.ranking.systems[0]
        if old != new:
            headline = "Without {who}, {new} ranks first instead of {old}."
            values |= {"old": ranked.names[old], "new": system_name(ranked.names[new])}
    rho = change.spearman
    return Finding(
        (headline, values),
        evidence(
            f"Spearman's ρ with the ranking by everyone {decimal(rho.value, 3)}" if rho.defined else "",
            counted(len(change.systems), "system"),
            f"{counted(len(ranked.exclusion.lost), 'system')} without ratings"
            if ranked.exclusion.lost
            else "",
            "in these ratings",
        ),
        Status.CLEAR,
        next_step=NextStep("Compare both rankings", "assessors.py", {"question": "What if they go"}),
        name="exclusion",
    )


def letters_are_readable(ranking: SystemRanking) -> bool:
    """Return True where there are letters, and few enough at each system to be read."""
    widest = max(map(len, ranking.letters), default=0)
    return ranking.compared and any(ranking.letters) and widest <= MOST_LETTERS


def rank_with_interval(ranking: SystemRanking, at: int) -> str:
    """Return a system's rank, and the ranks it may have."""
    rank = ranking.rank[at]
    told = decimal(rank, 0 if rank == round(rank) else 1)
    low, high = int(ranking.rank_low[at]), int(ranking.rank_high[at])
    return f"{told} ({low} to {high})" if ranking.compared else told


def ranking_table(ranked: RankedSystems, spec: ScoresSpec, name: str) -> Table:
    """Return one row per system, the first on top."""
    ranking = ranked.ranking
    columns: dict[str, object] = {
        "System": [str(ranked.names[system]) for system in ranking.systems],
        "Score": [score.value for score in ranking.scores],
        "Rank": ranking.rank,
    }
    if ranking.compared:
        columns |= {"Letters": list(ranking.letters), "May be equal to": ranking.not_told_apart}
    columns |= {
        "Ratings": [score.n for score in ranking.scores],
        "Score from": [score.low for score in ranking.scores],
        "Score to": [score.high for score in ranking.scores],
    }
    if ranking.compared:
        columns |= {"Rank from": ranking.rank_low, "Rank to": ranking.rank_high}
    formats: dict[str, Written] = {
        "Score": [decimal_with_interval(score) for score in ranking.scores],
        "Rank": [rank_with_interval(ranking, at) for at in range(len(ranking))],
        **dict.fromkeys(("May be equal to", "Ratings", "Rank from", "Rank to"), count),
        **dict.fromkeys(("Score from", "Score to"), EXACT),
    }
    return Table(
        name,
        ("Systems by {measure}, the first on top.", {"measure": spec.measure}),
        pd.DataFrame(columns),
        (
            "System",
            "Score",
            "Rank",
            "Letters" if letters_are_readable(ranking) else "May be equal to",
            "Ratings",
        ),
        formats,
    )


def pairs_table(ranked: RankedSystems, name: str) -> Table:
    """Return one row per pair, the one ahead first: their difference with an interval that holds for all pairs."""
    ranking = ranked.ranking
    pairs, called = ranking.pairs, ranked.names[ranking.systems]
    if pairs is None:
        raise ValueError("pairs need intervals")
    first, second = np.triu_indices(len(ranking), 1)
    low, high = pairs.low[first, second], pairs.high[first, second]
    rows = pd.DataFrame(
        {
            "First": called[first],
            "Second": called[second],
            "Difference": pairs.differences[first, second],
            "95% CI": [
                interval(Estimate(0.0, *ends)) for ends in zip(low.tolist(), high.tolist(), strict=True)
            ],
            "Adjusted p": pairs.p[first, second],
            "Differ": np.where(pairs.apart[first, second], "yes", "no"),
        }
    )
    return Table(
        name,
        (
            "Differences between systems, adjusted for topics and raters, with intervals that hold for all pairs at "
            "once.",
            {},
        ),
        rows,
        formats={"Difference": EXACT, "Adjusted p": p_value},
        fold=f"All pairs: {_pairs_that_differ(ranking)}",
    )


def ranking_notes(ranked: RankedSystems) -> list[Note]:
    """Return remarks on how scores and intervals were computed."""
    found = ranked.exclusion
    over = "its topics" if ranked.has_topics else "its items"
    notes = [Note(("A system's score is its mean over {over}.", {"over": over}))]
    if found.method == "additive":
        notes = [Note(("Scores come from the additive model system + topic: {why}.", {"why": found.why}))]
    if ranked.ranking.is_adjusted:
        notes.append(
            Note(("Scores are adjusted for raters' severity, because not all raters rated the same.", {}))
        )
    if ranked.draws:
        notes.append(
            Note(
                (
                    "Intervals of scores: {draws} bootstrap samples of {what}.",
                    {"draws": count(ranked.draws), "what": ranked.resampled},
                )
            )
        )
    power = _power(ranked.ranking)
    if ranked.ranking.compared:
        told = "Intervals of differences and ranks hold for all systems at once."
        if letters_are_readable(ranked.ranking):
            told += " Systems that share a letter do not clearly differ."
        notes.append(Note((told, {})))
    if power:
        notes.append(Note(("In a study of this size, all pairs tested, {power}.", {"power": power})))
    if not ranked.draws:
        return notes
    bare = [
        str(ranked.names[system])
        for system, score in zip(ranked.ranking.systems, ranked.ranking.scores, strict=True)
        if isnan(score.low)
    ]
    if bare:
        notes.append(
            Note(("No interval for {who}: too few raters or items rate them.", {"who": listed(bare)}))
        )
    return notes


DETAILS = r"""
**Scores.** A system's score is the mean over topics (topic and condition, where there are both) of the mean score
within the topic. Without topics it is the mean over items of the items' means. Where systems have ratings in different
topics, the additive model *system + topic* is fitted to the cells' means by least squares; the score is the mean of the
fitted values over all topics. With all cells present both are the same. Where systems share no topic, nothing can
separate the topics' difficulty from the systems, and the plain mean is shown.

**Generalize to.** Topics (or items) are always taken as random. *These raters*: the verdict holds for other topics
rated by the same raters. *Raters like these*: it holds for other raters of the same kind, too, which needs at least 3
and is the default from 6 on.

**Which systems differ.** Systems share raters and topics, so two intervals may overlap although their difference is
clear. Each pair is judged by the interval of *its own* difference:

1. Least squares of score on system + topic + rater, each system's topic with weight 1. Where all raters rated
   everything, the rater term changes nothing; elsewhere it takes raters' severity out, and scores are adjusted alike.
2. The variance of a difference comes from its exact change without each topic $V_T$. For raters like these, from those
   without each rater $V_R$ and each topic × rater $V_C$, too:
   $V = [(1 - \tfrac1T) V_T + (1 - \tfrac1R) V_R - (1 - \tfrac1C) V_C] / (1 - \tfrac1T - \tfrac1R + \tfrac1C)$, and at
   least half of the larger of $V_T$ and $V_R$.
3. Pairs share a common variance as far as theirs are alike (Ledoit and Wolf). Degrees of freedom are Satterthwaite's.
4. The interval is $d \pm q_{.95}(k, \mathrm{df}) \sqrt{V / 2}$, with the studentized range $q$ of all $k$ systems.

Some pair is called different in 2 to 7% of studies without any difference (docs/calibration.md). At least 6 topics are
needed. Systems that no topic or rater connects are not compared, and neither are differences that do not vary.

**Score intervals** resample topics (or items), for raters like these raters, too, and repeat the whole estimate. Where
each topic was rated by one rater, raters are resampled with all their topics.

**Ranks.** The interval of a rank runs from one plus the number of systems clearly above to the number of all systems
minus those clearly below:

$$1 + \#\{j : j \text{ clearly above } i\} \;\le\; \text{rank}_i \;\le\; k - \#\{j : j \text{ clearly below } i\}.$$

These intervals hold for all systems at once, because the pairs' intervals do. Wide intervals mean that more raters or
items are needed, not that systems are equally good.

**Difference found with 80% power.** Half-width of the median pair's interval plus $t_{.8}(\mathrm{df})$ standard
errors. It plans a further study of this size and says nothing more about this one.

**Excluded raters.** Scores, letters and ranks are those without the raters that the sidebar excludes, while its switch
is on. Hollow dots are the scores by everyone.

**Departures.** Owczarzak et al. rank by plain means and compare no pairs; intervals, letters and ranks are added here.

**Sources:** Owczarzak, Rankel, Dang and Conroy 2012, section 3 (scores); Searle 1971, section 7.1 (additive model);
MacKinnon, Nielsen and Webb 2023 (changes without clusters); Cameron, Gelbach and Miller 2011 (two-way clusters); Ledoit
and Wolf 2004 (common variance); Satterthwaite 1946 and Box 1954 (degrees of freedom); Games and Howell 1976 and Hayter
1984 (all pairs); Owen 2007 (resampling raters and topics); Piepho 2004 (letters); Mohamad, Goeman and van Zwet 2019,
section 3 (ranks).
"""
