"""Cards of the overview: the finding and the first figure of each page that can answer for the open data set."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from features.agreement.section import agreement_card
from features.blocks import Block
from features.comparison.section import groups_card
from features.comprehension.section import length_card, shares_card
from features.distributions.findings import sizes_table
from features.distributions.section import distributions_card
from features.planning.section import planning_card
from features.plotting.panels import MOST
from features.polls import count_compared_systems, is_pairs, polls
from features.program import PRINTED, program
from features.raters.consistency_section import consistency_card
from features.raters.workers import votes_table, workers_card
from features.relevance.agreement_section import accuracy_card, raters_card
from features.repetitions.ratings_section import ratings_card
from features.repetitions.votes_section import votes_card
from features.replacement.section import replacement_card
from features.results import query
from features.study import Scenario, Study
from features.systems.labels_section import labels_card
from features.systems.pairs_section import pair_card
from features.systems.scale_section import scale_card
from features.systems.scores_section import scores_card
from features.tables import Shown


@dataclass(frozen=True)
class Card:
    """A card: its name, its title, and its blocks, which are computed when asked for; slow ones are asked for last."""

    name: str
    title: str
    blocks: Callable[[], Iterable[Block]]
    is_slow: bool = False


def cards_of(study: Study, scenario: Scenario, comparison: str, full_text: str) -> list[Card]:
    """Return the cards of a data set, the most important first.

    `comparison` is the title of the page that compares groups, `full_text` the text that raters judged in full.
    """
    match study.dataset.kind:
        case "ratings":
            return list(_of_ratings(study, scenario, comparison))
        case "choices":
            return list(_of_choices(study)) if polls(study) else []
        case "comprehension":
            return [
                Card("shares", "How much is shared", partial(shares_card, study, scenario)),
                Card("length", "Summary length", partial(length_card, study, scenario)),
            ]
    return [
        Card("accuracy", "Which summaries suffice", partial(accuracy_card, study, scenario, full_text)),
        Card("kappa", "Do raters agree", partial(raters_card, study, scenario, full_text)),
    ]


def _of_ratings(study: Study, scenario: Scenario, comparison: str) -> Iterator[Card]:
    if study.comparable:
        yield Card("comparison", comparison, partial(groups_card, study), is_slow=True)
    else:
        yield Card("agreement", "Agreement", partial(agreement_card, study, scenario), is_slow=True)
    yield Card("repetitions", "Repetitions", partial(ratings_card, study))
    yield Card("distributions", "Distributions", partial(distributions_card, study, comparison))
    some = replace(study, measures=study.measures[:MOST])
    yield Card("raters", "Raters", partial(consistency_card, some, scenario))
    if study.whole.has("system"):
        yield Card("systems", "Systems", partial(scores_card, study, scenario), is_slow=True)
    yield Card("replacement", "Replacing raters", partial(replacement_card, study))
    yield Card("planning", "Planning", partial(planning_card, study))


def _of_choices(study: Study) -> Iterator[Card]:
    card: tuple[str, Callable[[Study], Iterable[Block]]] = ("pair", pair_card)
    if not is_pairs(study):
        card = "labels", labels_card
    elif count_compared_systems(study) > 2:
        card = "scale", scale_card
    yield Card(card[0], "Systems", partial(card[1], study))
    yield Card("raters", "Raters", partial(workers_card, study))
    yield Card("repetitions", "Repetitions", partial(votes_card, study))
    yield Card("replacement", "Replacing raters", partial(replacement_card, study))
    if is_pairs(study):
        yield Card("planning", "Planning", partial(planning_card, study))


def counts_table(study: Study) -> tuple[str, str, Shown] | None:
    """Return heading, words and rows of what was rated by whom, or chosen how often; None for other data."""
    match study.dataset.kind:
        case "ratings":
            rows = sizes_table(query(study.dataset, "cells"))
            return "What was rated by whom", "Ratings per measure and group", rows
        case "choices":
            return "What was chosen how often", "Votes per comparison and option", votes_table(polls(study))
    return None


def overview_program(study: Study) -> str:
    """Return a program that counts what the data set holds; other pages have programs for their numbers."""
    asked = ["overview", "cells"] if study.dataset.kind in ("ratings", "choices") else ["overview"]
    return program(
        study, [], [f"results = {{what: store.query(dataset, what) for what in {asked}}}", *PRINTED]
    )
