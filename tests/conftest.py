"""What all tests start from."""

from __future__ import annotations

import signal

# A shell that starts a run in the background has it ignore Ctrl-C, and whatever the tests start would, too.
signal.signal(signal.SIGINT, signal.default_int_handler)
