"""Planning: what to collect next, what a further study as large as this one would find, and a kept view's plan."""

from collections.abc import Mapping, Sequence
from itertools import product

from analysis.values.estimate import InputError
from features.assessments import is_pairs
from features.planning.replication import replicate
from features.planning.section import plan_section, replication_section, usual_collection, votes_section
from features.planning.specs import COLLECT, Address, ask_plan, questions, usual_question
from features.study import Study
from report.asked import Asked, of_each_group
from report.blocks import Section, section_of

TITLE, COLLECTION_TITLE = "Planning a further study", COLLECT


def section(study: Study, asked: Asked) -> Section | None:
    """Return what a study of this size finds and how precisely; None where nothing can be planned from it."""
    if study.holds_choices:
        return section_of("planning", TITLE, votes_section(study)) if is_pairs(study) else None
    each = product(of_each_group(study, asked), study.measures)
    made = [found for of, measure in each if (found := replicate(of, measure, asked.generalize)) is not None]
    return section_of("planning", TITLE, replication_section(made)) if made else None


def collection(study: Study) -> Section | None:
    """Return what to collect next for the usual goal; None where the page would not say so first."""
    blocks = list(usual_collection(study))
    return section_of("collection", COLLECTION_TITLE, blocks) if blocks else None


def of_view(study: Study, parameters: Mapping[str, Sequence[str]]) -> Section | None:
    """Return the plan that a kept view of the page Planning holds; None where its address asks for none."""
    address, usual = Address(parameters), usual_question(study, parameters)
    question = address.text("", "plan", usual)
    try:
        spec = ask_plan(study, question if question in questions(study) else usual, address)
        return section_of("planning", TITLE, plan_section(study, spec))
    except InputError:  # an address that somebody typed
        return None
