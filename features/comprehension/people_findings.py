"""Findings on authors, judges and machines."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from analysis.values.estimate import Estimate
from features.blocks import (
    Block,
    Finding,
    NextStep,
    Note,
    Table,
    Text,
    Warning,
    capitalized,
    clear,
    clear_if,
    confidence_interval,
    not_applicable,
    not_enough_data,
    uncertain,
)
from features.comprehension.answers_findings import FIGURE_NAMES, level_columns
from features.comprehension.results import AuthorPairs, AuthorsSpec, Judges, Machines
from features.plotting.theme import (
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    count,
    decimal,
    estimate_with_interval,
    points,
    share,
)
from features.words import (
    Column,
    counted,
    estimate_columns,
    listed,
    reasons,
    table_of,
    why_column,
)

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
    writer, asker = highest
    values = {"figure": capitalized(figure), "writer": writer, "asker": asker, "share": share(high.value)}
    return clear_if(
        low.high < high.low,
        "{figure} is highest for summaries of {writer} and questions of {asker}, {share}.",
        values,
        confidence_interval(high, share),
        counted(high.n, "question"),
        f"lowest: summaries of {lowest[0]}, questions of {lowest[1]}, {estimate_with_interval(low, share)}",
        pairs,
        among,
    )


def shares_of_pairs(found: AuthorPairs) -> dict[str, Estimate]:
    """Return the chosen share of each pair that counts, for what an exclusion changes."""
    return {" and questions of ".join(pair): e for pair, e in found.estimates.items()}


def author_pairs_table(found: AuthorPairs) -> Table:
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


def pair_blocks(
    spec: AuthorsSpec,
    texts: Texts,
    summaries: Mapping[str, NDArray[np.generic]],
    stories: Sequence[str],
    authors: Sequence[str],
) -> Iterator[Block]:
    """Yield the questions and answers of the chosen pair, and the summaries whose text is known."""
    pair: Mapping[str, object] = {"writer": spec.writer, "asker": spec.asker}
    if not len(texts["answer"]):
        yield Note(("No question of <b>{asker}</b> was put to a summary of <b>{writer}</b>.", pair))
        return
    if spec.writer == spec.asker:
        yield Warning(("These are {asker}'s own questions: they are set aside and count in no figure.", pair))
    on = counted(len(set(texts["story"].tolist())), "story", "stories")
    answers = counted(len(texts["answer"]), "answer")
    yield Note(
        ("{answers} to questions of {asker} on {stories}.", {**pair, "answers": answers, "stories": on})
    )
    caption: Text = ("Questions of {asker} and the answers found in summaries of {writer}.", pair)
    known = {column: (texts[column] != "").any() for column in _TEXTS}
    present = {title: texts[column] for column, title in _TEXTS.items() if known[column]}
    columns = {"Story": texts["story"], "No.": texts["question"], **present, "Answer": texts["answer"]}
    yield table_of("questions-and-answers", caption, [Column(head, of) for head, of in columns.items()])
    lacking = [column for column in _TEXTS if column != "judge" and not known[column]]
    known_text = summaries["text"] != ""
    if not known_text.any():
        lacking.append("summary_text")
    if lacking:
        yield Note(("The file could show more here: it lacks {columns}.", {"columns": listed(lacking)}))
    story, author = (
        np.asarray(called)[summaries[column].astype(int)]
        for column, called in (("story", stories), ("author", authors))
    )
    if spec.story:
        for role, name in (("wrote", spec.writer), ("asked", spec.asker)):
            for text in summaries["text"][known_text & (story == spec.story) & (author == name)]:
                yield Note((f"<b>{{name}}</b>, who {role}: {{text}}", {"name": name, "text": text}))
    elif (shown := known_text & (author == spec.writer)).any():
        listing = [
            Column("Story", story[shown]),
            Column("Summary", summaries["text"][shown]),
            Column("Characters", summaries["characters"][shown], count),
        ]
        yield table_of("summaries", ("Summaries of {writer}.", pair), listing)


ALPHAS = {
    "binary": "R, P against I, N",
    "ordinal": "R over P over I, N",
    "nominal": "Four answers",
}
"""Names of the three alphas: the paper's second assumption, in order, and every difference alike."""


def too_few_judges(present: Sequence[str]) -> Finding:
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
    value = decimal(alpha.value)
    if alpha.low > 0:
        headline = "Judges agree beyond chance on what is shared, alpha = {alpha}."
        return clear(headline, {"alpha": value}, *line)
    headline = "Judges do not clearly agree beyond chance on what is shared."
    return uncertain(headline, {}, f"alpha = {value}", *line)


def _levels(found: Judges) -> str:
    """Return the levels by the lowest and the highest judge."""
    levels = found.agreement.by_judge
    of = [(levels.estimate(at, "R+P"), found.names[at]) for at in found.present if at < len(levels)]
    known = sorted((e.value, name) for e, name in of if e.defined)
    if len(known) < 2:
        return ""
    (low, lowest), *_, (high, highest) = known
    return f"R + P {share(low)} by {lowest}, {share(high)} by {highest}"


def alphas_of(found: Judges) -> dict[str, Estimate]:
    return {called: found.agreement.alpha[name] for name, called in ALPHAS.items()}


def judges_warnings(found: Judges) -> Iterator[Warning]:
    """Yield judges of fewer questions, repeated and unnamed answers, and missing intervals."""
    agreement, texts = found.agreement, list[Text]()
    questions = agreement.by_judge.questions
    fewer = [
        found.names[at] for at in found.present if at < len(questions) and questions[at] < questions.max()
    ]
    if fewer:
        text = "{who} judged fewer questions than others, which may explain part of the differences."
        texts.append((text, {"who": listed(fewer)}))
    if agreement.unnamed:
        answers = {"n": counted(agreement.unnamed, "answer")}
        texts.append(("{n} without a judge's name are left out here.", answers))
    if agreement.repeated:
        text = "{n} repeated by a judge: the first answer counts for agreement."
        texts.append((text, {"n": counted(agreement.repeated, "answer")}))
    if found.are_machines_out:
        texts.append(("Shares exclude machine summaries, agreement includes them.", {}))
    texts += reasons(e.reason for e in agreement.alpha.values() if e.defined)
    yield from map(Warning, texts)


def judges_table(found: Judges) -> Table:
    levels = found.agreement.by_judge
    codes = [at for at in found.present if at < len(levels)]
    columns = level_columns([(levels, at) for at in codes])
    judges = Column("Judge", [found.names[at] for at in codes])
    return table_of("judges", "Shares of the four answers by each judge.", [judges, *columns])


def alphas_table(found: Judges) -> Table:
    alphas = alphas_of(found)
    return table_of(
        "alphas",
        "Krippendorff's alpha by three ways to compare answers.",
        [
            Column("Compared as", list(alphas)),
            *estimate_columns("Krippendorff's alpha", list(alphas.values()), THREE_DIGITS),
            Column("Questions", [e.n for e in alphas.values()], count),
            why_column([e] for e in alphas.values()),
        ],
    )


def judge_pairs_table(found: Judges) -> Table:
    pairs = found.agreement.pairs
    return table_of(
        "judge-pairs",
        "Equal answers and kappa of each pair of judges.",
        [
            Column("Judge", [found.names[pair.first] for pair in pairs]),
            Column("and", [found.names[pair.second] for pair in pairs]),
            Column("Questions", [pair.same.n for pair in pairs], count),
            *estimate_columns("Equal answers", [pair.same for pair in pairs], PERCENT_ONE_DIGIT),
            *estimate_columns("Cohen's kappa", [pair.kappa for pair in pairs], THREE_DIGITS),
        ],
    )


NO_MACHINE = not_enough_data(
    "Not enough data to study machines: no author is known to be one.",
    {},
    "Choose below which are, or map a column author_kind that says machine",
)
NO_PEOPLE = not_applicable("All authors of summaries are machines, so there is no human level.")
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
        f"lowest: {last} {estimate_with_interval(known[last].ratio, share)}" if len(known) > 1 else "",
    )
    values = {"name": capitalized(best), "ratio": share(level.ratio.value)}
    if level.difference.excludes():
        return clear("{name} reaches {ratio} of the human level.", values, *line)
    headline = "{name} does not clearly differ from people, with {ratio} of the human level."
    return uncertain(headline, values, *line)


def machines_warnings(found: Machines) -> Iterator[Warning]:
    """Yield questions that could not be paired, and missing intervals."""
    texts: list[Text] = [
        (
            "{questions} on summaries of {name} left out: the judge did not judge them for a person's summary.",
            {"questions": counted(level.left_out, "question"), "name": name},
        )
        for name, level in found.figures.items()
        if level.left_out and level.ratio.defined
    ]
    texts += reasons(e.reason for e in found.ratios.values() if e.defined)
    yield from map(Warning, texts)


def machines_table(found: Machines) -> Table:
    levels = list(found.levels.values())
    differences = [level.difference for level in levels]
    columns = [
        Column("Machine", list(found.figures)),
        *estimate_columns("Share of the human level", [level.ratio for level in levels], PERCENT_ONE_DIGIT),
        *estimate_columns(
            "Difference of R + P", differences, PERCENT_ONE_DIGIT, [points(e) for e in differences]
        ),
    ]
    sides = {"Machine": [one.machine for one in levels], "People": [one.people for one in levels]}
    for figure in _SHARES:
        for who, of in sides.items():
            heading = f"{who}: {FIGURE_NAMES[figure]}"
            columns.append(
                Column(heading, [one[figure].value for one in of], PERCENT_ONE_DIGIT, figure == "R+P")
            )
    columns += [
        Column("Questions", [level.ratio.n for level in levels], count),
        Column("Stories", [level.stories for level in levels], count, False),
        Column("Judges", [level.judges for level in levels], count, False),
        why_column([level.ratio] for level in levels),
    ]
    return table_of("machines", "Machines compared with people on the same questions.", columns)
