"""Many studies of every second arrangement from the first are read right or asked about.

A process takes whole files, so the arrangements are shared out between two.
"""

import pytest

from tests.roundtrip.layouts import ARRANGEMENTS
from tests.roundtrip.outcomes import OFTEN, STUDIES, check_reading


@pytest.mark.journey
@pytest.mark.parametrize("layouts", ARRANGEMENTS[::2], ids=lambda layouts: layouts[0])
def test_many_studies_of_an_arrangement_are_read_right_or_asked_about(layouts: tuple[str, ...]) -> None:
    last = STUDIES - OFTEN * (len(layouts) - 1)  # the first tier reads some of each layout
    for at, layout in enumerate(layouts):
        check_reading(layout, range(OFTEN + at, last, len(layouts)))
