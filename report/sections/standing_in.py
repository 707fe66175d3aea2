"""Standing in: which groups and numbers of the items may take the place of a rater of the reference."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from analysis.comparison.comparison import ComparisonSpec
from charts.standing_in.advantage import Drawn, advantage_by_measure, advantage_dots
from features.blocks import Finding
from features.plotting.figure import Figure
from features.plotting.theme import Look
from features.results import query
from features.study import Study
from features.words import Sentence, listed, plain
from findings.standing_in import candidates as findings
from findings.standing_in import tables
from findings.standing_in.candidates import Asked as Question
from findings.standing_in.candidates import Standing
from findings.standing_in.standings import Candidate, as_usual, offered, with_intervals, with_order_and_level
from report.parts.asked import Asked
from report.parts.model import Picture, Section, Table, given

Standings = tuple[Standing, ...]


def section(study: Study, asked: Asked) -> Section | None:
    """Each candidate's verdict, advantage and worth per measure, tested as usual; None where there is no candidate."""
    study = study.between_raters
    measures = study.measures or ("",)
    usual = as_usual(study, asked.generalize)
    spec = ComparisonSpec(
        bootstrap=asked.bootstrap(), raters_are_persons=study.raters_are_persons, scope=usual.scope
    )
    usual = replace(usual, spec=spec)
    told: dict[str, Standings] = {}
    for measure in measures:
        question = replace(usual, measure=measure)
        if candidates := _asked_for(offered(study, question), asked):
            told[measure] = _standings(study, question, candidates)
    if not told:
        return None
    names = query(study.dataset, "rater_names")["name"]
    of_each = {measure: replace(usual, measure=measure) for measure in told}
    cautious = {measure: findings.cautions(of_each[measure], told[measure]) for measure in told}
    skipped = {measure: findings.skipped(of_each[measure], told[measure], names) for measure in told}
    return Section(
        "standing-in",
        "Who may stand in",
        findings=_findings(of_each, told),
        pictures=_pictures(study, usual, told),
        tables=[_table(usual, told)] if any(map(_known, told.values())) else [],
        warnings=[*([] if study.raters_are_persons else [findings.SLOTS]), *_of_measures(cautious)],
        notes=[
            findings.meaning_of(usual.epsilon),
            *_of_measures({measure: [one] if one else [] for measure, one in skipped.items()}),
        ],
        methods=[_method(usual, study.holds_choices)],
        cited=["calderon2025", "benjamini2001", *([] if study.holds_choices else ["spearman1910"])],
    )


def _asked_for(candidates: Sequence[Candidate], asked: Asked) -> tuple[Candidate, ...]:
    return tuple(
        one for one in candidates if one.kind != "group" or not asked.groups or one.source in asked.groups
    )


def _standings(study: Study, question: Question, candidates: tuple[Candidate, ...]) -> Standings:
    known = given(with_intervals(study, question, candidates))
    if question.of_several:
        return known
    return given(with_order_and_level(study, question, candidates, known, of_all=False))


def _known(standings: Standings) -> bool:
    """Whether a table would have more than dashes."""
    return any(one.advantage.defined or one.worth.defined for one in standings)


def _findings(of_each: Mapping[str, Question], told: Mapping[str, Standings]) -> list[Finding]:
    """What is found of each measure, once where all say the same; of a single one the worth, too."""
    for_all = [findings.finding(replace(of_each[m], of_several=False), told[m]) for m in told]
    if len({(plain(one.headline), plain(one.evidence)) for one in for_all}) > 1:
        return [findings.finding(of_each[measure], told[measure]) for measure in told]
    measure, *others = told
    worth = None if others else findings.worth_finding(of_each[measure], told[measure])
    return [for_all[0], *([] if worth is None else [worth])]


def _of_measures(told: Mapping[str, Sequence[Sentence]]) -> list[Sentence]:
    """What is to know of the measures, under the names of those it holds for, unless it holds for all."""
    alike: dict[str, tuple[Sentence, list[str]]] = {}
    for measure, sentences in told.items():
        for sentence in sentences:
            alike.setdefault(plain(sentence), (sentence, []))[1].append(measure)
    return [
        (template, values)
        if len(measures) == len(told)
        else (f"<b>{{measures}}</b>: {template}", {**values, "measures": listed(measures, 9)})
        for (template, values), measures in alike.values()
    ]


def _pictures(study: Study, usual: Question, told: Mapping[str, Standings]) -> list[Picture]:
    drawn = {
        measure: [Drawn(one.name, one.advantage, one.passes) for one in standings if one.advantage.defined]
        for measure, standings in told.items()
    }
    if not any(drawn.values()):
        return []

    def figure(look: Look) -> Figure:
        if len(drawn) > 1:
            return advantage_by_measure(drawn, study.groups, look)
        return advantage_dots(next(iter(drawn.values())), study.groups, look)

    who = listed(list(dict.fromkeys(one.name for row in drawn.values() for one in row)))
    caption = (
        "On how many items a candidate ({who}) does at least as well as a rater{of}, with the 95 % interval where "
        "there is one. "
    )
    return [Picture("standing-in", (caption + findings.HOLLOW, {"who": who, "of": usual.of}), figure)]


def _table(usual: Question, told: Mapping[str, Standings]) -> Table:
    every = [one for standings in told.values() for one in standings]
    shown, written = tables.table(every)
    full = tables.full_table(every)
    columns: tuple[str, ...] = tables.FIRST
    if usual.of_several:
        measures = [measure for measure, standings in told.items() for _ in standings]
        shown, full = (_with_measures(measures, rows) for rows in (shown, full))
        columns = ("Measure", *columns)
    return Table(
        "standing-in",
        ("Each candidate for the place of a rater{of}, with 95 % intervals.", {"of": usual.of}),
        (shown, written),
        columns,
        full,
        _of_measures({measure: findings.undefined(standings) for measure, standings in told.items()}),
    )


def _with_measures(measures: Sequence[str], rows: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([pd.DataFrame({"Measure": measures}), rows], axis=1)


def _method(usual: Question, of_choices: bool) -> Sentence:
    return (
        "Whether a candidate may take the place of a rater{of} is asked by the alternative annotator test (Calderon, "
        "Reichart and Dror 2025): each rater with {fewest} items or more, and the candidate with its one value per "
        "item, are held against the other raters of these items by {score}. A one-sided t test asks whether the rater "
        "is nearer to them on more than ε = {epsilon} of the items more than the candidate; refuted, with the p values "
        "adjusted after Benjamini and Yekutieli (2001) at q = {q}, the candidate replaces this rater, and who replaces "
        "half of the raters tested may stand in, unless these raters hardly agree themselves: an interval of their "
        "alpha that includes 0, or ends below .2. The advantage is the share of items on which the candidate does at "
        "least as well as the rater; its interval is over {over}."
        + (
            ""
            if of_choices
            else " Worth is how many raters' mean goes as well with the truth as the candidate's value (Spearman "
            "1910), whatever its level. Numbers on another scale than the ratings are not tested."
        ),
        {
            "of": usual.of,
            "fewest": usual.fewest,
            "score": "equal answers" if of_choices else "the root mean squared difference",
            "epsilon": f"{usual.epsilon:.2f}",
            "q": f"{usual.q:g}",
            "over": "items" if usual.scope == "these raters" else "items and raters",
        },
    )
