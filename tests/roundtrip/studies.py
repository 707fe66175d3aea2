"""Seeded studies of known content: ratings on a scale, labels, or comparisons of two systems."""

from dataclasses import dataclass, field

import numpy as np

Cell = tuple[int, int, int]
"""Positions of item, rater and measure."""
SCALES: dict[str, tuple[float, ...]] = {
    "0 to 1": (0.0, 1.0),
    "1 to 5": (1.0, 2.0, 3.0, 4.0, 5.0),
    "1 to 7": tuple(map(float, range(1, 8))),
    "0 to 10": tuple(map(float, range(11))),
    "0 to 100": tuple(map(float, range(0, 101, 5))),
    "-3 to 3": tuple(map(float, range(-3, 4))),
}
WORDS: dict[str, tuple[str, ...]] = {
    "quality": ("bad", "poor", "fair", "good", "excellent"),
    "moderate": ("very bad", "bad", "moderate", "good", "very good"),
    "agreement": ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    "german": ("sehr schlecht", "schlecht", "mäßig", "gut", "sehr gut"),
}
RATER_NAMES = (
    lambda at: f"rater {at + 1}",
    lambda at: f"R{at + 1}",
    lambda at: f"w_{at + 1:02d}",
    lambda at: ("Anna", "Ben", "Chloe", "David", "Eva", "Femi", "Grace", "Hugo", "Ines", "Jon")[at],
    lambda at: f"annotator_{at + 1}",
)
ITEM_NAMES = (
    lambda at: f"clip_{at + 1:02d}.wav",
    lambda at: f"item {at + 1}",
    lambda at: f"{at + 1:03d}",
    lambda at: f"summary-{at + 1}",
    lambda at: f"{at + 1}e5",
)
NEUTRAL = "neutral"
MEASURES = ("overall quality", "fluency", "coherence", "naturalness", "rating", "relevance")
LABELS = (("spam", "ham"), ("positive", "neutral", "negative"), ("cat", "dog", "bird", "fish"))
ATTITUDES = {"usual": 0.0, "severe": -0.25, "lenient": 0.25, "constant": 0.0}


@dataclass(frozen=True)
class Study:
    """Study of known content: `levels` are positions on the scale by item, rater and measure."""

    items: tuple[str, ...]
    raters: tuple[str, ...]
    measures: tuple[str, ...]
    values: tuple[object, ...]
    levels: dict[Cell, int]
    topics: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    groups: dict[int, str] = field(default_factory=dict)
    seed: int = 0

    @property
    def has_words(self) -> bool:
        """True where scores are words of a scale."""
        return isinstance(self.values[0], str)

    @property
    def parts(self) -> list[tuple[str, ...]]:
        """Names that an item's key is made of: topic and system, or the item alone."""
        if not self.systems:
            return [(name,) for name in self.items]
        return list(zip(self.topics, self.systems, strict=True))

    def score(self, level: int) -> float:
        """Return the number that a level stands for; words of a scale count from 1."""
        return float(level + 1) if self.has_words else float(self.values[level])  # type: ignore[arg-type]


def make_study(
    seed: int, *, systems: bool | None = None, measures: int | None = None, words: bool = True
) -> Study:
    """Return a study of ratings; `systems` and `measures` ask for a design, else the seed decides."""
    draw = np.random.default_rng(seed)
    number, raters = int(draw.integers(6, 15)), int(draw.integers(3, 9))
    named = [ITEM_NAMES[draw.integers(len(ITEM_NAMES))](at) for at in range(number)]
    topics: list[str] = []
    made_by: list[str] = []
    if systems if systems is not None else draw.random() < 0.3:
        of_topic, of_system = int(draw.integers(3, 6)), int(draw.integers(2, 5))
        topics = [f"doc_{topic + 1}" for topic in range(of_topic) for _ in range(of_system)]
        made_by = [f"sys{'ABCD'[system]}" for _ in range(of_topic) for system in range(of_system)]
        named = [f"{topic} {system}" for topic, system in zip(topics, made_by, strict=True)]
        number = len(named)
    chosen = draw.permutation(len(MEASURES))[: measures or int(draw.integers(1, 4))]
    scale = [*SCALES.values(), *(WORDS.values() if words else ())]
    values = scale[draw.integers(len(scale))]
    rater_name = RATER_NAMES[draw.integers(len(RATER_NAMES))]
    quality, top = draw.random(number), len(values) - 1
    levels: dict[Cell, int] = {}
    groups = {rater: ("crowd", "lab")[rater % 2] for rater in range(raters)} if draw.random() < 0.25 else {}
    for rater in range(raters):
        attitude = list(ATTITUDES)[int(draw.choice(4, p=(0.7, 0.12, 0.12, 0.06)))]
        skips = 0.3 if draw.random() < 0.2 else 0.0
        constant = int(draw.integers(1, top)) if top > 1 else 1
        for item in range(number):
            for measure in range(len(chosen)):
                if draw.random() < skips:
                    continue
                told = (quality[item] + ATTITUDES[attitude] + draw.normal(0, 0.15)) * top
                level = constant if attitude == "constant" else int(np.clip(round(told), 0, top))
                levels[item, rater, measure] = level
    return Study(
        tuple(named),
        tuple(rater_name(at) for at in range(raters)),
        tuple(MEASURES[at] for at in chosen),
        values,
        levels,
        tuple(topics),
        tuple(made_by),
        groups,
        seed,
    )


def make_labels(seed: int) -> Study:
    """Return a study of labels: each rater chose one of few for each item."""
    draw = np.random.default_rng(seed)
    number, raters = int(draw.integers(8, 15)), int(draw.integers(3, 7))
    labels = LABELS[draw.integers(len(LABELS))]
    true = draw.integers(len(labels), size=number)
    levels = {
        (item, rater, 0): int(true[item] if draw.random() < 0.75 else draw.integers(len(labels)))
        for item in range(number)
        for rater in range(raters)
    }
    rater_name, item_name = (names[draw.integers(len(names))] for names in (RATER_NAMES, ITEM_NAMES[:4]))
    return Study(
        tuple(item_name(at) for at in range(number)),
        tuple(rater_name(at) for at in range(raters)),
        ("label",),
        labels,
        levels,
        seed=seed,
    )
