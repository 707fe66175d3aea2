"""The synthetic study `relevance`: ten raters judge documents from headlines, from summaries and from the full texts.

Made, not collected: the judgments of Hobson, Dorr, Monz and Schwartz 2007 are not public, so this study is drawn from
a small model whose parameters were set so that the levels the paper tells in section 5 come out of it. README.md in
this folder compares the two. Every truth in it is planted, so tests can look for it.

Of each event's twenty documents ten are relevant by the gold standard. A rater sees in a document how relevant it is
(`signal`) with some noise, and judges the highest relevant. From a surrogate a rater judges as from the full text, but
for the relevant documents that are missed (`Rater.misses`) and for a few false alarms (`Rater.alarms`), both where the
surrogate tells least (`telling`). How many these are is planted rater by rater; the seed decides which.

ROUGE-1 goes a little with what the surrogate tells (`Surrogate.rouge_tells`): it is lower where relevance was missed.

Apart from this stands a study of the order of presentations, with an event and two further raters and an
`order_label`: it enters no figure of the rest.
"""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEED = 2007
"""The year of the paper; not chosen among others."""
DOCUMENTS_SEED = 60
"""The documents and what surrogates tell of them are the same in every study; `SEED` decides the judgments."""


@dataclass(frozen=True)
class Rater:
    """Planted parameters of one rater: misses and false alarms per surrogate, of 60 documents."""

    name: str
    relevant: int  # documents of each event judged relevant from the full text
    misses: tuple[int, int]
    alarms: tuple[int, int]
    pace: float  # seconds, relative to the others


# Errors add up to what section 5 tells of Table 8: accuracy .760 and .813, false positives below 27 and 35, and 50%
# more false negatives with headlines than with summaries.
RATERS = (
    Rater("rater 01", 10, (10, 7), (3, 4), 0.9),
    Rater("rater 02", 9, (11, 6), (1, 3), 1.3),
    Rater("rater 03", 11, (15, 10), (2, 2), 0.8),
    Rater("rater 04", 10, (12, 8), (3, 4), 1.0),
    Rater("rater 05", 12, (18, 12), (3, 4), 0.7),
    Rater("rater 06", 8, (7, 4), (4, 5), 1.2),
    Rater("rater 07", 10, (9, 6), (2, 3), 1.1),
    Rater("rater 08", 11, (14, 10), (2, 2), 0.9),
    Rater("rater 09", 9, (8, 5), (4, 5), 1.0),
    Rater("rater 10", 10, (14, 10), (2, 2), 1.1),
)
EVENTS = ("election", "flood", "trial")


@dataclass(frozen=True)
class Surrogate:
    """Planted parameters of one surrogate."""

    name: str
    seconds: float  # on average
    rouge: float  # mean ROUGE-1
    rouge_tells: float  # correlation of ROUGE-1 with what the surrogate tells


SURROGATES = (
    Surrogate("Headline", 4.2, 0.2115, 0.3),
    Surrogate("Human", 4.8, 0.2690, 0.1),
    Surrogate("Full Text", 13.4, 0.8000, 0.0),
)
DOCUMENTS = 20
RELEVANT, DIFFER, NOISE = 0.95, 0.7, 0.7
"""Distance of a document's signal from 0 by the gold standard, and SDs of documents and of raters."""
MISSED_BY_CHANCE = 1.0
"""SD of the noise in which documents a rater misses, relative to the information in surrogates."""
ROUGE_SD = 0.06

ORDER_EVENT = "strike"
ORDERS = {"D1S2D2": ("D1", "S2", "D2"), "S1D1D2": ("S1", "D1", "D2")}
"""Sequences of presentations: S a summary, D the document, in week 1 or 2."""
ORDER_RATERS = ("rater 11", "rater 12")
CHANGED = ("rater 12", "S1D1D2")
"""Rater and order of the only judgment of a document that changed from one week to the next."""
ORDER_MISSES = 2
"""Number of ten documents that are judged differently from the summary, in either order."""

COLUMNS = (
    "rater_id",
    "event_id",
    "document_id",
    "surrogate",
    "judgment",
    "gold",
    "seconds",
    "session",
    "presentation",
    "order_label",
    "rouge1",
)

Table = dict[str, NDArray[Any]]


def generate(seed: int = SEED) -> Table:
    """Return a row per judgment, 1,920 in all: column -> array (1920,); "" for none. The same seed, the same study."""
    rng = np.random.default_rng(seed)
    main, order = _draw_main_study(rng), _draw_order_study(rng)
    return {name: np.concatenate([main[name], order[name]]) for name in COLUMNS}


def _draw_main_study(rng: np.random.Generator) -> Table:
    """Draw judgments of every rater on every document from every surrogate: columns (1800,)."""
    documents = len(EVENTS) * DOCUMENTS
    document_rng = np.random.default_rng(DOCUMENTS_SEED)
    gold = np.concatenate([document_rng.permutation(DOCUMENTS) % 2 for _ in EVENTS])
    signal = np.where(gold == 1, RELEVANT, -RELEVANT) + DIFFER * _normal_scores(document_rng, (documents,))
    informativeness = _normal_scores(document_rng, (len(SURROGATES), documents))
    rouge = _draw_rouge(document_rng, informativeness)

    judgments = np.empty((len(RATERS), len(SURROGATES), documents), dtype=np.int64)
    for index, rater in enumerate(RATERS):
        perceived = (signal + NOISE * _normal_scores(rng, (documents,))).reshape(len(EVENTS), DOCUMENTS)
        judgments[index, 2] = (_ranks(-perceived) < rater.relevant).ravel()
        for surrogate in (0, 1):
            evidence = informativeness[surrogate] + MISSED_BY_CHANCE * _normal_scores(rng, (documents,))
            relevant = judgments[index, 2] == 1
            is_missed = _ranks(np.where(relevant, evidence, np.inf)) < rater.misses[surrogate]
            is_alarm = _ranks(np.where(relevant, np.inf, evidence)) < rater.alarms[surrogate]
            judgments[index, surrogate] = (relevant & ~is_missed) | is_alarm

    pace = np.array([rater.pace for rater in RATERS])[:, None, None]
    seconds = pace * np.exp(0.4 * rng.standard_normal(judgments.shape))
    seconds *= np.array([[s.seconds] for s in SURROGATES]) / seconds.mean(axis=(0, 2), keepdims=True)
    rater, surrogate, document = (axis.ravel() for axis in np.indices(judgments.shape))
    empty = np.full(judgments.size, "")
    return {
        "rater_id": np.array([planted.name for planted in RATERS])[rater],
        "event_id": np.array(EVENTS)[document // DOCUMENTS],
        "document_id": _DOCUMENT_NAMES[document % DOCUMENTS],
        "surrogate": np.array([planted.name for planted in SURROGATES])[surrogate],
        "judgment": judgments.ravel(),
        "gold": gold[document],
        "seconds": seconds.ravel().round(1),
        "session": empty,
        "presentation": empty,
        "order_label": empty,
        "rouge1": rouge[surrogate, document].round(4).astype(np.str_),
    }


def _draw_order_study(rng: np.random.Generator) -> Table:
    """Draw judgments of two raters on ten documents in either order, each presented three times: columns (120,)."""
    half = DOCUMENTS // 2
    rows: list[tuple[Any, ...]] = []
    gold = np.arange(DOCUMENTS) % 2
    for rater in ORDER_RATERS:
        for index, (label, presentations) in enumerate(ORDERS.items()):
            documents = index * half + np.arange(half)
            full_text = gold[documents] ^ (_ranks(rng.random(half)) < 1)
            differs = _ranks(rng.random(half)) < ORDER_MISSES
            is_changed = (_ranks(rng.random(half)) < 1) & ((rater, label) == CHANGED)
            for presentation in presentations:
                summary = presentation[0] == "S"
                judgments = full_text ^ (differs if summary else is_changed & (presentation == "D1"))
                surrogate = SURROGATES[1 if summary else 2]
                seconds = (surrogate.seconds * np.exp(0.4 * rng.standard_normal(half))).round(1)
                session_columns = (f"week {presentation[1]}", presentation, label, "")
                rows += [
                    (
                        rater,
                        ORDER_EVENT,
                        _DOCUMENT_NAMES[document],
                        surrogate.name,
                        judgment,
                        gold[document],
                        second,
                        *session_columns,
                    )
                    for document, judgment, second in zip(documents, judgments, seconds, strict=True)
                ]
    return {name: np.array(column) for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)}


def _draw_rouge(rng: np.random.Generator, informativeness: NDArray[np.float64]) -> NDArray[np.float64]:
    """Draw ROUGE-1 (3, documents) around each surrogate's mean, slightly higher for more informative texts."""
    correlation, mean = np.array([(surrogate.rouge_tells, surrogate.rouge) for surrogate in SURROGATES]).T[
        :, :, None
    ]
    residual = _normal_scores(rng, informativeness.shape)
    residual -= (
        informativeness
        * (residual * informativeness).mean(axis=1, keepdims=True)
        / (informativeness**2).mean(axis=1, keepdims=True)
    )
    rouge: NDArray[np.float64] = mean + ROUGE_SD * (
        correlation * informativeness + np.sqrt(1 - correlation**2) * residual
    )
    return rouge


def _normal_scores(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Draw normal scores in random order, the same numbers along the last axis."""
    n = shape[-1]
    scores = np.array([NormalDist().inv_cdf((index + 0.5) / n) for index in range(n)])
    return rng.permuted(np.broadcast_to(scores, shape), axis=-1)


def _ranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return ranks from 0 along the last axis, the smallest first."""
    ranks: NDArray[np.int64] = values.argsort(axis=-1).argsort(axis=-1)
    return ranks


_DOCUMENT_NAMES = np.array([f"document {number:02d}" for number in range(1, DOCUMENTS + 1)])
