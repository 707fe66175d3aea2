"""Verdicts, tables and notes of answers, and of the people who wrote, asked and judged."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from analysis.comprehension.answer_levels import FIGURES, Levels
from analysis.comprehension.answer_shares import Types
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
    points_with_interval,
    uncertain,
)
from features.comprehension.results import (
    ADJUSTED,
    AuthorPairs,
    AuthorsSpec,
    Judges,
    Lengths,
    Machines,
    Shared,
)
from features.plotting.theme import (
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    count,
    decimal,
    estimate_with_interval,
    p_phrase,
    p_value,
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

ANSWERS = {"R": "relevant", "P": "partially relevant", "I": "irrelevant", "N": "not found"}
FIGURE_NAMES = {answer: answer for answer in ANSWERS} | {"R+P": "R + P", "found": "found (R + P + I)"}
"""Names of `FIGURES` in words."""
MOST_ROWS = 12
"""Authors drawn in one part of a figure; of more, those with most questions."""
_LETTERS = {"R+P": "RP", "found": "RPI"}
_AT_FIRST_SIGHT = ("R", "R+P", "N")


def most_asked(names: Sequence[str], questions: Sequence[int], most: int = MOST_ROWS) -> list[int]:
    """Return the places of the names to draw, in order: all, or of more than `most` those with most questions."""
    often = sorted(range(len(names)), key=lambda at: -questions[at])[:most]
    return sorted(often)


def level_columns(levels: Sequence[tuple[Levels, int]]) -> list[Column]:
    """Return the columns of shares of these groups, and the numbers of questions and stories."""
    columns = list[Column]()
    for figure in FIGURES:
        estimates = [of.estimate(group, figure) for of, group in levels]
        at_first_sight = figure in _AT_FIRST_SIGHT
        columns += estimate_columns(
            FIGURE_NAMES[figure], estimates, PERCENT_ONE_DIGIT, at_first_sight=at_first_sight
        )
    columns.append(Column("Questions", [int(of.questions[group]) for of, group in levels], count))
    columns.append(Column("Stories", [int(of.stories[group]) for of, group in levels], count, False))
    columns.append(why_column([of.estimate(group, "R")] for of, group in levels))
    return columns


def shares_finding(shared: Shared) -> Finding:
    """Return how much summaries share, and how much was one author's choice."""
    overall, levels = shared.shown.overall.of(0), shared.shown.overall
    both = overall["R+P"]
    if not both.defined:
        headline = "Not enough data to say how much summaries share."
        step = "have each author's questions answered from the summaries of the others"
        return not_enough_data(headline, {}, capitalized(both.reason), step)
    whose = "Summaries" if shared.with_machines or not shared.machines else "People's summaries"
    judges = int(levels.judges[0])
    return clear_if(
        both.excludes(),
        "{whose} share {share} of what others found important.",
        {"whose": whose, "share": share(both.value)},
        confidence_interval(both, share),
        counted(both.n, "question"),
        counted(int(levels.stories[0]), "story", "stories"),
        f"mean of {judges} judges" if judges > 1 else "1 judge",
        f"relevant {share(overall['R'].value)}",
        f"not found {estimate_with_interval(overall['N'], share)}",
    )


def changes_of(shared: Shared) -> dict[str, Estimate]:
    """Return R + P of all and of each summary author, for what an exclusion changes."""
    of_authors = shared.everyone.by_summary_author
    codes = [code for code in shared.writers if code < len(of_authors)]
    named = {f"summaries of {shared.names[code]}": of_authors.estimate(code, "R+P") for code in codes}
    return {"all summaries": shared.shown.overall.of(0)["R+P"], **named}


def shares_warnings(shared: Shared) -> Iterator[Warning]:
    """Yield what was set aside, the machines that are left out, and missing intervals."""
    texts = list[Text]()
    if shared.everyone.set_aside:
        text = "Not counted: {answers} to questions by the summary's own author."
        texts.append((text, {"answers": counted(shared.everyone.set_aside, "answer")}))
    if shared.machines and not shared.with_machines:
        machines = listed([shared.names[code] for code in shared.machines])
        texts.append(("Machine summaries are shown, not counted: {machines}.", {"machines": machines}))
    texts += reasons(e.reason for e in shared.shown.overall.of(0).values() if e.defined)
    yield from map(Warning, texts)


def overall_table(shared: Shared) -> Table:
    """Return a row per answer, and the two sums."""
    levels = shared.shown.overall
    counts = dict(zip(ANSWERS, levels.counts[0].tolist(), strict=True))
    overall = levels.of(0)
    named = [
        f"{figure} {ANSWERS[figure]}" if figure in ANSWERS else FIGURE_NAMES[figure] for figure in overall
    ]
    numbers = [sum(counts[letter] for letter in _LETTERS.get(figure, figure)) for figure in overall]
    return table_of(
        "shares",
        "Shares of all answers.",
        [
            Column("Answer", named),
            *estimate_columns("Share", list(overall.values()), PERCENT_ONE_DIGIT),
            Column("Answers", numbers, count),
        ],
    )


def authors_table(shared: Shared) -> Table:
    """Return a row per author of summaries and one per author of questions."""
    rows = [(role, levels, code) for role, levels, codes in shared.roles for code in codes]
    columns = [
        Column("Author", [shared.names[code] for *_, code in rows]),
        Column("As", [role for role, *_ in rows]),
    ]
    if shared.machines:
        kinds = ["machine" if code in shared.machines else "person" for *_, code in rows]
        columns.append(Column("Kind", kinds, None, False))
    columns += level_columns([(levels, code) for _, levels, code in rows])
    return table_of("shares-by-author", "Shares by summary author and by question author.", columns)


def differences_finding(shared: Shared, adjusted_for: str) -> Finding:
    """Return whether summary authors differ in R + P on the same questions."""
    found = shared.differences[adjusted_for]
    name = f"differences: {adjusted_for}"
    alike = "also at equal length" if adjusted_for == ADJUSTED else ""
    if found.reason or found.largest is None:
        headline = "Not enough data to say whether summary authors differ."
        if alike:
            headline = "Not enough data to compare summary authors at equal length."
        return not_enough_data(headline, {}, capitalized(found.reason), name=name)
    headline = "Summary authors do not clearly differ in what they share with others."
    if found.p < 0.05:
        headline = "Summary authors differ in what they share with others."
    if alike:
        headline = f"Summary authors {'' if found.p < 0.05 else 'do not clearly '}differ at equal length."
    if found.p < 0.05 and not any(of.excludes() for of in found.pairs.values()):
        headline = headline.removesuffix(".") + ", but no single pair clearly does."
    high, low = (shared.names[found.authors[at]] for at in found.largest)
    return clear_if(
        found.p < 0.05,
        headline,
        {},
        f"largest difference: {high} above {low} by {points(found.pairs[found.largest])}",
        f"F({found.df1}, {found.df2}) = {decimal(found.f)}, {p_phrase(found.p)}",
        counted(found.stories, "story", "stories"),
        name=name,
    )


def differences_table(shared: Shared) -> Table:
    """Return the test of summary authors, by what it adjusts for, and the difference of each pair."""
    tests = shared.differences.items()
    rows = [(name, of, pair) for name, of in tests for pair in of.pairs if of.pairs[pair].value >= 0]
    rows.sort(key=lambda row: (row[0] == ADJUSTED, -row[1].pairs[row[2]].value))
    apart = [of.pairs[pair] for _, of, pair in rows]
    return table_of(
        "author-differences",
        "Differences of summary authors in R + P on the same questions; intervals hold for all pairs at once.",
        [
            Column("Adjusted for", [name for name, *_ in rows]),
            Column("Higher", [shared.names[of.authors[pair[0]]] for _, of, pair in rows]),
            Column("Lower", [shared.names[of.authors[pair[1]]] for _, of, pair in rows]),
            *estimate_columns("Difference", apart, PERCENT_ONE_DIGIT, [points(each) for each in apart]),
            *estimate_columns(
                "Change by 10 characters", [of.slope for _, of, _ in rows], PERCENT_ONE_DIGIT, None, False
            ),
            Column("F", [of.f for _, of, _ in rows], decimal, False),
            Column("df 1", [of.df1 for _, of, _ in rows], count, False),
            Column("df 2", [of.df2 for _, of, _ in rows], count, False),
            Column("p of all authors", [of.p for _, of, _ in rows], p_value, False),
            Column("Stories", [of.stories for _, of, _ in rows], count, False),
        ],
    )


def types_finding(shared: Shared) -> Finding:
    """Return the two types of stories whose shares differ most, or that none clearly differ."""
    types, named = shared.types, shared.type_names
    differences = {} if types is None else types.differences
    known = {pair: of["R+P"] for pair, of in differences.items() if of["R+P"].defined}
    if types is None or not known:
        headline = "Not enough data to compare types of stories: only one of them has answers."
        return not_enough_data(headline, name="types")
    (high, low), e = max(known.items(), key=lambda each: abs(each[1].value))
    if e.value < 0:
        high, low = low, high
    headline = "Summaries share more of {high} stories than of {low} stories."
    if not e.excludes():
        headline = "Types of stories do not clearly differ in what summaries share."
    return clear_if(
        e.excludes(),
        headline,
        {"high": named[high], "low": named[low]},
        *points_with_interval(e),
        *(
            f"{named[at]} {estimate_with_interval(types.levels.estimate(at, 'R+P'), share)}"
            for at in (high, low)
        ),
        counted(int(types.levels.stories.sum()), "story", "stories"),
        name="types",
    )


def types_notes(shared: Shared) -> Iterator[Note]:
    """Yield how many answers have no type, and that of many types some are shown."""
    if shared.types is not None and shared.types.unknown:
        answers = {"answers": counted(shared.types.unknown, "answer")}
        yield Note(("{answers} about stories without a type are left out.", answers))
    if shared.types_present > len(shared.type_names):
        yield Note(("These are the {most} types with most stories.", {"most": len(shared.type_names)}))


def types_table(types: Types, named: Sequence[str]) -> Table:
    columns = level_columns([(types.levels, at) for at in range(len(named))])
    return table_of("types", "Shares by type of story.", [Column("Type", list(named)), *columns])


FEW_AUTHORS = 10
"""Authors below which a correlation across them is called unreliable."""
UNKNOWN = not_enough_data(
    "Not enough data to study length: the file does not hold the summaries' lengths.",
    {},
    "It needs summary_text, or summary_characters and summary_words",
    next_step=NextStep("Map columns on Data", "datasets.py"),
)


def length_finding(found: Lengths) -> Finding:
    """Return whether longer summaries answer more questions, within stories, or else across authors."""
    within, across = found.found.within, found.found.over_authors
    r, of = within, "Within a story, {longer} summaries"
    if not within.defined:
        r, of = across, "Authors with {longer} summaries"
    if not r.defined:
        headline = "Not enough data to say whether longer summaries answer more questions."
        return not_enough_data(headline, {}, capitalized(across.reason), capitalized(within.reason))
    few = ", too few to rely on" if across.n < FEW_AUTHORS else ""
    line = [f"{count(across.n)} authors{few}", f"within stories undefined: {within.reason}"]
    if within.defined:
        over = f"across the {count(across.n)} authors: {estimate_with_interval(across)}{few}"
        text = over if across.defined else f"across authors undefined: {across.reason}"
        line = [f"{count(within.n)} summaries", text]
    values = {"longer": "longer" if r.value > 0 or not r.excludes() else "shorter", "r": decimal(r.value)}
    interval = confidence_interval(r)
    if not r.excludes():
        headline = f"{of} do not clearly answer more questions."
        return uncertain(headline, values, f"r = {decimal(r.value)}", interval, *line)
    is_clear = within.defined or not few
    return clear_if(is_clear, f"{of} answer more questions, r = {{r}}.", values, interval, *line)


def length_notes(found: Lengths) -> Iterator[Note]:
    if 0 < found.unknown < found.summaries:
        summaries = counted(found.summaries, "summary", "summaries")
        values = {"unknown": count(found.unknown), "summaries": summaries}
        yield Note(("{unknown} of {summaries} have no known length and count in no length.", values))


def length_table(found: Lengths) -> Table:
    """Return Table 1 of the paper: means of each author's summaries with their SD, and the share found."""
    of, codes = found.found, found.found.authors.tolist()
    columns = [
        Column("Author", [found.names[code] for code in codes]),
        Column("Summaries", of.summaries[codes], count),
    ]
    for title, spread, digits in (
        ("Words", of.table.words, 1),
        ("Characters", of.table.characters, 1),
        ("Characters per word", of.table.characters_per_word, 2),
        ("Questions per summary", of.table.questions, 2),
    ):
        if not np.isnan(spread.mean[codes]).all():
            write = partial(decimal, digits=digits)
            columns.append(Column(title, spread.mean[codes], write, title != "Characters per word"))
            columns.append(Column(f"{title}, SD", spread.sd[codes], write, False))
    columns += estimate_columns(
        "Found", [of.levels.estimate(code, "found") for code in codes], PERCENT_ONE_DIGIT
    )
    return table_of("length", "Words, characters and questions per summary, by author.", columns)


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
