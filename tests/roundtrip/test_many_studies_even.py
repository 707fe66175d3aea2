"""Many studies of every second layout from the first are read right or asked about.

A process takes whole files, so the layouts are shared out between two.
"""

import pytest

from tests.roundtrip.layouts import LAYOUTS
from tests.roundtrip.outcomes import OFTEN, STUDIES, check_reading


@pytest.mark.journey
@pytest.mark.parametrize("layout", [*LAYOUTS][::2])
def test_many_studies_of_a_layout_are_read_right_or_asked_about(layout: str) -> None:
    check_reading(layout, range(OFTEN, STUDIES))
