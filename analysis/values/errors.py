"""What a caller of `analysis` can do wrong."""


class InputError(ValueError):
    """An argument cannot be used; the message says which, what is allowed, what came and how to mend it."""
