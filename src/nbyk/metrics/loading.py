"""Users' metrics from a Python file of theirs."""

from __future__ import annotations

import hashlib
import signal
import sys
import traceback
from os import PathLike
from pathlib import Path
from types import ModuleType

from nbyk.errors import NbykError, StoppedError
from nbyk.files import read_bytes
from nbyk.metrics import registry


def load_file(path: str | PathLike[str]) -> tuple[str, ...]:
    """Run a user's Python file, so that functions that it decorates with `register` become metrics.

    Loading a file again replaces its metrics. If it fails, no metric of it stays.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    tuple of str
        The names of the metrics that it registered.

    Raises
    ------
    NbykError
        If there is no such file, it raises, or it registers nothing.
    """
    try:
        content = read_bytes(path)
    except FileNotFoundError:
        raise NbykError("no such file; expected a Python file that registers metrics", file=path) from None
    except OSError as error:
        raise NbykError(
            f"cannot be read ({error.strerror}); expected a Python file that registers metrics", file=path
        ) from None
    file = Path(path).resolve()
    digest = hashlib.sha256(str(file).encode()).hexdigest()[:12]
    module = ModuleType(f"nbyk_user_metrics_{digest}")
    module.__file__ = str(file)
    before = registry.snapshot()
    previous = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        # Compiled from the source each time: a cached .pyc would hide an edit within the same second.
        exec(compile(content, str(file), "exec"), module.__dict__)
        after = registry.snapshot()
        registered = tuple(name for name in after if after[name] is not before.get(name))
        if not registered:
            raise NbykError(
                "it registers no metric; decorate a function with @nbyk.metrics.register(direction=…)"
            )
    except BaseException as error:
        registry.restore(before)
        if previous is None:
            del sys.modules[module.__name__]
        else:
            sys.modules[module.__name__] = previous
        if isinstance(error, StoppedError) or _is_ctrl_c(error):
            raise
        raise NbykError(f"{_one_line(error, file)}", file=path) from error
    return registered


def _is_ctrl_c(error: BaseException) -> bool:
    """Return whether a user may have interrupted Python; under nbyk's commands, Ctrl-C is a StoppedError."""
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return heard and isinstance(error, KeyboardInterrupt)


def _one_line(error: BaseException, file: Path) -> str:
    if isinstance(error, NbykError):
        return str(error)
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)
    ]
    if isinstance(error, SyntaxError):
        lines = [error.lineno]
    where = f"line {lines[-1]}: " if lines and lines[-1] is not None else ""
    message = " ".join(str(error).split())
    return f"{where}{type(error).__name__}" + (f": {message}" if message else "")
