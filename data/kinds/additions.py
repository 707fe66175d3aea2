"""What a second file may tell about the items or the raters of a saved data set: one row for each of them.

Read by the same rules as any table; the kinds stand apart from those that can be uploaded for themselves.
"""

from collections.abc import Mapping
from dataclasses import replace

from data.dataset import Role
from data.kinds.choices import CHOICES
from data.kinds.comprehension import COMPREHENSION
from data.kinds.kind import Kind, Repeats
from data.kinds.ratings import RATINGS
from data.kinds.relevance import RELEVANCE

_OF_ITEMS = ("system", "system_kind", "topic", "condition", "split", "text_id", "text", "reference_text")
_OF_SUMMARIES = ("summary_text", "summary_characters", "summary_words")
_OF_QUESTIONS = ("question_text", "expected_answer")


def _about(
    of: Kind,
    what: str,
    key: tuple[str, ...],
    told: tuple[str, ...] = (),
    further: tuple[Role, ...] = (),
    many: str = "",
) -> Kind:
    """A kind of table whose rows tell these columns of one item or rater each."""
    many = many or f"{what}s"
    columns = []
    for name in (*key, *told):
        column = of.column(name)
        assert column is not None
        in_key = name in key
        called = what if len(key) == 1 else column.called
        columns.append(
            replace(
                column,
                required=in_key,
                filled=in_key,
                called=called if in_key else "",
                text_in=None if column.text_in is None else "",
            )
        )
    return Kind(
        f"{many} of {of.name}",
        f"What is known about the {many}, one row each",
        tuple(columns),
        row=what,
        rows=many,
        item=key,
        repeats=Repeats(
            key,
            key[-1],
            f"the {what} has a row already; the first one counts",
            always=True,
        ),
        further=further,
        numbers_of=key,
        numbered=what,
    )


_RATERS: tuple[Role, ...] = ("rater attribute",)
_NUMBERS: tuple[Role, ...] = ("item number",)
_KINDS = (
    _about(RATINGS, "item", ("item_id",), _OF_ITEMS, _NUMBERS),
    _about(RATINGS, "rater", ("rater_id",), ("status",), _RATERS),
    _about(CHOICES, "item", ("item_id",), ("gold", "expert", "design")),
    _about(CHOICES, "rater", ("rater_id",), ("status",), _RATERS),
    _about(RELEVANCE, "document", ("event_id", "document_id"), ("gold",), _NUMBERS),
    _about(RELEVANCE, "surrogate", ("event_id", "document_id", "surrogate"), further=_NUMBERS),
    _about(RELEVANCE, "rater", ("rater_id",), ("status",), _RATERS),
    _about(COMPREHENSION, "story", ("story_id",), ("story_type",), many="stories"),
    _about(COMPREHENSION, "summary", ("story_id", "summary_author"), _OF_SUMMARIES, many="summaries"),
    _about(COMPREHENSION, "author", ("summary_author",), ("author_kind",)),
    _about(COMPREHENSION, "question", ("story_id", "question_author", "question_id"), _OF_QUESTIONS),
    _about(COMPREHENSION, "judge", ("judge_id",), further=_RATERS),
)
ADDITIONS: Mapping[str, Kind] = {kind.name: kind for kind in _KINDS}
"""By name, which ends in the kind of data set that it is added to."""


def additions_to(kind: str) -> tuple[Kind, ...]:
    """The kinds of tables that tell about items or raters of data sets of this kind."""
    return tuple(addition for addition in ADDITIONS.values() if addition.name.endswith(f" of {kind}"))
