"""ROUGE of texts against their references, for studies that bring texts but no metric.

Counting is left to the package `rouge-score`, which is optional and takes a second to load, so it is imported
where it is used. Its own tokenizer keeps only a-z and 0-9, which gives 0 for every text in another script;
`analysis.values.words` keeps them all.
"""

from collections.abc import Callable, Sequence
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.values.errors import InputError
from analysis.values.words import words

KINDS = ("rouge1", "rouge2", "rougeL")
_BLOCK = 20
"""Texts between two calls of `on_progress`."""


def rouge(
    texts: Sequence[str] | NDArray[Any],
    references: Sequence[str] | NDArray[Any],
    kinds: Sequence[str] = KINDS,
    on_progress: Callable[[float], object] | None = None,
) -> dict[str, NDArray[np.float64]]:
    """How much of its reference each text repeats, and repeats only that: ROUGE F.

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
    Not for texts that say the same in other words. One reference each, no stemming, no stop words.
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
    for at, (text, reference) in enumerate(zip(texts, references, strict=True)):
        if words(text) and words(reference):
            for kind, score in scorer.score(reference, text).items():
                scores[kind][at] = score.fmeasure
        if on_progress is not None and at % _BLOCK == _BLOCK - 1:
            on_progress((at + 1) / len(texts))
    return scores


class _Words:
    """What the package calls a tokenizer."""

    def tokenize(self, text: str) -> list[str]:
        return words(text)


def _scorer(kinds: list[str]) -> Any:
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise InputError(
            "ROUGE needs the package `rouge-score`, which is not installed; install it with "
            "`pip install -r requirements-optional.txt`, or give ROUGE as a numeric column"
        ) from error
    return RougeScorer(kinds, tokenizer=_Words())
