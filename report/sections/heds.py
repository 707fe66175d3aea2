"""The human evaluation datasheet (HEDS 3.0), as far as the data say it; the rest as questions."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.kinds.definitions import KINDS
from features.plotting.numbers import count
from features.polls import is_pairs
from features.results import query, read_report
from features.study import Scenario, Study
from features.tables import DASH
from features.verdicts import clear, sentence_of
from features.words import listed, of_many, plain
from report.parts.model import Section, Table

TO_SAY = "Please answer: "
"""Before what the data cannot say."""


def section(study: Study, scenario: Scenario, others: Sequence[Section] = ()) -> Section:
    """A row per question of the form; what `others` found of power and agreement is its answer there."""
    asked = sorted(_rows(study, scenario, others), key=lambda row: _place(row[0]))
    rows = pd.DataFrame(asked, columns=["No.", "What is asked", "Answer"])
    open_ones = int(rows["Answer"].str.contains(TO_SAY, regex=False).sum())
    return Section(
        "heds",
        "Human evaluation datasheet",
        findings=[
            clear(
                "The data answer <b>{known}</b> of {all} questions of the datasheet.",
                {"all": len(rows), "known": len(rows) - open_ones},
                f"{open_ones} are left to answer",
            )
        ],
        tables=[
            Table("heds", ("HEDS 3.0, by the numbers of its questions.", {}), (rows, {})),
        ],
        methods=[
            (
                "Numbers are those of the HEDS 3.0 form (Belz and Thomson 2025), questions are in fewer words and "
                "without its multiple choices: the form itself is at nlp-heds.github.io. 4.1.1 to 4.3.12.2 are asked "
                "once per criterion.",
                {},
            )
        ],
        cited=["belz2025"],
    )


def _place(number: str) -> list[int]:
    """Return where a question stands in the form.

    >>> _place("1.3.1.1–1.3.1.3") < _place("4.3.2") < _place("4.3.11.1")
    True
    """
    return [int(part) for part in number.split("–")[0].split(".")]


_RESOURCES = (
    ("1.1.1", "Main reference", "a link to the paper, or that it is unpublished or for preregistration."),
    ("1.1.2", "Which experiment this is about", "the section or table of the paper that shows it."),
    ("1.2", "Resources used", "where outputs, instructions and interface can be found."),
    ("1.3.1.1–1.3.1.3", "Who fills this in", "name, affiliation, e-mail address."),
    ("1.3.2.1–1.3.2.3", "Contact author", "name, affiliation, e-mail address."),
)
_SYSTEMS = (
    ("2.1", "Input of the systems", "its type."),
    ("2.2", "Output of the systems", "its type."),
    ("2.3", "Task of the systems", "how input becomes output."),
    ("2.4", "Languages of the input", "by name."),
    ("2.5", "Languages of the output", "by name."),
)
_EVALUATORS = (
    ("3.2.2.1", "Are they domain experts", "yes, no, or why not applicable."),
    ("3.2.2.2", "Were they paid", "with money, otherwise, or not."),
    ("3.2.2.3", "Were they known to the authors", "yes or no."),
    ("3.2.2.4", "Were authors among them", "yes or no."),
    ("3.2.3", "How they were recruited", "where, by whom, by which criteria."),
    ("3.2.4", "Training and practice", "what they saw and tried before."),
)
_DESIGN = (
    ("3.3.4.1", "What they saw: where", "a link to screens or a copy."),
    ("3.3.4.2", "What they saw: which information", "item, instrument, instructions, definitions."),
    ("3.3.5", "When and how quickly", "how free they were in this."),
    ("3.3.6", "Could they ask or give feedback", "when, and how."),
    ("3.3.7", "Where they rated", "at a place of their own, or in a laboratory."),
    ("3.3.8", "How conditions varied between evaluators", "for those not held the same; N/A if all were."),
)
_CRITERION = (
    ("4.1.1", "Type of quality", "correctness, goodness, or a feature, which more of is not always better."),
    ("4.1.2", "Aspect of the outputs", "form, content, or both."),
    ("4.1.3", "Relative to what", "itself, the input, or something outside."),
    ("4.2.1", "Objective or subjective", "which."),
    (
        "4.2.3",
        "Intrinsic or extrinsic",
        "by the outputs alone, or by what they do for a task or another system.",
    ),
    ("4.3.1.2", "Standardised name", "its name in a set such as QCET."),
    ("4.3.2", "Definition as the raters saw it", "word for word."),
)
_ELICITATION = (
    ("4.3.5", "How the scale was presented", "multiple choice, slider, …"),
    ("4.3.7", "Question or instruction", "word for word."),
)
_ETHICS = (
    ("5.1", "Research ethics committee", "which one approved this or the larger study, or that none did."),
    (
        "5.2",
        "Personal data (GDPR, article 4)",
        "whether outputs or responses hold any, and how it was handled as the GDPR asks.",
    ),
    ("5.3", "Special categories of data (GDPR, article 9)", "the same of these."),
    (
        "5.4",
        "Impact assessments",
        "those carried out in writing, with their outcome and a link, or that none was.",
    ),
)
Rows = Iterator[tuple[str, str, str]]


def _asked(questions: Sequence[tuple[str, str, str]]) -> Rows:
    return ((number, what, TO_SAY + how) for number, what, how in questions)


def _rows(study: Study, scenario: Scenario, others: Sequence[Section]) -> Rows:
    dataset, kind = study.whole, KINDS[study.whole.kind]
    overview, kept = query(study.dataset, "overview"), read_report(dataset) or {}
    yield from _asked(_RESOURCES)
    yield from _asked(_SYSTEMS[:2])
    systems = _systems(study)
    yield "2.3", "Task of the systems", (f"Systems: {systems}. " if systems else "") + TO_SAY + _SYSTEMS[2][2]
    yield from _asked(_SYSTEMS[3:])
    yield "3.1.1", "How many outputs per system", _outputs(study, of_many(overview["items"][0], kind.items))
    yield "3.1.2", "How these were selected", TO_SAY + "at random, by hand, all there are; of how many."
    yield from _of_power(others)
    raters = count(overview["raters"][0])
    yield "3.2.1", "How many evaluators", raters if study.raters_are_persons else TO_SAY + SLOTS
    yield from _asked(_EVALUATORS)
    told = [f"{listed(study.groups, 20)}. "] if len(study.groups) > 1 else []
    yield (
        "3.2.5",
        "Other characteristics",
        "".join([*told, TO_SAY, "age, place, education, …, with numbers."]),
    )
    yield "3.3.1", "Preregistered", TO_SAY + "yes, with a link, or no."
    yield "3.3.2", "Medium of the responses", TO_SAY + "paper, form, platform."
    yield "3.3.3.1", "Types of quality assurance", _quality(study, kept)
    yield "3.3.3.2", "What was done for it, and who was left out", _left_out(scenario, kept)
    yield from _asked(_DESIGN)
    yield from _of_criteria(study, others)
    yield from _asked(_ETHICS)


SLOTS = "ids are slots of the interface, not persons."
_AS_HERE = "As in the methods of this report."
_FORMS = {
    "ratings": "Direct quality estimation on a scale.",
    "choices": "Relative quality estimation, or classification.",
    "comprehension": "Questions about the text, answered from another.",
    "relevance": "Relevance judgments.",
}


def _of_power(others: Sequence[Section]) -> Rows:
    """Return what HEDS asks of power; the study's own plan is not known, what its size finds is."""
    method, power = "3.1.3.1", "3.1.3.2"
    plan = next((one for one in others if one.name == "planning"), None)
    before = TO_SAY + "the method by which the size was chosen, if one was."
    yield method, "Method of the power analysis", before
    here = " ".join(plain(sentence_of(one)) for one in plan.findings) if plan else ""
    yield (
        power,
        "Statistical power of the sample",
        f"{here} " + TO_SAY + "what was planned."
        if here
        else (TO_SAY + "its numbers, if it was worked out."),
    )
    yield (
        "3.1.3.3",
        "Code of the power analysis",
        ("As in the section on planning of this report." if here else TO_SAY + "a link."),
    )


def _of_criteria(study: Study, others: Sequence[Section]) -> Rows:
    """Part 4, each question once for all criteria."""
    measures, kind = study.measures, study.whole.kind
    yield (
        "4.3.1.1",
        "Names of the criteria",
        listed(measures, 20) if measures else TO_SAY + "as the raters saw them.",
    )
    yield from _asked(_CRITERION)
    if measures:
        yield "4.2.2", "Absolute or relative", "Absolute: single items were rated."
        values = {measure: _values(study, measure) for measure in measures}
        sizes = {measure: _size(held) for measure, held in values.items()}
        ends = {measure: f"from {held[0]:g} to {held[-1]:g}" for measure, held in values.items() if len(held)}
        yield (
            "4.3.3",
            "Size of the scale",
            f"Values in the data: {_told(sizes)}. {TO_SAY}all that were possible.",
        )
        yield "4.3.4", "Values of the scale", f"In the data {_told(ends)}. {TO_SAY}all that were possible."
        yield "4.3.6", "Task where there is no scale", "N/A"
        yield "4.3.9", "How responses were aggregated", "An item's value is the mean of its ratings (MOS)."
    else:
        yield "4.2.2", "Absolute or relative", "Relative." if is_pairs(study) else TO_SAY + "which."
        yield "4.3.6", "Task where there is no scale", TO_SAY + "what they did, and what was recorded."
        yield "4.3.9", "How responses were aggregated", _AS_HERE
    yield from _asked(_ELICITATION)
    yield "4.3.8", "Form of the responses", _FORMS[kind]
    yield "4.3.10", "Effect size and significance", _AS_HERE
    if agreed := _agreement(others):
        yield "4.3.11.1", "Agreement between evaluators: how", "Krippendorff's alpha (interval) and ICC."
        yield "4.3.11.2", "Agreement between evaluators: score", agreed
    else:
        yield "4.3.11.1–4.3.11.2", "Agreement between evaluators", TO_SAY + "how, and how much, if assessed."
    yield "4.3.12.1–4.3.12.2", "Agreement within an evaluator", TO_SAY + "how, and how much, if assessed."


MOST_STEPS = 101
"""Different scores above which a scale counts as continuous."""


def _size(values: NDArray[np.float64]) -> str:
    return count(len(values)) if len(values) <= MOST_STEPS else "continuous"


def _told(by_measure: Mapping[str, str]) -> str:
    """Return what all measures have alike, else measure by measure."""
    if len(set(by_measure.values())) == 1:
        return next(iter(by_measure.values()))
    return "; ".join(f"{measure} {told}" for measure, told in by_measure.items())


def _agreement(others: Sequence[Section]) -> str:
    """Each alpha, as the section on agreement has it."""
    tables = [table for one in others for table in one.tables if table.name == "agreement"]
    told = []
    for shown in (table.printed for table in tables):
        for row in shown.rows:
            of = dict(zip(shown.heads, row, strict=True))
            if of.get("Alpha", DASH) != DASH:
                told.append(", ".join(of[head] for head in ("Measure", "Group", "Alpha") if of.get(head)))
    return f"Alpha: {'; '.join(told)}." if told else ""


def _outputs(study: Study, in_all: str) -> str:
    """Return how many outputs of each system were evaluated."""
    if study.whole.kind != "ratings" or not study.whole.has("system"):
        return f"{in_all} in all. {TO_SAY}how many of each system; if not as many of each, why."
    _, each = np.unique(query(study.dataset, "systems")["system"], return_counts=True)
    if each.min() == each.max():
        return f"{count(each[0])} ({in_all} in all)."
    least, most = count(each.min()), count(each.max())
    why = "why not as many of each."
    return f"{least} to {most}, {count(np.median(each))} in the middle ({in_all} in all). {TO_SAY}{why}"


def _systems(study: Study) -> str:
    if study.whole.kind == "ratings" and study.whole.has("system"):
        names = query(study.whole, "labels", column="system")["name"].tolist()
        return f"{count(len(names))}: {listed(names, 12)}"
    if study.whole.kind == "choices" and study.whole.has("option_a"):
        names = query(study.whole, "options")["name"].tolist()
        return f"{count(len(names))}: {listed(names, 12)}"
    return ""


def _quality(study: Study, kept: dict[str, object]) -> str:
    told = ["check questions, apart from all figures"] if kept.get("check_rows") else []
    return "; ".join(told) + "." if told else TO_SAY + "how attention and qualification were checked."


def _left_out(scenario: Scenario, kept: dict[str, object]) -> str:
    told = [f"{kept['set_aside']} rows set aside at import"] if kept.get("set_aside") else []
    if scenario.excludes:
        gone = of_many(len(scenario.names), "raters")
        told.append(f"{gone} left out ({scenario.name}): {listed(scenario.names, 12)}")
    else:
        told.append("no rater left out")
    words = "; ".join(told)
    return f"{words[:1].upper()}{words[1:]}. {TO_SAY}what was done while ratings came in."


def _values(study: Study, measure: str) -> NDArray[np.float64]:
    """The scores that the data hold of one measure, each once."""
    each = [query(study.whole, "ratings", measure=measure, group=group)["score"] for group in study.groups]
    return np.unique(np.concatenate(each)) if each else np.empty(0)
