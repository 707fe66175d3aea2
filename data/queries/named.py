# ruff: noqa: S608 - all identifiers come from `rows_of` and `quoted`, all values travel as parameters
"""The named queries: what pages may ask of a data set, each reduced in SQL to small arrays.

A query is a function from a data set and its parameters to a statement; they stand in a module for each kind of
data set. Values travel as parameters; the only identifiers are the table's name, from a checked id, and columns
that the data set itself lists, quoted. Items and raters come as codes, their positions among the sorted distinct
ids of all rows that are no check: the same in every query, also in a view that leaves some out, and small integers
travel instead of text. Sorting those few distinct ids is cheap; sorting all rows of a large table is not.
"""

import inspect
from collections.abc import Mapping
from dataclasses import replace

from data.dataset import Dataset
from data.engines.schema import sums_of
from data.errors import UnknownName, listed
from data.queries import choices, judgments, label_sets, rankings, ratings, views
from data.queries.parts import (
    QUERIES,
    Statement,
    attribute_column,
    group_of,
    measure_of,
    real,
    rows_of,
    values_of_view,
)

__all__ = ["QUERIES", "Statement", "names_exist", "names_of", "prepared"]
MODULES = (choices, ratings, label_sets, rankings, judgments, views)
"""Where the queries stand; to import a module is to list its queries."""

_GROUPS = ("group", "candidate", "reference", "shared_with")
_NUMBERS = ("max_items", "seed", "labels")


def prepared(name: str, dataset: Dataset, given: Mapping[str, object]) -> tuple[Statement, ...]:
    """The statements of a named query for this data set, to be run in this order by one cursor."""
    if name not in QUERIES:
        fitting = [each for each, query in QUERIES.items() if not query.kinds or dataset.kind in query.kinds]
        raise UnknownName(f"there is no query {name!r}; there are {listed(fitting)}")
    kinds = QUERIES[name].kinds
    if kinds and dataset.kind not in kinds:
        raise UnknownName(
            f"the query {name!r} asks for {' or '.join(kinds)}; this data set holds {dataset.kind}"
        )
    declared = dict(list(inspect.signature(QUERIES[name].build).parameters.items())[1:])
    for parameter in given:
        if parameter not in declared:
            raise UnknownName(
                f"the query {name!r} has no parameter {parameter!r}; it has {listed(declared) or 'none'}"
            )
    for parameter, told in declared.items():
        value = given.get(parameter, told.default)
        if value is inspect.Parameter.empty:
            raise UnknownName(f"the query {name!r} needs the parameter {parameter!r}")
        wanted = int if parameter in _NUMBERS else str
        if not isinstance(value, wanted) and value is not told.default:
            raise UnknownName(
                f"the parameter {parameter!r} of the query {name!r} must be of type {wanted.__name__}, "
                f"got {value!r}"
            )
        if isinstance(value, str) and not _is_unicode(value):
            raise UnknownName(f"`{parameter}` holds half a character, which no file can: {value!r}")
    statements = QUERIES[name].build(dataset, **given)
    return tuple(
        _of_view(statement, dataset)
        for statement in (statements if isinstance(statements, tuple) else (statements,))
    )


def _of_view(statement: Statement, dataset: Dataset) -> Statement:
    """The statement with what the view leaves out and keeps among its values, as far as it asks for them."""
    asked = {name: value for name, value in values_of_view(dataset).items() if f"${name}" in statement.sql}
    return replace(statement, values={**statement.values, **asked}) if asked else statement


def names_exist(dataset: Dataset, given: Mapping[str, object]) -> Statement | None:
    """One row that says for each parameter naming a measure, group or attribute value whether it occurs.

    What a view leaves out may have been all that used a name, which then still exists.
    """
    dataset = dataset.as_saved
    asked = {}
    values: dict[str, object] = {}
    for parameter, value in given.items():
        if value is None:
            continue
        if parameter == "measure":
            asked[parameter] = f"{measure_of(dataset)} = $measure"
        elif parameter in _GROUPS:
            asked[parameter] = f"{group_of(dataset)} = ${parameter}"
        elif parameter == "value" and given.get("attribute") is not None:
            asked[parameter] = f"{attribute_column(dataset, given['attribute'])} = $value"
        else:
            continue
        values[parameter] = value
    if not asked:
        return None
    if dataset.summed and "value" not in asked:
        rows, asked = sums_of(dataset.id, "by_rater"), {name: _of_sums(name) for name in asked}
    else:
        rows = f"(SELECT * FROM {rows_of(dataset)} WHERE {real(dataset)})"
    each = ", ".join(
        f"EXISTS (SELECT 1 FROM {rows} WHERE {condition}) AS {parameter}"
        for parameter, condition in asked.items()
    )
    return Statement(f"SELECT {each}", values)


def _of_sums(parameter: str) -> str:
    """The condition that a parameter names, where sums stand in the place of rows."""
    return f"{'measure' if parameter == 'measure' else 'rater_group'} = ${parameter}"


def names_of(dataset: Dataset, parameter: str, given: Mapping[str, object]) -> Statement:
    """Return what the parameter may be: all measures, groups or values of the attribute, for a message."""
    dataset = dataset.as_saved
    column = group_of(dataset)
    if parameter == "measure":
        column = measure_of(dataset)
    elif parameter == "value":
        column = attribute_column(dataset, given["attribute"])
    return Statement(
        f"SELECT DISTINCT {column} AS name FROM {rows_of(dataset)} "
        f"WHERE {real(dataset)} AND {column} IS NOT NULL ORDER BY name",
        {},
    )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
