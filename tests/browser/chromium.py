"""A headless Chromium without a network, driven over a pipe: it opens pages and tells what a person sees.

The pipe carries the DevTools protocol, https://chromedevtools.github.io/devtools-protocol: messages in JSON,
each with a zero byte after it. Nothing is needed but the browser.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.image import imread

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 120.0
"""Seconds that an answer may take on a busy machine before the browser counts as hung."""
HEIGHT = 900
OPTIONS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"),
    *("--no-first-run", "--disable-background-networking", "--disable-extensions", "--disable-sync"),
    *("--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe"),
)
# What is folded is opened. A part that scrolls by itself may be wider than the window.
LOOK = """
(async () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
  await document.fonts.ready;
  await new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const scrolls = part => part !== document.body
    && (["auto", "scroll"].includes(getComputedStyle(part).overflowX) || scrolls(part.parentElement));
  const shown = [...document.body.querySelectorAll("*")].filter(part => !part.closest("script, style"));
  return {
    text: document.body.innerText,
    needed: document.documentElement.scrollWidth,
    beyond: shown
      .filter(part => part.getBoundingClientRect().right > innerWidth + 1 && !scrolls(part))
      .map(part => `${part.tagName.toLowerCase()} ${part.textContent.trim().slice(0, 60)}`),
    figures: shown.filter(part => part.matches("img, svg:not(svg svg)")).map(part => {
      const box = part.getBoundingClientRect();
      return {
        alt: part.getAttribute("alt") ?? part.getAttribute("aria-label") ?? "",
        caption: part.closest("figure")?.querySelector("figcaption")?.innerText ?? "",
        natural: part.matches("img") ? [part.naturalWidth, part.naturalHeight] : [box.width, box.height],
        box: [box.left + scrollX, box.top + scrollY, box.width, box.height],
      };
    }),
  };
})()
"""


class BrowserError(RuntimeError):
    """Chromium was meant to answer and did not."""


@dataclass(frozen=True)
class Figure:
    """An image or drawing of a page.

    Attributes
    ----------
    alt, caption
        What stands for it, and what is written below it.
    natural
        Its own width and height (px), 0 where it is broken.
    box
        Left, top, width and height (px) where the page shows it.
    picture
        What is seen there, each of height × width pixels in [0, 1].
    """

    alt: str
    caption: str
    natural: list[float]
    box: list[float]
    picture: npt.NDArray[np.float32]


@dataclass(frozen=True)
class Look:
    """What a page shows in a window, with everything unfolded.

    Attributes
    ----------
    problems
        Errors and warnings of the console, exceptions, and requests for what the page does not hold.
    text
        The text that can be seen.
    needed
        The width (px) that the page takes: more than the window's is scrolled sideways.
    beyond
        What reaches out of the window.
    figures
        Its figures, in order.
    """

    problems: tuple[str, ...]
    text: str
    needed: int
    beyond: tuple[str, ...]
    figures: tuple[Figure, ...]


class Browser:
    """A running Chromium, by the two ends of its pipe."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._unread = b""
        self._n_sent = 0
        self._session: str | None = None
        self._events: list[dict[str, Any]] = []

    def look(self, page: Path, width: int, act: str = "") -> Look:
        """Open a page in a new window of a width (px), without a network, and return what is seen.

        `act` is what to do on the page before that, in JavaScript.
        """
        address = page.resolve().as_uri()
        self._session = None
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        unlimited = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self._call("Network.emulateNetworkConditions", offline=True, **unlimited)
        size = {"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        self._call("Emulation.setDeviceMetricsOverride", **size)
        self._events.clear()
        if failed := self._call("Page.navigate", url=address).get("errorText"):
            raise BrowserError(f"{page}: cannot be opened: {failed}")
        while not any(event["method"] == "Page.loadEventFired" for event in self._events):
            self._receive()
        self._call("Runtime.evaluate", expression=act)
        found = self._call("Runtime.evaluate", expression=LOOK, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise BrowserError(f"{page}: {found['exceptionDetails']}")
        seen = found["result"]["value"]
        figures = tuple(Figure(**each, picture=self._picture(each["box"])) for each in seen.pop("figures"))
        problems = tuple(problem for event in self._events if (problem := _problem(event, address)))
        self._call("Page.close")
        return Look(problems=problems, figures=figures, beyond=tuple(seen.pop("beyond")), **seen)

    def _picture(self, box: list[float]) -> npt.NDArray[np.float32]:
        """Return what is seen in a box: height × width × colour."""
        clip = {**dict(zip(("x", "y", "width", "height"), box, strict=True)), "scale": 1}
        if 0 in box[2:]:
            return np.zeros((0, 0, 3), dtype=np.float32)
        taken = self._call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        picture: npt.NDArray[np.float32] = imread(BytesIO(base64.b64decode(taken["data"])))
        return picture[..., :3]

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its answer; keep the events that come before it."""
        self._n_sent += 1
        session = {} if self._session is None else {"sessionId": self._session}
        message = {"id": self._n_sent, "method": method, "params": parameters, **session}
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            if (answer := self._receive()).get("id") == self._n_sent:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                result: dict[str, Any] = answer["result"]
                return result

    def _receive(self) -> dict[str, Any]:
        """Return the next message, and keep it if it is an event."""
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._answers], [], [], PATIENCE)
            if not ready:
                raise BrowserError(f"Chromium said nothing for {PATIENCE:.0f} s")
            if not (more := os.read(self._answers, 1 << 20)):
                raise BrowserError("Chromium ended")
            self._unread += more
        line, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        if "method" in message:
            self._events.append(message)
        return message


def _problem(event: dict[str, Any], address: str) -> str:
    """Return what is wrong where an event of the page at an address says so, or nothing."""
    said = event["params"]
    match event["method"]:
        case "Runtime.exceptionThrown":
            details = said["exceptionDetails"]
            return str(details.get("exception", {}).get("description", details["text"]))
        case "Runtime.consoleAPICalled" if said["type"] in ("error", "warning", "assert"):
            return " ".join(str(word.get("value", word.get("description"))) for word in said["args"])
        case "Log.entryAdded" if said["entry"]["level"] in ("error", "warning"):
            return f"{said['entry']['text']} {said['entry'].get('url', '')}".strip()
        case "Network.requestWillBeSent":
            asked = str(said["request"]["url"])
            return "" if asked == address or asked.startswith(("data:", "blob:")) else f"asks for {asked}"
    return ""


@contextmanager
def headless_chromium() -> Iterator[Browser]:
    """Start a browser with an empty profile; end it, and all that it started, at the end.

    Raises BrowserError where none is installed.
    """
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        raise BrowserError(f"not found: {', '.join(PROGRAMS)}; install {PROGRAMS[0]}")
    with ExitStack() as stack:
        profile = stack.enter_context(tempfile.TemporaryDirectory(prefix="nbyk-", ignore_cleanup_errors=True))
        its_commands, commands = os.pipe()
        answers, its_answers = os.pipe()
        for end in (commands, answers):
            stack.callback(os.close, end)
        # Chromium reads commands from file 3 and writes answers to file 4.
        shell = ["bash", "-c", f'exec "$@" 3<&{its_commands} 4>&{its_answers}', "bash"]
        process = subprocess.Popen(
            [*shell, program, *OPTIONS, f"--user-data-dir={profile}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(its_commands, its_answers),
            start_new_session=True,
        )
        stack.callback(_end, process)
        for end in (its_commands, its_answers):
            os.close(end)
        yield Browser(commands, answers)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all others of its session."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
