"""All kinds of tables.

Each is declared once, in a module of its own, so that the import, the page and the proposal know the same; a new kind
is one more module. What is special to one kind is a field of its entry; only what a user should be warned of is code
of its own (`data.importing.warning_signs`).
"""

from collections.abc import Mapping

from data.errors import BadMapping
from data.kinds.additions import ADDITIONS
from data.kinds.choices import CHOICES
from data.kinds.comprehension import COMPREHENSION
from data.kinds.joined_tables import CONTRIBUTORS, METRICS
from data.kinds.kind import Kind
from data.kinds.ratings import RATINGS
from data.kinds.relevance import RELEVANCE

KINDS: Mapping[str, Kind] = {
    kind.name: kind for kind in (RATINGS, CONTRIBUTORS, METRICS, CHOICES, COMPREHENSION, RELEVANCE)
}
"""All kinds of tables, by name. The order of an entry's names is their weight: the first fits best."""


def kind_named(name: str) -> Kind:
    """The kind of that name."""
    kind = KINDS.get(name) or ADDITIONS.get(name)
    if kind is None:
        raise BadMapping(f"kind must be one of {', '.join(KINDS)}; got {name!r}")
    return kind
