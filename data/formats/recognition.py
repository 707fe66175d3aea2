"""What a file is, in one call: its format, its kind, and what its columns mean."""

from dataclasses import dataclass
from pathlib import Path

from data.formats.readers import sniff
from data.mapping.additions_alone import holds_truth
from data.mapping.plan import FileMapping
from data.mapping.proposal import Proposal, propose
from data.tables.sniffed import Sniffed

LONG = "long table"
MATRIX = "item x rater matrix"
CROWD_KIT, TRUTH = "crowd-kit", "gold answers"
RATERS = "what is known of raters"


@dataclass(frozen=True)
class Recognised:
    """What a file seems to be.

    format : the platform or tool that wrote it, else how the table is laid out
    kind : which kind of table it is; of one without ratings that tells about the items or raters of a study, which kind
        of addition ("items of choices")
    mapping : canonical column -> column of the table that the format makes; may lack required columns, which the user
        must choose then
    notes : sentences about what was assumed, switched and set aside
    """

    format: str
    kind: str
    mapping: FileMapping
    notes: tuple[str, ...]


def recognise(path: str | Path) -> Recognised:
    """Look at a file and say what it is; nothing is saved.

    Parameters
    ----------
    path : the file, packed with gzip or not; what it is, its content says, not its name

    Returns
    -------
    Recognised
        what `Store.add` uses where kind and mapping are not given, and what `Store.check` and `Store.add` accept.

    Raises
    ------
    DataError
        where the file cannot be read as a table; the message says what it is and what to do.
    """
    seen = sniff(Path(path))
    proposal = propose(seen)
    notes = (*seen.problems, *proposal.notes)
    return Recognised(
        seen.format or _laid_out(seen, proposal), proposal.addition or proposal.kind, proposal.mapping, notes
    )


def _laid_out(seen: Sniffed, proposal: Proposal) -> str:
    """What a table is called that is read as it stands."""
    if proposal.mapping.get("@form") == "rater columns":
        return MATRIX
    names = {name.casefold() for name in seen.names}
    if names == {"task", "worker", "label"}:
        return CROWD_KIT
    if proposal.addition:
        return TRUTH if holds_truth(seen) else RATERS
    return LONG
