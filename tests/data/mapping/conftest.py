"""Files as they are saved where nobody corrects anything, as the tests of formats have them."""

from tests.data.formats.conftest import save

__all__ = ["save"]
