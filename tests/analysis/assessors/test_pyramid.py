"""Pyramid scores: worked by hand, against a slow version, by laws, and on the sample's planted order."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from analysis.assessors.pyramid import (
    NO_CONTRIBUTORS,
    NO_RATER,
    NO_TEXT,
    NO_WEIGHT,
    ONLY_SUMMARY,
    Contributors,
    PyramidScores,
    difference_by_assessor,
    pyramid_scores,
    scores_by_topic,
)
from analysis.values.estimate import BootstrapSpec, InputError
from data.samples import assessors

# One topic by assessor Ann: two models of two and three units, and one system's summary.
TEXTS = {
    "m1": "The dam broke on Monday. Nine people died.",
    "m2": "On Monday the dam burst; nine people died, and a bridge fell.",
    "s1": "The dam broke! A BRIDGE   fell; help came.",
}
ROWS = [  # item, unit, words, weight, is_model
    ("m1", "dam", "The dam broke", 2, True),
    ("m1", "dead", "Nine people died", 2, True),
    ("m2", "dam", "the dam burst", 2, True),
    ("m2", "dead", "nine people died", 2, True),
    ("m2", "bridge", "a bridge fell", 1, True),
    ("s1", "dam", "The dam broke", 2, False),
]


def contributors(rows=ROWS, **more):
    item, scu, text, weight, is_model = zip(*rows, strict=True)
    n = len(rows)
    columns = {"topic": ["t"] * n, "item": item, "scu": scu, "text": text, "weight": weight}
    columns |= {"rater": ["Ann"] * n, "is_model": is_model}
    return Contributors(**{name: np.array(column) for name, column in (columns | more).items()})


def scores_of(found, item):
    (at,) = np.flatnonzero(found.items == item)
    return float(found.manual[at]), float(found.automatic[at])


def test_by_hand():
    found = pyramid_scores(contributors(), TEXTS)
    best = 2 + 2 + 0.5 * 1  # models hold 2.5 units on average: the two heaviest, and half of the third
    assert scores_of(found, "m1") == pytest.approx(
        (4 / best, 4 / best)
    )  # the dam by s1's string, the dead by m2's
    assert scores_of(found, "m2") == pytest.approx((5 / best, 2 / best))  # only the dead: by m1's string
    assert scores_of(found, "s1") == pytest.approx((2 / best, 3 / best))  # the bridge, which Ann missed
    assert found.left_out == ()
    assert (found.cells, found.cells_without_models) == (1, 0)
    ann = difference_by_assessor(found)
    assert ann.raters.tolist() == ["Ann"]
    assert ann.difference[0].value == pytest.approx((0 + 3 - 1) / 3 / best)
    assert "only one topic" in ann.difference[0].reason
    assert (ann.topics.tolist(), ann.summaries.tolist()) == ([1], [3])
    (of_topic,) = scores_by_topic(found).manual.tolist()
    assert of_topic == pytest.approx((4 + 5 + 2) / 3 / best)


def test_without_models_the_mean_size_is_that_of_all_summaries():
    found = pyramid_scores(contributors(is_model=[False] * 6), TEXTS)
    assert found.cells_without_models == 1
    assert scores_of(found, "m1")[0] == pytest.approx(
        4 / 4
    )  # (2 + 3 + 1) / 3 = 2 units, which weigh 4 at best


def test_words_match_whole():
    rows = [("a", "u", "he dam", 1, False), ("b", "v", "dams", 1, False), ("c", "w", "the dam", 1, False)]
    found = pyramid_scores(contributors(rows), dict.fromkeys("abc", "the dam"))
    assert scores_of(found, "a")[1] == 1.0  # only w, by c's string
    assert scores_of(found, "c")[1] == 0.0


def slow(rows, texts):
    """(item, rater) -> manual and automatic weight, by the letter of the definition."""

    def fold(text):
        return " " + " ".join(re.findall(r"[a-z0-9]+", text.lower())) + " "

    found = {}
    for item, rater in {(row[0], row[5]) for row in rows}:
        weight = {row[1]: row[3] for row in rows}
        manual = {row[1] for row in rows if (row[0], row[5]) == (item, rater)}
        automatic = {row[1] for row in rows if row[0] != item and fold(row[2]) in fold(texts[item])}
        found[item, rater] = sum(weight[u] for u in manual), sum(weight[u] for u in automatic)
    return found


def random_study(seed):
    rng = np.random.default_rng(seed)
    said = ["the dam broke", "nine died", "A bridge fell", "nine", "it rained", "rain fell on the dam"]
    weight = rng.integers(1, 5, 6).tolist()
    items = list("abcdefg")
    texts = {item: ", ".join(rng.choice(said, 3)).upper() + "." for item in items}
    rows = []
    for item in items:
        for rater in ("Ann", "Bob"):
            chosen = rng.choice(6, rng.integers(1, 4), replace=False)
            rows += [(item, f"u{at}", said[at], weight[at], item == "a", rater) for at in chosen]
    return rows, texts


@pytest.mark.parametrize("seed", range(6))
def test_a_loop_over_the_definition_agrees(seed):
    rows, texts = random_study(seed)
    found = pyramid_scores(contributors([row[:5] for row in rows], rater=[r[5] for r in rows]), texts)
    expected = slow(rows, texts)
    assert len(found) == len(expected)
    best = found.manual[0] and expected[found.items[0], found.raters[0]][0] / found.manual[0]
    for at in range(len(found)):
        manual, automatic = expected[found.items[at], found.raters[at]]
        assert (found.manual[at] * best, found.automatic[at] * best) == pytest.approx((manual, automatic))


@given(some.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_case_punctuation_and_order_do_not_matter(seed):
    rows, texts = random_study(seed)
    rater = [row[5] for row in rows]
    found = pyramid_scores(contributors([row[:5] for row in rows], rater=rater), texts)
    order = np.random.default_rng(seed).permutation(len(rows))
    shouted = [(row[0], row[1], f"«{row[2].upper()}»!", row[3], row[4]) for row in rows]
    again = pyramid_scores(
        contributors([shouted[at] for at in order], rater=[rater[at] for at in order]),
        {item: text.lower().replace(" ", "  \n") for item, text in texts.items()},
    )
    np.testing.assert_array_equal(found.items, again.items)
    np.testing.assert_allclose(found.manual, again.manual)
    np.testing.assert_allclose(found.automatic, again.automatic)


@given(some.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_own_strings_never_count_and_all_strings_give_all_units(seed):
    rows, texts = random_study(seed)
    rows = [row[:5] for row in rows if row[5] == "Ann"]
    texts["a"] = ". ".join(row[2] for row in rows) + ". Words of its own."
    rows.append(("a", "own", "words of its own", 3, True))
    manual, automatic = scores_of(pyramid_scores(contributors(rows), texts), "a")
    weigh_own = sum({row[1]: row[3] for row in rows if row[0] == "a"}.values())
    weigh_others = sum({row[1]: row[3] for row in rows if row[0] != "a"}.values())
    assert automatic / manual == pytest.approx(weigh_others / weigh_own)


def test_conditions_and_topics_are_apart():
    rows = [*ROWS, *ROWS]
    found = pyramid_scores(
        contributors(
            rows,
            item=[row[0] for row in ROWS] + [row[0] + " again" for row in ROWS],
            condition=["main"] * 6 + ["update"] * 6,
        ),
        TEXTS | {f"{item} again": "Nothing." for item in TEXTS},
    )
    assert found.cells == 2
    main = found.conditions == "main"
    np.testing.assert_allclose(found.manual[main], found.manual[~main])
    assert (found.automatic[~main] == 0).all()
    assert (found.automatic[main] > 0).all()


def test_what_is_set_aside_is_counted():
    rows = [
        *ROWS,
        ("s1", "none", "help came", 0, False),
        ("s1", "none", "help", np.nan, False),
        ("s2", "dam", "!", 2, False),
    ]
    places = {"s1": ("t", ""), "s3": ("t", ""), "s4": ("unknown", "")}
    found = pyramid_scores(contributors(rows), TEXTS | {"s3": "Nine people died", "s2": ""}, places)
    assert dict(found.left_out) == {NO_WEIGHT: 2, NO_CONTRIBUTORS: 1, NO_TEXT: 1}
    assert found.items.tolist() == ["m1", "m2", "s1", "s3"]
    assert scores_of(found, "s3") == pytest.approx((0, 2 / 4.5))  # Ann marked nothing in it
    two = pyramid_scores(contributors(rater=["Ann"] * 5 + ["Bob"]), TEXTS, places | {"s3": ("t", "")})
    assert dict(two.left_out) == {NO_RATER: 1, NO_CONTRIBUTORS: 1}
    alone = pyramid_scores(contributors(ROWS[:2]), TEXTS)
    assert alone.left_out == ((ONLY_SUMMARY, 1),)
    assert len(alone) == len(difference_by_assessor(alone).raters) == len(scores_by_topic(alone).manual) == 0
    nothing = pyramid_scores(contributors(ROWS[:1], weight=[0]), TEXTS, {"m1": ("t", "")})
    assert (len(nothing), nothing.cells, dict(nothing.left_out)) == (0, 0, {NO_WEIGHT: 1, NO_CONTRIBUTORS: 1})


def test_wrong_columns_are_reported():
    with pytest.raises(InputError, match=r"`weight` has shape \(1,\) and `topic` \(6,\)"):
        contributors(weight=[1])
    with pytest.raises(InputError, match="`weight` must hold numbers"):
        contributors(weight=["heavy"] * 6)
    with pytest.raises(InputError, match="`is_model` must say yes or no for each summary, got 'maybe'"):
        contributors(is_model=["maybe"] * 6)
    assert contributors(is_model=["Yes", "no", "TRUE", "0", "", "model"]).is_model.tolist() == [
        1,
        0,
        1,
        0,
        0,
        1,
    ]


def sample():
    rows = assessors.contributors()
    table = assessors.generate()
    here = table["measure"] == "Pyramid"
    item = table["item_id"][here].tolist()
    names = ("topic", "item_id", "scu_id", "contributor_text", "weight", "condition", "rater_id", "is_model")
    return (
        Contributors(*(rows[name] for name in names)),
        dict(zip(item, table["text"][here].tolist(), strict=True)),
        dict(
            zip(
                item,
                zip(table["topic"][here].tolist(), table["condition"][here].tolist(), strict=True),
                strict=True,
            )
        ),
        dict(zip(item, table["score"][here].tolist(), strict=True)),
    )


def test_the_sample_has_its_scores_and_its_planted_order():
    marked, texts, places, score = sample()
    told = []
    found = pyramid_scores(marked, texts, places, told.append)
    assert told[-1] == 1.0
    assert len(found) == len(texts) == 4752  # with those in which nothing was marked
    np.testing.assert_allclose(found.manual, [score[item] for item in found.items.tolist()], atol=0.0005)
    differences = difference_by_assessor(found, BootstrapSpec(draws=200))
    order = [differences.raters[at] for at in np.argsort([e.value for e in differences.difference])]
    assert order == [a.name for a in sorted(assessors.ASSESSORS, key=lambda a: -a.overlooks)]
    assert differences.topics.sum() == assessors.TOPICS
    for estimate in differences.difference:
        assert estimate.low < estimate.value < estimate.high


def test_intervals_cover_an_assessors_other_topics():
    """Assessors with a known mean difference and topics drawn anew: 95% intervals over six topics."""
    rng = np.random.default_rng(5)
    n, topics, summaries = 200, 6, 10
    rater = np.repeat(np.arange(n), topics * summaries)
    topic = np.repeat(np.arange(n * topics), summaries)
    true = rng.normal(0, 0.02, n * topics)[topic] + rng.normal(0, 0.05, len(topic))
    zero = np.zeros(len(topic))
    none = np.full(len(topic), "")
    made = PyramidScores(topic, topic, none, rater, zero > 0, true, zero, (), n * topics, 0)
    found = difference_by_assessor(made, BootstrapSpec(draws=300)).difference
    assert 0.9 <= np.mean([e.low <= 0 <= e.high for e in found]) <= 0.99
