"""A finding with the doubts about its data in the same sentence."""

from findings.doubts import doubted, looks_wrong

FINDING = ("At {n} ratings it is enough.", {"n": 8})


def filled(sentence):
    template, values = sentence
    return template.format(**values)


def test_nothing_is_said_of_data_without_doubts():
    assert doubted(FINDING, ()) == FINDING


def test_two_doubts_are_named_and_the_rest_counted():
    assert filled(doubted(FINDING, ["a", "b", "c", "d"])) == (
        "<b>Doubtful</b>, since a; b and 2 more things look wrong: At 8 ratings it is enough."
    )


def test_the_overview_names_all():
    assert filled(looks_wrong(["a", "b", "c"])).startswith("This data looks wrong: a; b; c. Every finding")
