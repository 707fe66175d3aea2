"""A new address draws nothing and a step is sent at once; what a program of another make does is left to it."""

import pytest

from server.start.before_drawing import CHANGED, sends_before_drawing
from server.start.elements import _STATIC, _file

INDEX = (_STATIC / _file("index.html")).read_text(encoding="utf-8")
ADDRESS = "this.syncQueryParams=e=>{this.setState({queryParams:e}),"
SENDS = "setTimeout(()=>{this.sendUpdateWidgetsMessage("


def test_streamlits_program_keeps_the_address_without_drawing_and_sends_a_step_at_once() -> None:
    found = sends_before_drawing(INDEX)
    assert found.startswith(CHANGED)
    assert "this.syncQueryParams=e=>{this.state.queryParams=e," in found
    assert "this.flushScheduled=!0,queueMicrotask(()=>{this.sendUpdateWidgetsMessage(" in found
    assert len(found) - len(CHANGED) == len(INDEX) - len("this.setState({queryParams:e})") + len(
        "this.state.queryParams=e"
    ) - len("setTimeout") + len("queueMicrotask")


def test_nothing_that_is_drawn_reads_the_address() -> None:
    """But for what is sent, and where the page's own address is told: else it would have to be drawn for it."""
    reads = INDEX.count("queryParams:t}=this.state") + INDEX.count("queryParams:e}=this.state")
    assert reads + INDEX.count("this.state.queryParams") == 3
    assert "getQueryString=()=>{let{queryParams:e}=this.state" in INDEX


@pytest.mark.parametrize(
    "other", ["", ADDRESS, SENDS, ADDRESS + SENDS + SENDS, "this.syncQueryParams=e=>{this.setState({q:e})}"]
)
def test_a_program_of_another_make_comes_as_it_is(other: str) -> None:
    assert sends_before_drawing(other) == other
