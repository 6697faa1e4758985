"""The kinds of numpy arrays, by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Booleans = NDArray[np.bool_]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
