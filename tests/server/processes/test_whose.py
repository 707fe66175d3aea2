"""Which process a visitor belongs to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.processes.whose import Process, is_whole, owner, this_process, workspace_in

WORKSPACES = st.text("0123456789abcdef", min_size=32, max_size=32)


@given(WORKSPACES, st.integers(1, 64))
def test_each_workspace_belongs_to_one_process(workspace: str, of: int) -> None:
    assert [Process(number, of).has(workspace) for number in range(of)].count(True) == 1
    assert Process(owner(workspace, of), of).has(workspace)


@pytest.mark.parametrize("number", range(3))
def test_a_new_workspace_belongs_to_the_process_that_made_it(number: int) -> None:
    process = Process(number, 3)
    made = {process.new_workspace() for _ in range(20)}
    assert len(made) == 20
    assert all(process.has(each) for each in made)


def test_a_process_alone_has_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RATERSCOPE_PROCESS", raising=False)
    assert this_process() == Process(0, 1)
    monkeypatch.setenv("RATERSCOPE_PROCESS", str(Process(2, 3)))
    assert this_process() == Process(2, 3)


ONE, OTHER = "1" * 32, "2" * 32


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        (f"Cookie: workspace={ONE}", ONE),
        (f"cookie:workspace={ONE}", ONE),
        (f"COOKIE: a=b; workspace={ONE}; c=d", ONE),
        (f"Cookie: notworkspace={OTHER}; workspace={ONE}", ONE),
        (f"Host: here\r\nCookie: a=b\r\nCookie: workspace={ONE}", ONE),
        (f"Cookie: workspace={ONE}0", None),
        (f"Cookie: workspace={ONE[:-1]}", None),
        (f"Cookie: my-workspace={ONE}", None),
        (f"X-Cookie: workspace={ONE}", None),
        (f"Host: here\r\n\r\nCookie: workspace={ONE}", None),
        ("Host: here", None),
    ],
)
def test_the_cookie_is_found_in_the_head_of_a_connection(headers: str, found: str | None) -> None:
    head = f"GET /data HTTP/1.1\r\n{headers}\r\n\r\n".encode()
    assert is_whole(head)
    assert workspace_in(head, "workspace") == found


@given(st.binary(max_size=200))
def test_whatever_comes_is_read(head: bytes) -> None:
    assert workspace_in(head, "workspace") is None
