"""A new address draws nothing; what a program of another make does is left to it."""

from server.start.address import CHANGED, noted
from server.start.elements import _STATIC, _file

INDEX = (_STATIC / _file("index.html")).read_text(encoding="utf-8")


def test_streamlits_program_keeps_the_address_without_drawing_for_it() -> None:
    found = noted(INDEX)
    assert found.startswith(CHANGED)
    assert "this.syncQueryParams=e=>{this.state.queryParams=e," in found
    assert len(found) - len(CHANGED) == len(INDEX) - len("this.setState({queryParams:e})") + len(
        "this.state.queryParams=e"
    )


def test_nothing_that_is_drawn_reads_the_address() -> None:
    """But for what is sent, and where the page's own address is told: else it would have to be drawn for it."""
    reads = INDEX.count("queryParams:t}=this.state") + INDEX.count("queryParams:e}=this.state")
    assert reads + INDEX.count("this.state.queryParams") == 3
    assert "getQueryString=()=>{let{queryParams:e}=this.state" in INDEX


def test_a_program_of_another_make_comes_as_it_is() -> None:
    for other in ("", "this.syncQueryParams=e=>{this.setState({q:e})}"):
        assert noted(other) == other
