"""Cards of the overview: the finding and the first figure of each page that can answer for the open data set."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import nan

import numpy as np

from analysis.values.estimate import Estimate, shorten
from features.agreement.section import agreement_card
from features.agreement.sets import sets_card
from features.assessments import count_compared_systems, is_pairs, labeled, polls, ranked
from features.blocks import Block, Finding, Status, card_of, confidence_interval, last_stage
from features.comparison.results import group_stages
from features.comparison.section import card_spec, groups_card
from features.comprehension.results import AnswersSpec
from features.comprehension.section import length_section, shares_section
from features.distributions.section import distributions_card
from features.notices import has_repeated_ratings, holding_of
from features.planning.section import usual_collection
from features.plotting.panels import MOST
from features.plotting.theme import NumberFormat, by_group, count, decimal
from features.program import PRINTED, program
from features.raters.answer_agreement import labelers_card, rankers_card
from features.raters.consistency_section import consistency_card
from features.raters.workers import workers_card
from features.relevance.agreement_results import AccuracySpec, RatersSpec
from features.relevance.agreement_section import accuracy_section, raters_section
from features.repetitions.ratings_results import TARGET, Needed, count_ratings_needed
from features.repetitions.ratings_section import ratings_card
from features.repetitions.votes import votes_card
from features.replacement.section import replacement_card
from features.study import WITH_GROUPS, Scenario, Study
from features.systems.crowd_sets import crowd_sets_card
from features.systems.labels_section import labels_card
from features.systems.pairs_section import pair_card
from features.systems.rankings import rankings_card
from features.systems.scale_section import scale_card
from features.systems.scores_section import scores_card
from features.words import Sentence


@dataclass(frozen=True)
class Card:
    """A card: its name, its title, and a function that computes its blocks; slow cards come last.

    `page` is the script of the page that holds the whole answer. A card that `can_answer` is shown, others are named.
    """

    name: str
    title: str
    page: str
    blocks: Callable[[], Iterable[Block]]
    is_slow: bool = False
    can_answer: bool = True


SMALL = "<span style='font-size:.9rem;opacity:.8'>"


@dataclass(frozen=True)
class Tile:
    """A figure of the measure that is worst by it; `why` says why it is undefined."""

    label: str
    value: str
    interval: str
    about: str
    why: str = ""

    @property
    def told(self) -> Sentence:
        """The tile in lines, the value large."""
        lines = [f"{SMALL}{{label}}</span>", "<span style='font-size:1.9rem;font-weight:600'>{value}</span>"]
        lines += [f"{SMALL}{{{name}}}</span>" for name in ("interval", "about", "why") if getattr(self, name)]
        return "<br>".join(lines), asdict(self)


def cards_of(study: Study, scenario: Scenario, comparison: str, full_text: str) -> list[Card]:
    """Return the cards of a data set, the most important first; `comparison` titles the page that compares groups."""
    match study.dataset.kind:
        case "ratings":
            return list(_of_ratings(study, scenario, comparison))
        case "choices":
            return list(_of_choices(study)) if polls(study) else []
        case "label sets":
            return list(_of_label_sets(study, scenario)) if len(labeled(study).sets) else []
        case "rankings":
            return list(_of_rankings(study)) if len(ranked(study)) else []
        case "comprehension":
            shares, length = (
                _card(of, study, scenario, AnswersSpec()) for of in (shares_section, length_section)
            )
            page = "comprehension.py"
            return [
                Card("shares", "How much is shared", page, shares),
                Card("length", "Summary length", page, length),
            ]
    accuracy = _card(accuracy_section, study, scenario, AccuracySpec(full_text=full_text))
    kappa = _card(raters_section, study, scenario, RatersSpec(full_text=full_text))
    page = "relevance.py"
    return [
        Card("accuracy", "Which summaries suffice", page, accuracy),
        Card("kappa", "Do raters agree", page, kappa),
    ]


def _card(section: Callable[..., Iterable[Block]], *arguments: object) -> Callable[[], list[Block]]:
    return lambda: card_of(section(*arguments))


def _of_ratings(study: Study, scenario: Scenario, comparison: str) -> Iterator[Card]:
    if study.comparable:
        yield Card("comparison", comparison, "crowd_vs_lab.py", partial(groups_card, study), is_slow=True)
    else:
        has_repeats = has_repeated_ratings(holding_of(study.whole))
        yield Card(
            "agreement",
            "Agreement",
            "agreement.py",
            partial(agreement_card, study, scenario),
            is_slow=has_repeats,
        )
    yield Card("repetitions", "Repetitions", "repetitions.py", partial(ratings_card, study))
    yield Card(
        "distributions", "Distributions", "distributions.py", partial(distributions_card, study, comparison)
    )
    some = replace(study, measures=study.measures[:MOST])
    if study.raters_are_persons:
        yield Card("raters", "Raters", "assessors.py", partial(consistency_card, some, scenario))
    if study.whole.has("system"):
        yield Card(
            "systems", "Ranking systems", "systems.py", partial(scores_card, study, scenario), is_slow=True
        )
    if study.raters_are_persons:
        yield Card("replacement", "Replacing raters", "standing_in.py", partial(replacement_card, study))
    yield Card("planning", "Planning", "planning.py", _card(usual_collection, study))


def _of_choices(study: Study) -> Iterator[Card]:
    card: tuple[str, str, Callable[[Study], Iterable[Block]]] = ("pair", "Ranking systems", pair_card)
    if not is_pairs(study):
        card = "labels", "Labels", labels_card
    elif count_compared_systems(study) > 2:
        card = "scale", "Ranking systems", scale_card
    yield Card(*card[:2], "systems.py", partial(card[2], study))
    if study.raters_are_persons:
        yield Card("raters", "Raters", "workers.py", partial(workers_card, study))
    yield Card("repetitions", "Repetitions", "repetitions.py", partial(votes_card, study))
    if study.raters_are_persons:
        yield Card("replacement", "Replacing raters", "standing_in.py", partial(replacement_card, study))
    yield Card("planning", "Planning", "planning.py", _card(usual_collection, study))


def _of_rankings(study: Study) -> Iterator[Card]:
    yield Card("scale", "Ranking systems", "systems.py", partial(rankings_card, study))
    if study.raters_are_persons:
        yield Card("raters", "Raters", "workers.py", partial(rankers_card, study))


def _of_label_sets(study: Study, scenario: Scenario) -> Iterator[Card]:
    yield Card("agreement", "Agreement", "agreement.py", partial(sets_card, study, scenario))
    yield Card("labels", "Labels", "systems.py", partial(crowd_sets_card, study))
    yield Card("raters", "Raters", "workers.py", partial(labelers_card, study))


def answering_cards(cards: Iterable[Card]) -> Iterator[Card]:
    """Yield each card as soon as it is ready, a quick one with computed blocks; those that cannot answer come last.

    Whether a slow one can answer is not known before it is computed; where no page can, all are shown.
    """
    missing, is_shown = [], False
    for card in cards:
        blocks = None if card.is_slow else list(card.blocks())
        ready = card if blocks is None else replace(card, blocks=partial(list, blocks))
        if blocks is None or answers(blocks):
            is_shown = True
            yield ready
        else:
            missing.append(ready)
    yield from (replace(card, can_answer=not is_shown) for card in missing)


def answers(blocks: Iterable[Block]) -> bool:
    """Return False for a card without blocks, or whose main finding says that the data cannot answer."""
    drawn = list(blocks)
    main = [one for one in drawn if isinstance(one, Finding) and one.is_main]
    if not main:
        return bool(drawn)
    return main[-1].status not in (Status.NOT_ENOUGH_DATA, Status.NOT_APPLICABLE)


def rating_tiles(study: Study) -> list[Tile]:
    """Return agreement, reliability and ratings needed, each of the measure that is worst by it."""
    if study.dataset.kind != "ratings" or study.reference == study.candidate:
        return []
    needed = count_ratings_needed(study)
    if not any(one.agreement.alpha.defined for one in needed):
        return []
    numbers = {one.measure: one.ratings if one.has_number else _no_number(one) for one in needed}
    raters = f"raters in {shorten(study.candidate, 24)}" if len(study.groups) > 1 else "raters"
    mean, ratings = (
        by_group(title, study.candidate, study.groups)
        for title in ("Reliability of an item's mean", "Ratings needed per item")
    )
    return [
        _tile(f"Agreement of {raters}, α", {one.measure: one.agreement.alpha for one in needed}),
        _tile(mean, {one.measure: one.agreement.mean for one in needed}),
        _tile(f"{ratings}, for {TARGET:.2f}", numbers, count, highest=True),
    ]


def _no_number(needed: Needed) -> Estimate:
    """Return why no number of ratings can be named."""
    one = needed.agreement.one
    if one.warning:
        return Estimate(nan, reason="too few data for a reliable interval of the reliability")
    includes = "the 95% CI of the reliability includes 0"
    return Estimate(nan, reason=includes if one.low <= 0 else needed.ratings.reason)


def correlation_tile(study: Study) -> Tile | None:
    """Return the lowest correlation with the reference; None where there is none to compare with."""
    if not study.comparable:
        return None
    found = last_stage(group_stages(study, card_spec(study))).by_group.get(study.candidate)
    if found is None or not found.rows:
        return None
    label = f"Correlation with {shorten(found.reference)}, ρ"
    return _tile(label, {measure: one.spearman for measure, one in found.rows})


def _tile(
    label: str,
    found: Mapping[str, Estimate],
    written: NumberFormat = decimal,
    highest: bool = False,
) -> Tile:
    known = [measure for measure, one in found.items() if one.defined]
    if not known:
        return Tile(label, "–", "", "", next(iter(found.values())).reason)
    measure = (max if highest else min)(known, key=lambda name: found[name].value)
    one = found[measure]
    has_ends = np.isfinite([one.low, one.high]).any()
    interval = confidence_interval(one, written) if has_ends else ""
    which = "highest" if highest else "lowest"
    about = f"{which} of {len(found)}: {shorten(measure)}" if len(found) > 1 else ""
    return Tile(label, written(one.value), interval, about)


def overview_program(study: Study) -> str:
    """Return a program that counts what the data set holds; other pages have programs for their numbers."""
    asked = ["overview", "cells"] if study.dataset.kind in WITH_GROUPS else ["overview"]
    return program(
        study, [], [f"results = {{what: store.query(dataset, what) for what in {asked}}}", *PRINTED]
    )
