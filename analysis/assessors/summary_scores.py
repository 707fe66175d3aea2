"""Scores of summaries: ROUGE recall, and the scores that assessors gave."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.consistency import Assessments
from analysis.values.estimate import Codes, Floats, InputError

KINDS = ("rouge1", "rouge2", "rougeL")
_BLOCK = 20
"""Texts between two calls of `on_progress`."""


def rouge(
    texts: Sequence[str] | NDArray[Any],
    references: Sequence[str] | NDArray[Any],
    kinds: Sequence[str] = KINDS,
    on_progress: Callable[[float], object] | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Compute the ROUGE F measure of each text with its reference.

    Parameters
    ----------
    texts, references : (n,) texts; "" where there is none
    kinds : of "rouge1", "rouge2" (single words, pairs of words) and "rougeL" (longest common subsequence)
    on_progress : called between blocks with the share done

    Returns
    -------
    dict
        kind -> (n,) F from 0 to 1, NaN where a text or its reference has no words.

    Raises
    ------
    InputError
        where lengths differ, a kind is unknown, or the package `rouge-score` is not installed.

    Notes
    -----
    Not for paraphrases. One reference each, no stemming, no stop words.
    Source: Lin 2004, "ROUGE: a package for automatic evaluation of summaries", sections 2 and 3.
    """
    if len(texts) != len(references):
        raise InputError(
            "`texts` and `references` must be equally long, a reference for each text ('' for none); "
            f"got {len(texts)} and {len(references)}"
        )
    if unknown := sorted(set(kinds) - set(KINDS)):
        raise InputError(f"`kinds` may hold {', '.join(KINDS)}, got {', '.join(map(repr, unknown))}")
    scorer = _scorer(list(kinds))
    scores = {kind: np.full(len(texts), nan) for kind in kinds}
    for index, (text, reference) in enumerate(zip(texts, references, strict=True)):
        if tokenize(text) and tokenize(reference):
            for kind, score in scorer.score(reference, text).items():
                scores[kind][index] = score.fmeasure
        if on_progress is not None and index % _BLOCK == _BLOCK - 1:
            on_progress((index + 1) / len(texts))
    return scores


class _Tokenizer:
    """Tokenizer as the package defines it."""

    def tokenize(self, text: str) -> list[str]:
        return tokenize(text)


def _scorer(kinds: list[str]) -> Any:
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise InputError(
            "ROUGE needs the package `rouge-score`, which is not installed; install it with "
            "`pip install -r requirements-optional.txt`, or give ROUGE as a numeric column"
        ) from error
    return RougeScorer(kinds, tokenizer=_Tokenizer())


@dataclass(frozen=True, eq=False)
class SummaryScores:
    """One row per summary and assessor who judged it.

    Parameters
    ----------
    features : (n, f) numbers of the summary, NaN where unknown
    scores : (n, h) one column per human measure, NaN where unknown
    system, topic, split, rater : (n,) codes
    condition : (n,) codes, or None where there is one condition only
    machine : (n,) True for a system's summary, False for a person's; None if unknown
    """

    features: Floats
    scores: Floats
    system: Codes
    topic: Codes
    split: Codes
    rater: Codes
    condition: Codes | None = None
    machine: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        for name in ("scores", "system", "topic", "split", "rater", "condition", "machine"):
            array = getattr(self, name)
            if array is not None and len(array) != len(self.features):
                raise InputError(
                    f"`{name}` must have one row per judgment, {len(self.features)}, got {len(array)}"
                )

    def __len__(self) -> int:
        return len(self.features)

    def select(self, rows: NDArray[np.bool_] | Codes) -> "SummaryScores":
        """Return the selected rows."""
        return SummaryScores(
            self.features[rows],
            self.scores[rows],
            self.system[rows],
            self.topic[rows],
            self.split[rows],
            self.rater[rows],
            None if self.condition is None else self.condition[rows],
            None if self.machine is None else self.machine[rows],
        )


def summary_scores(
    measures: Sequence[Assessments], features: Floats, is_machine: NDArray[np.bool_] | None = None
) -> SummaryScores:
    """Build a row per summary and assessor, with one column of scores per measure."""
    if not measures:
        raise InputError("`measures` must name at least one measure, got none")
    stacked = {
        name: np.concatenate([getattr(measure, name) for measure in measures])
        for name in ("item", "rater", "score", "system", "topic", "condition", "split")
    }
    column = np.repeat(np.arange(len(measures)), [len(measure) for measure in measures])
    is_known = (stacked["system"] >= 0) & np.isfinite(stacked["score"])
    stacked, column = {name: values[is_known] for name, values in stacked.items()}, column[is_known]
    raters = int(stacked["rater"].max(initial=0)) + 1
    pairs, first, row = np.unique(
        stacked["item"] * raters + stacked["rater"], return_index=True, return_inverse=True
    )
    entry, size = row * len(measures) + column, len(pairs) * len(measures)
    counts = np.bincount(entry, minlength=size)
    scores = np.full(size, nan)
    np.divide(np.bincount(entry, stacked["score"], size), counts, out=scores, where=counts > 0)
    first_values = {name: values[first] for name, values in stacked.items()}
    topics = int(stacked["topic"].max(initial=-1)) + 1
    return SummaryScores(
        features[first_values["item"]],
        scores.reshape(len(pairs), len(measures)),
        first_values["system"],
        np.where(first_values["topic"] >= 0, first_values["topic"], topics + first_values["item"]),
        first_values["split"],
        first_values["rater"],
        first_values["condition"] if (first_values["condition"] >= 0).any() else None,
        None if is_machine is None else is_machine[first_values["system"]],
    )


_RANGES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),  # Chinese repetition marks and zero
    (0x3041, 0x30FF),  # Japanese syllables
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Chinese characters
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
"""Scripts written without spaces between words: each character is its own word."""


def tokenize(text: str) -> list[str]:
    """Split a text into words, normalized and case-folded.

    Equals ROUGE's own tokenizer for plain English; 'report' and 'reports' differ.

    >>> tokenize("Don't PANIC, Zürich!"), tokenize("東京 2020")
    (['don', 't', 'panic', 'zürich'], ['東', '京', '2020'])
    """
    return normalize("NFKC", text.casefold()).casefold().translate(_FOLD_TABLE).split()


class _FoldTable(dict[int, str]):
    """Replacements of characters, computed on first use."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        kind = category(letter)
        if any(low <= code <= high for low, high in _RANGES) and kind[0] in "LN":
            folded = f" {letter} "
        elif kind[0] in "LNM":
            folded = letter
        else:
            folded = "" if kind == "Cf" else " "
        self[code] = folded
        return folded


_FOLD_TABLE = _FoldTable()
