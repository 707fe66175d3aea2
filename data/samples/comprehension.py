"""The synthetic study `comprehension`: one line summaries of 51 stories, crossed with each other's questions.

Made, not collected: the answers of Kolluru and Gotoh 2005 are not public, so this study is drawn from a small model
whose parameters were set so that the levels of the paper's Figures 2a and 2b come out of it. README.md in this
folder compares the two. Every truth in it is planted, so tests can look for it.

Four authors summarise each story and ask two to four questions each; a machine summarises too and asks nothing.
How well a summary answers a question of another author is one number, `informativeness`. It increases with how much the
summary's author tells, how general the asker's questions are, how much is shared in this story (`STORY`; more if it is
factual), how easy this question is (`QUESTION`) and how long this summary is compared with the author's others
(`LENGTH`). Each of two judges sees it with some noise (`JUDGE`), and calls the highest values relevant, the next
partially relevant, the next irrelevant, and the others not found.

Within each pair of a summary's author and an asker the shares are as planted, whatever the seed; the seed decides
which questions are answered.
"""

from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

SEED = 2005
"""The year of the paper; not chosen among others."""
WORDS_SEED = 51
"""The made-up words are the same in every study."""


@dataclass(frozen=True)
class Author:
    """Planted parameters of one author."""

    name: str
    characters: float  # mean length of the summaries
    per_word: float  # characters per word, white space among them
    tells: float  # how much the summaries answer of what others ask
    asks: float = 0.0  # how general the questions are
    questions: tuple[int, int, int] = (0, 0, 0)  # stories with two, three and four questions


# Lengths and characters per word are the paper's (sections 5.1, 3.4). `tells` and `asks` were solved for: under the
# normal curve their sums give the shares of sections 5.1 (by summary author) and 5.2 (by question author).
AUTHORS = (
    Author("A", 113, 6.1, 0.47, -0.12, (10, 21, 20)),
    Author("B", 99, 4.9, 0.14, -0.28, (16, 24, 11)),
    Author("C", 81, 5.8, 0.16, 0.45, (42, 8, 1)),
    Author("D", 131, 5.3, 0.56, -0.04, (14, 23, 14)),
)
MACHINE = Author("machine", 104, 5.6, -0.28)
PARTIAL, IRRELEVANT = 0.235, 0.04
"""Share of partially relevant answers among relevant ones, and of irrelevant ones among all answers."""

STORIES = 51
FACTUAL = 24
STORY, QUESTION, LENGTH, JUDGE = 0.5, 0.6, 0.3, 0.25
"""Effects on informativeness, in units of its noise."""
MORE_FACTUAL = 0.6
"""Additional informativeness of factual stories, on the same scale."""
OWN = ((6, 1), (18, 3), (40, 0))
"""Stories and authors whose summaries were asked their own author's questions by mistake."""

JUDGES = np.array(["judge 1", "judge 2"])
ASKED = (
    "What happened to",
    "Who decided on",
    "When was",
    "Where did they see",
    "What caused",
    "How many had",
)
GENERAL = ("What is being discussed?", "What are the reasons?", "Who is concerned?", "What will come of it?")
COLUMNS = (
    "story_id",
    "story_type",
    "summary_author",
    "author_kind",
    "question_author",
    "question_id",
    "judge_id",
    "answer",
    "summary_text",
    "question_text",
    "expected_answer",
    "found_answer",
)

Table = dict[str, NDArray[Any]]


def generate(seed: int = SEED) -> Table:
    """Return a row per question, summary and judge, about 4,630: column -> array. The same seed gives the same
    study."""
    rng = np.random.default_rng(seed)
    authors = (*AUTHORS, MACHINE)
    factual = rng.permutation(STORIES) < FACTUAL
    story_effect = STORY * rng.standard_normal(STORIES) + MORE_FACTUAL * factual
    length = np.array([_draw_lengths(rng, author) for author in authors])  # (5, stories)
    texts = [_draw_texts(rng, author, length[index]) for index, author in enumerate(authors)]
    relative_length = (length - length.mean(axis=1, keepdims=True)) / length.std(axis=1, keepdims=True)

    parts = []
    for asker_index, author in enumerate(AUTHORS):
        count = rng.permutation(np.repeat([2, 3, 4], author.questions))
        story = np.repeat(np.arange(STORIES), count)
        number = np.arange(len(story)) - np.repeat(np.cumsum(count) - count, count)
        words = [_choose_two_words(rng, texts[asker_index][index]) for index in story]
        easiness = QUESTION * rng.standard_normal(len(story))
        for summary_index, summary_author in enumerate(authors):
            informativeness = (
                story_effect[story]
                + easiness
                + LENGTH * relative_length[summary_index, story]
                + rng.standard_normal(len(story))
            )
            answers = _draw_answers(
                rng, informativeness, NormalDist().cdf(summary_author.tells + author.asks)
            )
            is_kept = np.full(len(story), True)
            if summary_index == asker_index:
                answers[:] = "R"
                is_kept = np.array([(index, asker_index) in OWN for index in story.tolist()])
            found_texts = [
                _answer_texts(rng, answer, expected, texts[summary_index][index])
                for answer, expected, index in zip(answers[0], words, story.tolist(), strict=True)
            ]
            parts.append(
                {
                    "story": np.tile(story[is_kept], 2),
                    "asker": np.full(2 * is_kept.sum(), asker_index),
                    "answering": np.full(2 * is_kept.sum(), summary_index),
                    "number": np.tile(number[is_kept], 2),
                    "judge": np.repeat([0, 1], is_kept.sum()),
                    "answer": answers[:, is_kept].ravel(),
                    "expected": np.tile(np.array(words)[is_kept], 2),
                    "found": np.tile(np.array(found_texts)[is_kept], 2),
                }
            )
    rows = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.lexsort((rows["judge"], rows["number"], rows["asker"], rows["answering"], rows["story"]))
    return _decode({name: column[order] for name, column in rows.items()}, factual, texts)


def _draw_answers(
    rng: np.random.Generator, informativeness: NDArray[np.float64], relevant: float
) -> NDArray[np.str_]:
    """Draw both judges' answers (2, questions) with the planted shares, the best ones for the most informative
    summaries."""
    perceived = informativeness + JUDGE * rng.standard_normal((2, len(informativeness)))
    rank = ((-perceived).argsort(axis=1).argsort(axis=1) + 0.5) / len(informativeness)
    limits = np.array([(1 - PARTIAL) * relevant, relevant, relevant + IRRELEVANT])
    answers: NDArray[np.str_] = np.array(list("RPIN"))[np.searchsorted(limits, rank)]
    return answers


def _draw_lengths(rng: np.random.Generator, author: Author) -> NDArray[np.int64]:
    """Draw the number of characters of each summary, around the author's mean."""
    deviation = rng.normal(0, 14, STORIES).clip(-30, 30)
    characters: NDArray[np.int64] = np.rint(author.characters + deviation - deviation.mean()).astype(np.int64)
    return characters


def _draw_texts(rng: np.random.Generator, author: Author, length: NDArray[np.int64]) -> list[list[str]]:
    """Draw invented words of each summary; joined by spaces they have the intended length."""
    words, texts = _make_words(), []
    for characters in length.tolist():
        count = round(characters / author.per_word)
        extra_letters = rng.multinomial(characters - (count - 1) - 2 * count, np.full(count, 1 / count))
        texts.append(
            [words[2 + letters][rng.integers(_WORDS_PER_LENGTH)] for letters in extra_letters.tolist()]
        )
    return texts


def _choose_two_words(rng: np.random.Generator, words: list[str]) -> str:
    """Choose two adjacent words of a text."""
    position = int(rng.integers(len(words) - 1))
    return " ".join(words[position : position + 2])


def _answer_texts(rng: np.random.Generator, answer: str, expected: str, summary: list[str]) -> str:
    if answer == "N":
        return ""
    if answer == "I":
        return _choose_two_words(rng, summary)
    return expected if answer == "R" else expected.split()[0]


def _decode(rows: Table, factual: NDArray[np.bool_], texts: list[list[list[str]]]) -> Table:
    """Convert codes to names and texts."""
    authors = np.array([author.name for author in (*AUTHORS, MACHINE)])
    machine = rows["answering"] == len(AUTHORS)
    summary = np.array([[" ".join(words) for words in of_author] for of_author in texts])
    number, asker, story = rows["number"], rows["asker"], rows["story"]
    first = np.array([words.split()[0] for words in rows["expected"].tolist()])
    openings = np.array(ASKED)[(story + 2 * number + asker) % len(ASKED)]
    specific_questions = np.char.add(np.char.add(openings, " "), np.char.add(first, "?"))
    general = asker == 2
    return {
        "story_id": np.array([f"story {index + 1:02d}" for index in range(STORIES)])[story],
        "story_type": np.where(factual, "factual", "not factual")[story],
        "summary_author": authors[rows["answering"]],
        "author_kind": np.where(machine, "machine", "person"),
        "question_author": authors[asker],
        "question_id": np.array([f"question {index}" for index in range(1, 5)])[number],
        "judge_id": JUDGES[rows["judge"]],
        "answer": rows["answer"],
        "summary_text": summary[rows["answering"], story],
        "question_text": np.where(general, np.array(GENERAL)[number], specific_questions),
        "expected_answer": rows["expected"],
        "found_answer": rows["found"],
    }


_WORDS_PER_LENGTH = 40


@cache
def _make_words() -> dict[int, list[str]]:
    """Return invented words by their length, of syllables of a consonant and a vowel."""
    rng = np.random.default_rng(WORDS_SEED)
    letters = ("bdfgklmnprstvz", "aeiou")
    return {
        length: [
            "".join(rng.choice(list(letters[position % 2])) for position in range(length))
            for _ in range(_WORDS_PER_LENGTH)
        ]
        for length in range(2, 30)
    }
