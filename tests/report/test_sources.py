"""The list of sources: each entry is whole, in words and as BibTeX."""

import re

import pytest

from report.blocks import SOURCES, bibtex


@pytest.mark.parametrize("key", SOURCES)
def test_an_entry_says_who_what_when_and_where(key: str) -> None:
    source = SOURCES[key]
    listed = source.listed
    assert source.fields["year"] in listed
    assert not listed.endswith(". ."), listed
    assert any(source.fields.get(name) for name in ("journal", "booktitle", "howpublished", "publisher"))
    entry = bibtex([key])
    assert entry.count("{") == entry.count("}")
    assert re.match(rf"@\w+\{{{key},\n", entry)


def test_a_book_names_its_publisher() -> None:
    assert SOURCES["cochran1977"].listed.endswith("Sampling Techniques. John Wiley and Sons.")
