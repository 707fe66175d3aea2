"""How whole numbers are written, wherever they are told: in messages, sentences, tables and figures."""

THIN_SPACE = "\u202f"


def thousands(number: int) -> str:
    """A count with thin spaces between thousands, at which no line breaks.

    >>> thousands(21600) == "21\\u202f600"
    True
    """
    return f"{number:,}".replace(",", THIN_SPACE)
