"""What a second file seems to be to a data set: more rows of it, or what is known about its items or raters.

The key is proposed from what the columns hold, not from what they are called: the column whose values are the names
of the data set's items, or of its raters.
"""

from dataclasses import dataclass

from data.dataset import Dataset
from data.joining.matching import Overlaps
from data.kinds.additions import additions_to
from data.kinds.definitions import KINDS
from data.kinds.kind import Kind
from data.kinds.shared_columns import CHOICE, SCORE
from data.mapping.names import plain_name
from data.mapping.plan import FileMapping
from data.mapping.proposal import Proposal, propose
from data.tables.sniffed import Sniffed, SniffedColumn

_MOST_GROUPS = 50
"""Values of an attribute by which raters can be told apart."""


@dataclass(frozen=True)
class Joinable:
    """The ways in which a file can be added, the likeliest first."""

    proposals: tuple[Proposal, ...]

    def of(self, kind: str) -> Proposal:
        return next(proposal for proposal in self.proposals if proposal.kind == kind)


def keys_of(kind: str) -> tuple[str, ...]:
    """The columns of a data set that a second file may name its items or raters by."""
    return tuple(dict.fromkeys(name for addition in additions_to(kind) for name in addition.required))


def joinable(dataset: Dataset, sniffed: Sniffed, found: Overlaps) -> Joinable:
    """All ways in which the file can be added to the data set; a proposal may lack required columns."""
    rows = propose(sniffed, dataset.kind)
    told = [
        (_fit(addition, found), _about(addition, sniffed, found)) for addition in additions_to(dataset.kind)
    ]
    told.sort(key=lambda each: -each[0])
    about = [proposal for _, proposal in told]
    wide = "@form" in rows.mapping
    complete = _complete(KINDS[dataset.kind], rows.mapping)
    metrics = propose(sniffed).kind == "metrics"
    first = complete and not (about and (metrics or (wide and told[0][0] > 0.5)))
    return Joinable((rows, *about) if first or not about else (*about, rows))


def _fit(addition: Kind, found: Overlaps) -> float:
    """How well the best columns of the file name what the addition is about."""
    return min(max(found.get(key, {}).values(), default=0.0) for key in addition.required)


def _complete(kind: Kind, mapping: FileMapping) -> bool:
    named = kind.forms.get(str(mapping.get("@form", "long")))
    return all(name in mapping or name == named for name in kind.required)


def _about(addition: Kind, sniffed: Sniffed, found: Overlaps) -> Proposal:
    guess = propose(sniffed, addition.name)
    mapping: dict[str, str | tuple[str, ...]] = dict(guess.mapping)
    notes = []
    for key in addition.required:
        fitting = found.get(key, {})
        taken = {mapping.get(other) for other in addition.required if other != key}
        best = max(
            (name for name in fitting if name not in taken), key=lambda name: fitting[name], default=None
        )
        if best is None:
            continue
        for name in [name for name, source in mapping.items() if source == best]:
            del mapping[name]
        mapping[key] = best
        notes.append(f'"{best}" holds names of this data set ({key}).')
    used = set(mapping.values())
    free = [column for column in sniffed.columns if column.name not in used and column.filled]
    if addition.column("gold") and "gold" not in mapping:
        wanted = ("gold", "truth", *CHOICE, *SCORE)
        fitting_names = [column.name for column in free if plain_name(column.name) in wanted]
        if fitting_names or len(free) == 1:
            mapping["gold"] = [*fitting_names, free[0].name][0]
    if "rater attribute" in addition.further:
        mapping |= {
            f"rater_{plain_name(column.name)}": column.name
            for column in free
            if _tells_apart(column, sniffed)
        }
    lacking = [name for name in addition.required if name not in mapping]
    notes += [f"No column holds names of this data set ({name}); choose one." for name in lacking]
    return Proposal(addition.name, mapping, tuple(notes))


def _tells_apart(column: SniffedColumn, sniffed: Sniffed) -> bool:
    return (
        1 < column.distinct <= min(_MOST_GROUPS, max(sniffed.looked_at - 1, 2))
        and plain_name(column.name) != ""
    )
