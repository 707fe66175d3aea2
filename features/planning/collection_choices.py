"""Choices so far under a goal of further ones: pairs of systems on one scale, or labels that are right."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from analysis.planning.collection_choices import all_pairs
from analysis.planning.open_votes import FEWEST_VOTES
from analysis.planning.promises import LACKING, NONE, Source, pair_of, root_mean_square
from analysis.planning.promises_of_choices import (
    PairsSource,
    labels_source,
    part_of_raters,
    places_on_scale,
    points_of,
)
from analysis.systems.bradley_terry import ON
from features.assessments import is_pairs, names, polls
from features.blocks import Progress
from features.planning.collection_ratings import CollectionSpec
from features.planning.votes import open_votes
from features.plotting.theme import count
from features.study import Study, key_of, result
from features.systems.scale_results import ScaleSpec, SystemsOnScale, scale_stages, usable
from features.words import counted

SCALE, TWO_ON_SCALE = "a preference scale of all systems", "two systems on the scale"
LABELS_RIGHT = "labels that are right"


def choices_source(study: Study, spec: CollectionSpec) -> Iterator[Source | Progress]:
    """Yield the choices so far under a goal."""
    if not is_pairs(study):
        yield _of_labels(study, spec)
        return
    for stage in scale_stages(study, ScaleSpec(weighted=False)):
        if isinstance(stage, Progress):
            yield stage
        else:
            found = stage
    yield _of_pairs(study, spec, found)


def _of_pairs(study: Study, spec: CollectionSpec, found: SystemsOnScale) -> Source:
    scale, intervals, votes = found.scale, usable(found.intervals), found.votes
    on = np.flatnonzero(scale.position == ON)
    if intervals is None or len(on) < 2:
        reason = found.intervals.reason if found.intervals else "the systems are not on one scale"
        return replace(LACKING, reason=reason or "the systems are not on one scale")
    systems = scale.systems[on].astype(str)
    both = np.ix_(on, on)
    compared = scale.compared[both]
    pairs = all_pairs(len(on))
    if spec.goal == TWO_ON_SCALE:
        pairs = pair_of(systems, spec.systems)
    half = root_mean_square(((intervals.difference_high - intervals.difference_low) / 2)[both], pairs)
    place, item, rater, item_of, rater_of = places_on_scale(votes, on)
    raters = names(study, "rater")[rater_of] if study.raters_are_persons else NONE
    first, second = np.triu_indices(len(on), 1)
    return PairsSource(
        np.array([f"{systems[a]} – {systems[b]}" for a, b in zip(first, second, strict=True)]),
        raters,
        compared[first, second],
        now=float(points_of(half)),
        size=(
            counted(len(on), "system"),
            counted(int(compared.sum() / 2), "comparison"),
            counted(len(raters), "rater") if len(raters) else "",
        ),
        of=len(first),
        seed=spec.seed,
        reason="" if half == half else "the two systems are not on one scale",
        systems=systems,
        strengths=scale.strength[on],
        tie=0.0 if np.isnan(scale.tie) else scale.tie,
        offered=float(scale.offered[both].sum() / max(compared.sum(), 1)),
        compared=compared,
        pairs=pairs,
        half=half,
        of_raters=part_of_raters(scale, votes.comparisons, votes.item, votes.rater, on, pairs)
        if len(raters)
        else (0.0, 0.0),
        place=place,
        item=item,
        rater=rater,
        items=names(study, "item")[item_of],
    )


def _of_labels(study: Study, spec: CollectionSpec) -> Source:
    known, poll = open_votes(study), polls(study)[0]
    if known is None:
        return replace(
            LACKING, reason=f"how often votes are right needs known answers or {FEWEST_VOTES} votes per item"
        )
    if known.accuracy <= 1 / known.options:
        return replace(LACKING, reason="votes are no better than chance")
    answer = poll.gold if (poll.gold >= 0).any() else poll.expert
    key = key_of(study.dataset, "gains of labels", study.candidate, spec.seed)
    source = result(
        key, lambda: labels_source(poll.votes, answer, known, poll.item_names, poll.rater_names, spec.seed)
    )
    votes, checked = poll.votes, int((answer >= 0).sum())
    told = f"answers of {count(checked)} known" if checked else ""
    return replace(source, size=(counted(votes.items, "item"), counted(votes.raters, "rater"), told))
