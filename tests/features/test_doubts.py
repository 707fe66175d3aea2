"""A finding with the doubts about its data in the same sentence."""

import pytest

from features.blocks import Finding, Status, add_doubts, doubts_in_words, prefix, sentence_of, uncertain

FINDING = Finding(("At {n} ratings it is enough.", {"n": 8}))


def filled(sentence):
    template, values = sentence
    return template.format(**values)


def test_nothing_is_said_of_data_without_doubts():
    assert sentence_of(add_doubts(FINDING, ())) == FINDING.headline


def test_two_doubts_are_named_and_the_rest_counted():
    assert filled(sentence_of(add_doubts(FINDING, ["a", "b", "c", "d"]))) == (
        "<b>Doubtful</b>, since a; b and 2 more things look wrong: At 8 ratings it is enough."
    )


@pytest.mark.parametrize("status", Status)
def test_only_what_concludes_is_doubted_whatever_its_words(status):
    told = add_doubts(Finding(("Which is best cannot be told: both overlap.", {}), status=status), ["a"])
    assert told.doubtful == (() if status in (Status.NOT_ENOUGH_DATA, Status.NOT_APPLICABLE) else ("a",))
    assert told.status is status


def test_a_finding_stays_doubtful_under_the_name_of_its_group():
    told = prefix(add_doubts(uncertain("Both are alike."), ["a"]), "<b>{who}</b>: ", {"who": "crowd"})
    assert filled(sentence_of(told)) == "<b>Doubtful</b>, since a: <b>crowd</b>: Both are alike."
    assert told.status is Status.UNCERTAIN


def test_the_overview_names_all():
    assert filled(doubts_in_words(["a", "b", "c"])).startswith(
        "This data looks wrong: a; b; c. Every finding"
    )
