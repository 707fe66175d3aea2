"""Two ways to read a table, said so that whoever made the table knows which one is right."""

from analysis.values.columns import thousands
from data.kinds.definitions import KINDS
from data.mapping.plan import JOINED, MISSING, NAMES
from data.tables.sniffed import Reading
from features.words import Sentence, of_many


def reading_sentences(first: Reading, second: Reading) -> tuple[Sentence, Sentence]:
    """Return who rated what in each reading, and where this is the same, in what they differ."""
    told = _counts(first), _counts(second)
    how = ("", "") if told[0] != told[1] else _differences(first, second)
    return _sentence(told[0], how[0]), _sentence(told[1], how[1])


def _sentence(counts: str, how: str) -> Sentence:
    return ("{counts}{how}.", {"counts": counts, "how": f": {how}" if how else ""})


def _counts(reading: Reading) -> str:
    """Return how many raters rated how many items, on how many measures."""
    kind = KINDS[reading.kind]
    items, measures = of_many(reading.items, kind.items), _measures(reading)
    on = f" on {thousands(measures)} measures" if measures > 1 else ""
    if reading.mapping.get("@raters") == "slots" or not reading.raters:
        return f"{items} with {kind.rows} of nobody by name{on}"
    return f"{of_many(reading.raters, kind.raters)} {kind.rated} {items}{on}"


def _measures(reading: Reading) -> int:
    """Return the number of measures that stand in columns."""
    names = reading.mapping.get(f"{NAMES}measure") or reading.mapping.get(f"{NAMES}design")
    if names:
        return len(set(names))
    return len(reading.answers) if reading.mapping.get("@form") == "measure columns" else 1


def _differences(first: Reading, second: Reading) -> tuple[str, str]:
    """Return what each of two readings of as many raters and items takes for what."""
    codes = {*first.mapping.get(MISSING, ())} ^ {*second.mapping.get(MISSING, ())}
    if codes:
        named = ", ".join(f'"{code}"' for code in sorted(codes))
        is_first = codes <= {*first.mapping.get(MISSING, ())}
        told = f"{named} means no answer", f"{named} is an answer"
        return told if is_first else told[::-1]
    for name, called in (("item_id", "item"), ("rater_id", "rater"), ("measure", "measure")):
        if first.mapping.get(name) != second.mapping.get(name):
            return _source(first, name, called), _source(second, name, called)
    return first.layout, second.layout


def _source(reading: Reading, name: str, called: str) -> str:
    source = reading.mapping.get(name)
    if source is None or str(source).startswith("@"):
        return reading.layout
    return f'the {called} is "{source if isinstance(source, str) else JOINED.join(source)}"'
