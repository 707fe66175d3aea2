"""How whole numbers are written, wherever they are told: in messages, sentences, tables and figures."""


def thousands(number: int) -> str:
    """Return a count with commas between thousands.

    >>> thousands(21600)
    '21,600'
    """
    return f"{number:,}"
