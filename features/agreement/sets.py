"""Agreement of raters who gave sets of labels, whole and by label: spec, results, finding, figure and section."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isnan, nan

import numpy as np

from analysis.agreement.label_sets import SetAgreement, set_agreement
from analysis.values.estimate import FEWEST_RANDOM, Estimate, Scope
from features.agreement.findings import alpha_verdict
from features.agreement.results import TENTATIVE
from features.agreement.section import mark_usual_minimum
from features.assessments import MOST_CELLS, SHOWN, TOO_MANY, clusters_of_items, labeled
from features.blocks import (
    Block,
    Figure,
    Finding,
    Note,
    Status,
    Table,
    card_of,
    confidence_interval,
    evidence,
    for_raters,
    method_of,
    not_applicable,
    not_enough_data,
)
from features.exclusion import largest_change
from features.plotting.series import estimate_dots
from features.plotting.theme import PERCENT_ONE_DIGIT, THREE_DIGITS, Look, PlotlyFigure, count, decimal, share
from features.program import computed_by
from features.study import OnProgress, Scenario, Study, key_of, long_result
from features.words import Column, counted, estimate_columns, table_of, why_column

AXIS = "Krippendorff's alpha"
MASI, JACCARD = "Whole sets, MASI", "Whole sets, Jaccard"
_NONE = SetAgreement(Estimate(nan), Estimate(nan), (), nan, 0, "these raters")


@dataclass(frozen=True)
class SetsSpec:
    """Agreement on one question, "" for the first; `scope` says whom intervals generalize to, None for the default."""

    question: str = ""
    scope: Scope | None = None


@dataclass(frozen=True, eq=False)
class SetsFound:
    """Agreement of `sets` sets of the `labels`, each of which is in a `share` of the sets."""

    agreement: SetAgreement
    labels: tuple[str, ...]
    share: tuple[float, ...]
    sets: int
    too_many: bool = False

    @property
    def by_label(self) -> Mapping[str, Estimate]:
        """Alpha of each label, the highest first, without the intervals that are not to be relied on."""
        found = {
            label: _without_unreliable_interval(one)
            for label, one in zip(self.labels, self.agreement.labels, strict=True)
        }
        return dict(sorted(found.items(), key=lambda one: -np.nan_to_num(one[1].value, nan=-2)))


def _without_unreliable_interval(one: Estimate) -> Estimate:
    return replace(one, low=nan, high=nan, reason=one.reason or one.warning) if one.warning else one


def measure_set_agreement(study: Study, spec: SetsSpec) -> SetsFound | None:
    """Return the agreement of the raters on sets of labels, and on each label; None while stopped."""
    found = labeled(study, spec.question)

    def compute(on_progress: OnProgress) -> SetsFound:
        if found.too_many:
            return SetsFound(_NONE, (), (), 0, True)
        agreement = set_agreement(
            found.sets,
            spec.scope,
            study.raters_are_persons,
            0.95,
            on_progress,
            *clusters_of_items(study),
        )
        chosen = found.sets.has_label.mean(axis=0) if len(found.sets) else np.zeros(len(found.sets.labels))
        return SetsFound(agreement, found.sets.labels, tuple(chosen.tolist()), len(found.sets))

    key = key_of(study.dataset, "agreement of sets", study.candidate, found.question, spec.scope)
    return long_result(key, "Agreement on each label", compute)


def sets_finding(found: SetsFound) -> Finding:
    if found.too_many:
        return not_applicable(TOO_MANY, {"most": count(MOST_CELLS)})
    masi, scope = found.agreement.masi, for_raters(found.agreement.scope)
    items, raters = counted(masi.n, "item"), counted(found.agreement.raters, "rater")
    if not masi.defined or isnan(masi.low) or masi.warning:
        headline = "Not enough data to say whether raters agree on sets of labels."
        text = f"alpha {decimal(masi.value)}" if masi.defined else ""
        warnings = [("{warning}", {"warning": masi.warning})] if masi.warning else []
        return replace(not_enough_data(headline, {}, text, masi.reason, items, raters), warnings=warnings)
    headline = "Raters agree on label sets with an alpha of <b>{alpha}</b>"
    found_alpha = decimal(masi.value)
    verdict = alpha_verdict(masi, headline, {"alpha": found_alpha})
    if found.agreement.scope == "raters like these" and found.agreement.raters < FEWEST_RANDOM:
        verdict = replace(verdict, status=Status.UNCERTAIN)
    has_number = masi.low > 0
    line = evidence(
        "" if has_number else f"alpha {found_alpha}",
        confidence_interval(masi),
        "MASI distance",
        items,
        raters,
        scope,
        f"usual minimum {decimal(TENTATIVE)}" if has_number else "",
    )
    return replace(verdict, evidence=line)


def sets_table(found: SetsFound) -> Table:
    """Return alpha of whole sets and of each label, the highest first, with how common labels are."""
    shares = dict(zip(found.labels, found.share, strict=True))
    rows = {MASI: found.agreement.masi, JACCARD: found.agreement.jaccard, **found.by_label}
    why = why_column([one] for one in rows.values())
    return table_of(
        "sets",
        "Agreement on whole sets and on each label, with 95% CIs.",
        [
            Column("Agreement on", list(rows)),
            *estimate_columns("Alpha", list(rows.values()), THREE_DIGITS),
            Column(
                "Share of sets", [nan, nan, *(shares[label] for label in found.by_label)], PERCENT_ONE_DIGIT
            ),
            Column("Items", [one.n for one in rows.values()], count),
            *([why] if any(why.values) else []),
        ],
    )


def _blocks(study: Study, scenario: Scenario, spec: SetsSpec, found: SetsFound) -> Iterator[Block]:
    everyone = measure_set_agreement(study.everyone, spec) if study.dataset.without else None
    if everyone is not None:
        before, after = ({"whole sets": one.agreement.masi, **one.by_label} for one in (everyone, found))
        yield largest_change(scenario, "alpha of", before, after, THREE_DIGITS)
    yield sets_finding(found)
    if found.too_many or not found.agreement.masi.defined:
        return
    shown = dict(list(found.by_label.items())[:SHOWN])
    rows = {MASI: found.agreement.masi, JACCARD: found.agreement.jaccard, **shown}
    caption = (
        "Alpha of whole sets by two distances, and of each label, with its 95% CI; the highest label first."
    )

    def draw(look: Look) -> PlotlyFigure:
        return mark_usual_minimum(estimate_dots(rows, AXIS, look, shares=False, guide=0.0), look)

    yield Figure("sets", (caption, {}), draw)
    yield sets_table(found)


@computed_by(measure_set_agreement, "results = {'sets': found.agreement, 'labels': found.by_label}")
def sets_section(study: Study, scenario: Scenario, spec: SetsSpec) -> Iterator[Block]:
    found = measure_set_agreement(study, spec)
    if found is None:
        return
    yield from _blocks(study, scenario, spec, found)
    if found.too_many:
        return
    if not isnan(found.agreement.identical):
        text = "Two raters give an item the same set {share} of the time, not corrected for chance."
        yield Note((text, {"share": share(found.agreement.identical)}))
    if found.agreement.by_clusters:
        yield Note(
            ("Intervals are over the systems and topics of items, as far as there are enough of them.", {})
        )
    if found.agreement.masi.n < max((one.n for one in found.agreement.labels), default=0):
        text = "Alpha of whole sets is of {some} items, drawn at random (seed 0): all have too many different sets."
        yield Note((text, {"some": count(found.agreement.masi.n)}))
    if len(found.labels) > SHOWN:
        text = "The figure shows {shown} of {all} labels, those with the highest alpha; the table has all."
        yield Note((text, {"shown": count(SHOWN), "all": count(len(found.labels))}))
    yield method_of("agreement", "sets", ["passonneau2006", "krippendorff2011"])


def sets_card(study: Study, scenario: Scenario) -> list[Block]:
    found = measure_set_agreement(study, SetsSpec())
    return [] if found is None else card_of(_blocks(study, scenario, SetsSpec(), found))
