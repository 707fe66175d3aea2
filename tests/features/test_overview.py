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
    yielded = list(answering_cards(cards))
    assert [each.name for each in yielded if each.can_answer] == ["one", "three", "five"]
    assert [each.title for each in yielded if not each.can_answer] == ["Two", "Four", "Six"]


def test_all_are_shown_where_no_page_can_answer() -> None:
    yielded = list(answering_cards([card("one", [MISSING]), card("two", [])]))
    assert [each.name for each in yielded if each.can_answer] == ["one", "two"]


def test_a_quick_card_is_computed_once_and_before_the_next_one() -> None:
    computed: list[str] = []

    def blocks() -> list[Block]:
        computed.append("once")
        return [CLEAR]

    first, second = (Card(name, name, f"{name}.py", blocks) for name in ("one", "two"))
    cards = answering_cards([first, second])
    ready = next(cards)
    assert list(ready.blocks()) == list(ready.blocks()) == [CLEAR]
    assert computed == ["once"]
    assert next(cards).name == "two"
    assert computed == ["once", "once"]
