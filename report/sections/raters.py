"""Sections on the raters and on where the variance comes from."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from analysis.assessors.exclusion import ExclusionSpec
from analysis.comparison.comparison import ComparisonSpec
from analysis.values.estimate import Estimate
from analysis.values.names import shorten
from analysis.variance.components import Components
from features.assessments import names, of_group
from features.blocks import Finding, Status, last_of
from features.comparison.results import comparison
from features.notices import change_columns, who_is_left_out
from features.notices import written as written_changes
from features.plotting.numbers import count, decimal, share, share_with_interval
from features.raters import rater_results as raters
from features.raters import variance_findings as findings
from features.raters.consistency_findings import FIGURES, TABLE
from features.raters.consistency_results import ConsistencySpec
from features.raters.consistency_section import consistency_section
from features.raters.exclusion_results import RankingSpec
from features.raters.exclusion_section import change_section
from features.raters.variance_results import drawn, laid_out, without_intervals
from features.replacement.results import candidate_stages, default_spec
from features.replacement.section import candidates_of, measures_section
from features.study import Scenario, Study
from features.tables import Shown
from features.verdicts import evidence, not_applicable, uncertain
from features.words import Sentence, counted, listed, of_many
from report.parts.asked import Asked
from report.parts.blocks import of_all, section_of
from report.parts.model import Section, Table, given
from report.parts.opening import of_each_group

TITLE = "The raters, and what changes without some of them"
MOST_PICTURED = 40
"""Raters up to which each is drawn."""


def sections(study: Study, scenario: Scenario, asked: Asked) -> list[Section]:
    """Each group's raters, where they are told apart."""
    if not study.whole.has("rater_id"):
        return []
    studies = of_each_group(study, asked)
    parts = {each.candidate: _section(each, scenario, asked) for each in studies}
    return of_all(parts, [_of_all(parts, study.measures[0])])


def _of_all(parts: Mapping[str, Section], measure: str) -> Finding:
    """How consistent the raters of each group are on the first measure."""
    told = []
    for group, part in parts.items():
        values = _values(part, measure)
        told.append(
            f"{shorten(group)} {decimal(values.median())} ({decimal(values.min())} to {decimal(values.max())}, "
            f"{counted(len(values), 'rater')})"
            if len(values)
            else f"{shorten(group)} –"
        )
    return uncertain(
        "Median consistency of raters on {measure}, with its range: <b>{told}</b>.",
        {"measure": measure, "told": "; ".join(told)},
    )


def _values(part: Section, measure: str) -> "pd.Series[float]":
    """Return the consistency of each rater on a measure."""
    rows = {table.name: table.shown[0] for table in part.tables}
    if "consistency" in rows:
        return rows["consistency"][measure].dropna()
    one = rows.get(TABLE, pd.DataFrame())
    return next((one[name] for name in FIGURES if name in one), pd.Series(dtype=float)).dropna()


def _section(study: Study, scenario: Scenario, asked: Asked) -> Section:
    spec = ConsistencySpec(bootstrap=asked.bootstrap())
    part = section_of("raters", TITLE, consistency_section(study, scenario, spec, on_all=True))
    told, tables = list(part.findings), list(part.tables)
    if study.raters_are_persons:
        caption = (
            "Raters whom screening rules reject, and {figure} with everyone and without them. Nobody was excluded by a "
            "rule."
        )
        tables.append(Table("screening", (caption, {"figure": _figure_name(study)}), _by_rules(study)))
    if scenario.excludes:
        told.insert(0, not_applicable(*who_is_left_out(scenario)))
        ranking = RankingSpec(study.measures[0], ExclusionSpec(draws=0, random=0, seed=asked.seed))
        without = section_of("raters", TITLE, change_section(study, scenario, ranking))
        told += without.findings
        tables += without.tables
    drawn = part.pictures if len(raters.raters(study)) <= MOST_PICTURED else []
    return replace(part, findings=told, pictures=drawn, tables=tables)


def _figure_name(study: Study) -> str:
    return f"Spearman's ρ with {study.reference_name}" if study.comparable else "Krippendorff's alpha"


def _symbol(study: Study) -> str:
    return "ρ" if study.comparable else "Alpha"


def _by_rules(study: Study) -> Shown:
    """Per measure and rule: who would go, and the measure's figure with everyone and without them."""
    called, rows, changes = names(study, "rater"), [], set()
    for measure, rule in product(study.measures, ("ITU-R BT.500", "ITU-T P.913")):
        verdicts = (raters.bt500 if rule == "ITU-R BT.500" else raters.p913)(study, measure)
        gone = called[verdicts.raters[np.asarray(verdicts.rejected, dtype=np.bool_)]].tolist()
        before, after = _figure(study, measure), None
        if gone and len(gone) < len(verdicts.raters):
            after = _figure(replace(study, dataset=study.whole.leaving_out(tuple(gone))), measure)
        columns = change_columns(_symbol(study), before.value, float("nan") if after is None else after.value)
        changes |= set(columns)
        rows.append(
            {
                "Measure": measure,
                "Rule": rule,
                "Would leave out": listed(gone) if gone else "nobody",
                "Raters": f"{len(gone)} of {len(verdicts.raters)}",
                **columns,
            }
        )
    return pd.DataFrame(rows), {**dict.fromkeys(changes, decimal), **written_changes(changes)}


def _figure(study: Study, measure: str) -> Estimate:
    if study.comparable:
        return comparison(study, measure).spearman
    return of_group(study, measure, study.candidate).alpha


VARIANCE_TITLE = "Where the variance comes from"


def variance(study: Study, asked: Asked) -> Section | None:
    """Shares of each source per measure and group; None where they cannot be told."""
    found: dict[tuple[str, str], Components] = {}
    for each in of_each_group(study, asked):
        for measure in each.measures:
            made = laid_out(each, measure)
            closed = given(without_intervals(each, measure, made))
            if closed.reason or closed.shares() == {}:
                continue
            found[each.candidate, measure] = given(drawn(each, measure, closed, asked.bootstrap(), made))
    if not found:
        return None
    remarks = [one.text for of in found.values() for one in findings.variance_warnings(of)]
    return Section(
        "variance",
        VARIANCE_TITLE,
        findings=[_finding(found)],
        tables=[
            Table(
                "variance",
                ("Share of the variance of a single rating by source, with 95% intervals.", {}),
                _table(found, len(study.groups) > 1),
                full=_full(found),
            )
        ],
        warnings=list({str(one): one for one in remarks}.values()),
        methods=[
            (
                "Components of the variance of single ratings by {methods}; the share of items, where there are only "
                "items and raters, has a jackknife interval over both (Arvesen 1969), others generalized ones "
                "(Satterthwaite's degrees of freedom of each mean square, {draws} draws).",
                {
                    "methods": listed(sorted({_METHODS.get(of.method, of.method) for of in found.values()})),
                    "draws": asked.bootstrap().draws,
                },
            ),
            *_of_items(found, len(study.groups) > 1),
        ],
        cited=["brennan2001", "searle1992"],
    )


def _of_items(found: dict[tuple[str, str], Components], several: bool) -> list[Sentence]:
    """Which ratings were taken, where they are those of some items."""
    return [
        (
            "Those of {measure}{by} are based on all ratings of {items} drawn from {of} (seed {seed}).",
            {
                "measure": measure,
                "by": f" by {group}" if several else "",
                "items": of_many(of.sample.items, "items"),
                "of": count(of.sample.of),
                "seed": of.sample.seed,
            },
        )
        for (group, measure), of in found.items()
        if of.sample is not None
    ]


_METHODS = {"REML": "restricted maximum likelihood (Searle, Casella and McCulloch 1992)"}


def _finding(found: dict[tuple[str, str], Components]) -> Finding:
    """Return which source is largest, and on how many measures."""
    if len(found) == 1:
        (((_, measure), only),) = found.items()
        return findings.components_finding(only, measure)
    largest = {key: max(of.shares().items(), key=lambda named: named[1].value) for key, of in found.items()}
    name, times = Counter(name for name, _ in largest.values()).most_common(1)[0]
    known = {key: of for key, of in found.items() if of.jackknife is None or not of.jackknife.reason}
    sure = [
        key
        for key, of in known.items()
        if findings.largest_is_clear(of.shares()) and not findings.has_few_topics(of)
    ]
    shares = [e.value for source, e in largest.values() if source == name]
    answered = Status.CLEAR if len(sure) == len(found) else Status.UNCERTAIN
    return Finding(
        (
            "The largest source of variance is {source} on {times} of {all} measures.",
            {"source": findings.called(name), "times": times, "all": len(found)},
        ),
        evidence(
            f"{share(min(shares))} to {share(max(shares))} of the variance of a single rating",
            f"clear on {count(len(sure))}",
        ),
        answered if known else Status.NOT_ENOUGH_DATA,
    )


def _table(found: dict[tuple[str, str], Components], several: bool) -> Shown:
    """A row per measure, a column per source."""
    sources = list(dict.fromkeys(name for of in found.values() for name in of.shares()))
    rows, texts = [], {name: list[str]() for name in sources}
    for (group, measure), of in found.items():
        shares = of.shares()
        rows.append(
            {
                **({"Group": group} if several else {}),
                "Measure": measure,
                **{findings.called(name): shares[name].value if name in shares else None for name in sources},
            }
        )
        for name in sources:
            texts[name].append(share_with_interval(shares[name]) if name in shares else "")
    return pd.DataFrame(rows), {findings.called(name): texts[name] for name in sources}


def _full(found: dict[tuple[str, str], Components]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Group": group,
                "Measure": measure,
                "Source": findings.called(name),
                "Levels": of.variances()[name].n,
                "Variance": of.variances()[name].value,
                "Variance low": of.variances()[name].low,
                "Variance high": of.variances()[name].high,
                "Share": e.value,
                "Share low": e.low,
                "Share high": e.high,
            }
            for (group, measure), of in found.items()
            for name, e in of.shares().items()
        ]
    )


def standing_in(study: Study, asked: Asked) -> Section | None:
    """Return the verdict, advantage and worth of each candidate per measure; None where there is no candidate."""
    study = study.between_raters
    specs = []
    for measure in study.measures or ("",):
        spec = default_spec(study, measure, asked.generalize)
        spec = replace(
            spec,
            comparison=ComparisonSpec(
                bootstrap=asked.bootstrap(), raters_are_persons=study.raters_are_persons, scope=spec.scope
            ),
        )
        if candidates := candidates_of(study, spec, asked.groups):
            stages = list(candidate_stages(study, spec, candidates, with_order=len(study.measures) < 2))
            specs.append((spec, last_of(given(stages or None))))
    if not specs:
        return None
    return section_of("standing-in", "Replacing raters", measures_section(study, specs))
