"""What all tests share: where the real data lies, and which tests only run when asked for."""

from pathlib import Path

import pytest

collect_ignore = ["reference/sureal_numbers.py", "reference/crowdkit_numbers.py"]
"""Need packages that the tests do not."""
SHARED_DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real ratings that stands beside a checkout of the team; it is not part of the project."""
    if not SHARED_DATA.is_dir():
        pytest.skip("no real data: the folder ../shared/data does not stand beside this checkout")
    return SHARED_DATA


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "slow" in config.getoption("markexpr", ""):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="a simulation of minutes; run it with `pytest -m slow`"))
