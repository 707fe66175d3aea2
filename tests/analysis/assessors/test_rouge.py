"""ROUGE against the package with its own tokenizer, worked by hand, and on scripts that the package zeroes."""

import builtins
import sys

import numpy as np
import pytest

from analysis.assessors.summary_scores import KINDS, rouge
from analysis.values.estimate import InputError

TEXTS = [
    "The storm closed the bridge.",
    "A storm shut two bridges on Monday, police said.",
    "Nothing of the kind!",
]
REFERENCE = "On Monday the storm closed two bridges."


def test_by_hand():
    # the storm closed the bridge | on monday the storm closed two bridges: the, storm, closed of 5 and of 7 words,
    # of the pairs (the storm) and (storm closed) of 4 and of 6
    found = rouge(TEXTS[:1], [REFERENCE])
    assert found["rouge1"][0] == pytest.approx(2 * 3 / (5 + 7))
    assert found["rouge2"][0] == pytest.approx(2 * 2 / (4 + 6))
    assert found["rougeL"][0] == pytest.approx(2 * 3 / (5 + 7))


def test_english_equals_the_package():
    from rouge_score.rouge_scorer import RougeScorer

    found = rouge(TEXTS, [REFERENCE] * 3)
    scorer = RougeScorer(list(KINDS))
    for at, text in enumerate(TEXTS):
        for kind, score in scorer.score(REFERENCE, text).items():
            assert found[kind][at] == score.fmeasure


@pytest.mark.parametrize(
    "text", ["Буря закрыла мост", "風で橋が閉鎖された", "तूफ़ान ने पुल बंद किया", "أغلقت العاصفة الجسر"]
)
def test_other_scripts_are_not_zeroed(text):
    found = rouge([text, text], [text, REFERENCE])
    assert {kind: values[0] for kind, values in found.items()} == dict.fromkeys(KINDS, 1.0)
    assert {kind: values[1] for kind, values in found.items()} == dict.fromkeys(KINDS, 0.0)


def test_without_words_there_is_no_score():
    found = rouge(["", "a b", "...", "a b"], ["a b", "", "a b", "a b"], kinds=("rouge1",))
    assert list(found) == ["rouge1"]
    np.testing.assert_array_equal(np.isnan(found["rouge1"]), [True, True, True, False])


def test_progress_is_reported():
    told = []
    rouge(["a b c"] * 50, ["a b"] * 50, on_progress=told.append)
    assert told == [0.4, 0.8]


def test_wrong_arguments_are_reported():
    with pytest.raises(InputError, match=r"equally long.*got 1 and 2"):
        rouge(["a"], ["a", "b"])
    with pytest.raises(InputError, match="`kinds` may hold rouge1, rouge2, rougeL, got 'rouge9'"):
        rouge(["a"], ["a"], kinds=("rouge1", "rouge9"))


def test_a_missing_package_is_reported_with_the_way_to_get_it(monkeypatch):
    really = builtins.__import__

    def without(name, *args, **named):
        if name.startswith("rouge_score"):
            raise ImportError(name)
        return really(name, *args, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    for name in [name for name in sys.modules if name.startswith("rouge_score")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(InputError, match=r"pip install -r requirements-optional\.txt"):
        rouge(["a"], ["a"])
