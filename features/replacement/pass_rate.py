"""The true pass rate behind a judge: results, verdicts, table and blocks, for labels and for scores of two values."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from math import inf, isnan, nan

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.alpha import krippendorff_alpha
from analysis.replacement.corrected_scores import corrected_score
from analysis.replacement.pass_rate import (
    JudgeErrors,
    LabelsNeeded,
    corrected_shares,
    judge_errors,
    labels_to_halve,
    pass_rate_behind,
    pass_rate_difference,
)
from analysis.values.estimate import BootstrapSpec, Codes, Estimate
from data.kinds.likely_names import is_model
from features.assessments import column_values, is_pairs
from features.blocks import (
    Block,
    Figure,
    Finding,
    Note,
    Table,
    Text,
    clear_if,
    confidence_interval,
    method_of,
    not_applicable,
    not_enough_data,
)
from features.plotting.series import Series, series_dots
from features.plotting.theme import (
    GROUP_COLOURS,
    GROUP_SYMBOLS,
    Look,
    PlotlyFigure,
    count,
    estimate_with_interval,
    share,
)
from features.program import computed_by
from features.replacement.answers import (
    answers_of,
    count_raters,
    known_answers,
    known_columns,
    other_groups,
    reference_of,
)
from features.replacement.corrected import ALL_ITEMS, systems_of
from features.replacement.specs import FEWEST_RATERS
from features.study import Study, key_of, query, result
from features.words import Column, counted, estimate_columns, table_of, why_column

EVERYONE_ELSE = "everyone else"
MOST_RATERS = 50
"""Raters up to which each may be the judge."""
MOST_SYSTEMS = 30
"""Systems up to which each pair is compared."""
WIDE = 0.2
"""Width of an interval from which a rate is uncertain."""
_PASSES = (
    "pass",
    "passed",
    "yes",
    "true",
    "correct",
    "good",
    "acceptable",
    "accept",
    "ok",
    "positive",
    "1",
    "safe",
)
"""Names of the answer that counts as a pass, in the order of preference."""
ASSUMPTION = Note(
    (
        "Valid where the judge errs alike on labeled and other items, whatever their mix of passes and fails. If the "
        "labeled items are a random part of all, the column Random part holds, too: prediction-powered inference, "
        "which does not need the judge to err alike. In simulated studies these intervals held in 93 to 100 of 100.",
        {},
    )
)


@dataclass(frozen=True)
class PassRateSpec:
    """Judge and people by their names, the measure ("" for labels), and the answer that counts as a pass."""

    judge: str
    people: str = EVERYONE_ELSE
    measure: str = ""
    passing: str = ""
    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)


@dataclass(frozen=True)
class Rate:
    """Share that the judge passes of so many items, the true rate behind it, and that of a random part of the items."""

    judged: float
    items: int
    true: Estimate
    random: Estimate


@dataclass(frozen=True, eq=False)
class PassRates:
    """Rates of all items and of each system; of more than two classes that of each class, and nothing more.

    `tied` items have no majority among people; `agreement` is people's nominal alpha, without an interval.
    """

    rates: Mapping[str, Rate]
    labeled: int
    tied: int
    agreement: Estimate
    errors: JudgeErrors | None = None
    needed: LabelsNeeded | None = None
    differences: Mapping[tuple[str, str], Estimate] = field(default_factory=dict)

    @property
    def of_classes(self) -> bool:
        """True where rates are those of more than two classes."""
        return self.errors is None

    @property
    def is_complete(self) -> bool:
        """True where people labeled all items that the judge did, so that nothing needs a correction."""
        return self.labeled == next(iter(self.rates.values())).items


def classes_of(study: Study, measure: str) -> list[str]:
    """Return the answers that were given: labels by code, or the scores of a measure in order where they are two."""
    if study.holds_choices:
        return [] if is_pairs(study) else query(study.dataset, "answers")["name"].tolist()
    groups = other_groups(study, measure, "")
    rows = [
        query(study.dataset, "few_scores", measure=measure, group=group)["different"][0] for group in groups
    ]
    if max(rows, default=0) > 2:
        return []
    every = [answers_of(study, measure, group).score for group in groups]
    values = np.unique(np.concatenate(every)) if every else np.array([])
    return [f"{value:g}" for value in values] if len(values) == 2 else []


def sources_of(study: Study, measure: str) -> dict[str, str]:
    """Return whoever may be the judge or the people, by unique name: "group", "column" or "rater"."""
    known = known_columns(study) if study.holds_choices else []
    groups = other_groups(study, measure, "")
    found = dict.fromkeys(groups if len(groups) > 1 or known else (), "group")
    found |= {name: "column" for name in known if name not in found}
    names = query(study.dataset, "rater_names")["name"]
    if len(names) <= MOST_RATERS:
        alone = {group for group in groups if len(np.unique(answers_of(study, measure, group).rater)) == 1}
        single = {str(names[code]) for group in alone for code in answers_of(study, measure, group).rater[:1]}
        found |= {
            str(name): "rater"
            for name in names
            if str(name) not in found and not (len(groups) > 1 and str(name) in single)
        }
    for column in () if study.holds_choices else study.dataset.named("item number"):
        values = {f"{value:g}" for value in column_values(study, column).values() if not isnan(value)}
        if column not in found and values <= {*classes_of(study, measure)}:
            found[column] = "column"
    return found


def is_offered(study: Study) -> bool:
    """Return True where a judge's labels can be compared with people's."""
    measure = measure_of(study)
    return len(classes_of(study, measure)) >= 2 and len(sources_of(study, measure)) >= 2


def asks_for_pass_rate(study: Study) -> bool:
    """Return True where a judge's labels can be compared with people's, of whom too few are there to be replaced."""
    return is_offered(study) and count_raters(study, reference_of(study)) < FEWEST_RATERS


def measure_of(study: Study) -> str:
    """Return the first measure, "" for labels."""
    return "" if study.holds_choices else study.measures[0]


def default_pass_rate(study: Study) -> PassRateSpec:
    """Return the spec where nobody has chosen: a judge that is called a model, else the source with most answers."""
    measure = measure_of(study)
    known = known_columns(study) if study.holds_choices else []
    sources = {name: kind for name, kind in sources_of(study, measure).items() if name not in known}
    items = {name: len(np.unique(_items(study, measure, name, kind)[0])) for name, kind in sources.items()}
    most = max(sources, key=lambda name: (items[name], "judge" in name.casefold() or name == "model"))
    judge = next(filter(is_model, sources), most)
    people = known[-1] if known else EVERYONE_ELSE
    return PassRateSpec(judge, people, measure, usual_pass(classes_of(study, measure)))


def usual_pass(classes: list[str]) -> str:
    """Return the answer that most likely counts as a pass.

    >>> usual_pass(["fail", "pass"]), usual_pass(["0", "1"]), usual_pass(["no", "yes"]), usual_pass(["a", "b"])
    ('pass', '1', 'yes', 'a')
    """
    called = {name.strip().casefold(): name for name in reversed(classes)}
    return next((called[word] for word in _PASSES if word in called), classes[0])


def compute_pass_rates(study: Study, spec: PassRateSpec) -> PassRates:
    """Return the true pass rates behind a judge, NaN with a reason where it is not clearly better than chance."""
    return result(key_of(study.dataset, "pass rates", spec), lambda: _compute(study, spec))


def _compute(study: Study, spec: PassRateSpec) -> PassRates:
    sources, classes = sources_of(study, spec.measure), classes_of(study, spec.measure)
    item, given = _items(study, spec.measure, spec.judge, sources[spec.judge])
    items, judge = _majority(item, given, len(classes), keep_ties=True)
    if spec.people == EVERYONE_ELSE:
        kind = sources[spec.judge]
        groups = other_groups(study, spec.measure, spec.judge if kind == "group" else "")
        of_others = (lambda raters: raters != spec.judge) if kind == "rater" else None
        answers = _answers(study, spec.measure, groups, of_others)
    else:
        answers = _items(study, spec.measure, spec.people, sources[spec.people])
    labeled, people = _majority(*answers, len(classes), keep_ties=False)
    of = dict(zip(labeled.tolist(), people.tolist(), strict=True))
    truth = np.array([of.get(each, -1) for each in items.tolist()], dtype=np.int64)
    known, labels = truth >= 0, np.unique(answers[0], return_counts=True)[1]
    agreement = Estimate(nan, reason="one label per item")
    if (labels > 1).any():
        agreement = krippendorff_alpha(*answers, "nominal", BootstrapSpec(draws=0))
    counts = int(known.sum()), len(labels) - len(labeled), agreement
    if len(classes) > 2:
        found = corrected_shares(judge, truth, len(classes), spec.bootstrap)
        of_classes = {
            name: Rate(
                float(found.judged[at]),
                len(items),
                found.shares[at],
                _random(judge == at, truth == at, known),
            )
            for at, name in enumerate(classes)
        }
        return PassRates(of_classes, *counts)
    at = classes.index(spec.passing) if spec.passing in classes else 0
    passed, right = judge == at, truth == at
    errors = judge_errors(passed[known], right[known])
    systems = systems_of(study, items.tolist())
    parts = {ALL_ITEMS: np.ones(len(items), dtype=bool)}
    named = [] if systems is None else [name for name in np.unique(systems).tolist() if name]
    if len(named) > 1:  # one system is all items
        parts |= {name: systems == name for name in named}
    rates = {
        name: Rate(
            float(passed[there].mean()),
            int(there.sum()),
            pass_rate_behind(float(passed[there].mean()), int(there.sum()), errors),
            _random(passed[there], right[there], known[there]),
        )
        for name, there in parts.items()
    }
    pairs = list(combinations(named, 2)) if len(named) <= MOST_SYSTEMS else []
    level = 1 - 0.05 / max(len(pairs), 1)
    differences = {
        (one, other): pass_rate_difference(
            rates[one].judged, rates[one].items, rates[other].judged, rates[other].items, errors, level
        )
        for one, other in pairs
    }
    whole = rates[ALL_ITEMS]
    needed = labels_to_halve(whole.judged, whole.items, errors)
    return PassRates(rates, *counts, errors, needed, differences)


def _random(passed: NDArray[np.bool_], right: NDArray[np.bool_], known: NDArray[np.bool_]) -> Estimate:
    """Return the mean of people's labels with the judge's help, of items that are a random part of all."""
    reference = np.where(known, right.astype(np.float64), nan)
    return corrected_score(passed.astype(np.float64), reference).tuned


def _items(study: Study, measure: str, name: str, kind: str) -> tuple[Codes, Codes]:
    """Return codes of items and of answers of one source."""
    if kind == "column":
        values = (known_answers if study.holds_choices else column_values)(study, name)
        items = np.array([item for item, value in values.items() if not isnan(value)], dtype=np.int64)
        defined = np.array([value for value in values.values() if not isnan(value)], dtype=np.float64)
        return items, _codes(study, measure, defined)
    if kind == "group":
        return _answers(study, measure, [name])
    return _answers(study, measure, other_groups(study, measure, ""), lambda raters: raters == name)


def _answers(
    study: Study,
    measure: str,
    groups: Sequence[str],
    keep: Callable[[NDArray[np.str_]], NDArray[np.bool_]] | None = None,
) -> tuple[Codes, Codes]:
    """Return items and answers of groups, of the raters that `keep` finds by their names."""
    every = [answers_of(study, measure, group) for group in groups]
    item, rater, score = (
        np.concatenate([getattr(each, column) for each in every]) for column in ("item", "rater", "score")
    )
    if keep is not None:
        kept = keep(query(study.dataset, "rater_names")["name"][rater])
        item, score = item[kept], score[kept]
    return item, _codes(study, measure, score)


def _codes(study: Study, measure: str, score: NDArray[np.float64]) -> Codes:
    if study.holds_choices:
        return score.astype(np.int64)
    values = np.array([float(name) for name in classes_of(study, measure)])
    return np.searchsorted(values, np.array([float(f"{value:g}") for value in score.tolist()])).astype(
        np.int64
    )


def _majority(item: Codes, given: Codes, classes: int, keep_ties: bool) -> tuple[Codes, Codes]:
    """Return the items and the commonest answer of each; of ties the first, or no item."""
    items, code = np.unique(item, return_inverse=True)
    counts = np.bincount(code * classes + given, minlength=len(items) * classes).reshape(len(items), classes)
    clear = (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) == 1
    kept = np.ones(len(items), dtype=bool) if keep_ties else clear
    return items[kept], counts.argmax(axis=1)[kept].astype(np.int64)


@computed_by(compute_pass_rates, "results = found.rates")
def pass_rate_section(study: Study, spec: PassRateSpec) -> Iterator[Block]:
    """Yield the true pass rate behind the judge, of all items and of each system."""
    found = compute_pass_rates(study, spec)
    yield _finding(spec, found)
    if found.is_complete:
        return
    if found.differences and not isnan(found.rates[ALL_ITEMS].true.value):
        yield _systems_finding(found)
    if any(rate.true.defined for rate in found.rates.values()):
        what = "of each class" if found.of_classes else "that passes"
        caption = f"Share {what}: by {{judge}} alone, and the true share behind it with its 95% CI."
        yield Figure("pass-rate", (caption, {"judge": spec.judge}), partial(_dots, found.rates))
    yield _table(spec, found)
    yield from _notes(spec, found)
    yield ASSUMPTION
    yield method_of("replacement", "pass_rate", ["rogan1978", "lee2025", "angelopoulos2023"])


def _finding(spec: PassRateSpec, found: PassRates) -> Finding:
    values: dict[str, object] = {"judge": spec.judge, "passing": spec.passing}
    labels = f"{counted(found.labeled, 'item')} labeled by people"
    name, rate = next(iter(found.rates.items()))
    if found.is_complete:
        headline = "Nothing to correct: people labeled all items that {judge} labeled."
        return not_applicable(headline, values, labels)
    if not rate.true.defined:
        headline = "Not enough data to correct the labels of {judge}."
        return not_enough_data(headline, values, rate.true.reason, labels)
    if found.of_classes:
        name, rate = max(found.rates.items(), key=lambda each: abs(each[1].true.value - each[1].judged))
        values["passing"] = name
    values["rate"] = share(rate.true.value)
    # a headline has one number, which a class may be, too; the evidence then names it alone
    has_words = found.of_classes or not any(map(str.isdecimal, spec.passing))
    what = "share of “{passing}”" if has_words else "pass rate"
    return clear_if(
        rate.true.high - rate.true.low <= WIDE,
        f"The true {what} behind {{judge}} is <b>{{rate}}</b>.",
        values,
        confidence_interval(rate.true, share),
        f"{share(rate.judged)} by the judge alone",
        "" if found.of_classes else f"“{spec.passing}” counts as a pass",
        counted(rate.items, "item"),
        labels,
    )


def _systems_finding(found: PassRates) -> Finding:
    clear = [pair for pair, each in found.differences.items() if each.excludes()]
    values: dict[str, object] = {
        "number": count(len(clear)),
        "pairs": counted(len(found.differences), "pair"),
    }
    headline = "{number} of {pairs} of systems clearly differ in their true pass rate."
    if len(found.differences) == 1:
        ((one, other), only), *_ = found.differences.items()
        first, second = (one, other) if only.value >= 0 else (other, one)
        values = {"first": first, "second": second}
        headline = (
            "{first} truly passes more often than {second}."
            if clear
            else "{first} and {second} do not clearly differ in their true pass rate."
        )
    return clear_if(bool(clear), headline, values, "intervals adjusted for all pairs", name="systems")


def _table(spec: PassRateSpec, found: PassRates) -> Table:
    rates = list(found.rates.values())
    true, random = [rate.true for rate in rates], [rate.random for rate in rates]
    head = "Class" if found.of_classes else "System"
    columns = [
        Column(head, list(found.rates)),
        *estimate_columns("True rate", true, share),
        Column("By the judge", [rate.judged for rate in rates], share),
        Column("Items", [rate.items for rate in rates], count),
        *estimate_columns("Random part", random, share, None, False),
        why_column([(each,) for each in true]),
    ]
    return table_of(
        "pass-rates", ("True pass rates behind {judge}, with 95% CIs.", {"judge": spec.judge}), columns
    )


def _notes(spec: PassRateSpec, found: PassRates) -> Iterator[Note]:
    texts: list[Text] = []
    if (errors := found.errors) is not None and errors.sensitivity.defined and errors.specificity.defined:
        values = {
            "judge": spec.judge,
            "passes": counted(errors.sensitivity.n, "item"),
            "sensitivity": estimate_with_interval(errors.sensitivity, share),
            "fails": counted(errors.specificity.n, "item"),
            "specificity": estimate_with_interval(errors.specificity, share),
        }
        text = (
            "Of {passes} that people pass, {judge} passes {sensitivity}; of {fails} that people fail, it fails "
            "{specificity}."
        )
        texts.append((text, values))
    if (needed := found.needed) is not None and inf in (needed.passes, needed.fails):
        text = (
            "More labels alone cannot halve this interval: most of its width comes from the items that the judge "
            "labeled. Let it label more items."
        )
        texts.append((text, {}))
    elif needed is not None and not isnan(needed.passes):
        text = "Labeling about {passes} more items that people pass and {fails} that they fail halves this interval."
        texts.append((text, {"passes": count(needed.passes), "fails": count(needed.fails)}))
    if found.agreement.defined:
        tied = f" {counted(found.tied, 'item')} without a majority are left out." if found.tied else ""
        text = f"People's majority is the reference; their own alpha is {{alpha}}.{tied}"
        texts.append((text, {"alpha": estimate_with_interval(found.agreement)}))
    yield from map(Note, texts)


def _dots(rates: Mapping[str, Rate], look: Look) -> PlotlyFigure:
    alone = [Estimate(rate.judged, n=rate.items) for rate in rates.values()]
    series = [
        Series("By the judge", alone, GROUP_COLOURS[0], GROUP_SYMBOLS[0]),
        Series("True rate", [rate.true for rate in rates.values()], GROUP_COLOURS[2], GROUP_SYMBOLS[2]),
    ]
    return series_dots(list(rates), series, "Share that passes", look)
