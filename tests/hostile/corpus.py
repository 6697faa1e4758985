"""Hostile inputs, made by crossing what may be written with where it may stand.

`CASES` is a list of `Case`; `build(folder)` writes its files and returns the words behind ``nbyk``.
"""

from __future__ import annotations

import io
import json
import os
import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.hostile import frames, makers, strangers
from tests.hostile.case import (
    GOOD,
    LABELS,
    QUICK,
    SCORES,
    SOFT,
    Case,
    Words,
    compare,
    labels,
    labels_in,
    scores,
    write,
)

DIGITS = "9" * 400
TEXTS = {
    "nothing": "",
    "a space": " ",
    "400 digits": DIGITS,
    "minus 400 digits": f"-{DIGITS}",
    "5,000 digits": "9" * 5000,
    "1e400": "1e400",
    "1e-400": "1e-400",
    "1e308": "1e308",
    "5e-324": "5e-324",
    "NaN": "NaN",
    "Infinity": "Infinity",
    "minus one": "-1",
    "underscore": "1_000",
    "hexadecimal": "0x10",
    "superscript": "1²2",
    "Arabic digits": "١٢",
    "wide digits": "０.５",
    "true": "true",
    "yes": "yes",
    "brackets": "[" * 3000,
    "a quote": '"',
    "NUL": "\0",
    "escape codes": "\x1b[2J\x07",
    "turned text": "\u202eevil",
    "a line separator": "a\u2028b",
    "a mark of order": "\ufeff1",
    "200 kB": "x" * 200_000,
    "a formula": "=1+1",
    "an option": "--out=x",
    "mathematics": r"$\frac{$",
    "markup": "<script>|`[x](y)`",
    "a path": "../../etc/passwd",
    "braces": "{0} %s {x!r}",
    "half a character": "\ud800",
    "an emoji": "👩‍👩‍👧" * 20,
}
"""What may be written where a name, an id, a label or a number belongs."""
LITERALS = {
    "400 digits": DIGITS,
    "5,000 digits": "9" * 5000,
    "1e999": "1e999",
    "NaN": "NaN",
    "minus Infinity": "-Infinity",
    "true": "true",
    "null": "null",
    "an empty array": "[]",
    "an empty object": "{}",
    "an array": "[1, [2, {}]]",
    "an object": '{"a": 1, "b": null}',
    "half a character": '"\\ud800"',
    "NUL": '"a\\u0000"',
    "a line end": '"a\\nb"',
    "200 kB": f'"{"x" * 200_000}"',
    "arrays 900 deep": "[" * 900 + "]" * 900,
    "arrays 3,000 deep": "[" * 3000 + "]" * 3000,
    "objects 3,000 deep": '{"a":' * 3000 + "1" + "}" * 3000,
    "an open array": "[" * 3000,
    "a key twice": '{"a": 1, "a": 2}',
    "100,000 keys": "{" + ", ".join(f'"k{n}": {n}' for n in range(100_000)) + "}",
    "100,000 keys, one twice": "{" + ", ".join(f'"k{n % 99_999}": {n}' for n in range(100_000)) + "}",
    "not JSON": "{'a': 1}",
}
"""What may be written where JSON belongs."""

SCORES_OF_A_STUDY = ["study", "report", "ulmer2022", "thresholds=[0.05]", "--out", "o", "--all-from"]


def with_prior(name: str) -> Words:
    return ["plan", "--prior", name, "--items", "9", "--responses", "2", "--epsilon", "0.1"]


def with_record(folder: Path, record: str) -> Words:
    (folder / ".nbyk").mkdir()
    write(folder, ".nbyk/b.csv.json", record)
    return compare(folder, "b.csv", GOOD)


def json_with(text: str) -> str:
    """Return a text as JSON, halves of characters as escapes."""
    return json.dumps(text)


def in_texts(text: str) -> Iterator[tuple[str, Callable[[Path], Words]]]:
    """Yield the places where a text may stand."""
    rows = GOOD.splitlines(keepends=True)
    columns = ("item", "rater", "value")
    for place, column in enumerate(columns):
        cells = ["i9", "r1", "0.5"]
        cells[place] = text
        yield f"compare, CSV, {column}", partial(compare, name="b.csv", content=GOOD + ",".join(cells) + "\n")
        row = {"item": "i0", "rater": "r9", "value": 0.5} | {column: text}
        lines = [
            json.dumps(dict(zip(columns, line.strip().split(","), strict=True))) for line in (*rows[1:],)
        ]
        yield (
            f"compare, JSON lines, {column}",
            partial(compare, name="b.jsonl", content="\n".join([*lines, json.dumps(row)])),
        )
    yield "compare, a header", partial(compare, name="b.csv", content=f"item,{text}\n" + "i0,0.5\ni1,0.2\n")
    yield "test, text", partial(scores, name="b.txt", content=SCORES + text + "\n")
    yield "test, CSV", partial(scores, name="b.csv", content="score\n" + SCORES + text + "\n")
    yield "test, ids", partial(scores, name="b.csv", content=f"item,score\n{text},1\nb,0.5\nc,0.2\n")
    yield "test, JSON", partial(scores, name="b.json", content=f"[0.5, 0.2, {json_with(text)}]")
    yield "labels, text", partial(labels, name="b.txt", content=LABELS[:-2] + text + "\n")
    yield (
        "labels, soft",
        partial(labels, name="b.txt", content=SOFT[:-8] + f"0.5,{text}\n", kind="distributions"),
    )
    items = "".join(f"{i},{label}\n" for i, label in enumerate(LABELS.split()[:5]))
    yield "labels, ids", partial(labels, name="b.csv", content=f"item,label\n{items}{text},a\n")
    line = json.dumps({"label": text}) + "\n"
    yield "labels, JSON lines", partial(labels, name="b.jsonl", content='{"label": "a"}\n' * 5 + line)
    plain = "".join(character for character in text if character not in "\0/")[:200]
    if plain.strip() and not plain.startswith((".", "-")):
        raw = os.fsdecode(plain.encode("utf-8", "surrogatepass")[:100])
        yield (
            "the name of a system",
            lambda folder: [
                *scores(folder, "b.txt", SCORES)[:-1],
                f"{raw.replace('=', '')}=b.txt",
            ],
        )
        yield "the name of a file", lambda folder: file_named(folder, raw)
    for key, value in (("metric_files", "[%s]"), ("comparisons", "{c: {gold: %s, systems: [a.csv, b.csv]}}")):
        content = f"{key}: {value % json_with(text)}\n"
        yield f"config, {key}", partial(config, content=content)


def config(folder: Path, content: str) -> Words:
    return ["config", "check", write(folder, "config.yaml", content)]


def file_named(folder: Path, name: str) -> Words:
    (folder / f"{name}.txt").write_text(SCORES)
    return ["compare", "--test", "permutation", f"./{name}.txt", write(folder, "good.txt", SCORES)]


def in_literals(literal: str) -> Iterator[tuple[str, Callable[[Path], Words]]]:
    """Yield the places where JSON may stand."""
    yield "test, a file", partial(scores, name="b.json", content=literal)
    yield "test, an entry", partial(scores, name="b.json", content=f"[0.5, {literal}, 0.2]")
    yield "test, a line", partial(scores, name="b.jsonl", content=f'{{"score": 1}}\n{{"score": {literal}}}\n')
    yield "compare, a line", partial(compare, name="b.jsonl", content=literal + "\n")
    for column in ("item", "rater", "value"):
        cells = {"item": '"i0"', "rater": '"r1"', "value": "0.5"} | {column: literal}
        line = ", ".join(f'"{name}": {cell}' for name, cell in cells.items())
        yield f"compare, {column}", partial(compare, name="b.jsonl", content=f"{{{line}}}\n")
    for kind, good in (("classes", '"a"'), ("distributions", "[0.5, 0.5]")):
        content = f'{{"label": {good}}}\n' * 5 + f'{{"label": {literal}}}\n'
        yield f"labels, {kind}", partial(labels, name="b.jsonl", content=content, kind=kind)
        content = '{"label": [0.5, 0.5]}\n' * 5 + f'{{"label": [0.5, {literal}]}}\n'
    yield "labels, a probability", partial(labels, name="b.jsonl", content=content, kind="distributions")
    yield "a record", partial(with_record, record=literal)
    record = '{"output": "b.csv", "sha256": "0", "bytes": 1, "command": "x", "inputs": %s, "versions": {}}'
    yield "a record's inputs", partial(with_record, record=record % literal)
    yield "a record's input", partial(with_record, record=record % f'{{"x": {literal}}}')
    yield "a prior", lambda folder: with_prior(write(folder, "p.json", literal))


Named = tuple[str, Callable[[Path], Words]] | tuple[str, Callable[[Path], Words], str]
"""A name, how to build it, and what it must say if that is known."""
LABEL_BOUND = ":18001: found 'x+…, expected a class: text of 1 to 1000 characters"
NUMBERS = (
    DIGITS,
    "-1",
    "0",
    "nan",
    "inf",
    "1e400",
    str(10**12),
    "",
    "²",
    "1e12",
    "0.5",
    "--help",
    "x" * 200_000,
)


def of_options() -> Iterator[Named]:
    options = {
        compare: "resamples max-resamples max-draws seed alpha confidence-level scale metric against null",
        scores: "resamples seed alpha tau against correction alternative test value item threads",
    }
    for command, names in options.items():
        content = ("b.csv", GOOD) if command is compare else ("b.txt", SCORES)
        for name in names.split():
            for place, number in enumerate(NUMBERS):
                given = number[:100_000]
                if (name, number) not in {("threads", str(10**12)), ("threads", DIGITS)}:
                    bounded = name.endswith("resamples") and number == str(10**12)
                    yield (
                        f"{command.__name__} --{name} {place}",
                        partial(_with_option, command, content, f"--{name}={given}"),
                        f"--{name}: found 1000000000000, expected at most 10,000,000" if bounded else "",
                    )
    for metric in (
        f"accuracy(threshold={DIGITS})",
        f"wins_mae({DIGITS})",
        f"histogram_emd_aggregated({DIGITS})",
    ):
        yield f"--metric {metric[:12]}", partial(_with_option, compare, ("b.csv", GOOD), f"--metric={metric}")
    for option in ("resamples", "seed", "alpha", "confidence-level", "classes"):
        for number in ("1000000000000", DIGITS, "-1", "nan", "inf", "[]", "{}", "null", "'\\0'"):
            yield (
                f"classes, --{option} {number[:13]}",
                partial(_with_option, labels, ("b.txt", LABELS), f"--{option}={number}"),
            )


def _with_option(command: Callable[..., Words], content: tuple[str, str], option: str, folder: Path) -> Words:
    kind = ("classes",) if command is labels else ()
    return command(folder, *content, *kind, option)


def of_files() -> Iterator[Named]:
    """Yield what is no file, is too large, or is made to take long."""
    commands: dict[str, tuple[Callable[[Path, str], Words], list[str]]] = {
        "compare": (
            lambda folder, name: ["compare", *QUICK, write(folder, "g.csv", GOOD), f"b={name}"],
            [".csv", ".jsonl", ".parquet", ".npz"],
        ),
        "test": (
            lambda folder, name: ["compare", "--kind", "scores", write(folder, "g.txt", SCORES), f"b={name}"],
            [".csv", ".txt", ".json"],
        ),
        "labels": (labels_in, [".csv", ".txt", ".jsonl"]),
        "metric": (
            lambda folder, name: [*compare(folder, "g.csv", GOOD), f"--metric-file={name}"],
            [".py"],
        ),
        "why": (_record_in, [".json"]),
        "prior": (lambda folder, name: with_prior(name), [".json"]),
        "pvalues": (
            lambda folder, name: [*SCORES_OF_A_STUDY, f"scores={name}"],
            [".parquet"],
        ),
        "config": (lambda folder, name: ["config", "check", name], [".yaml"]),
    }
    kinds: dict[str, tuple[Callable[[Path], object], str]] = {
        "a pipe": (os.mkfifo, "is a device or a pipe, expected a file"),
        "endless": (lambda path: path.symlink_to("/dev/zero"), "is a device or a pipe, expected a file"),
        "a terabyte": (
            lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_RDWR), 10**12),
            "has 1,000,000,000,000 bytes, expected at most 1,000,000,000",
        ),
        "a folder": (os.mkdir, "Is a directory|is a folder"),
        "a link to itself": (
            lambda path: path.symlink_to(path.name),
            "Too many levels of symbolic links|no such file",
        ),
        "memory": (lambda path: path.symlink_to("/proc/self/mem"), "Input/output error"),
    }
    for (kind, (make, says)), (command, (words, suffixes)) in product(kinds.items(), commands.items()):
        for suffix in suffixes:
            yield f"{command} of {kind} {suffix}", partial(_of_kind, make, words, f"h{suffix}"), says
    for count in (30_000, 100_000):
        row = ",".join(["0.5"] * count)
        table = "item," + ",".join(f"r{n}" for n in range(count)) + f"\ni0,{row}\ni1,{row}\n"
        yield f"{count:,} columns", partial(compare, name="b.csv", content=table)
        yield f"{count:,} columns to test", partial(scores, name="b.csv", content=table)
        yield f"{count:,} classes", partial(labels, name="b.csv", content=table, kind="distributions")
    own = "".join(f'{{"item": "i{n}", "k{n}": 0.5}}\n' for n in range(20_000))
    yield "a key of each line's own", partial(compare, name="b.jsonl", content=own)
    yield "a key of each line's own to test", partial(scores, name="b.jsonl", content=own)
    many = '{"item": "a", ' + ", ".join(f'"k{n}": 1' for n in range(100_000)) + "}\n"
    yield "100,000 keys", partial(compare, name="b.jsonl", content=many + many.replace('"a"', '"b"'))
    crowd = "item,rater,value\n" + "".join(f"a,r{n},1\nx{n},r,1\n" for n in range(50_000))
    yield "an item of 50,000 ratings", partial(compare, name="b.csv", content=crowd)
    long = LABELS * 3000 + "x" * 200_000 + "\n"
    yield "a label of 200 kB", partial(labels, name="b.txt", content=long), LABEL_BOUND
    yield (
        "an id of 200 kB",
        partial(labels, name="b.csv", content="item,label\n" + f"{'y' * 100_000},a\n" + "b,a\n" * 20_000),
    )
    yield "a line of 50 MB", partial(scores, name="b.txt", content="1" * 50_000_000)
    for shape in ((10**6, 10**6), (10**12,), (2**62, 2**62)):
        head = io.BytesIO()
        np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": shape})
        yield f"a header of {shape}", partial(compare, name="b.npy", content=head.getvalue() + b"\0" * 80)
    yield "a bomb", _bomb, "holds 480,000,128 bytes once decompressed, expected at most 400,000,000"
    for name in ("a1²2.txt", "²", "a\udcff.txt", "٣.txt", "9" * 200 + ".txt"):
        yield f"a folder of labels with {ascii(name)[:20]}", partial(_folder_of_labels, name)
    for code in (
        "raise BaseException('x')",
        "raise KeyboardInterrupt",
        "raise SystemExit(0)",
        "1/0",
        "\0",
        "class E(BaseException): pass\nraise E",
        "def f(:",
        "x" * 10**6,
        "raise GeneratorExit",
    ):
        yield (
            f"a metric file: {code[:24]!r}",
            lambda folder, code=code: [
                *compare(folder, "b.csv", GOOD),
                f"--metric-file={write(folder, 'm.py', code)}",
            ],
        )
    for metadata in (
        "",
        "null",
        "[]",
        "{",
        '{"scale": {"levels": [1, 1]}}',
        '{"scale": 7}',
        "[" * 3000,
        '{"M": []}',
    ):
        yield f"Parquet, a mark of {metadata[:12]!r}", partial(_marked, metadata)


def _of_kind(
    make: Callable[[Path], object], words: Callable[[Path, str], Words], name: str, folder: Path
) -> Words:
    make(folder / name)
    return words(folder, name)


def _record_in(folder: Path, name: str) -> Words:
    (folder / ".nbyk").mkdir()
    (folder / ".nbyk/g.csv.json").symlink_to(f"../{name}")
    return ["why", write(folder, "g.csv", GOOD)]


def _bomb(folder: Path) -> Words:
    np.savez_compressed(folder / "b.npz", np.zeros(60_000_000))
    return ["compare", *QUICK, write(folder, "good.csv", GOOD), "b=b.npz"]


def _folder_of_labels(name: str, folder: Path) -> Words:
    (folder / "runs").mkdir()
    write(folder / "runs", "one.txt", LABELS)
    (folder / "runs" / name).write_text(LABELS)
    return labels_in(folder, "runs")


def _marked(metadata: str, folder: Path) -> Words:
    table = pa.table({"item": ["a", "b"], "rater": ["r", "r"], "value": [0.5, 0.25]})
    pq.write_table(table.replace_schema_metadata({"nbyk": metadata}), folder / "r.parquet")
    return [
        *("fit", "r.parquet", "--out", "o.json", "--name", "x", "--families", "f.csv"),
        *("--check", "c.json", "--seed", "1"),
    ]


def of_damage() -> Iterator[tuple[str, Callable[[Path], Words]]]:
    """Yield binary files with bytes changed, cut off or added."""
    for seed in range(90):
        yield f"damage {seed}", partial(_damaged, seed)


def _damaged(seed: int, folder: Path) -> Words:
    chance = random.Random(seed)
    values = np.linspace(0, 1, 12).reshape(6, 2)
    suffix = (".npy", ".npz", ".parquet")[seed % 3]
    path = folder / f"b{suffix}"
    if suffix == ".npy":
        np.save(path, values)
    elif suffix == ".npz":
        np.savez_compressed(path, values)
    else:
        names = [f"i{n}" for n in range(6)]
        pq.write_table(pa.table({"item": names, "rater": names, "value": values[:, 0]}), path)
    content = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 3, 20))):
        content[chance.randrange(len(content))] = chance.randrange(256)
    if seed % 5 == 0:
        del content[chance.randrange(len(content)) :]
    return compare(folder, path.name, bytes(content))


def _cases() -> Iterator[Case]:
    for what, text in TEXTS.items():
        yield from (Case(f"{what} in {where}", build) for where, build in in_texts(text))
    for what, literal in LITERALS.items():
        yield from (Case(f"{what} in JSON, {where}", build) for where, build in in_literals(literal))
    for others in (of_options(), of_files(), of_damage(), makers.cases(), frames.cases(), strangers.cases()):
        yield from (Case(*named) for named in others)


CASES = list(_cases())
