"""Results of webMUSHRA: one row per stimulus and page (`rating_score`), or per pair (`choice_answer`).

The stimuli of a page are systems on one topic; the hidden reference and the anchors are stimuli by name.
"""

from collections.abc import Iterator

from data.formats.parts.answers import seconds_of
from data.formats.parts.format import Canonical, Chosen, Format
from data.formats.parts.responses import Response, table_of
from data.formats.parts.table import Cells, Table

_OURS = {"session_test_id", "session_uuid", "trial_id"}
_SCORE = "rating_score"
_OF_RATINGS = {"rating_stimulus", _SCORE}
_OF_PAIRS = {"choice_reference", "choice_non_reference", "choice_answer"}


def _knows(table: Table) -> bool:
    has = set(table.names)
    return has >= _OURS and (has >= _OF_RATINGS or has >= _OF_PAIRS)


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    first = table.names.index("trial_id")
    about = {name: f"rater_{name.casefold()}" for name in table.names[:first] if name not in _OURS}
    notes = ["A session is a rater."]
    pairs = set(table.names) >= _OF_PAIRS
    if not pairs:
        notes.append(
            "An item is a stimulus on a page (trial); the stimulus is its system, the page its topic."
        )

    def responses(line: int, row: Cells) -> Iterator[Response]:
        rater, page = row["session_uuid"], row["trial_id"]
        attributes = {plain: row[name] for name, plain in about.items()}
        if pairs:
            options = {"option_a": row["choice_reference"], "option_b": row["choice_non_reference"]}
            told = row["choice_answer"].casefold().replace("_", "").replace(" ", "")
            answer = {"reference": "A", "nonreference": "B"}.get(told, row["choice_answer"])
            seconds = seconds_of(row.get("choice_time", ""))
            yield Response(
                page, rater, {_SCORE: answer}, attributes | options, seconds, told_by=("choice_answer", "")
            )
            return
        system = row["rating_stimulus"]
        cells = attributes | {"system": system, "system_kind": _kind(system), "topic": page}
        seconds = seconds_of(row.get("rating_time", ""))
        yield Response(
            f"{page}__{system}", rater, {_SCORE: row[_SCORE]}, cells, seconds, told_by=(_SCORE, "")
        )

    return table_of(table, responses, [_SCORE], "the stimulus was not rated", notes=notes, pairs=pairs)


def _kind(stimulus: str) -> str:
    plain = stimulus.casefold()
    return "reference" if plain == "reference" else "anchor" if plain.startswith("anchor") else "system"


FORMAT = Format("webMUSHRA", _knows, _canonical)
