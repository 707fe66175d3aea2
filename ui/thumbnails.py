"""Small pictures of what a sample's first page shows, for cards; schematic, in colors that both themes carry."""

from collections.abc import Iterable

BLUE, ORANGE, GREY = "#0072B2", "#E69F00", "#8A8F98"
WIDTH, HEIGHT = 72, 48


def curve() -> str:
    """Return a rising curve with its knee."""
    drawn = f'<path d="M6 40 C14 18 22 12 66 9" fill="none" stroke="{BLUE}" stroke-width="2.5"/>'
    return _picture(drawn + f'<line x1="24" y1="44" x2="24" y2="18" stroke="{GREY}" stroke-dasharray="3 3"/>')


def dots() -> str:
    """Return raters as dots with intervals, one of them low."""
    rows = ((10, 44, 62, BLUE), (20, 40, 60, BLUE), (30, 38, 58, BLUE), (40, 8, 26, ORANGE))
    return _picture(_whiskers(rows))


def bars() -> str:
    """Return the votes for two systems."""
    drawn = f'<rect x="6" y="10" width="46" height="11" rx="2" fill="{BLUE}"/>'
    return _picture(drawn + f'<rect x="6" y="27" width="22" height="11" rx="2" fill="{ORANGE}"/>')


def shares() -> str:
    """Return shares of answers found, author by author."""
    cells = (
        f'<rect x="{12 + 16 * across}" y="{4 + 14 * down}" width="14" height="12" fill="{BLUE}" '
        f'fill-opacity="{1 if across == down else 0.25 + 0.1 * ((across + 2 * down) % 4)}"/>'
        for down in range(3)
        for across in range(3)
    )
    return _picture("".join(cells))


def times() -> str:
    """Return the accuracy of short texts against a line for full texts."""
    line = f'<line x1="56" y1="5" x2="56" y2="43" stroke="{GREY}" stroke-dasharray="3 3"/>'
    return _picture(line + _whiskers(((14, 20, 40, ORANGE), (32, 40, 60, BLUE))))


def _whiskers(rows: Iterable[tuple[int, int, int, str]]) -> str:
    return "".join(
        f'<line x1="{low}" y1="{y}" x2="{high}" y2="{y}" stroke="{color}" stroke-width="2"/>'
        f'<circle cx="{(low + high) / 2}" cy="{y}" r="3.5" fill="{color}"/>'
        for y, low, high, color in rows
    )


def _picture(drawn: str) -> str:
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{drawn}</svg>'
