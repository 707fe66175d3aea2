"""Sets of labels: alpha by set and by label, raters compared with the others, and the crowd's sets against gold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from analysis.agreement.alpha import krippendorff_alpha
from analysis.agreement.label_sets import (
    DISTANCES,
    LabelSets,
    SetAgreement,
    distance_sums,
    set_agreement,
    set_distances,
)
from analysis.agreement.ratio_intervals import ratio_value
from analysis.assessors.typical_rater import compare_with_typical, name_raters, pooled_variance
from analysis.systems.rank_agreement import rater_estimates
from analysis.systems.set_accuracy import (
    SetAccuracy,
    crowd_sets,
    label_shares,
    set_accuracy,
    set_agreement_with_others,
)
from analysis.values.estimate import SCOPES, BootstrapSpec, Estimate, Scope
from benchmarks.calibration.simulation import Simulation

ALIKE = 1.2
"""SD of the log odds of labels between topics, and between systems."""
LARGE = 20_000
"""Items that the truth is taken from."""
SETS = {"MASI": "alpha of sets by MASI", "Jaccard": "alpha of sets by Jaccard"}
LABEL, LIKE_THESE = "alpha of a label", ", raters like these"
LABELER, NAMED = "agreement of a rater's sets", "a labeler named although all are alike"
EXACT, INDEX, SHARE = "exact sets", "Jaccard index of sets", "share of a label"
PRECISION, RECALL, F1 = "precision of a label", "recall of a label", "F1 of a label"


@dataclass(frozen=True)
class Labeling:
    """Items that raters label, each label with a prevalence.

    An item's true label is missed at a rate of `error`, and others are given so that labels stay as common as they
    are; the log odds of an error differ between raters and items by `unequal` and `hard` (SDs). `per_item` raters of
    all see an item, all where 0, with equal loads or Zipf's.
    """

    items: int
    raters: int
    prevalence: tuple[float, ...] = (0.4, 0.3, 0.3, 0.2)
    per_item: int = 0
    error: float = 0.2
    unequal: float = 0.5
    hard: float = 0.7
    loads: str = "equal"
    topics: int = 0
    systems: int = 0

    @property
    def words(self) -> str:
        """Return the design in words."""
        raters = (
            f"{self.per_item} of {self.raters} raters each" if self.per_item else f"all {self.raters} raters"
        )
        parts = [f"{self.items} items", raters, f"{len(self.prevalence)} labels"]
        parts += [f"{self.topics} topics"] if self.topics else []
        parts += [f"{self.systems} systems"] if self.systems else []
        parts += ["rare labels"] if min(self.prevalence) < 0.1 else []
        parts += ["a common label"] if max(self.prevalence) > 0.7 else []
        parts += ["very unequal raters"] if self.unequal > 0.7 else []
        parts += ["many errors"] if self.error > 0.3 else []
        parts += ["Zipf loads"] if self.loads == "Zipf" else []
        return ", ".join(parts)

    def draw_raters(self, rng: np.random.Generator) -> np.ndarray:
        """Return by how much each rater's log odds of an error differ."""
        return rng.normal(0, self.unequal, self.raters)

    def draw(
        self, rng: np.random.Generator, skill: np.ndarray, items: int = 0
    ) -> tuple[LabelSets, np.ndarray]:
        """Return the sets and what is true of each item (n, L)."""
        n, w = items or self.items, len(skill)
        per_item = self.per_item or w
        loads = 1 / np.arange(1, w + 1) if self.loads == "Zipf" else np.ones(w)
        if per_item < w:  # of the largest keys, a sample by loads
            assigned = np.argpartition(-np.log(rng.random((n, w))) / loads, per_item - 1, axis=1)[
                :, :per_item
            ]
        else:
            assigned = np.broadcast_to(np.arange(w), (n, w))
        return self._label(rng, assigned, skill[assigned], *((None, None) if items else self.clusters))

    @property
    def clusters(self) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Return the system and the topic of each item (n,): topics take turns, systems after each round of them."""
        item = np.arange(self.items)
        topic = item % self.topics if self.topics else None
        return item // max(self.topics, 1) % self.systems if self.systems else None, topic

    def draw_pairs(self, rng: np.random.Generator) -> LabelSets:
        """Return the sets of many items, each by two other raters."""
        skill = rng.normal(0, self.unequal, (LARGE, 2))
        return self._label(rng, np.broadcast_to(np.arange(2), skill.shape), skill)[0]

    def _label(
        self,
        rng: np.random.Generator,
        assigned: np.ndarray,
        skill: np.ndarray,
        system: np.ndarray | None = None,
        topic: np.ndarray | None = None,
    ) -> tuple[LabelSets, np.ndarray]:
        """Return the sets of raters (n, k) of such skill (n, k), and what is true.

        Labels are as common as a topic and a system make them, whose log odds differ by `ALIKE`. Without codes each
        item has its own.
        """
        n, per_item = assigned.shape
        share = np.array(self.prevalence)
        log_odds = np.tile(np.log(share / (1 - share)), (n, 1))
        for levels, code in ((self.systems, system), (self.topics, topic)):
            if levels:
                effect = rng.normal(0, ALIKE, (n if code is None else levels, len(share)))
                log_odds = log_odds + effect[np.arange(n) if code is None else code]
        true = rng.random((n, len(share))) < 1 / (1 + np.exp(-log_odds))
        odds = np.log(self.error / (1 - self.error)) + rng.normal(0, self.hard, (n, 1)) + skill
        missed = (1 / (1 + np.exp(-odds)))[:, :, None]
        added = np.minimum(missed * share / (1 - share), 0.95)
        flipped = rng.random((n, per_item, len(share))) < np.where(true[:, None, :], missed, added)
        chosen = (true[:, None, :] ^ flipped).reshape(-1, len(share))
        code = chosen @ (1 << np.arange(len(share)))
        member = (np.arange(1 << len(share))[:, None] >> np.arange(len(share))) % 2 == 1
        item = np.repeat(np.arange(n), per_item)
        names = tuple(f"label {at}" for at in range(len(share)))
        return LabelSets(item, assigned.ravel().astype(np.int64), code, member, names), true


def _covers(estimate: Estimate, true: float) -> bool | None:
    shown = not (estimate.warning or isnan(estimate.low) or isnan(true))
    return bool(estimate.low <= true <= estimate.high) if shown else None


def agreement(labeling: Labeling, scope: Scope) -> Simulation:
    """Simulate alpha by set, and of a random label."""
    like = scope == "raters like these"
    names = [name + (LIKE_THESE if like else "") for name in (*SETS.values(), LABEL)]
    system, topic = (None if of is None else dict(enumerate(of.tolist())) for of in labeling.clusters)

    def truth(rng: np.random.Generator) -> tuple[np.ndarray, SetAgreement]:
        skill = labeling.draw_raters(rng)
        return skill, alpha_values(labeling.draw_pairs(rng) if like else labeling.draw(rng, skill, LARGE)[0])

    def study(rng: np.random.Generator, true: tuple[np.ndarray, SetAgreement]) -> Mapping[str, bool | None]:
        skill = labeling.draw_raters(rng) if like else true[0]
        result, label = (
            set_agreement(labeling.draw(rng, skill)[0], scope, system=system, topic=topic),
            int(rng.integers(len(labeling.prevalence))),
        )
        expected = true[1]
        return {
            names[0]: _covers(result.masi, expected.masi.value),
            names[1]: _covers(result.jaccard, expected.jaccard.value),
            names[2]: _covers(result.labels[label], expected.labels[label].value),
        }

    title = f"sets, {scope}: {labeling.words}"
    return Simulation("label_sets", title, labeling.words, dict.fromkeys(names, "interval"), study, truth)


def alpha_values(sets: LabelSets) -> SetAgreement:
    """Return alpha of many sets, without the intervals, which take long."""
    masi, jaccard = (
        Estimate(ratio_value(distance_sums(sets.item, sets.given, set_distances(sets.member, one))[0]))
        for one in DISTANCES
    )
    labels = tuple(
        krippendorff_alpha(sets.item, column, "nominal", BootstrapSpec(0)) for column in sets.has_label.T
    )
    return SetAgreement(masi, jaccard, labels, nan, sets.raters, "these raters")


def labelers(labeling: Labeling) -> Simulation:
    """Simulate equal raters: the first one's agreement with the others, and the test that names raters."""

    def truth(rng: np.random.Generator) -> float:
        sets = labeling.draw(rng, np.zeros(labeling.raters), 4_000)[0]
        return float(np.tanh(set_agreement_with_others(sets).z).mean())

    def study(rng: np.random.Generator, true: float) -> Mapping[str, bool | float | None]:
        changes = set_agreement_with_others(labeling.draw(rng, np.zeros(labeling.raters))[0])
        first = rater_estimates(changes)[0]
        (named,) = name_raters([compare_with_typical(changes.z, changes.units, pooled_variance(changes))])
        return {LABELER: _covers(first, true), NAMED: 0.0 if (named.below | named.above).any() else 1.0}

    kinds = {LABELER: "interval", NAMED: "familywise test"}
    return Simulation("label_sets", f"labelers: {labeling.words}", labeling.words, kinds, study, truth)


def accuracy(labeling: Labeling) -> Simulation:
    """Simulate the crowd's sets compared with gold, with the same raters, and the share of a random label."""

    clusters = [code for code in labeling.clusters if code is not None]

    def compare(sets: LabelSets, true: np.ndarray, clusters: Sequence[np.ndarray] = ()) -> SetAccuracy:
        crowd = crowd_sets(sets)
        return set_accuracy(crowd.member, true[crowd.items], clusters=clusters)

    def truth(rng: np.random.Generator) -> tuple[np.ndarray, SetAccuracy, np.ndarray]:
        skill = labeling.draw_raters(rng)
        sets, true = labeling.draw(rng, skill, LARGE)
        return skill, compare(sets, true), np.array([one.value for one in label_shares(sets)])

    def study(
        rng: np.random.Generator, true: tuple[np.ndarray, SetAccuracy, np.ndarray]
    ) -> Mapping[str, bool | None]:
        sets, gold = labeling.draw(rng, true[0])
        result, expected = compare(sets, gold, clusters), true[1]
        label, shares = int(rng.integers(len(labeling.prevalence))), label_shares(sets, clusters=clusters)
        return {
            EXACT: _covers(result.exact, expected.exact.value),
            INDEX: _covers(result.jaccard, expected.jaccard.value),
            PRECISION: _covers(result.precision[label], expected.precision[label].value),
            RECALL: _covers(result.recall[label], expected.recall[label].value),
            F1: _covers(result.f1[label], expected.f1[label].value),
            SHARE: _covers(shares[label], float(true[2][label])),
        }

    kinds = dict.fromkeys((EXACT, INDEX, PRECISION, RECALL, F1, SHARE), "interval")
    return Simulation("label_sets", f"accuracy: {labeling.words}", labeling.words, kinds, study, truth)


SKEWED = (0.6, 0.3, 0.1, 0.05)
LABELINGS = (
    Labeling(20, 4),
    Labeling(40, 3, SKEWED),
    Labeling(60, 12, per_item=4),
    Labeling(80, 6, SKEWED, unequal=1.0),
    Labeling(60, 20, (0.8, 0.3, 0.2, 0.1, 0.05), per_item=3, loads="Zipf"),
    Labeling(100, 8, error=0.4),
)
CLUSTERED = (
    Labeling(60, 4, topics=12),
    Labeling(120, 8, SKEWED, topics=15),
    Labeling(120, 20, per_item=4, topics=20, loads="Zipf"),
    Labeling(160, 5, topics=20, systems=8),
    Labeling(120, 8, (0.4, 0.2), topics=12, systems=10),
)
SIMULATIONS = (
    *(agreement(each, "these raters") for each in LABELINGS),
    *(agreement(each, "raters like these") for each in LABELINGS if each.raters >= 6),
    agreement(Labeling(30, 8), "raters like these"),
    *(
        agreement(each, scope)
        for each in CLUSTERED
        for scope in SCOPES
        if each.raters >= 6 or scope == SCOPES[0]
    ),
    *map(
        labelers,
        (Labeling(20, 6), Labeling(30, 10, SKEWED), Labeling(40, 20, per_item=6), Labeling(25, 8, error=0.4)),
    ),
    *map(
        accuracy,
        (
            Labeling(20, 3),
            Labeling(30, 5, SKEWED),
            LABELINGS[2],
            LABELINGS[3],
            Labeling(200, 5, error=0.3),
            *CLUSTERED,
        ),
    ),
)
