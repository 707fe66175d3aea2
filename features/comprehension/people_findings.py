"""Findings on authors, judges and machines."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from features.blocks import Block, Finding, NextStep, Note, Table, Text, Warning
from features.comprehension.answers_findings import FIGURE_NAMES, MOST_ROWS, TENTH, level_columns
from features.comprehension.results import MOST_WITH_INTERVALS, AuthorPairs, AuthorsSpec, Judges, Machines
from features.plotting.numbers import count, decimal, points, share, share_with_interval
from features.tables import Column, estimate_columns, table_of
from features.verdicts import (
    capitalized,
    clear,
    clear_if,
    confidence_interval,
    excludes,
    not_applicable,
    not_enough_data,
    uncertain,
)
from features.words import counted, listed, number_repeats, reasons

Texts = Mapping[str, NDArray[np.str_]]
"""Questions and answers of a pair by column, one entry per answer."""
_TEXTS = {
    "question_text": "Question",
    "expected_answer": "Expected answer",
    "found_answer": "Found answer",
    "judge": "Judge",
}


def authors_finding(found: AuthorPairs) -> Finding:
    """Return the pair of authors with the highest share, and the one with the lowest."""
    known = {pair: e for pair, e in found.estimates.items() if e.defined}
    figure = FIGURE_NAMES[found.share]
    if not known:
        headline = "Not enough data on pairs of authors: no summary was asked another author's questions."
        return not_enough_data(headline)
    highest, lowest = (pick(known, key=lambda pair: known[pair].value) for pick in (max, min))
    high, low = known[highest], known[lowest]
    pairs = counted(len(known), "pair of authors", "pairs of authors")
    among = "people only" if found.machines and not found.with_machines else ""
    if high.value == low.value:
        headline = "{figure} is {share} for every pair of authors that met."
        return uncertain(headline, {"figure": figure, "share": share(high.value)}, pairs, among)
    values = {
        "figure": figure[:1].upper() + figure[1:],
        "writer": highest[0],
        "asker": highest[1],
        "share": share(high.value),
    }
    return clear_if(
        low.high < high.low,
        "{figure} is highest for summaries of {writer} and questions of {asker}, {share}.",
        values,
        confidence_interval(high, share),
        counted(high.n, "question"),
        f"lowest: summaries of {lowest[0]}, questions of {lowest[1]}, {share_with_interval(low)}",
        pairs,
        among,
    )


def authors_notes(found: AuthorPairs) -> Iterator[Note]:
    """Yield how to read the cells, and which authors are drawn or have intervals."""
    number = len(found.names)
    text = "Numbers are percent. A summary is never asked its author's own questions."
    yield Note((text, {}))
    if number > MOST_ROWS:
        text = "{drawn} of {all} authors are drawn, those with most questions; the table has all."
        yield Note((text, {"drawn": MOST_ROWS, "all": count(number)}))
    if number > MOST_WITH_INTERVALS:
        yield Note(("Above {most} authors pairs have no intervals.", {"most": MOST_WITH_INTERVALS}))
    else:
        text = "Intervals of pairs near 0 or 100% are wider than they say: they held in 99 of 100 simulated studies."
        yield Note((text, {}))


def author_pairs_table(found: AuthorPairs) -> Table:
    """Return a row per pair of authors that met."""
    levels, machines = found.pairs.levels, {*found.machines}
    rows = [at for at in range(len(levels)) if levels.questions[at]]
    pairs = [found.pair_of(at) for at in rows]
    columns = [
        Column("Summary of", [writer for writer, _ in pairs]),
        Column("Questions of", [asker for _, asker in pairs]),
    ]
    if machines:
        of_machines = [bool({*divmod(at, found.pairs.authors)} & machines) for at in rows]
        columns.append(Column("Machine", ["yes" if one else "no" for one in of_machines], None, False))
    columns += level_columns([(levels, at) for at in rows])
    return table_of("author-by-author", "Shares of each pair of authors.", columns)


def pair_blocks(spec: AuthorsSpec, texts: Texts, summaries: Table | None) -> Iterator[Block]:
    """Yield the questions and answers of the chosen pair, and the summaries as a table or those of one story."""
    pair: Mapping[str, object] = {"writer": spec.writer, "asker": spec.asker}
    if not len(texts["answer"]):
        yield Note(("No question of <b>{asker}</b> was put to a summary of <b>{writer}</b>.", pair))
        return
    if spec.writer == spec.asker:
        yield Warning(("These are {asker}'s own questions: they are set aside and count in no figure.", pair))
    stories = counted(len(set(texts["story"].tolist())), "story", "stories")
    number = {"answers": counted(len(texts["answer"]), "answer"), "stories": stories}
    yield Note(("{answers} to questions of {asker} on {stories}.", {**pair, **number}))
    caption: Text = ("Questions of {asker} and the answers found in summaries of {writer}.", pair)
    present = {title: texts[column] for column, title in _TEXTS.items() if (texts[column] != "").any()}
    columns = {"Story": texts["story"], "No.": texts["question"], **present, "Answer": texts["answer"]}
    yield table_of("questions-and-answers", caption, [Column(head, of) for head, of in columns.items()])
    lacking = [column for column in _TEXTS if column != "judge" and not (texts[column] != "").any()]
    if lacking:
        yield Note(
            ("Columns of the file that would show more here: {columns}.", {"columns": listed(lacking)})
        )
    if summaries is None:
        yield Note(("The summaries' texts are not in the file: they need a column summary_text.", {}))
    elif spec.story:
        yield from _both_summaries(spec, summaries)
    else:
        rows = summaries.frame[summaries.frame["Author"] == spec.writer]
        told = [
            Column(head, rows[head].tolist(), count if head == "Characters" else None)
            for head in ("Story", "Summary", "Characters")
        ]
        yield table_of("summaries", ("Summaries of {writer}.", pair), told)


def _both_summaries(spec: AuthorsSpec, summaries: Table) -> Iterator[Note]:
    frame = summaries.frame[summaries.frame["Story"] == spec.story]
    for text in frame[frame["Author"] == spec.writer]["Summary"]:
        summary = {"writer": spec.writer, "text": text}
        yield Note(("<b>{writer}</b>, who wrote the summary that was asked: {text}", summary))
    if spec.asker != spec.writer:
        for text in frame[frame["Author"] == spec.asker]["Summary"]:
            yield Note(("<b>{asker}</b>, who asked: {text}", {"asker": spec.asker, "text": text}))


def summaries_table(
    there: Mapping[str, NDArray[np.generic]], stories: Sequence[str], authors: Sequence[str]
) -> Table | None:
    """Return the summaries whose text is known; None without any."""
    known = there["text"] != ""
    if not known.any():
        return None
    return table_of(
        "summaries",
        "Summaries.",
        [
            Column("Story", np.asarray(stories)[there["story"][known].astype(int)]),
            Column("Author", np.asarray(authors)[there["author"][known].astype(int)]),
            Column("Summary", there["text"][known]),
            Column("Characters", there["characters"][known]),
        ],
    )


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


def judge_pairs_table(found: Judges) -> Table:
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


NO_MACHINE = not_enough_data(
    "Not enough data to study machines: no author is known to be one.",
    {},
    "Choose below which are, or map a column author_kind that says machine",
)
NO_PEOPLE = not_applicable("All authors of summaries are machines, so there is no human level.")
NOTE = Note(
    (
        "Each machine is compared with people's summaries on the same questions; several people's answers to a "
        "question count as one.",
        {},
    )
)
_SHARES = ("R", "R+P", "N")


def machines_finding(found: Machines) -> Finding:
    """Return how near the best machine comes to people, and the lowest of several."""
    known = {name: one for name, one in found.figures.items() if one.ratio.defined}
    if not known:
        why = sorted({e.reason for e in found.ratios.values()})
        headline = "Not enough data to compare machines with people."
        advice = "let the same judge judge the same questions for both"
        return not_enough_data(headline, {}, capitalized("; ".join(why)), advice)
    best, last = (pick(known, key=lambda name: known[name].ratio.value) for pick in (max, min))
    level = known[best]
    line = (
        confidence_interval(level.ratio, share),
        counted(level.ratio.n, "question"),
        f"R + P {share(level.machine['R+P'].value)}, people {share(level.people['R+P'].value)}",
        f"lowest: {last} {share_with_interval(known[last].ratio)}" if len(known) > 1 else "",
    )
    values = {"name": capitalized(best), "ratio": share(level.ratio.value)}
    if excludes(level.difference):
        return clear("{name} reaches {ratio} of the human level.", values, *line)
    headline = "{name} does not clearly differ from people, with {ratio} of the human level."
    return uncertain(headline, values, *line)


def machines_warnings(found: Machines) -> Iterator[Warning]:
    """Yield questions that could not be paired, and missing figures."""
    told: list[Text] = [
        (
            "{questions} put to summaries of {name} not put to a person's summary by the same judge: left out here.",
            {"questions": counted(level.left_out, "question"), "name": name},
        )
        for name, level in found.figures.items()
        if level.left_out and level.ratio.defined
    ]
    undefined = [name for name, e in found.ratios.items() if not e.defined]
    if undefined and len(undefined) < len(found.levels):
        text = "Undefined for {who}: no question has both a person's answer and the machine's."
        told.append((text, {"who": listed(undefined)}))
    told += reasons(e.reason for e in found.ratios.values() if e.defined)
    yield from map(Warning, number_repeats(told))


def machines_table(found: Machines) -> Table:
    """Return a row per machine."""
    levels = list(found.levels.values())
    differences = [level.difference for level in levels]
    columns = [
        Column("Machine", list(found.figures)),
        *estimate_columns("Share of the human level", [level.ratio for level in levels], TENTH),
        *estimate_columns("Difference of R + P", differences, TENTH, [points(e) for e in differences]),
    ]
    for figure in _SHARES:
        for who, of in (
            ("Machine", [one.machine for one in levels]),
            ("People", [one.people for one in levels]),
        ):
            heading = f"{who}: {FIGURE_NAMES[figure]}"
            columns.append(Column(heading, [one[figure].value for one in of], TENTH, figure == "R+P"))
    columns += [
        Column("Questions", [level.ratio.n for level in levels], count),
        Column("Stories", [level.stories for level in levels], count, False),
        Column("Judges", [level.judges for level in levels], count, False),
    ]
    return table_of("machines", "Machines compared with people on the same questions.", columns)
