"""A hostile visitor's tools: the whole app on a database of its own, as tests of pages have it."""

from tests.pages.conftest import add_study, database, known_pages, open_page

__all__ = ["add_study", "database", "known_pages", "open_page"]
