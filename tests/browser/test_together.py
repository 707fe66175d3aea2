"""What a page is told at a step reaches Streamlit's programs in one go and in order."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from server.steps.together import DRAWING, EARLY, KEPT, PAINTING, SCRIPT, WAIT

SOCKET = "window.WebSocket = class extends EventTarget {};"
PROGRAM = """
window.handled = [];  // numbers of messages, each with how many had arrived by then
window.socket = new WebSocket();
let arrived = 0;
socket.addEventListener('message', ({data}) => handled.push([new Uint8Array(data).at(-1), arrived]));
window.arrive = messages => {
    for (const message of messages) {
        arrived += 1;
        socket.dispatchEvent(new MessageEvent('message', {data: new Uint8Array(message).buffer}));
    }
};
"""


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    opened = chromium.new_page()
    opened.evaluate(f"() => {{ {SOCKET} {SCRIPT} }}")
    opened.evaluate(f"() => {{ {PROGRAM} }}")
    yield opened
    opened.close()


def numbered(message: ForwardMsg, number: int) -> list[int]:
    """The message as Streamlit sends it, with a number as its last byte, in a field that nobody reads."""
    return [*message.SerializeToString(), 0xF8, 0x3F, number]


def arrive(page: Page, *messages: ForwardMsg) -> None:
    page.evaluate(
        "messages => arrive(messages)", [numbered(message, number) for number, message in enumerate(messages)]
    )


def text() -> ForwardMsg:
    message = ForwardMsg(hash="of a text")
    message.metadata.delta_path.extend([0, 300])
    message.delta.new_element.text.body = "a text" * 100
    return message


def beside() -> ForwardMsg:
    message = text()
    message.metadata.delta_path[0] = 1
    return message


def picture() -> ForwardMsg:
    message = ForwardMsg(hash="of a picture")
    message.delta.new_element.plotly_chart.spec = '{"data": []}' * 50
    return message


def picture_at(name: str, place: int = 3) -> ForwardMsg:
    message = picture()
    message.hash = name
    message.metadata.delta_path.extend([0, place])
    return message


def again(name: str, place: int = 3) -> ForwardMsg:
    """What stands for a message that the browser has kept."""
    message = ForwardMsg(ref_hash=name)
    message.metadata.delta_path.extend([0, place])
    return message


def end() -> ForwardMsg:
    return ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY)


def pages(*names: str, shown: str = "overview") -> ForwardMsg:
    message = ForwardMsg()
    message.navigation.page_script_hash = shown
    for name in names:
        message.navigation.app_pages.add(page_name=name)
    return message


def begin() -> ForwardMsg:
    message = ForwardMsg()
    message.session_status_changed.script_is_running = True
    return message


@pytest.mark.parametrize("last", [picture, end])
def test_what_comes_before_a_picture_or_the_end_is_handled_with_it(
    page: Page, last: Callable[[], ForwardMsg]
) -> None:
    arrive(page, begin(), text(), text(), last())
    assert page.evaluate("handled") == [[0, 4], [1, 4], [2, 4], [3, 4]]


def draw(page: Page) -> None:
    page.set_content("<div class=js-plotly-plot><svg class=main-svg></svg></div>")


def test_what_comes_after_a_picture_waits_for_the_end(page: Page) -> None:
    draw(page)
    arrive(page, picture(), text(), text(), end())
    assert page.evaluate("handled") == [[0, 1], [1, 4], [2, 4], [3, 4]]


def test_what_comes_after_the_first_picture_waits_until_that_is_drawn(page: Page) -> None:
    arrive(page, picture(), text(), end())
    assert page.evaluate("handled") == [[0, 1]]
    page.wait_for_timeout(3 * WAIT)
    assert page.evaluate("handled") == [[0, 1]]
    draw(page)
    page.wait_for_function("handled.length === 3")
    assert page.evaluate("handled") == [[0, 1], [1, 3], [2, 3]]


def test_what_came_with_the_first_picture_for_the_sidebar_is_handled_after_it_and_before_the_rest(
    page: Page,
) -> None:
    arrive(page, begin(), beside(), text(), beside(), picture(), text(), end())
    assert page.evaluate("handled") == [[0, 5], [2, 5], [4, 5]]
    draw(page)
    page.wait_for_function("handled.length === 7")
    assert [number for number, _ in page.evaluate("handled")] == [0, 2, 4, 1, 3, 5, 6]


def test_where_a_picture_is_there_already_the_sidebar_comes_in_its_turn(page: Page) -> None:
    draw(page)
    arrive(page, begin(), beside(), text(), picture())
    assert [number for number, _ in page.evaluate("handled")] == [0, 1, 2, 3]


def test_a_picture_that_nobody_sees_is_waited_for_no_longer_than_that(page: Page) -> None:
    arrive(page, picture(), text(), end())
    page.wait_for_function("handled.length === 3", timeout=5 * DRAWING)


def test_where_neither_comes_nothing_is_lost(page: Page) -> None:
    arrive(page, begin(), text())
    page.wait_for_function("handled.length === 2")
    assert page.evaluate("handled") == [[0, 2], [1, 2]]


def test_the_list_of_pages_is_handled_once_until_it_or_the_page_shown_changes(page: Page) -> None:
    few, more = pages("overview"), pages("overview", "data")
    arrive(page, few, few, more, text(), more, pages("overview", "data", shown="data"), more, end())
    assert [number for number, _ in page.evaluate("handled")] == [0, 2, 3, 5, 6, 7]


def test_a_new_connection_is_told_the_pages_again(page: Page) -> None:
    arrive(page, pages("overview"), end())
    page.evaluate(f"() => {{ {PROGRAM} }}")
    arrive(page, pages("overview"), end())
    assert [number for number, _ in page.evaluate("handled")] == [0, 1]


def paint(page: Page) -> None:
    """Draws in the picture, as Plotly does with another one, and lets two frames pass."""
    page.evaluate("() => document.querySelector('.main-svg').append(document.createElement('i'))")


def test_another_picture_in_the_place_of_one_is_handled_by_itself_and_in_its_turn_when_it_is_painted(
    page: Page,
) -> None:
    draw(page)
    arrive(page, picture_at("one"), end())
    page.evaluate("() => { handled.length = 0 }")
    arrive(page, begin(), text(), picture_at("two"), text(), end())
    assert [number for number, _ in page.evaluate("handled")] == [2]
    paint(page)
    page.wait_for_function("handled.length === 6")
    assert [number for number, _ in page.evaluate("handled")] == [2, 0, 1, 2, 3, 4]


def test_another_picture_that_nobody_draws_is_waited_for_no_longer_than_that(page: Page) -> None:
    draw(page)
    arrive(page, picture_at("one"), end(), begin(), picture_at("two"), end())
    page.wait_for_function("handled.length === 6", timeout=5 * PAINTING)


def test_a_picture_that_the_browser_has_kept_is_one(page: Page) -> None:
    draw(page)
    arrive(page, picture_at("one"), picture_at("two"), end())
    paint(page)
    page.wait_for_function("handled.length === 4")
    page.evaluate("() => { handled.length = 0 }")
    arrive(page, begin(), again("one"), end())
    assert [number for number, _ in page.evaluate("handled")] == [1]


@pytest.mark.parametrize(
    "then",
    [
        [picture_at("one")],  # the same one
        [picture_at("two", 4)],  # where none was
    ],
)
def test_only_another_picture_in_the_same_place_is_handled_ahead(page: Page, then: list[ForwardMsg]) -> None:
    draw(page)
    arrive(page, picture_at("one"), end())
    page.evaluate("() => { handled.length = 0 }")
    arrive(page, begin(), *then, end())
    assert [number for number, _ in page.evaluate("handled")] == [0, 1, 2]


def test_where_something_else_took_the_pictures_place_or_another_page_is_shown_none_is_ahead(
    page: Page,
) -> None:
    draw(page)
    gone = text()
    gone.metadata.delta_path[1] = 3
    arrive(page, picture_at("one"), gone, end())
    arrive(page, picture_at("two"), end())
    assert [number for number, _ in page.evaluate("handled")] == [0, 1, 2, 0, 1]
    arrive(page, pages("data", shown="data"), end())
    arrive(page, picture_at("three"), end())
    assert [number for number, _ in page.evaluate("handled")][-4:] == [0, 1, 0, 1]


def placed(message: ForwardMsg, *place: int) -> ForwardMsg:
    message.metadata.delta_path[:] = place
    return message


def block(kind: str = "flex_container") -> ForwardMsg:
    message = placed(ForwardMsg(hash=kind), 0, 2)
    getattr(message.delta.add_block, kind).SetInParent()
    return message


def spinner() -> ForwardMsg:
    message = placed(ForwardMsg(hash="spinner"), 0, 1)
    message.delta.new_transient.SetInParent()
    return message


def inside(name: str, fragment: str = "") -> ForwardMsg:
    message = placed(picture_at(name), 0, 2, 1)
    message.delta.fragment_id = fragment
    return message


def started() -> ForwardMsg:
    message = ForwardMsg()
    message.new_session.name = "a run"
    return message


def ended(how: str) -> ForwardMsg:
    return ForwardMsg(script_finished=getattr(ForwardMsg, f"FINISHED_{how}"))


@pytest.mark.parametrize(
    "between",
    [
        [placed(text(), 0, 2)],
        [placed(picture_at("in its place"), 0, 2)],
        [block("tab_container")],
        [text(), ended("SUCCESSFULLY")],
        [text(), ended("FRAGMENT_RUN_SUCCESSFULLY")],
        [spinner(), ended("EARLY_FOR_RERUN")],
    ],
    ids=[
        "an element",
        "a picture",
        "another block",
        "not sent again",
        "nor by its fragment",
        "a spinner, stopped",
    ],
)
@pytest.mark.parametrize("sent_early", [True, False])
def test_a_picture_whose_block_is_gone_is_handled_in_its_turn(
    page: Page, between: list[ForwardMsg], sent_early: bool
) -> None:
    """Streamlit's programs would find no such place, and show nothing any more."""
    draw(page)
    arrive(page, started(), block(), inside("one", "a fragment"), ended("SUCCESSFULLY"))
    arrive(page, started(), *between)
    page.wait_for_timeout(2 * WAIT)
    page.evaluate("() => { handled.length = 0 }")
    if sent_early:
        arrive(page, early(inside("two", "a fragment")))
        assert page.evaluate("handled") == []
    arrive(page, started(), block(), inside("two", "a fragment"), end())
    assert [number for number, _ in page.evaluate("handled")] == [0, 1, 2, 3]


@pytest.mark.parametrize("end_of_run", ["EARLY_FOR_RERUN", "SUCCESSFULLY", "FRAGMENT_RUN_SUCCESSFULLY"])
def test_a_picture_whose_block_is_sent_again_is_handled_ahead(page: Page, end_of_run: str) -> None:
    draw(page)
    arrive(page, started(), block(), inside("one"), ended("SUCCESSFULLY"))
    arrive(page, started(), block(), *[inside("one")] * (end_of_run == "SUCCESSFULLY"), ended(end_of_run))
    page.evaluate("() => { handled.length = 0 }")
    arrive(page, early(inside("two")))
    assert [number for number, _ in page.evaluate("handled")] == [0]


def early(message: ForwardMsg) -> ForwardMsg:
    """As it comes before its run."""
    return ForwardMsg.FromString(message.SerializeToString() + EARLY)


def test_a_picture_before_its_run_is_handled_at_once_and_in_its_turn_when_it_is_painted(page: Page) -> None:
    draw(page)
    arrive(page, picture_at("one"), end())
    page.evaluate("() => { handled.length = 0 }")
    arrive(page, early(picture_at("two")))
    assert page.evaluate("handled") == [[0, 3]]
    arrive(page, begin(), text(), again("two"), text(), end())
    assert page.evaluate("handled") == [[0, 3]]
    paint(page)
    page.wait_for_function("handled.length === 6")
    assert [number for number, _ in page.evaluate("handled")] == [0, 0, 1, 0, 3, 4]


def test_a_picture_before_its_run_that_takes_no_picture_s_place_is_handled_in_its_turn(page: Page) -> None:
    arrive(page, early(picture_at("two")))
    assert page.evaluate("handled") == []
    arrive(page, begin(), text(), text(), again("two"))
    assert [number for number, _ in page.evaluate("handled")] == [0, 1, 2, 0]


def test_a_picture_before_its_run_is_in_its_turn_where_another_one_is_being_painted(page: Page) -> None:
    draw(page)
    arrive(page, picture_at("one"), end())
    arrive(page, early(picture_at("two")))
    page.evaluate("() => { handled.length = 0 }")
    arrive(page, begin(), again("two"), end(), early(picture_at("three")), text(), again("three"), end())
    assert page.evaluate("handled") == []
    paint(page)
    page.wait_for_function("handled.length === 6")
    assert [number for number, _ in page.evaluate("handled")] == [0, 0, 2, 4, 3, 6]


def test_pictures_whose_runs_never_came_are_not_kept_for_ever(page: Page) -> None:
    arrive(page, *(early(picture_at(f"number {number}")) for number in range(KEPT + 1)))
    arrive(page, text(), text(), again("number 0"), again("number 1"))
    assert [number for number, _ in page.evaluate("handled")] == [0, 1, 2, 1]
