"""Labels of a study of choices: how common each class is, and labels compared with known answers."""

from dataclasses import replace

from analysis.systems.label_accuracy import DRAWS_OF_FITTED
from features.blocks import Block, Figure, Finding, Table, Text, Warning
from features.polls import is_pairs, polls, pooled
from features.study import Study
from features.systems.labels_results import ClassesSpec, KnownSpec, has_methods
from features.systems.labels_section import classes_section, crowd_section, known_method, labels_section
from report.parts.asked import Asked
from report.parts.model import Section
from report.parts.of_blocks import section_of, together

TITLE = "Labels and known answers"
MOST_COMPARED = 12
"""Pairs of systems up to which the labels of each are compared with gold."""


def section(study: Study, asked: Asked) -> Section | None:
    """Return the section on labels; None for pairs of systems without known answers."""
    there, bootstrap = polls(study), asked.bootstrap()
    if not there or (is_pairs(study) and not pooled(study)[0].known_answers):
        return None
    spec = KnownSpec(bootstrap=bootstrap, draws_of_fitted=min(bootstrap.draws, DRAWS_OF_FITTED))
    parts = [] if is_pairs(study) else [section_of("labels", TITLE, classes_section(study, ClassesSpec()))]
    parts.append(section_of("labels", TITLE, crowd_section(study, spec)))
    if has_methods(study) and len(there) <= MOST_COMPARED:
        for nth, poll in enumerate(there, 1):
            blocks = labels_section(study, replace(spec, comparison=poll.name))
            if len(there) > 1:
                blocks = (_with_comparison(block, poll.name) for block in blocks)
            parts.append(section_of("labels", TITLE, blocks, f"-{nth}" if len(there) > 1 else ""))
    return together([*parts, section_of("labels", TITLE, [known_method(spec)])])


def _with_comparison(block: Block, name: str) -> Block:
    """Return a block that names the comparison that it is about."""

    def named(text: Text) -> Text:
        return "{comparison}: " + text[0], {**text[1], "comparison": name}

    match block:
        case Finding():
            return replace(block, headline=named(block.headline))
        case Figure() | Table():
            return replace(block, caption=named(block.caption))
        case Warning():
            return replace(block, text=named(block.text))
    return block
