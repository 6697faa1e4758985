"""Every command that README and docs print works as it stands there, in a shell with a bare path.

The commands of a page run in their order, in a folder with the repository's files and those that the page
takes for the reader's own. What is too long, or needs a network, runs as `CUTS` says, with the reason.
A page that shows an output shows the beginning of the true one. A page has no command in another block.
`make test-commands` runs this.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from nbyk.data.sources import example_files

ROOT = Path(__file__).parents[2]
PAGES = {
    str(page.relative_to(ROOT)): page
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md")))
}
BARE_PATH = "/usr/local/bin:/usr/bin:/bin"
PATIENCE = 600
WRITTEN_BY_RUNS = {".git", ".venv", ".snakemake", "results", "logs", "example", "build", "dist"}


@dataclass(frozen=True)
class Cut:
    """What runs in place of a command, why, and the exit code and words that show that it worked."""

    instead: str
    why: str
    code: int = 0
    words: str = ""


LONG = "the whole run takes minutes: a dry run plans every job"
ELSEWHERE = "no network here: the command ends with the reason why it cannot fetch"
SLURM = ".venv/bin/snakemake --profile workflow/profiles/slurm"
CORES = ".venv/bin/snakemake --cores 2"
DEFAULT = ".venv/bin/snakemake --cores 2 --profile workflow/profiles/default"
CUTS = {
    "make": Cut("make -n", LONG),
    **{
        f"make {target}": Cut(f"make -n {target}", LONG)
        for target in ("test", "install", "calibration", "paper", "paper-pandita", "paper-ulmer")
    },
    **{
        f".venv/bin/snakemake {words}": Cut(f".venv/bin/snakemake -n {words}", LONG)
        for words in ("raters", "--config seed=7")
    },
    **{
        f".venv/bin/python -m benchmarks.{words}": Cut(
            f".venv/bin/python -m benchmarks.{words.split()[0]} --help", "it measures for hours: its help"
        )
        for words in (
            "peers benchmarks/peers.csv",
            "shared_units.measure FOLDER",
            "shared_units.rates FOLDER",
        )
    },
    ".venv/bin/python -m benchmarks.shared_units.report": Cut(
        ".venv/bin/python -c 'import benchmarks.shared_units.report'", "it writes pages of this checkout"
    ),
    ".venv/bin/nbyk why results/wein2023/report.html": Cut(
        ".venv/bin/nbyk why results/wein2023/report.html", "no run has made the page here", 2, "report.html"
    ),
    ".venv/bin/nbyk compare --gold gold.csv a.csv b.csv": Cut(
        ".venv/bin/nbyk compare --gold gold.csv candidate.csv other.csv",
        "the files a.csv and b.csv of this folder are answers to other items",
    ),
    SLURM: Cut(f"{SLURM} -n", LONG),
    f"{SLURM} homan2025": Cut(f"{SLURM} homan2025 -n", LONG),
    f"{SLURM} --default-resources slurm_partition=short -- homan2025": Cut(
        f"{SLURM} -n --default-resources slurm_partition=short -- homan2025", LONG
    ),
    f"{SLURM} --set-resources estimate_p:runtime=240": Cut(
        f"{SLURM} -n --set-resources estimate_p:runtime=240", LONG
    ),
    **{
        f"{CORES} {words}": Cut(f"{CORES} -n {words}", LONG)
        for words in (
            "-R plot",
            "--until aggregate",
            "results/wein2023/figures/figure_01.svg",
            "--set-threads estimate_p=2",
        )
    },
    ".venv/bin/nbyk compare --gold gold.csv a.csv b.csv --cluster text": Cut(
        ".venv/bin/nbyk compare --gold example/gold.csv example/sim_a.csv example/sim_b.csv --cluster text",
        "the example's items are no parts of texts: the command ends with that",
        2,
        "found 'text'",
    ),
    f"{DEFAULT} datasets": Cut(f"{DEFAULT} datasets -n", LONG),
    f"{DEFAULT} --configfile=mine.yaml": Cut(
        f"{DEFAULT} --configfile=mine.yaml -- results/ratings/convabuse.parquet",
        "the whole run takes minutes: one of its jobs runs",
    ),
    ".venv/bin/nbyk data fetch hs_brexit": Cut(
        ".venv/bin/nbyk data fetch hs_brexit --mirror nowhere", ELSEWHERE, 2, "nowhere"
    ),
    ".venv/bin/nbyk data fetch armis": Cut(
        ".venv/bin/nbyk data fetch armis --mirror nowhere", ELSEWHERE, 2, "nowhere"
    ),
    ".venv/bin/nbyk data fetch hs_brexit --mirror https://mirror.example/ratings": Cut(
        ".venv/bin/nbyk data fetch hs_brexit --mirror http://127.0.0.1:9/ratings", ELSEWHERE, 2, "127.0.0.1"
    ),
    ".venv/bin/nbyk data fetch hs_brexit --mirror /mnt/shared/ratings": Cut(
        ".venv/bin/nbyk data fetch hs_brexit --mirror /mnt/shared/ratings", ELSEWHERE, 2, "/mnt/shared"
    ),
    ".venv/bin/pip install '.[cartpole]'": Cut(
        ".venv/bin/pip install --dry-run --no-deps --no-build-isolation '.[cartpole]'",
        "the environment stays as it is: pip reads the extra and installs nothing",
    ),
    ".venv/bin/nbyk study cartpole train --runs 30 --seed 1 --out rewards.csv": Cut(
        ".venv/bin/nbyk study cartpole train --runs 0 --seed 1 --out rewards.csv",
        "training takes 12 minutes and gymnasium: the command ends with the reason why it cannot train none",
        2,
        "--runs",
    ),
    ".venv/bin/nbyk why results/fits/convabuse/prior.json": Cut(
        ".venv/bin/nbyk study normalise convabuse --out results/ratings/convabuse.parquet"
        " && .venv/bin/nbyk why results/ratings/convabuse.parquet",
        "the fit takes half a minute: the file before it stands in",
        words="nbyk study normalise",
    ),
    ".venv/bin/nbyk plan convabuse --epsilon 0.1 --power 0.8 --cost-per-item 1 --cost-per-rating 0.1"
    " --out plans/convabuse": Cut(
        ".venv/bin/nbyk plan convabuse --epsilon 0.1 --items 200 --responses 3 --cost-per-item 1"
        " --cost-per-rating 0.1 --out plans/convabuse",
        "the README runs the search: here the power at one size is found",
    ),
}
OTHER_OUTPUTS = {".venv/bin/nbyk doctor"}
"""The page shows what nbyk says of damaged files, and the folder has none."""
NO_COMMANDS = {"csv", "jsonl", "mermaid", "python", "text", "tsv", "yaml", "{eval-rst}", "{toctree}"}
"""The languages of blocks besides console; no word at all is a language of none."""
COMMAND = re.compile(r" *(\$ |(\.venv/bin/)?(nbyk|snakemake|pip|python) |make( |$))")


def printed(page: Path) -> list[tuple[str, str]]:
    """Return a page's commands, without their comments, and the output shown of each up to an ellipsis."""
    blocks = re.findall(r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    found = []
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((re.sub(r"\s+#.*", "", command).strip(), output.partition("\n…\n")[0]))
    return found


def hidden(text: str) -> list[str]:
    """Return a text's commands, and its blocks in a language of a shell, that nothing would run."""
    found = []
    for language, block in re.findall(r"^ *```(\S*)[^\n]*\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE):
        if language == "console":
            continue
        if language not in NO_COMMANDS:
            found.append(f"```{language}")
        if language != "python":
            found += [line for line in block.splitlines() if COMMAND.match(line)]
    outside = re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)
    return found + [line for line in outside.splitlines() if line.startswith("    ") and COMMAND.match(line)]


def passages() -> dict[str, str]:
    """Return ratings of four questions on each of 40 passages, and the answers of two systems, 1 to 5."""
    generator = np.random.default_rng(1)
    items = [f"q{i}" for i in range(160)]
    of_items = generator.uniform(1, 5, 160)
    severity = 0.3 * generator.standard_normal(8)

    def level(value: float) -> int:
        return int(np.clip(np.rint(value), 1, 5))

    gold = ["item,rater,value,passage"]
    for i, item in enumerate(items):
        gold += [
            f"{item},r{r},{level(of_items[i] + severity[r] + 0.7 * generator.standard_normal())},p{i // 4}"
            for r in range(8)
        ]
    files = {"passages.csv": gold}
    for name, off in (("a", 0.6), ("b", 1.0)):
        far = off * np.repeat(generator.uniform(-1, 1, 40), 4) + off * generator.uniform(-1, 1, 160)
        files[f"{name}.csv"] = [
            "item,value",
            *(f"{items[i]},{level(of_items[i] + far[i])}" for i in range(160)),
        ]
    return {name: "\n".join(lines) + "\n" for name, lines in files.items()}


def judged() -> dict[str, str]:
    """Return a judge's scores of 60 answers of two systems, and people's ratings of some of them."""
    rows = [(f"q{i}", name, (7 * i + 3 * place) % 5) for i in range(60) for place, name in enumerate("xy")]
    scores = [f"{item},{name},{score}" for item, name, score in rows]
    ratings = [f"{item},{name},r{i % 4},{(score + i % 2) % 5}" for i, (item, name, score) in enumerate(rows)]
    return {
        "judge.csv": "\n".join(["item,system,value", *scores]) + "\n",
        "people.csv": "\n".join(["item,system,rater,value", *ratings[::3]]) + "\n",
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with the repository's files, and those that the pages take for the reader's own."""
    place = tmp_path / "nbyk"
    place.mkdir()
    for path in ROOT.iterdir():
        if path.name not in WRITTEN_BY_RUNS:
            (place / path.name).symlink_to(path)
    (place / ".venv").symlink_to(sys.prefix)
    (place / "mine.yaml").write_text("seed: 7\n", encoding="utf-8")
    content = example_files()
    for name, file in {"gold": "gold", "candidate": "sim_a", "production": "sim_c", "other": "sim_b"}.items():
        (place / f"{name}.csv").write_bytes(content[f"{file}.csv"])
    (place / "ours.txt").write_text("0.71\n0.74\n0.69\n0.77\n0.73\n0.75\n0.72\n0.70\n", encoding="utf-8")
    (place / "baseline.txt").write_text("0.70\n0.68\n0.72\n0.69\n0.71\n0.67\n0.70\n0.73\n", encoding="utf-8")
    for name, text in {**passages(), **judged()}.items():
        (place / name).write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "docs/examples/classes", place, dirs_exist_ok=True)
    shutil.copy(ROOT / "src/nbyk_papers/ulmer2022/cartpole/rewards.csv", place)
    return place


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if printed(page)])
def test_the_commands_of_a_page_work(name: str, folder: Path, tmp_path: Path) -> None:
    environment = {"PATH": BARE_PATH, "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    for command, shown in printed(PAGES[name]):
        cut = CUTS.get(command, Cut(command, "as it stands"))
        done = subprocess.run(
            ["bash", "-c", cut.instead],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        found = f"{name}: $ {cut.instead} ({cut.why})\n{done.stdout[-3000:]}"
        assert done.returncode == cut.code, found
        assert cut.words in done.stdout, found
        if cut.instead == command and command not in OTHER_OUTPUTS:
            # Pages have lines of other lengths than a terminal.
            assert " ".join(shown.split()) in " ".join(done.stdout.split()), f"{found}\nshown:\n{shown}"


def test_no_cut_is_left_of_a_command_that_no_page_prints() -> None:
    every = {command for page in PAGES.values() for command, _ in printed(page)}
    assert set(CUTS) | OTHER_OUTPUTS <= every


@pytest.mark.quick
@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_its_commands_where_they_are_run(name: str) -> None:
    assert hidden(PAGES[name].read_text(encoding="utf-8")) == []


@pytest.mark.quick
@pytest.mark.parametrize(
    "block",
    [
        "```bash\nls\n```",
        "  ```sh\n  ls\n  ```",
        "```\n.venv/bin/nbyk example\n```",
        "```text\n$ ls\n```",
        "or\n\n    nbyk example\n",
    ],
)
def test_a_command_in_another_block_is_seen(block: str) -> None:
    assert hidden(f"A page.\n\n{block}\n")
