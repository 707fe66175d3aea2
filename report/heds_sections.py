"""Human evaluation datasheet (HEDS 3.0): answers from the data, and questions that remain."""

import tomllib
from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from data.kinds.definitions import KINDS
from features.assessments import is_pairs
from features.blocks import clear
from features.exclusion import system_differences
from features.plotting.theme import count, decimal
from features.study import Scenario, Study, query, read_report
from features.words import DASH, listed, of_many
from report.blocks import Section, Table
from report.settings import SECTION_TITLES

PLEASE_ANSWER = "Please answer: "
"""Prefix of questions that the data cannot answer."""


def section(study: Study, scenario: Scenario, sections: Sequence[Section] = ()) -> Section:
    """Return the datasheet, one row per question, with agreement from `sections`."""
    answers = _collect_answers(study, scenario, sections)
    agreed = "4.3.11.1" in answers
    entries = [
        (number, question, answers.get(number) or PLEASE_ANSWER + request)
        for number, question, request in _questions()
        if (answers.get(number) or request) and not (agreed and number == "4.3.11.1–4.3.11.2")
    ]
    rows = pd.DataFrame(entries, columns=["No.", "What is asked", "Answer"])
    open_ones = int(rows["Answer"].str.contains(PLEASE_ANSWER, regex=False).sum())
    return Section(
        "heds",
        SECTION_TITLES["heds"],
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


def _questions() -> list[tuple[str, str, str]]:
    text = (Path(__file__).parent / "heds.toml").read_text(encoding="utf-8")
    return [(number, what, how) for number, what, how in tomllib.loads(text)["questions"]]


_AS_HERE = "As in the methods of this report."
_FORMS = {
    "ratings": "Direct quality estimation on a scale.",
    "choices": "Relative quality estimation, or classification.",
    "label sets": "Classification: several labels per answer.",
    "rankings": "Relative quality estimation: ranking.",
    "comprehension": "Questions about the text, answered from another.",
    "relevance": "Relevance judgments.",
}


def _collect_answers(study: Study, scenario: Scenario, sections: Sequence[Section]) -> dict[str, str]:
    """Return the answers by question number, with the open part of partly answered questions."""
    kind, import_report = KINDS[study.whole.kind], read_report(study.whole) or {}
    overview = query(study.dataset, "overview")
    answers = {
        "3.1.1": _count_outputs(study, of_many(overview["items"][0], kind.items)),
        "3.3.3.2": _describe_exclusions(scenario, import_report),
        "4.3.8": _FORMS[study.whole.kind],
        "4.3.10": _AS_HERE,
        **_answer_criteria(study),
    }
    if systems := _list_systems(study):
        answers["2.3"] = f"Systems: {systems}. {PLEASE_ANSWER}how input becomes output."
    if study.raters_are_persons:
        answers["3.2.1"] = count(overview["raters"][0])
    if len(study.groups) > 1:
        answers["3.2.5"] = (
            f"{listed(study.groups, 20)}. {PLEASE_ANSWER}age, place, education, …, with numbers."
        )
    if import_report.get("check_rows"):
        answers["3.3.3.1"] = "check questions, apart from all figures."
    if detected := _detected_differences(study, scenario):
        text = f"Differences between systems that are detected with 80% power, all pairs tested: {detected}."
        answers["3.1.3.2"] = f"{text} {PLEASE_ANSWER}what was planned."
        answers["3.1.3.3"] = "As in the section on systems of this report."
    if agreed := _list_alphas(sections):
        answers["4.3.11.1"] = "Krippendorff's alpha (interval) and ICC."
        answers["4.3.11.2"] = agreed
    return answers


def _detected_differences(study: Study, scenario: Scenario) -> str:
    """Return the difference that a study of this size detects on each measure, "" where none is known."""
    measures = study.measures if study.whole.has("system") else ()
    pairs = {measure: system_differences(study, measure, scenario) for measure in measures}
    known = {measure: one.detectable for measure, one in pairs.items() if not isnan(one.detectable)}
    return listed([f"{decimal(d)} on {measure}" for measure, d in known.items()], 20)


def _answer_criteria(study: Study) -> dict[str, str]:
    """Return the answers of part 4, once for all criteria."""
    measures = study.measures
    if not measures:
        return {
            "4.3.9": _AS_HERE,
            **({"4.2.2": "Relative."} if is_pairs(study) or study.holds_rankings else {}),
        }
    values = {measure: _distinct_scores(study, measure) for measure in measures}
    sizes = {measure: _scale_size(held) for measure, held in values.items()}
    ranges = {measure: f"from {held[0]:g} to {held[-1]:g}" for measure, held in values.items() if len(held)}
    return {
        "4.2.2": "Absolute: single items were rated.",
        "4.3.1.1": listed(measures, 20),
        "4.3.3": f"Values in the data: {_join_by_measure(sizes)}. {PLEASE_ANSWER}all that were possible.",
        "4.3.4": f"In the data {_join_by_measure(ranges)}. {PLEASE_ANSWER}all that were possible.",
        "4.3.6": "N/A",
        "4.3.9": "An item's value is the mean of its ratings (MOS).",
    }


MAX_SCALE_POINTS = 101
"""Different scores above which a scale counts as continuous."""


def _scale_size(values: NDArray[np.float64]) -> str:
    return count(len(values)) if len(values) <= MAX_SCALE_POINTS else "continuous"


def _join_by_measure(by_measure: Mapping[str, str]) -> str:
    """Return the common value of all measures, or the value of each measure."""
    if len(set(by_measure.values())) == 1:
        return next(iter(by_measure.values()))
    return "; ".join(f"{measure} {told}" for measure, told in by_measure.items())


def _list_alphas(sections: Sequence[Section]) -> str:
    """Return a list of the alphas in the section on agreement."""
    tables = [table for section in sections for table in section.tables if table.name == "agreement"]
    alphas = []
    for printed in (table.printed for table in tables):
        for row in printed.rows:
            row_cells = dict(zip(printed.heads, row, strict=True))
            if row_cells.get("Alpha", DASH) != DASH:
                alphas.append(
                    ", ".join(
                        row_cells[head] for head in ("Measure", "Group", "Alpha") if row_cells.get(head)
                    )
                )
    return f"Alpha: {'; '.join(alphas)}." if alphas else ""


def _count_outputs(study: Study, in_all: str) -> str:
    if study.whole.kind != "ratings" or not study.whole.has("system"):
        return f"{in_all} in all. {PLEASE_ANSWER}how many of each system; if not as many of each, why."
    _, outputs = np.unique(query(study.dataset, "systems")["system"], return_counts=True)
    if outputs.min() == outputs.max():
        return f"{count(outputs[0])} ({in_all} in all)."
    smallest, largest = count(outputs.min()), count(outputs.max())
    sizes = f"{smallest} to {largest}, {count(np.median(outputs))} in the middle"
    return f"{sizes} ({in_all} in all). {PLEASE_ANSWER}why not as many of each."


def _list_systems(study: Study) -> str:
    if study.whole.kind == "ratings" and study.whole.has("system"):
        names = query(study.whole, "labels", column="system")["name"].tolist()
        return f"{count(len(names))}: {listed(names, 12)}"
    if study.whole.kind == "choices" and study.whole.has("option_a"):
        names = query(study.whole, "options")["name"].tolist()
        return f"{count(len(names))}: {listed(names, 12)}"
    return ""


def _describe_exclusions(scenario: Scenario, import_report: dict[str, object]) -> str:
    statements = (
        [f"{import_report['set_aside']} rows set aside at import"] if import_report.get("set_aside") else []
    )
    if scenario.excludes:
        excluded = of_many(len(scenario.names), "raters")
        statements.append(f"{excluded} left out ({scenario.name}): {listed(scenario.names, 12)}")
    else:
        statements.append("no rater left out")
    words = "; ".join(statements)
    return f"{words[:1].upper()}{words[1:]}. {PLEASE_ANSWER}what was done while ratings came in."


def _distinct_scores(study: Study, measure: str) -> NDArray[np.float64]:
    each = [query(study.whole, "ratings", measure=measure, group=group)["score"] for group in study.groups]
    return np.unique(np.concatenate(each)) if each else np.empty(0)
