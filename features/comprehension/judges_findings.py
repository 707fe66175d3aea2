"""Verdict on whether judges agree, with the tables of their agreement and of each judge's shares."""

from collections.abc import Iterator, Sequence
from functools import partial

from features.blocks import Finding, NextStep, Note, Table, Text, Warning
from features.comprehension.results import Judges
from features.comprehension.shares_findings import TENTH, level_columns
from features.evidence import capitalized, confidence_interval
from features.plotting.numbers import count, decimal, share
from features.tables import Column, estimate_columns, table_of
from features.verdicts import clear, excludes, not_enough_data, uncertain
from features.words import counted, listed, number_repeats, reasons

ALPHAS = {
    "binary": "R, P against I, N",
    "ordinal": "R over P over I, N",
    "nominal": "Four answers",
}
"""Names of the three alphas: the paper's second assumption, in order, and every difference alike."""
_EXACT = partial(decimal, digits=3)


def too_few_judges(present: Sequence[str]) -> Finding:
    """Return the finding of a study with one judge or none."""
    who = f"All answers are judged by {present[0]}" if present else "The file does not say who judged"
    step = NextStep("Map a column to judge_id", "datasets.py")
    headline = "Not enough data to compare judges: you have {n}, it needs 2."
    advice = "let a second judge judge some of the same questions"
    return not_enough_data(headline, {"n": len(present)}, who, advice, next_step=None if present else step)


def judges_finding(found: Judges) -> Finding:
    """Return whether judges agree beyond chance on what is shared, and how far apart their levels are."""
    alpha = found.agreement.alpha["binary"]
    judges = counted(len(found.present), "judge")
    if not alpha.defined:
        headline = "Not enough data to say whether judges agree."
        return not_enough_data(headline, {}, capitalized(alpha.reason), judges, _levels(found))
    line = (confidence_interval(alpha), counted(alpha.n, "question"), judges, _levels(found))
    if excludes(alpha) and alpha.value > 0:
        headline = "Judges agree beyond chance on what is shared, alpha = {alpha}."
        return clear(headline, {"alpha": decimal(alpha.value)}, *line)
    return uncertain(
        "Judges do not clearly agree beyond chance on what is shared.",
        {},
        f"alpha = {decimal(alpha.value)}",
        *line,
    )


def _levels(found: Judges) -> str:
    """Return the levels by the lowest and the highest judge."""
    levels = found.agreement.by_judge
    of = {found.names[at]: levels.estimate(at, "R+P") for at in found.present if at < len(levels)}
    known = sorted((name for name in of if of[name].defined), key=lambda name: of[name].value)
    if len(known) < 2:
        return ""
    low, high = known[0], known[-1]
    return f"R + P {share(of[low].value)} by {low}, {share(of[high].value)} by {high}"


def judges_warnings(found: Judges) -> Iterator[Warning]:
    """Yield judges of fewer questions, repeated and unnamed answers, and missing intervals."""
    agreement, told = found.agreement, list[Text]()
    questions = agreement.by_judge.questions
    fewer = [
        found.names[at] for at in found.present if at < len(questions) and questions[at] < questions.max()
    ]
    if fewer:
        text = (
            "{who} judged fewer questions than others did: a part of the differences between judges may come from "
            "the questions."
        )
        told.append((text, {"who": listed(fewer)}))
    if agreement.unnamed:
        answers = {"n": counted(agreement.unnamed, "answer")}
        told.append(("{n} without a judge's name are left out here.", answers))
    if agreement.repeated:
        text = "{n} to a question that the same judge had answered before: the first answer counts for agreement."
        told.append((text, {"n": counted(agreement.repeated, "answer")}))
    told += reasons(e.reason for name, e in agreement.alpha.items() if e.defined or name != "binary")
    yield from map(Warning, number_repeats(told))


def judges_notes(found: Judges) -> Iterator[Note]:
    """Yield what machines' summaries are part of."""
    if found.are_machines_out:
        yield Note(("Shares leave machines' summaries out; agreement counts them.", {}))


def judges_table(found: Judges) -> Table:
    """Return each judge's shares."""
    levels = found.agreement.by_judge
    codes = [at for at in found.present if at < len(levels)]
    columns = level_columns([(levels, at) for at in codes])
    judges = Column("Judge", [found.names[at] for at in codes])
    return table_of("judges", "Shares of the four answers by each judge.", [judges, *columns])


def alphas_table(found: Judges) -> Table:
    """Return the three alphas."""
    alphas = [found.agreement.alpha[name] for name in ALPHAS]
    return table_of(
        "alphas",
        "Krippendorff's alpha by three ways to compare answers.",
        [
            Column("Compared as", list(ALPHAS.values())),
            *estimate_columns("Krippendorff's alpha", alphas, _EXACT),
            Column("Questions", [e.n for e in alphas], count),
        ],
    )


def pairs_table(found: Judges) -> Table:
    """Return each pair of judges on the questions that both judged."""
    pairs = found.agreement.pairs
    return table_of(
        "judge-pairs",
        "Equal answers and kappa of each pair of judges.",
        [
            Column("Judge", [found.names[pair.first] for pair in pairs]),
            Column("and", [found.names[pair.second] for pair in pairs]),
            Column("Questions", [pair.same.n for pair in pairs], count),
            *estimate_columns("Equal answers", [pair.same for pair in pairs], TENTH),
            *estimate_columns("Cohen's kappa", [pair.kappa for pair in pairs], _EXACT),
        ],
    )
