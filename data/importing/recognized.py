"""Kind and mapping of a file that is imported without a visitor who could be asked."""

from data.errors import AmbiguousReading, BadMapping
from data.mapping.plan import FileMapping
from data.mapping.proposal import in_two_ways, propose
from data.tables.sniffed import Sniffed


def complete_mapping(
    sniffed: Sniffed, kind: str | None = None, mapping: FileMapping | None = None
) -> tuple[str, FileMapping]:
    """Return kind and mapping of an import, recognized where they are not given.

    Raises
    ------
    BadMapping
        where the file has no ratings, but tells of the items or raters of a study.
    AmbiguousReading
        where the table can be read in two ways.
    """
    found = propose(sniffed, kind)
    if found.addition:
        raise BadMapping(found.notes[0])
    if mapping is not None:
        return found.kind, mapping
    if found.reading is not None and found.other is not None:
        raise AmbiguousReading(in_two_ways(found.reading, found.other))
    return found.kind, found.mapping
