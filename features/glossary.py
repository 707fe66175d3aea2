"""The terms of the pages, each explained once: in the heads of tables and where a sentence first uses it.

They are in `glossary.toml`. A term of one or two letters is explained in heads alone: elsewhere it may be anything.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Term:
    """`plain` is what the term is called in plain words; `told` says what a low or high value means for the study."""

    plain: str
    told: str
    heads_only: bool = False


def _read_terms() -> dict[str, Term]:
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    each = tomllib.loads(text)["term"]
    return {
        word: Term(one["plain"], one["told"], one.get("heads_only", False))
        for one in each
        for word in one["words"]
    }


TERMS = _read_terms()


@cache
def _pattern(heads: bool) -> re.Pattern[str]:
    words = sorted(
        (word for word, term in TERMS.items() if heads or not term.heads_only), key=len, reverse=True
    )
    between = "" if heads else r"\{[^}]*\}|<[^>]*>|"
    plural = "" if heads else "s?"
    return re.compile(rf"{between}(?<![\w·])(?P<term>{'|'.join(map(re.escape, words))}){plural}(?!\w)")


def in_head(head: str) -> list[Term]:
    """Return the terms of a table's head, each once.

    >>> [term.plain for term in in_head("r_w, 95%")]
    ['Agreement of a worker with the others (r_w)', '95% interval']
    >>> in_head("Story")
    []
    """
    return list(dict.fromkeys(TERMS[found["term"]] for found in _pattern(heads=True).finditer(head)))


def explained(head: str) -> str:
    """Return what a table's head says on hover; "" where it needs no explanation."""
    return " ".join(f"{term.plain}: {term.told}" for term in in_head(head))


def in_sentence(template: str) -> list[tuple[int, int, Term]]:
    """Return where a sentence of ours first uses each term, and the term; never within a value from data.

    >>> [(at, end) for at, end, _ in in_sentence("At the {knee} <b>knee</b> and knees")]
    [(17, 21)]
    """
    first: dict[Term, tuple[int, int]] = {}
    for found in _pattern(heads=False).finditer(template):
        if found["term"] is not None:
            first.setdefault(TERMS[found["term"]], found.span())
    return [(at, end, term) for term, (at, end) in first.items()]
