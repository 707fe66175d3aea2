"""Seeded studies of known content: ratings on a scale, labels, or comparisons of two systems."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

Cell = tuple[int, int, int]
"""Positions of item, rater and measure."""
SCALES: dict[str, tuple[float, ...]] = {
    "0 to 1": (0.0, 1.0),
    "1 to 5": (1.0, 2.0, 3.0, 4.0, 5.0),
    "1 to 5 in halves": tuple(value / 2 for value in range(2, 11)),
    "1 to 7": tuple(map(float, range(1, 8))),
    "0 to 10": tuple(map(float, range(11))),
    "0 to 100": tuple(map(float, range(0, 101, 5))),
    "-3 to 3": tuple(map(float, range(-3, 4))),
}
WORDS: dict[str, tuple[str, ...]] = {
    "quality": ("bad", "poor", "fair", "good", "excellent"),
    "moderate": ("very bad", "bad", "moderate", "good", "very good"),
    "agreement": ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    "frequency": ("never", "rarely", "sometimes", "often", "always"),
    "German quality": ("sehr schlecht", "schlecht", "mäßig", "gut", "sehr gut"),
    "German speech": ("mangelhaft", "dürftig", "ordentlich", "gut", "ausgezeichnet"),
    "French quality": ("très mauvais", "mauvais", "moyen", "bon", "très bon"),
    "French agreement": (
        "pas du tout d'accord",
        "plutôt pas d'accord",
        "neutre",
        "plutôt d'accord",
        "tout à fait d'accord",
    ),
    "Spanish quality": ("muy malo", "malo", "regular", "bueno", "muy bueno"),
    "Chinese quality": ("非常差", "差", "一般", "好", "非常好"),
    "Japanese quality": ("非常に悪い", "悪い", "普通", "良い", "非常に良い"),
}
ODD_NAMES = (
    "001",
    "TRUE",
    "1e5",
    "FALSE",
    "007",
    "2e3",
    "0x1F",
    "010",
    "1_000",
    "3.10",
    "+1",
    "00",
    "1e9",
    "05",
)
RATER_NAMES: tuple[Callable[[int], str], ...] = (
    lambda at: f"rater {at + 1}",
    lambda at: f"R{at + 1}",
    lambda at: f"w_{at + 1:02d}",
    lambda at: ("Anna", "Ben", "Chloe", "David", "Eva", "Femi", "Grace", "Hugo", "Ines", "Jon")[at],
    lambda at: f"annotator_{at + 1}",
)
ID_RATER_NAMES: tuple[Callable[[int], str], ...] = (
    lambda at: str(101 + at),
    lambda at: f"{at + 1:03d}",
    lambda at: f"person{at + 1}@example.org",
    lambda at: f"A{(at + 3) * 48271:08X}",
)
"""Names that only a column of raters makes known as such."""
ITEM_NAMES: tuple[Callable[[int], str], ...] = (
    lambda at: f"clip_{at + 1:02d}.wav",
    lambda at: f"summary-{at + 1}",
    lambda at: f"image {at + 1}.png",
    lambda at: f"Sentence {at + 1}",
)
ID_ITEM_NAMES: tuple[Callable[[int], str], ...] = (
    lambda at: f"item {at + 1}",
    lambda at: f"{at + 1:03d}",
    lambda at: f"{at + 1}e5",
    lambda at: ODD_NAMES[at],
    lambda at: str(at + 1),
    lambda at: str(20_000 + 37 * at),
)
MEASURES = {
    "en": ("overall quality", "fluency", "coherence", "naturalness", "rating", "relevance"),
    "de": ("Gesamtqualität", "Verständlichkeit", "Natürlichkeit", "Flüssigkeit", "Relevanz"),
    "fr": ("qualité globale", "fluidité", "cohérence", "naturel", "pertinence"),
    "es": ("calidad general", "fluidez", "coherencia", "naturalidad", "relevancia"),
    "zh": ("整体质量", "流畅度", "连贯性", "自然度", "相关性"),
    "ja": ("全体品質", "流暢さ", "一貫性", "自然さ", "関連性"),
}
GROUPS = (("crowd", "lab"), ("expert", "novice"), ("MTurk", "students"))
LABELS = (("spam", "ham"), ("support", "deny", "query"), ("cat", "dog", "bird", "fish"), ("real", "fake"))
"""Labels that no scale orders."""
QUESTIONS = ("tone", "intent")
SYSTEMS = ("baseline", "gpt-x", "t5-small", "human")
ATTITUDES = {"usual": 0.0, "severe": -0.25, "lenient": 0.25, "constant": 0.0}


@dataclass(frozen=True)
class Study:
    """Study of known content: `levels` are positions on the scale by item, rater and measure.

    `again` holds second ratings of the same cells. `options` are the two systems that an item compares. Of rankings,
    items are tasks and `measures` what was ranked in them, and levels are ranks from 0.
    """

    items: tuple[str, ...]
    raters: tuple[str, ...]
    measures: tuple[str, ...]
    values: tuple[object, ...]
    levels: dict[Cell, int]
    topics: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    groups: dict[int, str] = field(default_factory=dict)
    again: dict[Cell, int] = field(default_factory=dict)
    options: tuple[tuple[str, str], ...] = ()
    language: str = "en"
    seed: int = 0
    is_ranked: bool = False

    @property
    def is_strict(self) -> bool:
        """True where no two options of a ranking share a rank."""
        ranks = [(at, who, level) for (at, who, _), level in self.levels.items()]
        return len({*ranks}) == len(ranks)

    @property
    def has_words(self) -> bool:
        """True where scores are words of a scale or labels."""
        return isinstance(self.values[0], str)

    @property
    def has_labels(self) -> bool:
        """True where scores are labels, which no scale orders."""
        return self.has_words and self.values not in WORDS.values()

    @property
    def has_named_axes(self) -> bool:
        """True where a person could tell items from raters by their names alone."""
        shown = {name(0) for name in ITEM_NAMES} & {self.items[0]}
        people = {name(0) for name in RATER_NAMES} & {self.raters[0]}
        return bool(shown and people)

    @property
    def parts(self) -> list[tuple[str, ...]]:
        """Names that an item's key is made of: topic and system, or the item alone."""
        if not self.systems:
            return [(name,) for name in self.items]
        return list(zip(self.topics, self.systems, strict=True))

    @property
    def missing(self) -> int:
        """Number of cells of the full grid without a rating."""
        return len(self.items) * len(self.raters) * len(self.measures) - len(self.levels)

    @property
    def partly_missing(self) -> int:
        """Number of cells without a rating where the rater rated the item on another measure."""
        seen = {(item, rater) for item, rater, _ in self.levels}
        return len(seen) * len(self.measures) - len(self.levels)

    def score(self, level: int) -> float:
        """Return the number that a level stands for; words of a scale count from 1."""
        return float(level + 1) if self.has_words else float(self.values[level])  # type: ignore[arg-type]


def make_study(
    seed: int,
    *,
    systems: bool | None = None,
    measures: int | None = None,
    words: bool = True,
    groups: bool | None = False,
    ids: bool = True,
    repeats: bool = False,
    scales: tuple[str, ...] = (),
) -> Study:
    """Return a study of ratings.

    `systems`, `measures` and `groups` ask for a design, `scales` for one of these, else the seed decides. Without `ids`
    items and raters have telling names, as they need them where no column is named after them.
    """
    draw = np.random.default_rng(seed)
    number, raters = int(draw.integers(6, 15)), int(draw.integers(4 if groups else 3, 9))
    item_names = (*ITEM_NAMES, *ID_ITEM_NAMES) if ids else ITEM_NAMES
    rater_names = (*RATER_NAMES, *ID_RATER_NAMES) if ids else RATER_NAMES
    item_name = item_names[draw.integers(len(item_names))]
    named = [item_name(at) for at in range(number)]
    topics: list[str] = []
    made_by: list[str] = []
    if systems if systems is not None else draw.random() < 0.3:
        of_topic, of_system = int(draw.integers(3, 6)), int(draw.integers(2, 5))
        topics = [f"doc_{topic + 1}" for topic in range(of_topic) for _ in range(of_system)]
        made_by = [f"sys{'ABCD'[system]}" for _ in range(of_topic) for system in range(of_system)]
        named = [f"{topic} {system}" for topic, system in zip(topics, made_by, strict=True)]
        number = len(named)
    language = list(MEASURES)[int(draw.integers(len(MEASURES)))] if draw.random() < 0.4 else "en"
    known = MEASURES[language]
    chosen = [known[at] for at in draw.permutation(len(known))[: measures or int(draw.integers(1, 4))]]
    scale = [*SCALES.values()] if not words or draw.random() < 0.65 else [*WORDS.values()]
    scale = [{**SCALES, **WORDS}[name] for name in scales] or scale  # type: ignore[dict-item]
    values = scale[draw.integers(len(scale))]
    rater_name = rater_names[draw.integers(len(rater_names))]
    called = GROUPS[draw.integers(len(GROUPS))]
    grouped = draw.random() < 0.3 if groups is None else groups
    quality, top = draw.random(number), len(values) - 1
    incomplete = draw.random() < 0.5
    levels: dict[Cell, int] = {}
    again: dict[Cell, int] = {}
    for rater in range(raters):
        attitude = list(ATTITUDES)[int(draw.choice(4, p=(0.7, 0.12, 0.12, 0.06)))]
        skips = 0.3 if incomplete and draw.random() < 0.5 else 0.0
        constant = int(draw.integers(1, top)) if top > 1 else 1
        for item in range(number):
            for measure in range(len(chosen)):
                if draw.random() < skips:
                    continue
                noise = draw.normal(0, 0.15, size=2)
                told = np.clip(np.round((quality[item] + ATTITUDES[attitude] + noise) * top), 0, top)
                first, second = (constant, constant) if attitude == "constant" else map(int, told)
                levels[item, rater, measure] = first
                if repeats and seed % 4 == 0 and item < 2 and rater < 2:
                    again[item, rater, measure] = second
    if isinstance(values[0], str):  # words that nobody used would leave the scale open
        for at, cell in enumerate(draw.permutation(len(levels))[: len(values)]):
            levels[list(levels)[cell]] = at
    return Study(
        tuple(named),
        tuple(rater_name(at) for at in range(raters)),
        tuple(chosen),
        values,
        levels,
        tuple(topics),
        tuple(made_by),
        {rater: called[rater % 2] for rater in range(raters)} if grouped else {},
        again,
        language=language,
        seed=seed,
    )


def make_labels(seed: int, *, questions: int = 1, pairs: bool = False, ids: bool = True) -> Study:
    """Return a study of labels, or of choices between two systems, which `options` name for each item."""
    draw = np.random.default_rng(seed)
    number, raters = int(draw.integers(8, 15)), int(draw.integers(3, 7))
    labels = ("A", "B") if pairs else LABELS[draw.integers(len(LABELS))]
    true = draw.integers(len(labels), size=(number, questions))
    skips = 0.15 if draw.random() < 0.3 else 0.0
    levels = {
        (item, rater, question): int(
            true[item, question] if draw.random() < 0.75 else draw.integers(len(labels))
        )
        for item in range(number)
        for rater in range(raters)
        for question in range(questions)
        if draw.random() >= skips
    }
    item_names = (*ITEM_NAMES, *ID_ITEM_NAMES[:4]) if ids else ITEM_NAMES
    rater_names = (*RATER_NAMES, *ID_RATER_NAMES) if ids else RATER_NAMES
    rater_name, item_name = (names[draw.integers(len(names))] for names in (rater_names, item_names))
    sides = [draw.permutation(len(SYSTEMS))[:2] for _ in range(number)]
    return Study(
        tuple(item_name(at) for at in range(number)),
        tuple(rater_name(at) for at in range(raters)),
        QUESTIONS[:questions] if questions > 1 else ("label",),
        labels,
        levels,
        options=tuple((SYSTEMS[first], SYSTEMS[second]) for first, second in sides) if pairs else (),
        seed=seed,
    )


SEVERAL = (
    ("joy", "anger", "fear", "surprise"),
    ("sports", "politics", "culture", "science", "health"),
    ("off topic", "rude", "wrong fact"),
)
"""Labels of which several may fit an item."""


def make_label_sets(seed: int, *, empty: bool = True, ids: bool = True) -> Study:
    """Return a study of sets of labels, with `empty` some without any; values are sets as they are stored."""
    draw = np.random.default_rng(seed)
    number, raters = int(draw.integers(12, 20)), int(draw.integers(3, 7))
    labels = SEVERAL[draw.integers(len(SEVERAL))]
    true = draw.random((number, len(labels))) < 0.4
    skips = 0.15 if draw.random() < 0.3 else 0.0
    some_empty = empty and draw.random() < 0.5
    sets: dict[Cell, str] = {}
    for item in range(number):
        for rater in range(raters):
            chosen = true[item] ^ (draw.random(len(labels)) < 0.15)
            if not chosen.any() and not some_empty:
                chosen[draw.integers(len(labels))] = True
            if draw.random() >= skips:
                named = sorted(label for label, given in zip(labels, chosen, strict=True) if given)
                sets[item, rater, 0] = json.dumps(named)
    values = sorted({*sets.values()})
    item_names = (*ITEM_NAMES, *ID_ITEM_NAMES[:2]) if ids else ITEM_NAMES
    rater_names = (*RATER_NAMES, *ID_RATER_NAMES) if ids else RATER_NAMES
    rater_name, item_name = (names[draw.integers(len(names))] for names in (rater_names, item_names))
    return Study(
        tuple(item_name(at) for at in range(number)),
        tuple(rater_name(at) for at in range(raters)),
        ("labels",),
        tuple(values),
        {cell: values.index(one) for cell, one in sets.items()},
        seed=seed,
    )


RANKED = ("baseline", "gpt-x", "t5-small", "human", "old voice")


def make_rankings(
    seed: int,
    *,
    ties: bool = True,
    partial: bool = True,
    tasks: int = 0,
    tuples: bool = False,
    ids: bool = True,
) -> Study:
    """Return a study of rankings, or of best-worst choices from `tuples` of four items.

    `ties` and `partial` allow equal ranks and rankings of some options only.
    """
    draw = np.random.default_rng(seed)
    number, raters = tasks or int(draw.integers(6, 12)), int(draw.integers(3, 8))
    raters += 8 if tasks == 1 else 0
    options = [f"term {at + 1}" for at in range(10)] if tuples else [*RANKED[: int(draw.integers(3, 6))]]
    some = partial and not tuples and len(options) > 3 and draw.random() < 0.4
    tied = ties and not tuples and draw.random() < 0.4
    levels: dict[Cell, int] = {}
    chosen: set[frozenset[int]] = set()
    for task in range(number):
        of_task = draw.permutation(len(options))[:4] if tuples else np.arange(len(options))
        while tuples and frozenset(of_task.tolist()) in chosen:
            of_task = draw.permutation(len(options))[:4]
        chosen.add(frozenset(of_task.tolist()))
        for rater in range(raters):
            ranked = draw.permutation(of_task)[: 3 if some else len(of_task)]
            ranks = [0, 1, 1, 2] if tuples else [*range(len(ranked))]
            if tied and draw.random() < 0.5:
                ranks[-1] = ranks[-2]
            levels |= {(task, rater, int(option)): rank for option, rank in zip(ranked, ranks, strict=True)}
    item_names = (*ITEM_NAMES, *ID_ITEM_NAMES[:2]) if ids else ITEM_NAMES
    rater_names = (*RATER_NAMES[:3], *ID_RATER_NAMES) if raters > 10 else RATER_NAMES
    item_name = item_names[draw.integers(len(item_names))]
    rater_name = rater_names[draw.integers(len(rater_names))]
    return Study(
        tuple(item_name(at) for at in range(number)),
        tuple(rater_name(at) for at in range(raters)),
        tuple(options),
        tuple(float(rank + 1) for rank in range(len(options))),
        levels,
        language="en" if tuples or draw.random() < 0.6 else [*MEASURES][int(draw.integers(len(MEASURES)))],
        seed=seed,
        is_ranked=True,
    )
