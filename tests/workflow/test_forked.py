"""The process that is copied outlives whoever is killed while asking it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

import nbyk
from tests.workflow import forked


@pytest.mark.parametrize(
    "sent", [b"", b"12", b'                 900["nbyk", [', b"                   5nbyk "]
)
def test_a_request_that_ends_in_the_middle_leaves_it_as_it_was(sent: bytes, tmp_path: Path) -> None:
    server = forked._server(None)
    with socket.socket(socket.AF_UNIX) as asked, open(os.devnull) as nothing:
        asked.connect(server)
        if sent:
            socket.send_fds(asked, [sent], [nothing.fileno()] * 3)
    code, text = forked.run("nbyk", ["version"], tmp_path, dict(os.environ), 60.0)
    assert (code, text) == (0, f"{nbyk.__version__}\n")
