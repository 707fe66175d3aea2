"""What a researcher should know before trusting figures from this file: sentences, found in few aggregates.

Nothing here changes a row. The rows looked at are those that will enter figures.
"""

from collections.abc import Callable, Iterable, Mapping

import duckdb

from data.importing.warning_signs.choices import about_choices
from data.importing.warning_signs.comprehension import about_comprehension
from data.importing.warning_signs.joined_tables import about_contributors, about_metrics
from data.importing.warning_signs.models import about_models
from data.importing.warning_signs.ratings import about_ratings
from data.importing.warning_signs.relevance import about_relevance
from data.importing.warning_signs.wording import Sign
from data.mapping.plan import Plan


def warnings_about(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> tuple[Sign, ...]:
    """The warnings about the rows staged in `import_rows`; kinds of tables without entry have none."""
    if todo.kind.name not in _BY_KIND:
        return ()
    return (*about_models(cursor, todo), *_BY_KIND[todo.kind.name](cursor, todo))


_BY_KIND: Mapping[str, Callable[[duckdb.DuckDBPyConnection, Plan], Iterable[Sign]]] = {
    "ratings": about_ratings,
    "contributors": about_contributors,
    "metrics": about_metrics,
    "choices": about_choices,
    "comprehension": about_comprehension,
    "relevance": about_relevance,
}
