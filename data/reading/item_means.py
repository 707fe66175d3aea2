"""Tables of means of items, which are added to a study: no cell is the rating of a single rater."""

from collections.abc import Mapping, Sequence

from data.kinds.kind import ITEM, RATER
from data.kinds.likely_names import is_about
from data.kinds.names import plain_name, stem_and_number
from data.reading.columns import ROUNDED, cells_by_name, is_missing, to_number
from data.reading.rankings import words_of
from data.tables.sniffed import is_any_number, is_number

Rows = Sequence[Sequence[str]]
MEANS = {"mos", "dmos", "mean", "avg", "average", "mittelwert", "mittel", "moyenne", "media", "均值", "平均"}
SPREADS = {"std", "sd", "stdev", "stddev", "sem", "se", "ci", "ci95", "var", "variance"}
COUNTS = {"n", "votes", "count", "counts", "num", "raters", "ratings", "total"}


def find_item_means(names: Sequence[str], rows: Rows) -> dict[str, str]:
    """Return the mapping of a table with one row per item, to a mean and its spread or number of votes; {} for others.

    >>> find_item_means(["clip", "mos", "std"], [["a", "3.25", "0.9"], ["b", "4.5", "0.7"]])
    {'item_id': 'clip', 'mos': 'mos', 'std': 'std'}
    """
    columns = {
        name: ["" if is_missing(cell) else cell for cell in cells]
        for name, cells in cells_by_name(names, rows).items()
    }
    if any(plain_name(name) in RATER for name in columns) or len(rows) < 2:
        return {}
    unique = [name for name, column in columns.items() if len({*column}) == len(column) and all(column)]
    item = next(
        (name for name in unique if plain_name(name) in ITEM),
        next((name for name in unique if not all(map(is_number, columns[name]))), None),
    )
    numbers = tuple(
        name
        for name, column in columns.items()
        if name != item and any(column) and all(is_number(cell) for cell in column if cell)
    )
    means = [name for name in numbers if MEANS & set(words_of(name))]
    spreads_and_counts = [
        name for name in numbers if (SPREADS | COUNTS) & set(words_of(name)) and name not in means
    ]
    rated = [name for name in numbers if name not in (*means, *spreads_and_counts) and not is_about(name)]
    if any(_is_mean_of_some(name, rated, columns) for name in means):
        return {}
    fractions = any(float(cell) % 1 for name in means for cell in columns[name] if cell)
    return (
        {"item_id": item, **{name: name for name in numbers}}
        if item and spreads_and_counts and fractions
        else {}
    )


def _is_mean_of_some(mean: str, rated: Sequence[str], columns: Mapping[str, Sequence[str]]) -> bool:
    """Return True where a column holds the mean of others: of all, of all but one, of those that share a name but for a
    number, or of those of its measure."""
    stems = {stem_and_number(name)[0] for name in rated}
    families = [[name for name in rated if stem_and_number(name)[0] == stem] for stem in stems]
    measure = {*words_of(mean)} - MEANS - {"score", "rating"}
    of_measure = [name for name in rated if measure and measure <= {*words_of(name)}]
    for group in (
        rated,
        of_measure,
        *families,
        *([name for name in rated if name != other] for other in rated),
    ):
        if len(group) > 1 and is_mean_of(columns[mean], [columns[name] for name in group]):
            return True
    return False


def is_mean_of(means: Sequence[str], ratings: Sequence[Sequence[str]]) -> bool:
    """Return True where most cells hold the mean of those beside them: these are the ratings of single raters."""
    matches = []
    for mean, *cells in zip(means, *ratings, strict=True):
        numbers = [to_number(cell) for cell in cells if is_any_number(cell)]
        if numbers and is_any_number(mean):
            matches.append(abs(to_number(mean) - sum(numbers) / len(numbers)) <= ROUNDED)
    return 2 * sum(matches) > len(matches)
