"""The former place of `features.results`."""

from features.results import cached as shelved
from features.results import key_of as key_of
from features.results import result as result

__all__ = ["shelved"]
