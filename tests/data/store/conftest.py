"""Which tests of the store run by hand."""

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow the sums of a lake on scores of a second and third kind: a file's sums are tried on all kinds."""
    for item in items:
        params = (
            item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        )
        on_lake = params.get("settings") == "kept lake"
        if item.path.name == "test_sums.py" and on_lake and params.get("scores", "real") != "real":
            item.add_marker(pytest.mark.slow)
