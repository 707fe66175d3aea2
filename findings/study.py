"""The former place of `features.study`."""

from features.study import ALL_GROUPS as ALL_GROUPS
from features.study import COLUMN_SUFFIX as COLUMN_SUFFIX
from features.study import SPLIT_HALVES as SPLIT_HALVES
from features.study import Scenario as Scenario
from features.study import Study as Study
from features.study import usual_roles as usual_roles
