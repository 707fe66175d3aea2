"""Judgments of surrogates as cached arrays, compared with the truth, between raters, surrogates and presentations."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.relevance import tukey
from analysis.relevance.agreements import Agreement, paper_kappa
from analysis.relevance.anova import RepeatedMeasures, repeated_measures_table
from analysis.relevance.judgments import JudgedTexts, Judgments, MetricTable, judged_texts, own_full_text
from analysis.relevance.metric_means import share_of_improvement
from analysis.relevance.rater_pairs import (
    AgreementComparison,
    RaterAgreement,
    Subject,
    agreement_between_raters,
    compare_agreements,
    compare_agreements_by_event,
    rates_by_subject,
    seconds_by_subject,
)
from analysis.relevance.tukey import OrderStudy, Tukey, same_judgments
from analysis.values.estimate import BootstrapSpec, Estimate
from data.kinds.kind import FULL_TEXT
from features.blocks import Progress, last_stage, map_stages
from features.study import (
    OnProgress,
    Study,
    interval_stages,
    key_of,
    long_result,
    query,
    result,
)

_BASELINE = re.compile(r"\b(baseline|lead)\b|\b(first|lead)[ _-]?\d", re.IGNORECASE)
"""Names of lower baselines, such as First75 of Hobson et al. 2007."""
LDC, PREDICTION = "LDC Agreement", "Relevance Prediction"
"""Agreement of judgments with gold, and with the same rater's judgments of the full text."""


@dataclass(frozen=True)
class Surrogates:
    """Names of surrogates by code, and the truths that are known for them.

    `full_text` is the code of the document itself, -1 for none; `summaries` are the codes of all others that occur.
    `is_predicted` says whether any rater judged both a summary and the full text of a document.
    """

    names: tuple[str, ...]
    full_text: int
    summaries: tuple[int, ...]
    has_full_text: bool
    has_gold: bool
    has_seconds: bool
    is_predicted: bool

    @property
    def full_text_name(self) -> str:
        return self.names[self.full_text] if self.full_text >= 0 else "the full text"

    @property
    def present(self) -> tuple[int, ...]:
        """Codes of all that occur, the full text last."""
        return (*self.summaries, self.full_text) if self.has_full_text else self.summaries

    @property
    def sides(self) -> list[str]:
        """Agreements that are defined: with the rater's own judgment of the full text first, then with gold."""
        known = {PREDICTION: self.is_predicted, LDC: self.has_gold}
        return [name for name, is_known in known.items() if is_known]

    def names_of(self, codes: tuple[int, ...] | list[int]) -> list[str]:
        return [self.names[code] for code in codes]


@dataclass(frozen=True, eq=False)
class MainStudy:
    """Judgments without an order label, wherever there are such; `with_label` counts the others."""

    judged: Judgments
    with_label: int
    surrogates: Surrogates
    events: tuple[str, ...]

    @property
    def full_text(self) -> int:
        """Code of the surrogate that is the document itself, -1 for none."""
        return self.surrogates.full_text

    def truth(self, side: str) -> NDArray[np.float64]:
        """Return gold, or each rater's own judgment of the full text of the document."""
        return self.judged.gold if side == LDC else own_full_text(self.judged, self.full_text)


def read_judgments(study: Study) -> Judgments:
    """Return all judgments by the data set's codes, -1 for none, without those of excluded raters."""

    def compute() -> Judgments:
        surrogates = np.arange(len(names(study, "surrogate")))
        return Judgments(**query(study.dataset, "judgments"), surrogates=surrogates)

    return result(key_of(study.dataset, "judgments"), compute)


def names(study: Study, column: str) -> NDArray[np.str_]:
    """Return the names of the codes in a column such as "event", "document" or "surrogate"."""
    found: NDArray[np.str_] = query(study.dataset, "judgment_names", column=column)["name"]
    return found


def metrics(study: Study) -> tuple[str, ...]:
    return study.dataset.named("item number")


def find_full_text(study: Study) -> str:
    """Return the surrogate whose name says that it is the document itself, "" for none."""
    by_plain_name: dict[str, str] = {}
    for name in names(study, "surrogate").tolist():
        by_plain_name.setdefault("".join(c for c in name.casefold() if c.isalnum()), name)
    return next((by_plain_name[word] for word in FULL_TEXT if word in by_plain_name), "")


def find_baseline(study: Study) -> str:
    """Return the surrogate whose name says that it is a lower baseline, such as the first words, "" for none."""
    return next((name for name in names(study, "surrogate").tolist() if _BASELINE.search(name)), "")


def main_study(study: Study, full_text: str | None = None) -> MainStudy:
    """Return the judgments of the main analyses; `full_text` is "" for none, None for the one whose name says so."""
    surrogate_names = tuple(names(study, "surrogate").tolist())
    wanted = find_full_text(study) if full_text is None else full_text
    code = surrogate_names.index(wanted) if wanted in surrogate_names else -1

    def compute() -> MainStudy:
        of_all = read_judgments(study)
        labelled = of_all.order_label >= 0
        judged = of_all if labelled.all() else of_all.where(~labelled)
        codes = np.unique(judged.surrogate).tolist()
        own = own_full_text(judged, code) if code in codes else np.full(len(judged), np.nan)
        surrogates = Surrogates(
            surrogate_names,
            code,
            tuple(one for one in codes if one != code),
            has_full_text=code in codes,
            has_gold=bool((~np.isnan(judged.gold)).any()),
            has_seconds=bool((~np.isnan(judged.seconds)).any()),
            is_predicted=bool((~np.isnan(own)).any()),
        )
        events = tuple(names(study, "event").tolist())
        return MainStudy(judged, len(of_all) - len(judged), surrogates, events)

    return result(key_of(study.dataset, "main study of relevance", code), compute)


def metric_table(study: Study, metric: str) -> MetricTable:
    """Return a metric where it is known, one value per event, document and surrogate."""

    def compute() -> MetricTable:
        rows = query(study.dataset, "surrogate_numbers", column=metric)
        event = np.searchsorted(names(study, "event"), rows["event"])
        judged = read_judgments(study.unfiltered)
        event_of = dict(zip(judged.document.tolist(), judged.event.tolist(), strict=True))
        pairs = ((event_of.get(at), name) for at, name in enumerate(names(study, "document").tolist()))
        codes = {pair: code for code, pair in enumerate(pairs)}
        of_rows = zip(event.tolist(), rows["document"].tolist(), strict=True)
        document = np.array([codes[pair] for pair in of_rows], dtype=np.int64)
        surrogate = np.searchsorted(names(study, "surrogate"), rows["surrogate"])
        return MetricTable(event, document, surrogate, rows["value"])

    return result(key_of(study.dataset, "metric", metric), compute)


def texts_of(study: Study, main: MainStudy, metric: str, side: str) -> JudgedTexts:
    """Return a metric of the texts with the judgments of them, without the full text where that is the truth."""

    def compute() -> JudgedTexts:
        left_out = main.full_text if side == PREDICTION else -1
        kept = main.judged.surrogate != left_out
        table = metric_table(study, metric).without(left_out)
        return judged_texts(main.judged.where(kept), main.truth(side)[kept], table)

    return result(key_of(study.dataset, "judged texts", main.full_text, metric, side), compute)


Figure = Literal["accuracy", "precision", "recall", "f_score", "kappa"]
Subjects = Literal["raters", "events"]
SECONDS = "Seconds"
RATES: Mapping[str, Figure] = {
    "Accuracy": "accuracy",
    "Precision": "precision",
    "Recall": "recall",
    "F": "f_score",
}
SHORT = {"LDC": LDC, "RP": PREDICTION}
"""Agreements as the names of measures have them."""
BETWEEN, WITH_GOLD, WITHIN = "Between raters", "With gold", "With own full text"
KAPPAS = (BETWEEN, WITH_GOLD, WITHIN)
CLOSED = BootstrapSpec(draws=0)
CHANCE = 0.5
"""Agreement that the paper expects by chance between two answers."""
_SIDES, _PAIRS, _ORDER = "Intervals", "Intervals of pairs", "Intervals of the order study"
_SUBJECT: Mapping[Subjects, Subject] = {"raters": "rater", "events": "event"}


@dataclass(frozen=True)
class AccuracySpec:
    """Agreement of judgments with gold and with the full text.

    `figure` is the one that is drawn, `by_event` says whether all figures are computed for each event, too.
    `full_text` is the surrogate that is the document itself, "" for none, None for the one whose name says so, and
    `baseline` the lower baseline, likewise.
    """

    figure: Figure = "accuracy"
    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)
    by_event: bool = True
    full_text: str | None = None
    baseline: str | None = None


@dataclass(frozen=True, eq=False)
class Accuracy:
    """Both agreements of each surrogate, and of each event by its code; None before they are computed.

    `baseline` is the code of the lower baseline, -1 for none.
    """

    main: MainStudy
    both: AgreementComparison
    by_event: Mapping[int, AgreementComparison] | None = None
    baseline: int = -1

    @property
    def sides(self) -> list[tuple[str, Sequence[Agreement]]]:
        """The agreements that have any judgment of known truth."""
        return known_sides(self.both)

    @property
    def ways(self) -> dict[str, tuple[tuple[Estimate, ...], Estimate]]:
        """By agreement, each surrogate's share of the way from the baseline to the full text, and its length."""
        both, text, found = self.both, self.main.full_text, {}
        if self.baseline < 0 or text < 0:
            return {}
        for name, of in self.sides:
            accuracies = [one.accuracy for one in of]
            if name == PREDICTION:
                accuracies[text] = Estimate(1.0, n=accuracies[self.baseline].n)
            spread = both.ldc_spread if name == LDC else both.prediction_spread
            found[name] = share_of_improvement(accuracies, spread, self.baseline, text)
        return found

    @property
    def figures(self) -> dict[str, object]:
        """Agreements, their difference and the time of each surrogate by its name, then the events."""
        both = self.both
        parts = {
            LDC: both.ldc,
            PREDICTION: both.prediction,
            "difference": both.difference,
            "difference in precision": both.differences["precision"],
            "difference in F": both.differences["f_score"],
            "seconds": both.seconds,
            "seconds saved": both.seconds_saved,
        }
        events = self.by_event or {}
        return {
            **{
                name: {part: of_each[code] for part, of_each in parts.items()}
                for code, name in enumerate(self.main.surrogates.names)
            },
            "event by event": {self.main.events[at]: one for at, one in events.items()},
            "way to the full text": {
                side: dict(zip(self.main.surrogates.names, shares, strict=True))
                for side, (shares, _) in self.ways.items()
            },
        }


@dataclass(frozen=True)
class RatersSpec:
    """Kappa in three forms; `chance` is the agreement by chance in the paper's, `full_text` as in `AccuracySpec`."""

    chance: float = CHANCE
    bootstrap: BootstrapSpec = field(default_factory=BootstrapSpec)
    full_text: str | None = None


@dataclass(frozen=True, eq=False)
class Kappas:
    """Agreement of pairs of raters, and of each rater with gold and with the own full text."""

    main: MainStudy
    pairs: RaterAgreement
    both: AgreementComparison
    chance: float

    def of(self, name: str, surrogate: int) -> Estimate:
        if name == BETWEEN:
            return self.pairs.surrogates[surrogate].kappa
        if name == WITH_GOLD:
            return paper_kappa(self.both.ldc[surrogate].accuracy, self.chance)
        return self.both.prediction[surrogate].kappa

    @property
    def figures(self) -> dict[str, object]:
        """Agreement of pairs and each kappa of each surrogate, by its name."""
        return {
            name: {"pairs": self.pairs.surrogates[code], **{kappa: self.of(kappa, code) for kappa in KAPPAS}}
            for code, name in enumerate(self.main.surrogates.names)
        }

    @property
    def alike(self) -> dict[str, Estimate]:
        """Share of pairs of judgments that are alike, by surrogate."""
        of = self.main.surrogates
        return {of.names[code]: self.pairs.surrogates[code].agreement for code in of.present}


@dataclass(frozen=True)
class DifferencesSpec:
    """Differences between surrogates in a measure such as "Accuracy (RP)" or "Seconds".

    `subjects` are those whose variation is the yardstick; `full_text` as in `AccuracySpec`.
    """

    measure: str
    subjects: Subjects = "raters"
    full_text: str | None = None


@dataclass(frozen=True, eq=False)
class Differences:
    """Analysis of variance of one measure over surrogates, and Tukey's test after it.

    `name` is that of the measure in controls, `measure` and `side` (the agreement that it is of) those in sentences.
    """

    name: str
    measure: str
    side: str
    subjects: str
    surrogates: Surrogates
    test: RepeatedMeasures
    pairs: Tukey
    is_share: bool = False

    @property
    def conditions(self) -> list[str]:
        """Names of the surrogates that have values."""
        return self.surrogates.names_of(self.test.conditions.tolist())

    @property
    def best_first(self) -> list[int]:
        """Places of the conditions, the best mean first; of seconds the fewest."""
        way, means = 1 if self.name == SECONDS else -1, self.test.means
        known = sorted((at for at, e in enumerate(means) if e.defined), key=lambda at: way * means[at].value)
        return [*known, *(at for at, e in enumerate(means) if not e.defined)]

    @property
    def means(self) -> dict[str, Estimate]:
        return dict(zip(self.conditions, self.test.means, strict=True))

    @property
    def figures(self) -> dict[str, object]:
        """The test, the mean of each surrogate, and the difference of each pair, by names."""
        pairs, called, found = self.pairs, self.conditions, dict[str, Estimate]()
        for one, other in combinations(range(len(called)), 2):
            for a, b in ((one, other), (other, one)):
                ends = pairs.low[a, b], pairs.high[a, b]
                found[f"{called[a]} minus {called[b]}"] = Estimate(pairs.differences[a, b], *ends)
        return {"test": self.test, "means": self.means, "differences": found, "pairs": pairs}


def known_sides(both: AgreementComparison) -> list[tuple[str, Sequence[Agreement]]]:
    """Return the agreements that have any judgment of known truth."""
    named = ((LDC, both.ldc), (PREDICTION, both.prediction))
    return [(name, side) for name, side in named if any(agreement.n for agreement in side)]


def accuracy_stages(study: Study, spec: AccuracySpec) -> Iterator[Accuracy | Progress]:
    """Yield both agreements without intervals, unless these are cached; then with them, then each event's."""
    main = main_study(study, spec.full_text)
    compute = partial(compare_agreements, main.judged, main.full_text)
    stages = interval_stages(study, _SIDES, compute, spec.bootstrap, main.full_text)
    wanted = find_baseline(study) if spec.baseline is None else spec.baseline
    code = main.surrogates.names.index(wanted) if wanted in main.surrogates.names else -1
    baseline = code if code in main.surrogates.summaries else -1
    found = yield from map_stages(stages, partial(Accuracy, main, baseline=baseline))
    if spec.by_event and main.judged.codes.events > 1 and found.sides:
        yield Progress("Intervals of all events")
        by_event = long_result(
            key_of(study.dataset, "event by event", main.full_text, spec.bootstrap),
            "Intervals of all events",
            partial(compare_agreements_by_event, main.judged, main.full_text, spec.bootstrap),
        )
        yield replace(found, by_event=by_event)


def sides_at_once(study: Study) -> Accuracy:
    """Return both agreements without intervals."""
    return last_stage(accuracy_stages(study, AccuracySpec(bootstrap=CLOSED, by_event=False)))


def rater_stages(study: Study, spec: RatersSpec) -> Iterator[Kappas | Progress]:
    """Yield kappas without intervals, unless these are cached; then with them."""
    main = main_study(study, spec.full_text)
    compute = partial(_agreements, study, main)
    stages = interval_stages(study, _PAIRS, compute, spec.bootstrap, main.full_text)
    yield from map_stages(stages, lambda both: Kappas(main, *both, spec.chance))


def _agreements(
    study: Study, main: MainStudy, bootstrap: BootstrapSpec, on_progress: OnProgress | None
) -> tuple[RaterAgreement, AgreementComparison]:
    """Return the agreement of raters with each other, and both agreements of "Which summaries suffice"."""
    sides = result(
        key_of(study.dataset, _SIDES, main.full_text, bootstrap),
        partial(compare_agreements, main.judged, main.full_text, bootstrap),
    )
    return agreement_between_raters(main.judged, bootstrap, on_progress), sides


def compare_surrogates(study: Study, spec: DifferencesSpec) -> Differences:
    """Test whether surrogates differ in a measure by more than the subjects do; undefined with its reason."""
    main, is_share = main_study(study, spec.full_text), spec.measure != SECONDS
    measure, side = measure_name(spec.measure)

    def compute() -> Differences:
        subject = _SUBJECT[spec.subjects]
        if is_share:
            rates = rates_by_subject(main.judged, subject, main.truth(side))
            table = getattr(rates, RATES[spec.measure.split(" (")[0]])
        else:
            table = seconds_by_subject(main.judged, subject)
        test = repeated_measures_table(table, np.arange(len(main.surrogates.names)))
        pairs = tukey.tukey_after_anova(test, lower_is_better=not is_share)
        return Differences(spec.measure, measure, side, spec.subjects, main.surrogates, test, pairs, is_share)

    return result(key_of(study.dataset, "differences of surrogates", main.full_text, spec), compute)


def measure_name(measure: str) -> tuple[str, str]:
    """Return a measure as a sentence has it, and the agreement that it is of.

    >>> measure_name("Accuracy (RP)"), measure_name("F (LDC)"), measure_name("Seconds")
    (('accuracy', 'Relevance Prediction'), ('F', 'LDC Agreement'), ('judgment time', ''))
    """
    if measure == SECONDS:
        return "judgment time", ""
    rate, short = measure.removesuffix(")").split(" (")
    return rate if rate == "F" else rate.lower(), SHORT[short]


def measures_of(surrogates: Surrogates) -> list[str]:
    """Return the measures in which surrogates can be compared: rates by either agreement, and seconds."""
    rates = [
        f"{rate} ({short})" for short, side in SHORT.items() if side in surrogates.sides for rate in RATES
    ]
    return rates + ([SECONDS] if surrogates.has_seconds else [])


def default_measure(study: Study, full_text: str | None) -> str:
    """Return the first measure that has a test, accuracy first; "" where nothing can be compared."""
    offered = measures_of(main_study(study, full_text).surrogates)
    usual = [name for name in ("Accuracy (RP)", "Accuracy (LDC)") if name in offered]
    for measure in (*usual, *offered):
        if compare_surrogates(study, DifferencesSpec(measure, full_text=full_text)).test.defined:
            return measure
    return next(iter((*usual, *offered)), "")


def missing_order_columns(study: Study) -> list[str] | None:
    """Return the columns that lack to know the order of presentation; None where it is known."""
    judged = read_judgments(study)
    known = {name: getattr(judged, name) >= 0 for name in ("order_label", "presentation")}
    if (known["order_label"] & known["presentation"]).any():
        return None
    return [name for name, of_each in known.items() if not of_each.any()]


def order_stages(study: Study, bootstrap: BootstrapSpec) -> Iterator[OrderStudy | Progress]:
    """Yield shares of equal judgments without intervals over raters, unless these are cached; then with them."""
    judged = read_judgments(study)
    named = {
        column: np.append(names(study, column), "")[getattr(judged, column)]
        for column in ("order_label", "presentation")
    }
    yield from interval_stages(study, _ORDER, partial(same_judgments, replace(judged, **named)), bootstrap)
