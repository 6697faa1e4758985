"""A test that generalises over units that items share: raters, runs and clusters.

`responses` puts ratings and their units in order, `shared_units_test` tests.
"""

from nbyk.testing.shared_units.generalise import SharedUnitsTest, shared_units_test
from nbyk.testing.shared_units.responses import NO_UNIT, Responses, Role, Source, responses

__all__ = [
    "NO_UNIT",
    "Responses",
    "Role",
    "SharedUnitsTest",
    "Source",
    "responses",
    "shared_units_test",
]
