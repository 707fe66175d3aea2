"""At a step the picture leaves before the rest of its run, and nothing is lost, doubled or out of order."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit import runtime
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_cache import create_reference_msg
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

from server.steps import picture_first
from server.steps.together import EARLY

STARTED, TOLD, ENDED = (
    ScriptRunnerEvent.SCRIPT_STARTED,
    ScriptRunnerEvent.ENQUEUE_FORWARD_MSG,
    ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS,
)


class Session:
    """What Streamlit's session is to the module: a loop, and where a run's events end. `heard` is in their order."""

    id = "of a visit"

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self.later: list[Callable[[], None]] = []
        self._event_loop = self

    def _call_soon_on_event_loop(self, callback: Callable[[], None]) -> None:
        callback()

    call_soon = _call_soon_on_event_loop

    def call_later(self, seconds: float, callback: Callable[[], None]) -> None:
        assert 0 < seconds <= 0.1
        self.later.append(callback)

    def _handle_scriptrunner_event_on_event_loop(
        self, sender: str, event: ScriptRunnerEvent, forward_msg: ForwardMsg | None = None
    ) -> None:
        assert sender == "runner"
        self.heard.append(event if forward_msg is None else forward_msg)

    def tell(self, *events: ScriptRunnerEvent | ForwardMsg) -> list[Any]:
        """A run's events; what was heard of them at once."""
        self.heard = []
        for event in events:
            if isinstance(event, ForwardMsg):
                picture_first._take(self, "runner", event=TOLD, forward_msg=event)  # type: ignore[arg-type]
            else:
                picture_first._take(self, "runner", event=event)  # type: ignore[arg-type]
        return self.heard


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    one = Session()

    class Runtime:
        def get_client(self, visit: str) -> "Runtime":
            assert visit == one.id
            return self

        def write_forward_msg(self, message: ForwardMsg) -> None:
            one.heard.append(("early", message))

    monkeypatch.setattr(runtime, "get_instance", Runtime)
    monkeypatch.setattr(picture_first, "DRAWING", 0.0)
    return one


def element(name: str, *place: int, cacheable: bool = False) -> ForwardMsg:
    message = ForwardMsg(hash=name)
    message.metadata.delta_path.extend(place)
    message.metadata.cacheable = cacheable
    message.delta.new_element.text.body = name
    return message


def empty(*place: int) -> ForwardMsg:
    message = element("nothing", *place)
    message.delta.new_element.empty.SetInParent()
    return message


def picture(name: str, *place: int, cacheable: bool = True) -> ForwardMsg:
    message = element(name, *place, cacheable=cacheable)
    message.delta.new_element.plotly_chart.spec = name
    return message


def pages(shown: str) -> ForwardMsg:
    message = ForwardMsg()
    message.navigation.page_script_hash = shown
    return message


def early(message: ForwardMsg) -> tuple[str, ForwardMsg]:
    return "early", ForwardMsg.FromString(message.SerializeToString() + EARLY)


ONE, TWO = picture("one", 0, 3), picture("two", 0, 3)
TEXT = element("text", 0, 1)


def test_a_first_run_is_told_as_it_goes(session: Session) -> None:
    assert session.tell(STARTED, TEXT) == [STARTED, TEXT]
    assert session.tell(ONE, TEXT, ENDED) == [ONE, TEXT, ENDED]


def test_another_picture_at_the_same_place_comes_before_its_run_and_leaves_its_name_there(
    session: Session,
) -> None:
    session.tell(STARTED, TEXT, ONE, ENDED)
    assert session.tell(STARTED, TEXT, empty(0, 3)) == []
    named = create_reference_msg(TWO)
    assert session.tell(TWO) == [early(TWO), STARTED, TEXT, empty(0, 3), named]
    assert session.tell(TEXT, ENDED) == [TEXT, ENDED]


def test_back_at_a_picture_that_the_browser_keeps_its_name_comes_before(session: Session) -> None:
    session.tell(STARTED, ONE, ENDED)
    session.tell(STARTED, TWO, ENDED)
    named = create_reference_msg(ONE)
    assert session.tell(STARTED, TEXT, named) == [early(named), STARTED, TEXT, named]


@pytest.mark.parametrize(
    "shown",
    [ONE, picture("two", 0, 4), picture("two", 0, 3, cacheable=False), create_reference_msg(ONE)],
    ids=["the same", "at another place", "too small to be kept", "the same by its name"],
)
def test_what_cannot_come_before_its_run_has_the_run_told(session: Session, shown: ForwardMsg) -> None:
    session.tell(STARTED, TEXT, ONE, ENDED)
    assert session.tell(STARTED, TEXT, shown, TEXT) == [STARTED, TEXT, shown, TEXT]


def test_a_run_without_a_picture_is_told_when_it_ends(session: Session) -> None:
    session.tell(STARTED, TEXT, ONE, ENDED)
    assert session.tell(STARTED, TEXT) == []
    assert session.tell(ENDED) == [STARTED, TEXT, ENDED]


def test_after_a_tenth_of_a_second_a_run_is_told_as_it_goes(session: Session) -> None:
    session.tell(STARTED, ONE, ENDED)
    session.tell(STARTED, TEXT)
    session.later.pop()()
    assert session.heard == [STARTED, TEXT]
    assert session.tell(TEXT, TWO, ENDED) == [TEXT, TWO, ENDED]


def test_patience_with_one_run_ends_no_other(session: Session) -> None:
    session.tell(STARTED, ONE, ENDED)
    session.tell(STARTED, TEXT, ENDED)
    session.tell(STARTED, TEXT)
    session.later.pop(0)()
    assert session.heard == []


def test_a_run_that_another_one_interrupts_is_told_first(session: Session) -> None:
    session.tell(STARTED, ONE, ENDED)
    assert session.tell(STARTED, TEXT, STARTED) == [STARTED, TEXT]
    assert session.tell(TWO) == [early(TWO), STARTED, create_reference_msg(TWO)]


def test_a_picture_that_something_else_has_replaced_is_no_longer_there(session: Session) -> None:
    session.tell(STARTED, ONE, picture("other", 0, 9), ENDED)
    session.tell(STARTED, element("text", 0, 3), ENDED)
    assert session.tell(STARTED, TWO) == [STARTED, TWO]


def test_on_another_page_no_picture_is_there(session: Session) -> None:
    session.tell(STARTED, pages("overview"), ONE, ENDED)
    session.tell(STARTED, pages("overview"), TEXT)
    assert session.tell(TWO)[0] == early(TWO)
    session.tell(ENDED, STARTED, pages("systems"), TEXT, ENDED)
    assert session.tell(STARTED, TEXT, ONE) == [STARTED, TEXT, ONE]
