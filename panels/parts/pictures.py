"""Drawing a figure on the page: never restyled, with the one configuration, and with words for who cannot see it."""

from typing import Any

from charts.parts.ready import Ready
from charts.parts.theme import CONFIG


def draw(place: Any, figure: dict[str, Any], *, key: str, alt: str) -> None:
    """Draws a figure in a place of the page (`st` itself, a column, an `st.empty`)."""
    place.plotly_chart(Ready(figure), theme=None, config=CONFIG, key=key, alt=alt)
