"""Folding of texts: against ROUGE's own tokenizer where that works, and by its laws where it does not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from analysis.assessors.summary_scores import tokenize


@given(some.text(some.characters(codec="ascii"), max_size=60))
@settings(max_examples=50, deadline=None)
def test_plain_english_is_cut_as_rouge_cuts_it(text):
    from rouge_score.tokenizers import DefaultTokenizer

    assert tokenize(text) == DefaultTokenizer(use_stemmer=False).tokenize(text)


@given(some.text(max_size=40))
@settings(max_examples=50, deadline=None)
def test_folding_twice_changes_nothing_and_case_does_not_matter(text):
    once = tokenize(text)
    assert tokenize(" ".join(once)) == once
    assert tokenize(f" ,{text}!\n") == once


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("Москва, Россия", ["москва", "россия"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("東京は広い。", ["東", "京", "は", "広", "い"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("co\u00adoperate", ["cooperate"]),
        ("ＡＢＣ１", ["abc1"]),
        ("Cafe\u0301", ["café"]),
        ("… — !", []),
        ("", []),
    ],
)
def test_words_of_all_scripts(text, expected):
    assert tokenize(text) == expected
