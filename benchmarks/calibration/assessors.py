"""Assessors: agreement, consistency, scores of systems and their differences, correlations with a metric."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from analysis.agreement.alpha import krippendorff_alpha
from analysis.agreement.intraclass import icc
from analysis.assessors.consistency import (
    COHEN,
    AgreementFigure,
    Assessments,
    agreement_with_others,
    chance_corrected_agreement,
    consistency_on_texts,
)
from analysis.assessors.exclusion import (
    ExclusionRule,
    ExclusionSpec,
    exclusion,
    exclusion_of_cells,
    intervals,
    intervals_of_cells,
)
from analysis.assessors.pyramid import Contributors, difference_by_assessor, pyramid_scores
from analysis.pairs.system_table import build_cells
from analysis.screening.subject_model import bias, subject_model
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from benchmarks.calibration.simulation import Kind, Simulation

Outcomes = Mapping[str, bool | float | None]
LARGE_STUDY = 20_000
"""Items from which the true figure of raters is worked out."""
LARGE_PANEL = 400
"""Raters among whom single ones do not matter."""


@dataclass(frozen=True)
class Panel:
    """Raters with their own severity and noise, and the number who rate an item."""

    raters: int
    per_item: int
    items: int
    ceiling: bool = False
    zipf: bool = False
    floor: bool = False
    top: bool = False

    @property
    def words(self) -> str:
        raters = "all" if self.per_item == self.raters else f"{self.per_item} of {self.raters}"
        end = ", scores at a ceiling" if self.ceiling else ", scores at a floor" if self.floor else ""
        end = ", most scores the highest" if self.top else end
        suffix = (", Zipf loads" if self.zipf else "") + end
        return (
            f"{self.items} items, {raters} raters per item{suffix}"
            if raters != "all"
            else f"{self.items} items, all {self.raters} raters{suffix}"
        )

    def draw(self, rng: np.random.Generator, items: int | None = None, fixed: bool = True) -> Ratings:
        """Draw whole scores from 1 to 5 of new items; the raters `fixed` stay the same."""
        n, persons = items or self.items, np.random.default_rng(7) if fixed else rng
        severity, noise = persons.normal(0, 0.4, self.raters), persons.uniform(0.5, 1.1, self.raters)
        lots = rng.random((n, self.raters))
        if self.zipf:
            lots = -np.log(lots) * np.arange(1, self.raters + 1)
        assigned = np.argsort(lots, axis=1)[:, : self.per_item]
        latent = (
            rng.normal(5.4 if self.top else 4.4 if self.ceiling else 1.6 if self.floor else 3.1, 0.9, n)[
                :, None
            ]
            + severity[assigned]
            + noise[assigned] * rng.normal(size=assigned.shape)
        )
        item = np.repeat(np.arange(n), self.per_item)
        return Ratings(item, assigned.ravel(), np.clip(np.rint(latent.ravel()), 1, 5))


def _covers(estimate: Estimate, truth: float) -> bool | None:
    """Return True if the interval covers the truth, None if it is undefined or has a warning."""
    if estimate.warning or estimate.low != estimate.low:
        return None
    return bool(estimate.low <= truth <= estimate.high)


LEVELS = ("nominal", "ordinal", "interval", "ratio")
CHANCE_CORRECTED = (
    "percent agreement",
    "Brennan-Prediger",
    "Gwet's AC1",
    "Gwet's AC2",
    "Fleiss' kappa",
    "Conger's kappa",
    "Cohen's kappa, weighted",
    "mean pairwise kappa",
)
ALPHAS = tuple(f"alpha, {level}" for level in LEVELS)


def chance_corrected(ratings: Ratings) -> dict[str, AgreementFigure]:
    weighted, unweighted = (
        chance_corrected_agreement(ratings),
        chance_corrected_agreement(ratings, "identity"),
    )
    if weighted is None or unweighted is None:
        raise ValueError("too many ratings for agreement beyond chance")
    figures = unweighted.figures | weighted.figures
    if COHEN in figures:
        figures["Cohen's kappa, weighted"] = figures.pop(COHEN)
    return figures


def compute_alphas(ratings: Ratings, draws: int) -> dict[str, AgreementFigure]:
    spec = BootstrapSpec(draws)
    return {
        f"alpha, {level}": AgreementFigure(krippendorff_alpha(ratings.item, ratings.score, level, spec))
        for level in LEVELS
    }


def shown_coefficients(panel: Panel) -> tuple[str, ...]:
    """Return the coefficients that the page shows for so many raters; pairs need ten common items."""
    of_all_raters = {"Cohen's kappa, weighted"} if panel.raters == 2 else {"Conger's kappa"}
    pairs = {"mean pairwise kappa"} if panel.raters > 2 and panel.per_item == panel.raters else set()
    both = {"Conger's kappa", "Cohen's kappa, weighted", "mean pairwise kappa"}
    return tuple(name for name in CHANCE_CORRECTED if name not in both or name in of_all_raters | pairs)


def agreement(panel: Panel) -> Simulation:
    """Simulate agreement over items, for these raters."""
    figures = (*ALPHAS, *shown_coefficients(panel))

    def of(ratings: Ratings, draws: int) -> dict[str, AgreementFigure]:
        return compute_alphas(ratings, draws) | chance_corrected(ratings)

    def truth(rng: np.random.Generator) -> dict[str, float]:
        whole = of(panel.draw(rng, LARGE_STUDY), 0)
        return {name: _value_of(whole[name].fixed).value for name in figures}

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        found = of(panel.draw(rng), 1)
        return {name: _covers(_value_of(found[name].fixed), true[name]) for name in figures}

    return Simulation(
        "assessors",
        f"agreement: {panel.words}",
        panel.words,
        dict.fromkeys(figures, "interval"),
        study,
        truth,
        fixed_raters=True,
    )


def agreement_of_others(panel: Panel) -> Simulation:
    """Simulate agreement over items and raters, both new in each study."""
    figures = shown_coefficients(panel)

    def truth(rng: np.random.Generator) -> dict[str, float]:
        result = _chance_corrected_limit(Panel(LARGE_PANEL, 10, LARGE_STUDY).draw(rng, fixed=False))
        return {name: result[name] for name in figures}

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        result = chance_corrected(panel.draw(rng, fixed=False))
        return {
            f"{name}, raters too": _covers(_value_of(result[name].random), true[name]) for name in figures
        }

    return Simulation(
        "assessors",
        f"agreement of others: {panel.words}",
        f"{panel.words}, other raters in each study",
        {f"{name}, raters too": "interval" for name in figures},
        study,
        truth,
    )


def _chance_corrected_limit(ratings: Ratings) -> dict[str, float]:
    """Return coefficients of very many raters, with Conger's limit for Cohen's kappas."""
    figures = {name: _value_of(figure.fixed).value for name, figure in chance_corrected(ratings).items()}
    return figures | {"mean pairwise kappa": _mean_pairwise(ratings)}


def _mean_pairwise(ratings: Ratings) -> float:
    """Return the mean over four panels of 100 raters of the same items; of all raters, no pair shares enough items."""
    rng = np.random.default_rng(len(ratings))
    found = [chance_corrected_agreement(Panel(100, 100, 500).draw(rng, fixed=False)) for _ in range(4)]
    return float(np.mean([one.weighted.estimates["mean pairwise kappa"].value for one in found if one]))


def differences_of_agreement(panel: Panel, paired: bool) -> Simulation:
    """Simulate two halves of the raters on the same items, or two sets of items, whose true agreement differs."""
    names = tuple(name for name in shown_coefficients(panel) if name != "mean pairwise kappa")
    design = "two halves of the raters" if paired else "two sets of items"

    def halves(rng: np.random.Generator, items: int | None) -> tuple[Ratings, Ratings]:
        ratings = panel.draw(rng, items)
        if not paired:
            other = panel.draw(rng, items)
            noisy = np.clip(other.score + rng.integers(-1, 2, len(other)), 1, 5)
            return ratings, Ratings(other.item + 10**6, other.rater, noisy)
        is_first = ratings.rater < panel.raters // 2
        first, second = (
            Ratings(ratings.item[half], ratings.rater[half], ratings.score[half])
            for half in (is_first, ~is_first)
        )
        return first, second

    def less(pair: tuple[Ratings, Ratings]) -> dict[str, AgreementFigure]:
        first, second = (chance_corrected_agreement(half) for half in pair)
        if first is None or second is None:
            raise ValueError("too many ratings for agreement beyond chance")
        return first.differences(second)

    figures = tuple(name for name in names if name != "Gwet's AC1")

    def truth(rng: np.random.Generator) -> dict[str, float]:
        result = less(halves(rng, LARGE_STUDY))
        return {name: _value_of(result[name].fixed).value for name in figures}

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        result = less(halves(rng, None))
        return {
            f"difference of {name}": _covers(_value_of(result[name].fixed), true[name]) for name in figures
        }

    return Simulation(
        "assessors",
        f"differences of agreement: {panel.words}, {design}",
        f"{panel.words}, {design}",
        {f"difference of {name}": "interval" for name in figures},
        study,
        truth,
        fixed_raters=True,
    )


def _value_of(estimate: Estimate | None) -> Estimate:
    return Estimate(nan) if estimate is None else estimate


def consistency(panel: Panel) -> Simulation:
    """Simulate one rater's correlation with the others and its mean deviation, over items, for these raters."""
    figures: Mapping[str, Kind] = {"correlation with the others": "interval", "bias of a rater": "interval"}

    def truth(rng: np.random.Generator) -> tuple[Any, Any]:
        many = panel.draw(rng, LARGE_STUDY)
        return agreement_with_others(many, BootstrapSpec(0)).correlation, bias(many).bias

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        ratings = panel.draw(rng)
        agreement, biases = agreement_with_others(ratings, BootstrapSpec(0)), bias(ratings)
        if len(agreement.raters) < panel.raters:
            return {}
        rater = int(rng.integers(panel.raters))
        return {
            "correlation with the others": _covers(
                Estimate(agreement.correlation[rater], agreement.low[rater], agreement.high[rater]),
                true[0][rater],
            ),
            "bias of a rater": _covers(
                Estimate(biases.bias[rater], biases.low[rater], biases.high[rater]), true[1][rater]
            ),
        }

    return Simulation("assessors", f"consistency: {panel.words}", panel.words, figures, study, truth, True)


def reliability(panel: Panel) -> Simulation:
    """Simulate the ICCs over items and raters; severity and noise are new in each study and scores are not rounded."""
    quality, severity, noise = 0.81, 0.16, 0.49
    k = panel.per_item
    truth = {
        "ICC(A,1)": quality / (quality + severity + noise),
        "ICC(C,1)": quality / (quality + noise),
        "ICC(A,k)": quality / (quality + (severity + noise) / k),
        "ICC(C,k)": quality / (quality + noise / k),
    }

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        lots = rng.random((panel.items, panel.raters))
        if panel.zipf:
            lots = -np.log(lots) * np.arange(1, panel.raters + 1)
        assigned = np.argsort(lots, axis=1)[:, :k]
        score = (
            rng.normal(0, quality**0.5, panel.items)[:, None]
            + rng.normal(0, severity**0.5, panel.raters)[assigned]
        )
        score = score + rng.normal(0, noise**0.5, assigned.shape)
        forms = icc(Ratings(np.repeat(np.arange(panel.items), k), assigned.ravel(), score.ravel()))
        by_name = dict(
            zip(
                truth,
                (forms.agreement, forms.consistency, forms.agreement_k, forms.consistency_k),
                strict=True,
            )
        )
        return {name: _covers(by_name[name], truth[name]) for name in truth}

    return Simulation(
        "assessors", f"ICC: {panel.words}", panel.words, dict.fromkeys(truth, "interval"), study
    )


def agreement_on_texts(sets: int) -> Simulation:
    """Simulate alpha of one assessor over sets of two identical texts."""
    quality, noise = 0.8, 0.2

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        score = rng.normal(0, quality**0.5, sets)[:, None] + rng.normal(0, noise**0.5, (sets, 2))
        text = np.repeat(np.arange(sets), 2)
        (alpha,) = consistency_on_texts(
            np.zeros(2 * sets), text, score.ravel(), None, BootstrapSpec(300)
        ).alpha
        return {"alpha on identical texts": _covers(alpha, quality)}

    words = f"{sets} sets of two identical texts, normal scores"
    return Simulation(
        "assessors",
        f"identical texts: {sets}",
        words,
        {"alpha on identical texts": "interval"},
        study,
    )


@dataclass(frozen=True)
class Contest:
    """Systems that are equally good, judged on topics by raters; each topic by one rater where nested."""

    systems: int
    topics: int
    raters: int
    per_cell: int
    nested: bool = False

    @property
    def words(self) -> str:
        how = "each topic by one" if self.nested else f"{self.per_cell} per cell"
        return f"{self.systems} equal systems, {self.topics} topics, {self.raters} raters, {how}"

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        s, t, w = self.systems, self.topics, self.raters
        assigned = np.argsort(rng.random((s, t, w)), axis=2)[:, :, : self.per_cell]
        if self.nested:
            assigned = np.broadcast_to(np.arange(t)[None, :, None] % w, (s, t, 1))
        system, topic, _ = np.indices(assigned.shape)
        score = 3 + rng.normal(0, 0.5, t)[topic] + rng.normal(0, 0.4, w)[assigned]
        score = (
            score + rng.normal(0, 0.35, (s, t))[system, topic] + rng.normal(0, 0.25, (s, w))[system, assigned]
        )
        score = score + rng.normal(0, 0.7, assigned.shape)
        return system.ravel(), topic.ravel(), assigned.ravel(), score.ravel()


def system_score(design: Contest) -> Simulation:
    """Simulate one system's score, for raters like these."""

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        columns = design.draw(rng)
        result = intervals(
            *columns,
            exclusion(*columns),
            ExclusionSpec(draws=200, seed=int(rng.integers(1 << 30)), scope="raters like these"),
        )
        return {"score of a system": bool(result.before_low[0] <= 3 <= result.before_high[0])}

    return Simulation(
        "assessors",
        f"systems: {design.words}",
        design.words,
        {"score of a system": "interval"},
        study,
    )


def weighted_system_score(design: Contest, sd: float) -> Simulation:
    """Simulate one system's score and all pairs, for raters like these, the logs of whose weights have the SD `sd`."""
    any_pair, score = "some pair of equal systems, weighted", "weighted score of a system"

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        columns = design.draw(rng)
        table = build_cells(*columns, np.exp(rng.normal(0, sd, design.raters))[columns[2]])
        spec = ExclusionSpec(draws=200, seed=int(rng.integers(1 << 30)), scope="raters like these")
        result = intervals_of_cells(table, exclusion_of_cells(table, (), spec), spec)
        pairs = result.pairs_before
        differ = bool((pairs.low > 0).any() or (pairs.high < 0).any())
        return {
            score: bool(result.before_low[0] <= 3 <= result.before_high[0]),
            any_pair: 0.0 if differ else 1.0,
        }

    words = f"{design.words}, weights whose log has a standard deviation of {sd}"
    kinds: dict[str, Kind] = {score: "interval", any_pair: "familywise test"}
    return Simulation("assessors", f"weighted systems: {design.words}, {sd}", words, kinds, study)


def screened_model(panel: Panel) -> Simulation:
    """Simulate one rater's inconsistency by the model of P.910, with new raters in each study, without rounding."""

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        n, k, w = panel.items, panel.per_item, panel.raters
        noise, severity = rng.uniform(0.5, 1.1, w), rng.normal(0, 0.4, w)
        assigned = np.argsort(rng.random((n, w)), axis=1)[:, :k]
        score = (
            rng.normal(3, 0.9, n)[:, None]
            + severity[assigned]
            + noise[assigned] * rng.normal(size=assigned.shape)
        )
        result = subject_model(Ratings(np.repeat(np.arange(n), k), assigned.ravel(), score.ravel()))
        index = int(rng.integers(len(result.raters)))
        low, high = result.inconsistency_low[index], result.inconsistency_high[index]
        return {"inconsistency of a rater": _covers(Estimate(0.0, low, high), noise[result.raters[index]])}

    words = f"{panel.words}, scores not rounded"
    kinds: dict[str, Kind] = {"inconsistency of a rater": "interval"}
    return Simulation("assessors", f"P.910: {panel.words}", words, kinds, study)


def scores_with_exclusion_rule(design: Contest) -> Simulation:
    """Simulate scores of equal systems without the least consistent rater, determined anew in each bootstrap sample."""

    def study(rng: np.random.Generator, _: Any) -> Outcomes:
        system, topic, rater, score = design.draw(rng)
        n, no_codes = len(score), np.full(len(score), -1)
        assessments = Assessments(
            "m", system * design.topics + topic, rater, score, np.arange(n) * 1.0, np.full(n, nan),
            system, topic, no_codes, no_codes, no_codes,
        )  # fmt: skip
        rule = ExclusionRule("lowest with others")
        point = exclusion(*assessments.ranking, rule.find_raters(assessments))
        spec = ExclusionSpec(draws=200, seed=int(rng.integers(1 << 30)))
        result = intervals(*assessments.ranking, point, spec, rule=(rule, assessments, ()))
        return {
            "score after an exclusion by rule": bool(result.after_low[0] <= 3 <= result.after_high[0]),
            "change of a score by an exclusion": bool(
                result.difference_low[0] <= 0 <= result.difference_high[0]
            ),
        }

    kinds: dict[str, Kind] = {
        "score after an exclusion by rule": "interval",
        "change of a score by an exclusion": "interval",
    }
    return Simulation(
        "assessors",
        f"exclusion by rule: {design.words}",
        f"{design.words}, the least consistent left out",
        kinds,
        study,
    )


@dataclass(frozen=True)
class Marking:
    """An assessor's topics, each of several summaries that say some of 15 content units, in others' words or their own.

    Topics differ in how much summaries copy from each other, and in how much the assessor overlooks.
    """

    topics: int
    summaries: int
    conditions: int = 1

    @property
    def words(self) -> str:
        twice = ", two conditions each" if self.conditions > 1 else ""
        return f"one assessor of {self.topics} topics{twice}, {self.summaries} summaries a topic"

    def draw(
        self, rng: np.random.Generator, topics: int | None = None
    ) -> tuple[Contributors, dict[str, str]]:
        units = 15
        weight = np.arange(units) % 4 + 1
        columns: list[tuple[object, ...]] = []
        texts = {}
        for topic in range(topics or self.topics):
            copying, overlooked = rng.beta(4, 3), rng.beta(2, 8)
            for condition in range(self.conditions):
                for number in range(self.summaries):
                    says = rng.random(units) < weight / 6
                    copies = rng.random(units) < copying
                    item = f"{topic} {condition} {number}"
                    of_units = [f"unit{u}" if copies[u] else f"own{u} {number}" for u in np.flatnonzero(says)]
                    texts[item] = " then ".join([*of_units, "end"])
                    for unit, string in zip(np.flatnonzero(says), of_units, strict=True):
                        if rng.random() > overlooked:
                            columns.append((topic, item, unit, string, weight[unit], condition))
        topic, item, unit, string, weights, condition = (
            np.array(column) for column in zip(*columns, strict=True)
        )
        return Contributors(topic, item, unit, string, weights, condition), texts


def pyramid_difference(design: Marking) -> Simulation:
    """Simulate mP - aP of one assessor on other topics of the same kind."""

    def truth(rng: np.random.Generator) -> float:
        return (
            difference_by_assessor(pyramid_scores(*design.draw(rng, 2000)), BootstrapSpec(0))
            .difference[0]
            .value
        )

    def study(rng: np.random.Generator, true: Any) -> Outcomes:
        (found,) = difference_by_assessor(pyramid_scores(*design.draw(rng)), BootstrapSpec(300)).difference
        return {"manual minus automatic Pyramid score": _covers(found, true)}

    kinds: dict[str, Kind] = {"manual minus automatic Pyramid score": "interval"}
    return Simulation("assessors", f"pyramid: {design.words}", design.words, kinds, study, truth)


Make = Callable[..., Simulation]
_DESIGNS: tuple[tuple[Make, tuple[Any, ...]], ...] = (
    (
        consistency,
        (
            Panel(6, 6, 10),
            Panel(6, 6, 60),
            Panel(20, 4, 100),
            Panel(3, 3, 30),
            Panel(6, 6, 40, ceiling=True),
            Panel(6, 6, 12, ceiling=True),
            Panel(6, 6, 40, top=True),
            Panel(3, 3, 60, top=True),
            Panel(8, 4, 40, zipf=True),
            Panel(20, 4, 100, zipf=True),
            Panel(12, 3, 60, ceiling=True, zipf=True),
        ),
    ),
    (
        agreement,
        (
            Panel(6, 6, 20),
            Panel(6, 6, 60),
            Panel(20, 4, 60),
            Panel(2, 2, 40),
            Panel(5, 5, 12),
            Panel(3, 3, 15),
            Panel(6, 6, 40, ceiling=True),
            Panel(20, 4, 60, ceiling=True, zipf=True),
            Panel(6, 6, 40, floor=True),
            Panel(8, 3, 40, zipf=True),
        ),
    ),
    (agreement_of_others, (Panel(6, 6, 60), Panel(12, 12, 40), Panel(20, 4, 60), Panel(3, 3, 30))),
    (
        differences_of_agreement,
        (
            (Panel(6, 6, 60), True),
            (Panel(12, 12, 30), True),
            (Panel(4, 4, 40), False),
            (Panel(20, 4, 80), False),
            (Panel(20, 4, 80, zipf=True), False),
            (Panel(12, 8, 60, zipf=True), True),
        ),
    ),
    (screened_model, (Panel(10, 10, 60), Panel(30, 6, 100), Panel(4, 4, 40))),
    (
        scores_with_exclusion_rule,
        (Contest(6, 12, 8, 8), Contest(8, 20, 12, 3), Contest(6, 24, 8, 1, nested=True)),
    ),
    (reliability, (Panel(6, 6, 30), Panel(20, 4, 60), Panel(3, 3, 30), Panel(20, 4, 60, zipf=True))),
    (agreement_on_texts, (10, 30)),
    (pyramid_difference, (Marking(6, 8), Marking(12, 5), Marking(8, 6, 2))),
    (
        weighted_system_score,
        [
            (Contest(6, 12, 12, 12), 0.3),
            (Contest(6, 12, 12, 4), 0.6),
            (Contest(4, 20, 8, 3), 0.6),
            (Contest(8, 30, 24, 3), 1.2),
            (Contest(3, 8, 7, 7), 1.2),
        ],
    ),
    (
        system_score,
        (
            Contest(6, 20, 4, 4),
            Contest(10, 30, 8, 2),
            Contest(6, 24, 8, 1, nested=True),
            Contest(5, 12, 3, 3),
            Contest(6, 30, 10, 10),
        ),
    ),
)
SIMULATIONS = tuple(
    make(*design) if isinstance(design, tuple) else make(design)
    for make, designs in _DESIGNS
    for design in designs
)
