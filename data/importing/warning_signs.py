# ruff: noqa: S608 - all identifiers are canonical columns or quoted
"""What a researcher should know before trusting figures from this file: sentences, found in few aggregates.

Nothing here changes a row. The rows looked at are those that will enter figures.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import duckdb
import numpy as np

from data.importing.mapping import Plan
from data.kinds.choice_words import side_sql
from data.kinds.definitions import FULL_TEXT

REJECTED = "ILIKE 'reject%'"
_SCALES = (
    (0, 1), (1, 2), (1, 3), (1, 4), (0, 4), (1, 5), (0, 5), (1, 6), (0, 6), (1, 7), (1, 9), (0, 9), (1, 10),
    (0, 10), (1, 11), (-2, 2), (-3, 3), (1, 100), (0, 100),
)  # fmt: skip
_MOST = 0.99
_FEW = 5


def found(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> tuple[str, ...]:
    """The warnings about the rows staged in `import_rows`; kinds of tables without entry have none."""
    return tuple(_BY_KIND.get(todo.kind.name, _nothing)(cursor, todo))


def _nothing(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[str]:
    return ()


# --- ratings ------------------------------------------------------------------------------------------------


def _about_ratings(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[str]:
    cursor.execute(
        f"CREATE OR REPLACE TEMP VIEW import_real AS SELECT {_columns(todo)} FROM import_rows {_real(todo)}"
    )
    try:
        yield from _about_switches(cursor, todo)
        yield from _about_groups(cursor)
        yield from _about_raters(cursor, todo)
        yield from _about_scales(cursor)
        yield from _about_items(cursor, todo)
    finally:
        cursor.execute("DROP VIEW temp.import_real")


def _columns(todo: Plan) -> str:
    group = "rater_group" if todo.has("rater_group") else "'all ratings' AS rater_group"
    measure = "measure" if todo.has("measure") else "'score' AS measure"
    further = [name for name in ("status", "system") if todo.has(name)]
    return ", ".join(["item_id", "rater_id", "score", group, measure, *further])


def _real(todo: Plan) -> str:
    return 'WHERE "check" IS NULL' if todo.has("check") else ""


def _about_switches(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[str]:
    if todo.switches["@duplicates"] == "keep":
        keys = cursor.execute(
            "SELECT hash(item_id, rater_id, measure, rater_group) AS key FROM import_real"
        ).fetchnumpy()["key"]
        keys = np.sort(np.asarray(keys))
        repeated = int(np.count_nonzero(keys[1:] == keys[:-1]))
        if repeated:
            yield (
                f"{_counted(repeated, 'rating repeats', 'ratings repeat')} what the same rater had already "
                "rated (same item, measure and group); all are kept."
            )
    if todo.has("status") and todo.switches["@rejected"] == "keep":
        rejected = cursor.execute(f"SELECT count(*) FROM import_real WHERE status {REJECTED}").fetchone()
        if rejected and rejected[0]:
            yield (
                f"{_counted(rejected[0], 'rating comes', 'ratings come')} from assignments whose status says "
                "rejected; they are kept."
            )


def _about_groups(cursor: duckdb.DuckDBPyConnection) -> Iterable[str]:
    groups = cursor.execute(
        """WITH pairs AS (SELECT DISTINCT item_id, rater_group FROM import_real),
        shared AS (SELECT item_id FROM pairs GROUP BY item_id HAVING count(*) > 1)
        SELECT rater_group, count(*), count(shared.item_id) FROM pairs LEFT JOIN shared USING (item_id)
        GROUP BY rater_group ORDER BY rater_group"""
    ).fetchall()
    if len(groups) == 1:
        yield (
            "All ratings belong to one group, so there is no second group to compare it with; split halves "
            "and numbers of the items can serve as reference."
        )
        return
    for group, items, shared in groups[:_FEW]:
        if not shared:
            yield f'None of the {items:,} items of the group "{_short(group)}" was rated by another group.'
    if len(groups) > 20:
        yield f"There are {len(groups):,} groups; is the group column the right one?"


def _about_raters(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[str]:
    if todo.switches["@raters"] == "slots":
        return
    one = cursor.execute(
        """WITH raters AS (
            SELECT rater_id, count(*) AS n, min(score) = max(score) AS constant, min(item_id) = max(item_id)
            AS one_item, min(rater_group) <> max(rater_group) AS many_groups
            FROM import_real GROUP BY rater_id)
        SELECT count(*), count(*) FILTER (one_item), count(*) FILTER (constant AND n >= 5),
            count(*) FILTER (many_groups), any_value(rater_id) FILTER (constant AND n >= 5) FROM raters"""
    ).fetchone()
    assert one is not None
    raters, one_item, constant, many_groups, example = one
    if raters == 1:
        yield "There is only one rater, so nothing can be said about agreement or repetitions."
        return
    if one_item == raters and raters > 1:
        yield "Every rater rated only one item; is the rater column the right one?"
    elif one_item:
        yield f"{_counted(one_item, 'rater')} of {raters:,} rated only one item."
    if constant:
        yield (
            f"{_counted(constant, 'rater')} gave the same score every time in 5 or more ratings, for instance "
            f'"{_short(example)}".'
        )
    if many_groups:
        yield (
            f"{_counted(many_groups, 'rater id occurs', 'rater ids occur')} in more than one group; are they "
            "the same persons?"
        )


def _about_scales(cursor: duckdb.DuckDBPyConnection) -> Iterable[str]:
    """A scale is only recognised where whole numbers are used: penalties and times have none."""
    counted = cursor.execute(
        """SELECT measure, score, count(*) FROM import_real WHERE measure IN (
            SELECT measure FROM import_real GROUP BY measure HAVING bool_and(score = trunc(score)) LIMIT 50)
        GROUP BY ALL ORDER BY measure, score"""
    ).fetchall()
    by_measure: dict[str, list[tuple[float, int]]] = {}
    for measure, score, count in counted:
        by_measure.setdefault(measure, []).append((score, count))
    for measure, scores in by_measure.items():
        total = sum(count for _, count in scores)
        used = {score for score, _ in scores}
        for low, high in _SCALES:
            outside = [(score, count) for score, count in scores if not low <= score <= high]
            n = sum(count for _, count in outside)
            if n <= (1 - _MOST) * total and {float(low), float(high)} <= used:
                if outside:
                    values = ", ".join(f"{score:g}" for score, _ in outside[:_FEW])
                    yield (
                        f'{_counted(n, "score")} of "{_short(measure)}" {"lies" if n == 1 else "lie"} '
                        f"outside {low} to {high}, the scale of all others: "
                        f"{values}{' …' if len(outside) > _FEW else ''}."
                    )
                break


def _about_items(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[str]:
    if todo.has("system"):
        mixed = cursor.execute(
            "SELECT count(*) FROM (SELECT 1 FROM import_real GROUP BY item_id HAVING min(system) <> "
            "max(system))"
        ).fetchone()
        if mixed and mixed[0]:
            yield (
                f"{_counted(mixed[0], 'item comes', 'items come')} from more than one system; their ratings "
                "are averaged together. An item should be one system's output."
            )


# --- contributors -------------------------------------------------------------------------------------------


def _about_contributors(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[str]:
    unit = ", ".join(["topic", *(["condition"] if todo.has("condition") else []), "scu_id"])
    row = ", ".join(target.name for target in todo.targets)
    weights, example, topic = _row(
        cursor,
        f"""SELECT count(*), min(scu_id), arg_min(topic, scu_id) FROM (
            SELECT {unit} FROM import_rows GROUP BY {unit} HAVING min(weight) <> max(weight))""",
    )
    if weights:
        yield (
            f"{_counted(weights, 'content unit has', 'content units have')} more than one weight, for "
            f'instance "{_short(example)}" of topic "{_short(topic)}"; a unit should have one.'
        )
    broken, value = _row(
        cursor,
        "SELECT count(*), min(weight) FROM import_rows WHERE weight <> trunc(weight)",
    )
    if broken:
        yield (
            f"{_counted(broken, 'weight is no whole number', 'weights are no whole numbers')}, for instance "
            f"{value:g}; a weight usually counts model summaries."
        )
    items, lonely, many_topics, shared = _row(
        cursor,
        """SELECT count(*), count(*) FILTER (n = 1), count(*) FILTER (topics > 1),
            any_value(item_id) FILTER (topics > 1)
        FROM (SELECT item_id, count(*) AS n, count(DISTINCT topic) AS topics FROM import_rows
            GROUP BY item_id ORDER BY item_id)""",
    )
    if lonely:
        yield f"{_counted(lonely, 'item')} of {items:,} {_has(lonely)} only one contributor."
    if many_topics:
        yield (
            f"{_counted(many_topics, 'item occurs', 'items occur')} in more than one topic, for instance "
            f'"{_short(shared)}"; an item should be one summary of one topic.'
        )
    (repeated,) = _row(
        cursor,
        f"SELECT count(*) - (SELECT count(*) FROM (SELECT DISTINCT {row} FROM import_rows)) FROM import_rows",
    )
    if repeated:
        yield (
            f"{_counted(repeated, 'contributor repeats', 'contributors repeat')} an earlier row word for "
            "word; all are kept."
        )


# --- metrics ------------------------------------------------------------------------------------------------


def _about_metrics(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[str]:
    for name in todo.further_numbers:
        column = '"' + name.replace('"', '""') + '"'
        items, known, different = _row(
            cursor, f"SELECT count(*), count({column}), count(DISTINCT {column}) FROM import_rows"
        )
        if known and different == 1:
            yield f'"{_short(name)}" is the same for all items, so no correlation with it is defined.'
        if 0 < known < items:
            yield f'{_counted(items - known, "item")} of {items:,} {_has(items - known)} no "{_short(name)}".'


# --- choices ------------------------------------------------------------------------------------------------

_SAID = "CASE side WHEN 0 THEN option_a WHEN 1 THEN option_b WHEN 2 THEN 'both' WHEN 3 THEN 'neither' ELSE 'tie' END"
_BATCH = "one, other, design"
"""A pair of systems under a design; where choices are labels, all of them are of one batch."""


def _about_choices(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[str]:
    try:
        if todo.compared:
            _stage_sides(cursor, todo)
        else:
            _stage_labels(cursor, todo)
        yield from _about_repeated_choices(cursor, todo)
        yield from _about_choosers(cursor, todo)
        yield from _about_votes_per_item(cursor, todo)
        if todo.compared:
            yield from _about_systems(cursor)
            yield from _about_designs(cursor)
            yield from _about_positions(cursor)
        else:
            yield from _about_labels(cursor)
        for column in ("expert", "gold"):
            if todo.has(column):
                yield from _about_answers(cursor, todo, column)
    finally:
        cursor.execute(f"DROP {'TABLE' if todo.compared else 'VIEW'} IF EXISTS temp.import_votes")


def _stage_sides(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> None:
    """`import_votes`: one row per choice between two systems, answers told by system. What the words mean is
    found once for each different word and pair."""
    answers = [name for name in ("choice", "expert", "gold") if todo.has(name)]
    told = " UNION ".join(
        f"SELECT DISTINCT {name} AS word, option_a, option_b FROM import_rows" for name in answers
    )
    side = side_sql("word", "option_a", "option_b", todo.switches["@numbers"])
    joins = " ".join(
        f"LEFT JOIN sides AS of_{name} ON of_{name}.word = r.{name} AND of_{name}.option_a = r.option_a "
        f"AND of_{name}.option_b = r.option_b"
        for name in answers
    )
    known = ", ".join(f"of_{name}.said AS {name}" for name in answers)
    cursor.execute(
        f"""CREATE OR REPLACE TEMP TABLE import_votes AS
        WITH sides AS (SELECT *, CASE WHEN side IS NOT NULL THEN {_SAID} END AS said
            FROM (SELECT *, {side} AS side FROM ({told}) WHERE word IS NOT NULL))
        SELECT item_id, rater_id, {_group_or(todo)}, {_design_or(todo)}, r.option_a,
            least(r.option_a, r.option_b) AS one, greatest(r.option_a, r.option_b) AS other,
            of_choice.side AS side, {known}
        FROM import_rows AS r {joins} {_real(todo)}"""
    )


def _stage_labels(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> None:
    answers = ", ".join(name for name in ("choice", "expert", "gold") if todo.has(name))
    cursor.execute(
        f"""CREATE OR REPLACE TEMP VIEW import_votes AS
        SELECT item_id, rater_id, {_group_or(todo)}, {_design_or(todo)}, '' AS one, '' AS other, {answers}
        FROM import_rows {_real(todo)}"""
    )


def _group_or(todo: Plan) -> str:
    return "rater_group" if todo.has("rater_group") else "'' AS rater_group"


def _design_or(todo: Plan) -> str:
    return "design" if todo.has("design") else "'' AS design"


def _about_repeated_choices(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[str]:
    if todo.switches["@duplicates"] == "keep":
        (repeated,) = _row(
            cursor,
            f"SELECT count(*) - count(DISTINCT hash(item_id, rater_id, rater_group, {_BATCH})) FROM import_votes",
        )
        if repeated:
            same = "same item, systems, design and group" if todo.compared else "same item and group"
            yield (
                f"{_counted(repeated, 'choice repeats', 'choices repeat')} what the same rater had already "
                f"chosen ({same}); all are kept."
            )
    if todo.has("status") and todo.switches["@rejected"] == "keep":
        (rejected,) = _row(
            cursor,
            f"SELECT count(*) FILTER (status {REJECTED}) FROM import_rows {_real(todo)}",
        )
        if rejected:
            yield (
                f"{_counted(rejected, 'choice comes', 'choices come')} from assignments whose status says "
                "rejected; they are kept."
            )


def _about_choosers(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[str]:
    if todo.switches["@raters"] == "slots":
        return
    constant = "min(choice) = max(choice)"
    place = "min(side) = max(side) AND max(side) < 2" if todo.compared else "FALSE"
    raters, one_item, same, same_rater, same_choice, sided, sided_rater, many_groups = _row(
        cursor,
        f"""WITH raters AS (
            SELECT rater_id, count(*) AS n, {constant} AS same, min(choice) AS choice, {place} AS sided,
                min(item_id) = max(item_id) AS one_item, min(rater_group) <> max(rater_group) AS many_groups
            FROM import_votes GROUP BY rater_id)
        SELECT count(*), count(*) FILTER (one_item), count(*) FILTER (same AND n >= 5),
            min(rater_id) FILTER (same AND n >= 5), arg_min(choice, rater_id) FILTER (same AND n >= 5),
            count(*) FILTER (sided AND n >= 5), min(rater_id) FILTER (sided AND n >= 5),
            count(*) FILTER (many_groups) FROM raters""",
    )
    if raters == 1:
        yield "There is only one rater, so nothing can be said about agreement or reliability."
        return
    if one_item and one_item == raters:
        yield "Every rater chose for only one item; is the rater column the right one?"
    elif one_item:
        yield f"{_counted(one_item, 'rater')} of {raters:,} chose for only one item."
    if same:
        yield (
            f"{_counted(same, 'rater')} made the same choice every time in 5 or more choices, for instance "
            f'"{_short(same_rater)}": "{_short(same_choice)}".'
        )
    if sided:
        yield (
            f"{_counted(sided, 'rater')} took the same position every time in 5 or more choices, for instance "
            f'"{_short(sided_rater)}".'
        )
    if many_groups:
        yield (
            f"{_counted(many_groups, 'rater id occurs', 'rater ids occur')} in more than one group; are they "
            "the same persons?"
        )


def _about_votes_per_item(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[str]:
    items, single = _row(
        cursor,
        f"""SELECT count(*), count(*) FILTER (n = 1)
        FROM (SELECT count(*) AS n FROM import_votes GROUP BY item_id, {_BATCH})""",
    )
    if single:
        what = "comparison" if todo.compared else "item"
        yield (
            f"{_counted(single, what)} of {items:,} {_has(single)} only one vote, which says nothing about agreement."
        )


def _about_systems(cursor: duckdb.DuckDBPyConnection) -> Iterable[str]:
    nobody = "'\x01'"
    word = f"({side_sql('name', nobody, nobody)}) IS NOT NULL"
    systems, example, words, like = _row(
        cursor,
        f"""SELECT count(*), min(name), count(*) FILTER ({word}), min(name) FILTER ({word}) FROM (
            SELECT one AS name FROM import_votes UNION SELECT other FROM import_votes)""",
    )
    if systems > 50:
        yield (
            f'There are {systems:,} different options, for instance "{_short(example)}"; do the option columns '
            "hold the systems' names?"
        )
    if words:
        yield (
            f"{_counted(words, 'system is', 'systems are')} called as a choice might be, for instance "
            f'"{_short(like)}"; a choice that is the name of a system means the system.'
        )


def _about_designs(cursor: duckdb.DuckDBPyConnection) -> Iterable[str]:
    """What nobody chose, of what a design seems to offer: the two systems, and what its number says."""
    batches = cursor.execute(
        f"""SELECT {_BATCH}, count(*) FILTER (choice = one), count(*) FILTER (choice = other),
            count(*) FILTER (side = 2), count(*) FILTER (side = 3), count(*) FILTER (side = 4)
        FROM import_votes GROUP BY {_BATCH} ORDER BY {_BATCH}"""
    ).fetchall()
    said = []
    for one, other, design, *counts in batches:
        digit = next((character for character in str(design) if character.isdigit()), "")
        both, neither, tie = counts[2:]
        offered = {
            str(one): counts[0],
            str(other): counts[1],
            "both": both or tie or int(digit != "4" and not neither),
            "neither": neither or int(digit != "4" and not both),
            "a tie": tie or both or int(digit != "3"),
        }
        named = f'"{_short(str(one))}" and "{_short(str(other))}"' + (
            f', design "{_short(str(design))}"' if design else ""
        )
        said += [
            f'Nobody chose "{_short(option)}" between {named}.' for option, n in offered.items() if not n
        ]
    yield from said[:_FEW]
    if len(said) > _FEW:
        yield f"In {len(said) - _FEW:,} more cases nobody chose an option."
    both, neither, tie = (sum(batch[place] for batch in batches) for place in (5, 6, 7))
    if tie and neither and not both:
        yield (
            'There is a tie beside "neither" (or "both bad"), and no "both": the tie is read as both, as in '
            "Chatbot Arena."
        )


def _about_positions(cursor: duckdb.DuckDBPyConnection) -> Iterable[str]:
    """A position that is chosen more often tells of a bias only where systems change positions."""
    pairs, fixed = _row(
        cursor,
        """SELECT count(*), count(*) FILTER (fixed) FROM (
            SELECT min(option_a) = max(option_a) AS fixed FROM import_votes GROUP BY one, other)""",
    )
    if fixed:
        of = f"In {fixed:,} of {pairs:,} pairs" if pairs > 1 else "In the one pair of systems"
        yield (
            f"{of} the same system always stands in first position; a preference for it cannot be told from a "
            "preference for the position."
        )
    n, first = _row(
        cursor,
        """SELECT count(*) FILTER (side < 2), count(*) FILTER (side = 0) FROM import_votes
        JOIN (SELECT one, other FROM import_votes GROUP BY one, other HAVING min(option_a) <> max(option_a))
        USING (one, other)""",
    )
    place, chosen = ("first", first) if 2 * first > n else ("second", n - first)
    if n and chosen > 0.6 * n and (2 * chosen - n) ** 2 > 9 * n:
        yield (
            f"The {place} position was chosen in {100 * chosen / n:.0f} % of {n:,} choices of one of two systems "
            "that change positions; raters seem to lean to it."
        )


def _about_labels(cursor: duckdb.DuckDBPyConnection) -> Iterable[str]:
    (labels,) = _row(cursor, "SELECT count(DISTINCT choice) FROM import_votes")
    if labels > 20:
        yield f"There are {labels:,} different labels; is the choice column the right one?"
    if labels == 1:
        yield "Everyone chose the same label."


def _about_answers(cursor: duckdb.DuckDBPyConnection, todo: Plan, column: str) -> Iterable[str]:
    """The expert's or the true answers: known for how many items, understood, the same in all rows of an item."""
    called = {"expert": "the expert's answer", "gold": "the gold answer"}[column]
    what = "comparison" if todo.compared else "item"
    if todo.compared:
        side = side_sql(column, "option_a", "option_b", todo.switches["@numbers"])
        strange = f"{column} IS NOT NULL AND ({side}) IS NULL"
        unknown, value, item = _row(
            cursor,
            f"""SELECT count(*) FILTER ({strange}), min({column}) FILTER ({strange}),
                arg_min(item_id, {column}) FILTER ({strange})
            FROM (SELECT DISTINCT item_id, {column}, option_a, option_b FROM import_rows {_real(todo)})""",
        )
        if unknown:
            yield (
                f"{_counted(unknown, 'item has', 'items have')} {called} that is none of the two options, both, "
                f'neither or a tie, for instance "{_short(value)}" for "{_short(item)}"; it is taken as not '
                "known."
            )
    items, known, differing, example = _row(
        cursor,
        f"""SELECT count(*), count(low), count(*) FILTER (low <> high), min(item_id) FILTER (low <> high)
        FROM (SELECT item_id, min({column}) AS low, max({column}) AS high
            FROM import_votes GROUP BY item_id, {_BATCH})""",
    )
    if known < items:
        yield f"{called[0].upper()}{called[1:]} is known for {known:,} of {_counted(items, what)}."
    if differing:
        yield (
            f"{_counted(differing, what)} {_has(differing)} more than one answer as {called}, for instance "
            f'"{_short(example)}".'
        )
    if not todo.compared:
        labels, label = _row(
            cursor,
            f"""SELECT count(*), min({column}) FROM (SELECT DISTINCT {column} FROM import_votes
                WHERE {column} IS NOT NULL
                    AND {column} NOT IN (SELECT DISTINCT choice FROM import_votes WHERE choice IS NOT NULL))""",
        )
        if labels:
            yield (
                f"{_counted(labels, 'label occurs', 'labels occur')} as {called} but nobody chose "
                f'{"it" if labels == 1 else "them"}, for instance "{_short(label)}".'
            )


# --- comprehension ------------------------------------------------------------------------------------------


def _about_comprehension(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[str]:
    yield from _about_repeats(
        cursor, todo, "answer repeats", "answers repeat", "story, authors, question and judge"
    )
    rows, own, answers, answer = _row(
        cursor,
        """SELECT count(*), count(*) FILTER (summary_author = question_author), count(DISTINCT answer), min(answer)
        FROM import_rows""",
    )
    if not rows:
        return
    if own:
        yield (
            f"{_counted(own, 'answer is', 'answers are')} to a question of the summary's own author; "
            f"{'it is kept but enters' if own == 1 else 'they are kept but enter'} no figure."
        )
    if answers == 1:
        yield f"All answers are {answer}, so nothing can be compared."
    yield from _about_judges(cursor, todo)
    yield from _about_authors(cursor, todo)
    for column, of, called in (
        ("author_kind", ("summary_author",), "author"),
        ("story_type", ("story_id",), "story"),
        ("summary_text", ("story_id", "summary_author"), "summary"),
        ("summary_characters", ("story_id", "summary_author"), "summary"),
        ("summary_words", ("story_id", "summary_author"), "summary"),
    ):
        if todo.has(column):
            yield from _about_contradictions(cursor, column, of, called)


def _about_judges(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[str]:
    if not todo.has("judge_id"):
        yield "No column names the judges, so nothing can be said about their agreement."
        return
    judges, without, most = _row(
        cursor,
        """SELECT (SELECT count(DISTINCT judge_id) FROM import_rows), (SELECT count(*) FROM import_rows
            WHERE judge_id IS NULL), (SELECT max(n) FROM (SELECT count(DISTINCT judge_id) AS n FROM import_rows
            GROUP BY story_id, summary_author, question_author, question_id))""",
    )
    if without:
        yield f"{_counted(without, 'answer')} {_has(without)} no judge."
    if judges < 2:
        yield "There is only one judge, so nothing can be said about the judges' agreement."
    elif most < 2:
        yield "No answer was judged by more than one judge, so nothing can be said about their agreement."


def _about_authors(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[str]:
    unasked, example = _row(
        cursor,
        """SELECT count(*), min(summary_author) FROM (SELECT summary_author FROM import_rows GROUP BY summary_author
            HAVING bool_and(summary_author = question_author))""",
    )
    if unasked:
        yield (
            f"{_counted(unasked, 'author')} wrote summaries that nobody else asked about, for instance "
            f'"{_short(example)}".'
        )
    askers, example = _row(
        cursor,
        """SELECT count(*), min(question_author) FROM (SELECT DISTINCT question_author FROM import_rows
            WHERE question_author NOT IN (SELECT summary_author FROM import_rows))""",
    )
    if askers:
        yield (
            f"{_counted(askers, 'author')} asked questions but wrote no summary, for instance "
            f'"{_short(example)}"; are names written alike in both columns?'
        )
    stories, lonely, example = _row(
        cursor,
        """SELECT count(*), count(*) FILTER (n = 1), min(story_id) FILTER (n = 1)
        FROM (SELECT story_id, count(DISTINCT summary_author) AS n FROM import_rows GROUP BY story_id)""",
    )
    if stories == 1:
        yield "There is only one story, so no interval can be given."
    if lonely:
        yield (
            f"{_counted(lonely, 'story', 'stories')} of {stories:,} {_has(lonely)} a summary by only one author, for "
            f'instance "{_short(example)}".'
        )


def _about_contradictions(
    cursor: duckdb.DuckDBPyConnection, column: str, of: tuple[str, ...], called: str
) -> Iterable[str]:
    """What should be said once, and is said in two ways."""
    example = " || ' by ' || ".join(of)
    different, example = _row(
        cursor,
        f"""SELECT count(*), min({example}) FROM (SELECT {", ".join(of)} FROM import_rows GROUP BY ALL
            HAVING min({column}) <> max({column}))""",
    )
    if different:
        many = {"story": "stories", "summary": "summaries"}.get(called, called + "s")
        yield (
            f"{_counted(different, called, many)} {_has(different)} more than one {column}, for instance "
            f'"{_short(example)}"; the least of them counts.'
        )


# --- relevance ----------------------------------------------------------------------------------------------


def _about_relevance(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[str]:
    columns = "rater, event, document, surrogate, session and presentation"
    yield from _about_repeats(cursor, todo, "judgment repeats", "judgments repeat", columns)
    raters, events, surrogates, judgments, judgment = _row(
        cursor,
        """SELECT count(DISTINCT rater_id), count(DISTINCT event_id), count(DISTINCT surrogate),
            count(DISTINCT judgment), min(judgment) FROM import_rows""",
    )
    if not raters:
        return
    if raters == 1:
        yield "There is only one rater, so nothing can be said about agreement between raters."
    if events == 1:
        yield "There is only one event, so intervals tell nothing of other events."
    if surrogates == 1:
        yield "There is only one surrogate, so there is nothing to compare it with."
    if judgments == 1:
        said = "relevant" if judgment else "not relevant"
        yield f"All judgments say {said}, so no agreement beyond chance is defined."
    else:
        yield from _about_constant_raters(cursor)
    yield from _about_full_texts(cursor)
    if todo.has("gold"):
        yield from _about_gold(cursor)


def _about_constant_raters(cursor: duckdb.DuckDBPyConnection) -> Iterable[str]:
    constant, rater, judgment = _row(
        cursor,
        """SELECT count(*), min(rater_id), arg_min(judgment, rater_id) FROM (
            SELECT rater_id, min(judgment) AS judgment FROM import_rows GROUP BY rater_id
            HAVING min(judgment) = max(judgment) AND count(*) >= 5)""",
    )
    if constant:
        yield (
            f"{_counted(constant, 'rater')} judged the same every time in 5 or more judgments, for instance "
            f'"{_short(rater)}": {"relevant" if judgment else "not relevant"}.'
        )


def _about_full_texts(cursor: duckdb.DuckDBPyConnection) -> Iterable[str]:
    """Full texts are known by their name; on the page another surrogate can be chosen."""
    plain = "regexp_replace(lower(surrogate), '[^\\p{L}\\p{N}]', '', 'g')"
    words = ", ".join(f"'{word}'" for word in FULL_TEXT)
    (full,) = _row(
        cursor,
        f"""SELECT arg_min(surrogate, list_position([{words}], {plain}))
        FROM (SELECT DISTINCT surrogate FROM import_rows) WHERE {plain} IN ({words})""",
    )
    if full is None:
        yield (
            "No surrogate is called full text; agreement with raters' own judgments needs one, which can be chosen on "
            "the page."
        )
        return
    raters, without, example = _row(
        cursor,
        """SELECT count(*), count(*) FILTER (NOT has), min(rater_id) FILTER (NOT has) FROM (
            SELECT rater_id, bool_or(surrogate = ?) AS has FROM import_rows GROUP BY rater_id)""",
        [full],
    )
    if without:
        yield (
            f"{_counted(without, 'rater')} of {raters:,} {_has(without)} no judgment of a full text, for instance "
            f'"{_short(example)}".'
        )
    others, lonely = _row(
        cursor,
        """SELECT count(*), count(*) FILTER (NOT has) FROM (
            SELECT surrogate, bool_or(surrogate = $1) OVER (PARTITION BY rater_id, event_id, document_id) AS has
            FROM import_rows) WHERE surrogate <> $1""",
        [full],
    )
    if lonely:
        yield (
            f"{_counted(lonely, 'judgment')} of {others:,} of surrogates {_has(lonely)} no judgment of the document's "
            "full text by the same rater."
        )


def _about_gold(cursor: duckdb.DuckDBPyConnection) -> Iterable[str]:
    documents, known, differing, example = _row(
        cursor,
        """SELECT count(*), count(low), count(*) FILTER (low <> high),
            min(document_id || ' of ' || event_id) FILTER (low <> high)
        FROM (SELECT event_id, document_id, min(gold) AS low, max(gold) AS high FROM import_rows GROUP BY ALL)""",
    )
    if known < documents:
        yield f"The gold judgment is known for {known:,} of {_counted(documents, 'document')}."
    if differing:
        yield (
            f"{_counted(differing, 'document')} {_has(differing)} more than one gold judgment, for instance "
            f'"{_short(example)}".'
        )


def _about_repeats(
    cursor: duckdb.DuckDBPyConnection, todo: Plan, one: str, many: str, same: str
) -> Iterable[str]:
    repeats = todo.kind.repeats
    if repeats is None or todo.switches["@duplicates"] != "keep":
        return
    key = ", ".join(name for name in repeats.key if todo.has(name))
    (repeated,) = _row(cursor, f"SELECT count(*) - count(DISTINCT hash({key})) FROM import_rows")
    if repeated:
        yield f"{_counted(repeated, one, many)} an earlier row (same {same}); all are kept."


_BY_KIND: Mapping[str, Callable[[duckdb.DuckDBPyConnection, Plan], Iterable[str]]] = {
    "ratings": _about_ratings,
    "contributors": _about_contributors,
    "metrics": _about_metrics,
    "choices": _about_choices,
    "comprehension": _about_comprehension,
    "relevance": _about_relevance,
}


def _row(cursor: duckdb.DuckDBPyConnection, statement: str, values: Sequence[str] = ()) -> tuple[Any, ...]:
    found = cursor.execute(statement, list(values)).fetchone()
    assert found is not None
    return found


def _has(n: int) -> str:
    return "has" if n == 1 else "have"


def _counted(n: int, one: str, many: str = "") -> str:
    return f"1 {one}" if n == 1 else f"{n:,} {many or one + 's'}"


def _short(name: str) -> str:
    return name if len(name) <= 60 else name[:59] + "…"
