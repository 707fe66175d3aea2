# ruff: noqa: S608 - all identifiers are canonical columns or quoted
"""Warning signs in choices: repeats, raters, votes per item, systems, positions, labels."""

from collections.abc import Iterable

import duckdb

from analysis.values.estimate import thousands
from data.engines.schema import quoted
from data.importing.warning_signs.wording import (
    FEW,
    Doubt,
    WarningSign,
    count_of,
    first_row,
    has,
    real_rows,
    repeats_note,
    short_name,
    warn_of_rejected,
    warn_of_repeats,
    warn_of_single_rows,
)
from data.kinds.answer_words import side_sql
from data.mapping.plan import Plan

_STATED = "CASE side WHEN 0 THEN option_a WHEN 1 THEN option_b WHEN 2 THEN 'both' WHEN 3 THEN 'neither' ELSE 'tie' END"
_BATCH = "one, other, design"
"""A pair of systems under a design; where choices are labels, all of them are of one batch."""


def about_choices(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterable[WarningSign]:
    try:
        if plan.compared:
            _stage_sides(cursor, plan)
        else:
            _stage_labels(cursor, plan)
        yield from _about_repeated_choices(cursor, plan)
        yield from _about_raters(cursor, plan)
        yield from _about_votes_per_item(cursor, plan)
        if plan.compared:
            yield from _about_systems(cursor)
            yield from _about_designs(cursor)
            yield from _about_positions(cursor)
            yield from _about_option_numbers(cursor, plan)
        else:
            yield from _about_labels(cursor)
        for column in ("expert", "gold"):
            if plan.has(column):
                yield from _about_answers(cursor, plan, column)
    finally:
        cursor.execute(f"DROP {'TABLE' if plan.compared else 'VIEW'} IF EXISTS temp.import_votes")


def _stage_sides(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> None:
    """Create `import_votes`: a row per choice between two systems, with answers by system. Each distinct word and pair
    is interpreted once."""
    answers = [name for name in ("choice", "expert", "gold") if plan.has(name)]
    words = " UNION ".join(
        f"SELECT DISTINCT {name} AS word, option_a, option_b FROM import_rows" for name in answers
    )
    side = side_sql("word", "option_a", "option_b", plan.switches["@numbers"])
    joins = " ".join(
        f"LEFT JOIN sides AS of_{name} ON of_{name}.word = r.{name} AND of_{name}.option_a = r.option_a "
        f"AND of_{name}.option_b = r.option_b"
        for name in answers
    )
    answer_columns = ", ".join(f"of_{name}.answer AS {name}" for name in answers)
    cursor.execute(
        f"""CREATE OR REPLACE TEMP TABLE import_votes AS
        WITH sides AS (SELECT *, CASE WHEN side IS NOT NULL THEN {_STATED} END AS answer
            FROM (SELECT *, {side} AS side FROM ({words}) WHERE word IS NOT NULL))
        SELECT item_id, rater_id, {_group_sql(plan)}, {_design_sql(plan)}, r.option_a,
            least(r.option_a, r.option_b) AS one, greatest(r.option_a, r.option_b) AS other,
            of_choice.side AS side, {answer_columns}
        FROM import_rows AS r {joins} {real_rows(plan)}"""
    )


def _stage_labels(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> None:
    answers = ", ".join(name for name in ("choice", "expert", "gold") if plan.has(name))
    cursor.execute(
        f"""CREATE OR REPLACE TEMP VIEW import_votes AS
        SELECT item_id, rater_id, {_group_sql(plan)}, {_design_sql(plan)}, '' AS one, '' AS other, {answers}
        FROM import_rows {real_rows(plan)}"""
    )


def _group_sql(plan: Plan) -> str:
    return "rater_group" if plan.has("rater_group") else "'' AS rater_group"


def _design_sql(plan: Plan) -> str:
    return "design" if plan.has("design") else "'' AS design"


def _about_repeated_choices(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterable[WarningSign]:
    if plan.switches["@duplicates"] == "keep":
        rows, repeated = first_row(
            cursor,
            f"""SELECT count(*), count(*) - count(DISTINCT hash(item_id, rater_id, rater_group, {_BATCH}))
            FROM import_votes""",
        )
        if repeated:
            same = "same item, systems, design and group" if plan.compared else "same item and group"
            yield warn_of_repeats(
                plan,
                repeated,
                rows,
                f"{count_of(repeated, 'choice repeats', 'choices repeat')} what the same rater had already "
                f"chosen ({same}); all are kept.{repeats_note(plan)}",
            )
    yield from warn_of_rejected(cursor, plan, "choice comes", "choices come")


def _about_raters(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterable[WarningSign]:
    if plan.switches["@raters"] == "slots":
        return
    constant = "min(choice) = max(choice)"
    same_position = "min(side) = max(side) AND max(side) < 2" if plan.compared else "FALSE"
    raters, one_item, same, same_rater, same_choice, sided, sided_rater, many_groups = first_row(
        cursor,
        f"""WITH raters AS (
            SELECT rater_id, count(*) AS n, {constant} AS same, min(choice) AS choice, {same_position} AS sided,
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
        yield "Every rater judged only one item; is the rater column the right one?"
    elif one_item:
        yield f"{count_of(one_item, 'rater')} of {thousands(raters)} judged only one item."
    if same:
        yield (
            f"{count_of(same, 'rater')} made the same choice every time in 5 or more choices, for instance "
            f'"{short_name(same_rater)}": "{short_name(same_choice)}".'
        )
    if sided:
        yield (
            f"{count_of(sided, 'rater')} took the same position every time in 5 or more choices, for instance "
            f'"{short_name(sided_rater)}".'
        )
    if many_groups:
        yield (
            f"{count_of(many_groups, 'rater id occurs', 'rater ids occur')} in more than one group; are they "
            "the same persons?"
        )


def _about_votes_per_item(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterable[WarningSign]:
    items, single = first_row(
        cursor,
        f"""SELECT count(*), count(*) FILTER (n = 1)
        FROM (SELECT count(*) AS n FROM import_votes GROUP BY item_id, {_BATCH})""",
    )
    if single:
        unit = "comparison" if plan.compared else "item"
        sentence = (
            f"{count_of(single, unit)} of {thousands(items)} {has(single)} only one vote, which says "
            f"nothing about agreement."
        )
        # in an arena every battle is another: one vote each is how it is meant to be
        yield sentence if plan.compared else warn_of_single_rows(plan, single, items, sentence)


def _about_systems(cursor: duckdb.DuckDBPyConnection) -> Iterable[WarningSign]:
    placeholder = "'\x01'"
    word = f"({side_sql('name', placeholder, placeholder)}) IS NOT NULL"
    systems, example, words, choice_like = first_row(
        cursor,
        f"""SELECT count(*), min(name), count(*) FILTER ({word}), min(name) FILTER ({word}) FROM (
            SELECT one AS name FROM import_votes UNION SELECT other FROM import_votes)""",
    )
    if systems > 50:
        yield (
            f'There are {thousands(systems)} different options, for instance "{short_name(example)}"; do the '
            f"option columns "
            "hold the systems' names?"
        )
    if words:
        yield (
            f"{count_of(words, 'system is', 'systems are')} called as a choice might be, for instance "
            f'"{short_name(choice_like)}"; a choice that is the name of a system means the system.'
        )


def _about_designs(cursor: duckdb.DuckDBPyConnection) -> Iterable[WarningSign]:
    """Return warnings about answers that a design seems to offer but nobody chose."""
    batches = cursor.execute(
        f"""SELECT {_BATCH}, count(*) FILTER (choice = one), count(*) FILTER (choice = other),
            count(*) FILTER (side = 2), count(*) FILTER (side = 3), count(*) FILTER (side = 4)
        FROM import_votes GROUP BY {_BATCH} ORDER BY {_BATCH}"""
    ).fetchall()
    sentences = []
    for first, second, design, *counts in batches:
        digit = next((character for character in str(design) if character.isdigit()), "")
        both, neither, tie = counts[2:]
        offered = {
            str(first): counts[0],
            str(second): counts[1],
            "both": both or tie or int(digit != "4" and not neither),
            "neither": neither or int(digit != "4" and not both),
            "a tie": tie or both or int(digit != "3"),
        }
        pair = f'"{short_name(str(first))}" and "{short_name(str(second))}"' + (
            f', design "{short_name(str(design))}"' if design else ""
        )
        sentences += [
            f'Nobody chose "{short_name(option)}" between {pair}.' for option, n in offered.items() if not n
        ]
    yield from sentences[:FEW]
    if len(sentences) > FEW:
        yield f"In {thousands(len(sentences) - FEW)} more cases nobody chose an option."
    both, neither, tie = (sum(batch[position] for batch in batches) for position in (5, 6, 7))
    if tie and neither and not both:
        yield (
            'There is a tie beside "neither" (or "both bad"), and no "both": the tie is read as both, as in '
            "Chatbot Arena."
        )


def _about_positions(cursor: duckdb.DuckDBPyConnection) -> Iterable[WarningSign]:
    """Warn of a position that is chosen more often, which shows a bias only if systems change positions."""
    pairs, fixed = first_row(
        cursor,
        """SELECT count(*), count(*) FILTER (fixed) FROM (
            SELECT min(option_a) = max(option_a) AS fixed FROM import_votes GROUP BY one, other)""",
    )
    if fixed:
        scope = (
            f"In {thousands(fixed)} of {thousands(pairs)} pairs"
            if pairs > 1
            else "In the one pair of systems"
        )
        yield (
            f"{scope} the same system always stands in first position; a preference for it cannot be separated from a "
            "preference for the position."
        )
    n, first = first_row(
        cursor,
        """SELECT count(*) FILTER (side < 2), count(*) FILTER (side = 0) FROM import_votes
        JOIN (SELECT one, other FROM import_votes GROUP BY one, other HAVING min(option_a) <> max(option_a))
        USING (one, other)""",
    )
    position_name, chosen = ("first", first) if 2 * first > n else ("second", n - first)
    if n and chosen > 0.6 * n and (2 * chosen - n) ** 2 > 9 * n:
        yield (
            f"The {position_name} position was chosen in {100 * chosen / n:.0f}% of {thousands(n)} choices of one "
            f"of two systems "
            "that change positions; raters seem to lean to it."
        )


def _about_option_numbers(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterable[WarningSign]:
    """Return warnings about numbers, such as lengths, that are known for only one of two options."""
    for first, second in plan.option_numbers:
        rows, known = first_row(
            cursor,
            f"""SELECT count(*), count(*) FILTER ({quoted(first)} >= 0 AND {quoted(second)} >= 0)
            FROM import_rows {real_rows(plan)}""",
        )
        if known < rows:
            yield (
                f'{count_of(rows - known, "choice lacks", "choices lack")} "{short_name(first[:-2])}" of an option (a '
                "number of 0 or more); they are kept, and left out only where its effect is taken out."
            )


def _about_labels(cursor: duckdb.DuckDBPyConnection) -> Iterable[WarningSign]:
    (labels,) = first_row(cursor, "SELECT count(DISTINCT choice) FROM import_votes")
    if labels > 20:
        yield f"There are {thousands(labels)} different labels; is the choice column the right one?"
    if labels == 1:
        yield Doubt("Everyone chose the same label.", "everyone chose the same label")


def _about_answers(cursor: duckdb.DuckDBPyConnection, plan: Plan, column: str) -> Iterable[WarningSign]:
    """Warn about expert or true answers: their number, unknown words, and differences between the rows of an item."""
    answer_name = {"expert": "the expert's answer", "gold": "the gold answer"}[column]
    unit = "comparison" if plan.compared else "item"
    if plan.compared:
        side = side_sql(column, "option_a", "option_b", plan.switches["@numbers"])
        is_unknown = f"{column} IS NOT NULL AND ({side}) IS NULL"
        unknown, value, item = first_row(
            cursor,
            f"""SELECT count(*) FILTER ({is_unknown}), min({column}) FILTER ({is_unknown}),
                arg_min(item_id, {column}) FILTER ({is_unknown})
            FROM (SELECT DISTINCT item_id, {column}, option_a, option_b FROM import_rows {real_rows(plan)})""",
        )
        if unknown:
            sentence = (
                f"{count_of(unknown, 'item has', 'items have')} {answer_name} that is none of the two options, both, "
                f'neither or a tie, for instance "{short_name(value)}" for "{short_name(item)}"; it is taken as not '
                "known."
            )
            (understood,) = first_row(cursor, f"SELECT count({column}) FROM import_votes")
            yield (
                sentence
                if understood
                else Doubt(sentence, f"{answer_name} is none of the options in any row")
            )
    items, known, differing, example = first_row(
        cursor,
        f"""SELECT count(*), count(low), count(*) FILTER (low <> high), min(item_id) FILTER (low <> high)
        FROM (SELECT item_id, min({column}) AS low, max({column}) AS high
            FROM import_votes GROUP BY item_id, {_BATCH})""",
    )
    if known < items:
        yield f"{answer_name[0].upper()}{answer_name[1:]} is known for {thousands(known)} of {count_of(items, unit)}."
    if differing:
        yield (
            f"{count_of(differing, unit)} {has(differing)} more than one answer as {answer_name}, for instance "
            f'"{short_name(example)}".'
        )
    if not plan.compared:
        different, labels, label = first_row(
            cursor,
            f"""SELECT count(*), count(*) FILTER (strange), min({column}) FILTER (strange) FROM (
                SELECT {column}, {column} NOT IN (SELECT DISTINCT choice FROM import_votes WHERE choice IS NOT NULL)
                    AS strange
                FROM (SELECT DISTINCT {column} FROM import_votes WHERE {column} IS NOT NULL))""",
        )
        if labels:
            sentence = (
                f"{count_of(labels, 'label occurs', 'labels occur')} as {answer_name} but nobody chose "
                f'{"it" if labels == 1 else "them"}, for instance "{short_name(label)}".'
            )
            yield (
                Doubt(sentence, f"nobody chose a label that is {answer_name}")
                if labels == different
                else sentence
            )
