"""Cards of the overview that are shown, and pages that are only named."""

from collections.abc import Iterable

from features.blocks import Block, Note, clear, not_applicable, not_enough_data
from features.overview.section import Card, answering_cards

CLEAR, MISSING = clear("Raters agree."), not_enough_data("Not enough data to say.")


def card(name: str, blocks: Iterable[Block], is_slow: bool = False) -> Card:
    return Card(name, name.title(), f"{name}.py", lambda: blocks, is_slow)


def test_cards_without_an_answer_are_named_and_slow_ones_are_shown_before_they_are_known() -> None:
    cards = [
        card("one", [CLEAR]),
        card("two", [MISSING]),
        card("three", [MISSING], is_slow=True),
        card("four", []),
        card("five", [Note(("A remark.", {}))]),
        card("six", [not_applicable("There are no summaries.")]),
    ]
    shown, missing = answering_cards(cards)
    assert [each.name for each in shown] == ["one", "three", "five"]
    assert [each.title for each in missing] == ["Two", "Four", "Six"]


def test_all_are_shown_where_no_page_can_answer() -> None:
    shown, missing = answering_cards([card("one", [MISSING]), card("two", [])])
    assert [each.name for each in shown] == ["one", "two"]
    assert missing == []


def test_a_quick_card_is_computed_once() -> None:
    computed: list[str] = []

    def blocks() -> list[Block]:
        computed.append("once")
        return [CLEAR]

    ((only,), _) = answering_cards([Card("one", "One", "one.py", blocks)])
    assert list(only.blocks()) == list(only.blocks()) == [CLEAR]
    assert computed == ["once"]
