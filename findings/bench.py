"""The former place of `features.results`."""

from features.results import LARGEST_BOOTSTRAP as LARGEST_BOOTSTRAP
from features.results import OnProgress as OnProgress
from features.results import at_once as at_once
from features.results import cached as shelved
from features.results import in_any_order as in_any_order
from features.results import key_of as key_of
from features.results import long_result as long_result
from features.results import part as part
from features.results import query as query
from features.results import ratings as ratings
from features.results import read as read
from features.results import read_report as import_report
from features.results import read_report as read_report
from features.results import result as result
from features.results import use_session as at
from features.results import with_intervals as with_intervals
from features.results import with_intervals_if_kept as with_intervals_if_kept

__all__ = ["at", "import_report", "shelved"]
