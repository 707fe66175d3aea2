# ruff: noqa: SIM905 - lists of words read better as words
"""The synthetic study `assessors`: the size of TAC 2011, eight assessors who are not equally consistent.

Made, not collected: the judgments of TAC 2011 are not public, so this study is drawn from a small model
whose parameters were set so that the figures of Owczarzak et al. 2012 come out of it. README.md in this
folder compares the two. Every truth in it is planted, so tests can look for it.

44 topics are summarised twice (main, update) by 50 systems and by 4 of 8 people, in eight sentences each.
Some systems are two runs of one team, and now and then both hand in the same text. One assessor judges all
summaries of a topic; how consistently, is read off the identical texts.

- Content: a summary holds up to eight of its topic's 16 content units (SCUs); the weight of a unit is the
  number of the people's summaries (the models) that hold it. A unit is a string of words in the text.
- Pyramid: an assessor overlooks a unit with the chance `overlooks`. Some of that belongs to the text, and
  identical texts share it; the rest comes anew with each judgment.
- Readability and Responsiveness: score = round(view of the text + noise of the judgment), within 1 to 5.

An assessor's noise on a measure (for Pyramid: the part of the overlooking that comes anew) is solved for, so
that Krippendorff's alpha on the identical texts comes as near as it can to the one in `ASSESSORS`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEED = 2011
"""The year of the data that the paper describes; not chosen among others."""

TOPICS = 44
CONDITIONS = ("main", "update")
SPLITS = ("A", "B", "C")
SYSTEMS = 50
HUMANS = 8
MODELS = 4
"""People who write a summary of a topic."""
SENTENCES = 8
BEST = 23
"""Maximum weight of eight units of a topic; every model contains eight."""
WEIGHTS = np.repeat([4, 3, 2, 1], [2, 3, 4, 7])
"""Weights of a topic's 16 units under one condition; their sum is that of four models with eight units each."""
TWINS = (84, 75, 70, 62, 53, 44, 26, 16)
"""Number of identical texts of systems 1 and 2, 3 and 4, ..., out of 88 topics and conditions."""
MEASURES = ("Readability", "Responsiveness", "Pyramid")


@dataclass(frozen=True)
class Assessor:
    """Planted parameters of one assessor."""

    name: str
    readability: float  # alpha on identical texts
    responsiveness: float
    pyramid: float
    overlooks: float  # chance that a unit in the text is not found; decides mP - aP
    severity: float  # leaning up or down on readability and responsiveness
    pace: float  # seconds per judgment, relative to the others


# The alphas are those of the paper's Table 1, but for three pairs printed within .01 of each other (D and G, C
# and F on Readability, E and F on Responsiveness): whole scores of some 50 pairs cannot tell them apart, so they
# are moved apart by up to .025. TAC had an eighth assessor, who is not in the table: B, put in the middle. The
# paper gives mP - aP as a figure without numbers (Figure 1), and says that A is good on Readability and poor at
# selecting units; the rest of `overlooks` is set by hand.
ASSESSORS = (
    Assessor("A", 0.801, 0.750, 0.931, 0.215, 0.10, 0.9),
    Assessor("B", 0.715, 0.780, 0.920, 0.120, -0.05, 1.1),
    Assessor("C", 0.641, 0.490, 0.886, 0.250, 0.15, 0.7),
    Assessor("D", 0.855, 0.875, 0.970, 0.060, -0.10, 1.2),
    Assessor("E", 0.519, 0.700, 0.909, 0.150, 0.05, 0.9),
    Assessor("F", 0.672, 0.730, 0.872, 0.180, -0.15, 0.8),
    Assessor("G", 0.878, 0.931, 0.975, 0.030, 0.00, 1.3),
    Assessor("H", 0.783, 0.808, 0.935, 0.090, 0.00, 1.0),
)

# Calibrated: of the last six, `_SYSTEM` moved by the distance of the system-level correlation from the paper's
# Table 3 and `_TEXT` by the distance of the summary-level one from its Table 4, all at once, twelve times,
# until the means over seeds 100 to 115 met the paper's figures; then rounded to two digits. ROUGE's two went by
# the correlations with Pyramid. The first seven are set by hand: the paper says nothing of them.
MEAN_UNITS = 3.4
CONTENT_SYSTEM = 1.25  # SD of the number of units over systems
CONTENT_TOPIC = 0.5
CONTENT_TEXT = 1.0
WEIGHT_LIKED = 0.3  # how much systems prefer what many models hold
COPIED = 0.85  # share of units that systems word as the documents do
COPIED_BY_PEOPLE = 0.5
ROUGE_SYSTEM = 0.2  # what ROUGE-2 sees in a system beside content, in SDs of content
ROUGE_TEXT = 0.6
READABILITY_SYSTEM = 0.6  # what readability is beside content
READABILITY_TEXT = 0.46
RESPONSIVENESS_SYSTEM = 0.15
RESPONSIVENESS_TEXT = 0.32

SECONDS = {"Readability": 22.0, "Responsiveness": 35.0, "Pyramid": 170.0}

COLUMNS = (
    "item_id",
    "rater_id",
    "measure",
    "score",
    "system",
    "system_kind",
    "topic",
    "condition",
    "split",
    "order",
    "seconds",
    "rouge1",
    "rouge2",
    "words",
    "redundancy",
    "entity_overlap",
    "perplexity",
    "text",
)
CONTRIBUTOR_COLUMNS = (
    "topic",
    "condition",
    "item_id",
    "rater_id",
    "scu_id",
    "contributor_text",
    "weight",
    "is_model",
)

Table = dict[str, NDArray[Any]]

NOUNS = (
    "airport archive army bakery bank bridge bureau cathedral chairman charity clinic college committee "
    "company coroner council court dam diplomat director district embassy engineer factory farmer festival "
    "fishery foundation governor harbour hospital inspector judge laboratory lawyer library mayor miner "
    "ministry museum newspaper nurse orchestra parliament passenger physician pilot police prosecutor "
    "railway refinery reporter school senator shipyard stadium supplier teacher theatre union university "
    "village warehouse witness"
).split()
ADJECTIVES = (
    "ageing bankrupt coastal damaged disputed empty famous flooded foreign former local modern national "
    "neighbouring northern old private public rural small southern temporary urban wealthy"
).split()
VERBS = (
    "approved backed endorsed supported",
    "attacked condemned criticised denounced",
    "closed shut emptied evacuated",
    "aided assisted helped rescued",
    "examined inspected investigated reviewed",
    "bought acquired purchased obtained",
    "blamed accused faulted sued",
    "rebuilt repaired restored renovated",
    "described portrayed presented depicted",
    "feared distrusted avoided shunned",
    "informed notified warned alerted",
    "funded financed sponsored subsidised",
)
"""Synonyms of each verb: the documents' wording of a unit first, then other wordings."""
TAILS = ("", "", "", " again", " today", " last week", " in March", " after the storm", " for the first time")
WORDINGS = 4
FILLERS = 60
NOUNS_PER_TOPIC = 16

_CELLS = TOPICS * len(CONDITIONS)
_TEXTS = SYSTEMS + MODELS
_UNITS = len(WEIGHTS)
_TOPIC_OF = np.arange(_CELLS) // len(CONDITIONS)
_ASSESSOR_OF = _TOPIC_OF % len(ASSESSORS)
_IS_MODEL = np.arange(_TEXTS) >= SYSTEMS


@dataclass(frozen=True, eq=False)
class _Summaries:
    """All texts: 88 cells (a topic under a condition) of 54 texts each (of 50 systems, then 4 models)."""

    contains: NDArray[np.bool_]  # (88, 54, 16) units in the text
    contributor: NDArray[np.object_]  # (88, 54, 16) the words of each unit, were it in the text
    text: NDArray[np.object_]  # (88, 54)
    source: NDArray[np.int64]  # (88, 54) the place of the text that this one repeats, or its own
    views: dict[str, NDArray[np.float64]]  # (88, 54) readability and responsiveness before any noise
    features: Table  # (88, 54) each


def generate(seed: int = SEED) -> Table:
    """Return a row per judgment, 14,256 in all: column -> array (14256,). The same seed gives the same study."""
    summaries = _draw_summaries(np.random.default_rng(seed))
    rng = np.random.default_rng([seed, 2])
    scores = [_draw_scores(rng, summaries, measure) for measure in MEASURES[:2]]
    scores.append(_pyramid_scores(_draw_found_units(seed, summaries)))
    order, seconds = _draw_order_and_seconds(rng)

    def per_judgment(values: NDArray[Any]) -> NDArray[Any]:
        return np.repeat(values.ravel(), len(MEASURES))

    def per_cell(values: NDArray[Any]) -> NDArray[Any]:
        return np.repeat(values, _TEXTS * len(MEASURES))

    names = _cell_names()
    return {
        "item_id": per_judgment(names["item_id"]),
        "rater_id": per_cell(names["rater_id"]),
        "measure": np.tile(MEASURES, _CELLS * _TEXTS),
        "score": np.stack(scores, axis=-1).ravel(),
        "system": per_judgment(names["system"]),
        "system_kind": per_judgment(np.tile(np.where(_IS_MODEL, "human", "machine"), _CELLS)),
        "topic": per_cell(names["topic"]),
        "condition": per_cell(names["condition"]),
        "split": per_cell(np.array(SPLITS)[_TOPIC_OF // len(ASSESSORS) % len(SPLITS)]),
        "order": per_judgment(order),
        "seconds": seconds.ravel(),
        **{name: per_judgment(column) for name, column in summaries.features.items()},
        "text": per_judgment(summaries.text),
    }


def contributors(seed: int = SEED) -> Table:
    """Return a row per unit that an assessor found in a summary of the study of this seed: column -> array (n,)."""
    summaries = _draw_summaries(np.random.default_rng(seed))
    units = _draw_found_units(seed, summaries)
    cell, text, unit = np.nonzero(units)
    names = _cell_names()
    return {
        "topic": names["topic"][cell],
        "condition": names["condition"][cell],
        "item_id": names["item_id"][cell, text],
        "rater_id": names["rater_id"][cell],
        "scu_id": np.array([f"SCU {number:02d}" for number in range(1, _UNITS + 1)])[unit],
        "contributor_text": summaries.contributor[cell, text, unit],
        "weight": WEIGHTS[unit],
        "is_model": np.where(_IS_MODEL, "yes", "no")[text],
    }


def _cell_names() -> Table:
    """Return topic, condition and rater_id of cells (88,), and system and item_id of texts (88, 54)."""
    topic = np.array([f"T{number:02d}" for number in range(1, TOPICS + 1)])[_TOPIC_OF]
    condition = np.tile(CONDITIONS, TOPICS)
    systems = np.array([f"system {number:02d}" for number in range(1, SYSTEMS + 1)])
    humans = np.array([f"human {number}" for number in range(1, HUMANS + 1)])
    writers = humans[(_TOPIC_OF[:, None] + _TOPIC_OF[:, None] // HUMANS + np.array([0, 1, 3, 6])) % HUMANS]
    system = np.hstack([np.tile(systems, (_CELLS, 1)), writers])
    item = np.char.add(np.char.add(np.char.add(topic, " "), np.char.add(condition, " "))[:, None], system)
    assessor = np.array([assessor.name for assessor in ASSESSORS])[_ASSESSOR_OF]
    return {"topic": topic, "condition": condition, "rater_id": assessor, "system": system, "item_id": item}


def _draw_summaries(rng: np.random.Generator) -> _Summaries:
    """Draw all summaries: sources of copies, then units, words, readability and metrics."""
    source = _copy_sources(rng)
    content_of, language_of, style_of = _draw_systems(rng)
    shape = (_CELLS, _TEXTS)

    difficulty = _standardize(rng.standard_normal(_CELLS))[:, None]
    units = MEAN_UNITS + CONTENT_SYSTEM * content_of - CONTENT_TOPIC * difficulty
    units = np.rint(units + CONTENT_TEXT * rng.standard_normal((_CELLS, SYSTEMS))).clip(0, SENTENCES)
    preference = WEIGHT_LIKED * WEIGHTS + rng.gumbel(size=(_CELLS, SYSTEMS, _UNITS))
    contains = np.concatenate([_ranks(-preference) < units[:, :, None], _draw_models(rng)], axis=1)
    contains = np.take_along_axis(contains, source[:, :, None], axis=1)
    contributor, text, words = _compose_texts(rng, contains, source)

    def of_text(spread: float) -> NDArray[np.float64]:
        drawn: NDArray[np.float64] = spread * np.take_along_axis(rng.standard_normal(shape), source, axis=1)
        return drawn

    weight = _pyramid_scores(contains)
    content = (weight - weight[:, :SYSTEMS].mean()) / weight[:, :SYSTEMS].std()
    language, style = (np.append(values, np.zeros(MODELS))[source] for values in (language_of, style_of))

    readability = content + READABILITY_SYSTEM * language + of_text(READABILITY_TEXT)
    responsiveness = content + RESPONSIVENESS_SYSTEM * language + of_text(RESPONSIVENESS_TEXT)
    readability, responsiveness = (
        np.where(_IS_MODEL, 4.8 + of_text(0.3), 2.9 + 0.9 * view / view[:, :SYSTEMS].std())
        for view in (readability, responsiveness)
    )
    # People say the same in other words: ROUGE sees them level with good systems.
    overlap = np.where(_IS_MODEL, 1.2, content) + ROUGE_SYSTEM * style + of_text(ROUGE_TEXT)
    features: Table = {
        "rouge1": (0.34 + 0.035 * overlap + of_text(0.012)).clip(0, 1).round(4),
        "rouge2": (0.09 + 0.018 * overlap).clip(0, 1).round(4),
        "words": words,
        "redundancy": (0.25 - 0.05 * (readability - 2.9) + of_text(0.05)).clip(0, 1).round(3),
        "entity_overlap": (0.40 + 0.08 * content.clip(max=1.5) + of_text(0.08)).clip(0, 1).round(3),
        "perplexity": np.exp(4.6 - 0.15 * (readability - 2.9) + of_text(0.2)).round(1),
    }
    views = {"Readability": readability, "Responsiveness": responsiveness}
    return _Summaries(contains, contributor, text, source, views, features)


def _copy_sources(rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the source of each text (88, 54): the second run of a team may copy the first one's."""
    source = np.tile(np.arange(_TEXTS), (_CELLS, 1))
    for team, times in enumerate(TWINS):
        source[rng.permutation(_CELLS)[:times], 2 * team + 1] = 2 * team
    return source


def _draw_systems(rng: np.random.Generator) -> tuple[NDArray[np.float64], ...]:
    """Draw content, language and a ROUGE-only effect: standardized, uncorrelated values of the 50 systems (50,).

    The two runs of a team are much alike.
    """
    teams = np.concatenate([np.arange(len(TWINS)).repeat(2), np.arange(len(TWINS), SYSTEMS - len(TWINS))])
    values: list[NDArray[np.float64]] = []
    for _ in range(3):
        drawn = rng.standard_normal(SYSTEMS)[teams] + 0.15 * rng.standard_normal(SYSTEMS)
        predictors = np.column_stack([np.ones(SYSTEMS), *values])
        values.append(_standardize(drawn - predictors @ np.linalg.lstsq(predictors, drawn, rcond=None)[0]))
    return tuple(values)


def _draw_models(rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw the units in the models (88, 4, 16): each in as many models as its weight, eight units per model."""
    model = np.arange(WEIGHTS.sum()) % MODELS  # dealt out in turn
    contains = np.zeros((_CELLS, MODELS, _UNITS), dtype=np.bool_)
    unit = np.repeat(np.arange(_UNITS), WEIGHTS)
    for cell in range(_CELLS):
        contains[cell, rng.permutation(MODELS)[model], unit] = True
    return contains


def _compose_texts(
    rng: np.random.Generator, contains: NDArray[np.bool_], source: NDArray[np.int64]
) -> tuple[NDArray[np.object_], NDArray[np.object_], NDArray[np.int64]]:
    """Return contributors (88, 54, 16), texts (88, 54) of eight sentences and their numbers of words (88, 54)."""
    phrases = _draw_phrases(rng)  # (88, 4 * 16 + 60)
    cells = np.arange(_CELLS)[:, None, None]

    # Systems copy out of the documents; people more often use their own words.
    wording = rng.integers(WORDINGS, size=contains.shape)
    copied = rng.random(contains.shape) < np.where(_IS_MODEL, COPIED_BY_PEOPLE, COPIED)[:, None]
    wording = np.take_along_axis(np.where(copied, 0, wording), source[:, :, None], axis=1)
    unit = np.arange(_UNITS) * WORDINGS + wording
    filler = rng.permuted(np.tile(np.arange(FILLERS), (*source.shape, 1)), axis=2)[:, :, :SENTENCES]

    # The units in the text first, then as many fillers as it takes; then in any order.
    chosen = np.concatenate([unit, filler + _UNITS * WORDINGS], axis=2)
    rank = np.concatenate([np.where(contains, 0, 2), np.ones(filler.shape)], axis=2)
    first = np.argsort(rank + rng.random(rank.shape), axis=2)[:, :, :SENTENCES]
    chosen = rng.permuted(np.take_along_axis(chosen, first, axis=2), axis=2)
    tail = rng.integers(len(TAILS), size=chosen.shape)

    openings = np.array([f"T{phrase[1:]}" for phrase in phrases.ravel()], dtype=object).reshape(phrases.shape)
    sentences = openings[cells, chosen] + np.array([f"{tail}." for tail in TAILS], dtype=object)[tail]
    texts = [" ".join(text) for text in sentences.reshape(-1, SENTENCES)]
    text = np.array(texts, dtype=object).reshape(source.shape)
    text = np.take_along_axis(text, source, axis=1)
    words = np.array([len(joined.split()) for joined in text.ravel()]).reshape(source.shape)
    return phrases[cells, unit], text, words


def _draw_phrases(rng: np.random.Generator) -> NDArray[np.object_]:
    """Draw phrases per cell (88, 124): its 16 units in four wordings each, then 60 phrases without a unit.

    No two of a topic are about the same two nouns, in this order.
    """
    verbs = [cell_phrases.split() for cell_phrases in VERBS]
    first, second = np.nonzero(~np.eye(NOUNS_PER_TOPIC, dtype=np.bool_))
    phrases = np.empty((_CELLS, _UNITS * WORDINGS + FILLERS), dtype=object)
    for topic in range(TOPICS):
        nouns = rng.permutation(NOUNS)[:NOUNS_PER_TOPIC].tolist()
        pair_order = rng.permutation(len(first))
        for update in range(len(CONDITIONS)):
            pairs = pair_order[update * (_UNITS + FILLERS) :][: _UNITS + FILLERS]
            verb = rng.integers(len(VERBS), size=len(pairs)).tolist()
            adjective = rng.choice(ADJECTIVES, len(pairs)).tolist()
            cell_phrases = [
                f"the {nouns[first[pair]]} {verbs[v][wording]} the {a} {nouns[second[pair]]}"
                for position, (pair, v, a) in enumerate(zip(pairs, verb, adjective, strict=True))
                for wording in range(WORDINGS if position < _UNITS else 1)
            ]
            phrases[topic * len(CONDITIONS) + update] = cell_phrases
    return phrases


def _draw_scores(rng: np.random.Generator, summaries: _Summaries, measure: str) -> NDArray[np.float64]:
    """Draw scores (88, 54) from 1 to 5, with noise of each assessor that gives the planted alpha."""
    severity = np.array([assessor.severity for assessor in ASSESSORS])[_ASSESSOR_OF]
    view = summaries.views[measure] + severity[:, None]
    noise = rng.standard_normal(view.shape)

    def scores_of(cells: NDArray[np.int64], spread: float) -> NDArray[np.float64]:
        score: NDArray[np.float64] = np.rint(view[cells] + spread * noise[cells]).clip(1, 5)
        return score

    scores = np.empty(view.shape)
    for number, assessor in enumerate(ASSESSORS):
        cells = np.flatnonzero(number == _ASSESSOR_OF)
        planted = getattr(assessor, measure.lower())
        spread = _match_alpha(
            planted, partial(scores_of, cells), np.linspace(0, 2, 201), summaries.source[cells]
        )
        scores[cells] = scores_of(cells, spread)
    return scores


def _draw_found_units(seed: int, summaries: _Summaries) -> NDArray[np.bool_]:
    """Draw the units (88, 54, 16) that assessors find in the texts; in models, which define the pyramid, all."""
    rng = np.random.default_rng([seed, 1])
    judgment_luck = rng.random(summaries.contains.shape)
    text_luck = np.take_along_axis(rng.random(summaries.contains.shape), summaries.source[:, :, None], axis=1)

    def found_units(cells: NDArray[np.int64], overlooks: float, share: float) -> NDArray[np.bool_]:
        """Return the found units, if the chance `share` of overlooking one is drawn per judgment, the remainder per
        text."""
        missed = (judgment_luck[cells] < share) | (text_luck[cells] < (overlooks - share) / (1 - share))
        found: NDArray[np.bool_] = summaries.contains[cells] & (_IS_MODEL[:, None] | ~missed)
        return found

    def scores_of(cells: NDArray[np.int64], overlooks: float, share: float) -> NDArray[np.float64]:
        return _pyramid_scores(found_units(cells, overlooks, share))

    units = np.empty_like(summaries.contains)
    for number, assessor in enumerate(ASSESSORS):
        cells = np.flatnonzero(number == _ASSESSOR_OF)
        scores_by_share = partial(scores_of, cells, assessor.overlooks)
        shares = np.linspace(0, assessor.overlooks, 101)
        share = _match_alpha(assessor.pyramid, scores_by_share, shares, summaries.source[cells])
        units[cells] = found_units(cells, assessor.overlooks, share)
    return units


def _match_alpha(
    planted: float,
    scores_of: Callable[[float], NDArray[np.float64]],
    candidates: NDArray[np.float64],
    source: NDArray[np.int64],
) -> float:
    """Return the parameter in `candidates` whose judgments have the alpha nearest to the planted one."""
    cell, second = np.nonzero(source != np.arange(_TEXTS))
    first = source[cell, second]

    def difference(value: float) -> float:
        scores = scores_of(value)
        pairs = np.stack([scores[cell, first], scores[cell, second]])
        alpha = 1 - ((pairs[0] - pairs[1]) ** 2).mean() / (2 * pairs.var(ddof=1))
        return abs(float(alpha) - planted)

    return float(min(candidates, key=difference))


def _pyramid_scores(units: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the weight of the units found (..., 16) relative to the maximum for as many units as a model has."""
    score: NDArray[np.float64] = (units @ (WEIGHTS / BEST)).round(3)
    return score


def _draw_order_and_seconds(rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw the position of each summary in its assessor's work (88, 54), and seconds by measure (88, 54, 3).

    Topic after topic, main before update, the summaries of either in random order.
    """
    earlier_cells = (np.arange(_CELLS) // (len(ASSESSORS) * len(CONDITIONS))) * len(CONDITIONS)
    earlier_cells += np.arange(_CELLS) % len(CONDITIONS)
    order = (
        rng.permuted(np.tile(np.arange(1, _TEXTS + 1), (_CELLS, 1)), axis=1) + _TEXTS * earlier_cells[:, None]
    )
    pace = np.array([assessor.pace for assessor in ASSESSORS])[_ASSESSOR_OF][:, None, None]
    typical = np.array([SECONDS[measure] for measure in MEASURES])
    seconds = pace * typical * np.exp(0.35 * rng.standard_normal((_CELLS, _TEXTS, len(MEASURES))))
    return order, seconds.round(1)


def _ranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the rank of each value in its row, 0 for the lowest."""
    return np.argsort(np.argsort(values, axis=-1), axis=-1)


def _standardize(values: NDArray[np.float64]) -> NDArray[np.float64]:
    standard: NDArray[np.float64] = (values - values.mean()) / values.std()
    return standard
