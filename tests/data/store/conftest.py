"""Which tests of the store run by hand."""

import pytest

OF_MERGED = ({"merge": "mean", "summed": False}, {"merge": "last", "summed": True})


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as slow the tests of sums and merged repeats on a lake but one of each, with real scores: a file runs them
    all."""
    seen = set()
    for item in items:
        if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
            continue
        params = item.callspec.params
        if params.get("settings") != "kept lake":
            continue
        if item.path.name == "test_sums.py":
            often = params.get("scores", "real") == "real" and item.originalname not in seen
            seen |= {item.originalname} if often else set()
        elif item.path.name == "test_merged_repeats.py":
            often = any(one.items() <= params.items() for one in OF_MERGED)
        else:
            continue
        if not often:
            item.add_marker(pytest.mark.slow)
