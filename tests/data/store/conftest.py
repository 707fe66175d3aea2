"""Store tests that run only by hand."""

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow tests of sums and merged repeats on a lake but one of each, with real scores: a file runs all."""
    seen = set()
    for item in items:
        if item.path.name not in ("test_sums.py", "test_merged_repeats.py") or not isinstance(
            item, pytest.Function
        ):
            continue
        params = item.callspec.params if hasattr(item, "callspec") else {}
        if params.get("settings") != "kept lake":
            continue
        often = params.get("scores", "real") == "real" and item.originalname not in seen
        seen |= {item.originalname} if often else set()
        if not often:
            item.add_marker(pytest.mark.slow)
