"""Captions of tables and figures, and the size of a data set."""

from collections.abc import Mapping
from typing import Any

from data.kinds.definitions import KINDS
from features.study import Study
from features.words import Sentence, of_many, plain

SYNTHETIC: Sentence = (
    "This built-in study is synthetic: made to resemble published results, not collected. "
    "Upload your own on the Data page.",
    {},
)


def caption(what: str, study: Study | None, overview: Mapping[str, Any]) -> str:
    """What a table or figure shows, and the data that it rests on."""
    return what if study is None else f"{what.rstrip('.')}. {plain(size(study, overview))}"


def size(study: Study, overview: Mapping[str, Any]) -> Sentence:
    """How many rows of how many items by how many raters, from the row of the query `overview`."""
    kind = KINDS[study.dataset.kind]
    return (
        "<b>{name}</b>: {rows} of {items}{raters}{groups}.",
        {
            "name": study.dataset.name,
            "rows": of_many(overview["rows"][0], kind.rows),
            "items": of_many(overview["items"][0], kind.items),
            "raters": f" by {of_many(overview['raters'][0], kind.raters)}"
            if study.raters_are_persons
            else "",
            "groups": f" in {len(study.groups)} groups" if len(study.groups) > 1 else "",
        },
    )
