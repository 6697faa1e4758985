"""An answer in one of the forms that commands print."""

from __future__ import annotations

from collections.abc import Callable

from nbyk.errors import on_one_line
from nbyk.report.answer import BEFORE, Answer, addresses_of, answer_page, answer_text
from nbyk.report.formats import latex, latex_text, markdown, markdown_text
from nbyk.report.lines import head_rows


def printed(answer: Answer, form: str, *, stem: str, width: int, details: bool = False) -> str:
    """Return an answer as a command prints it.

    The forms are "text", `width` columns wide and with all the rest if `details`; "markdown", for a comment
    or an issue; "json", everything; "html", a page that holds its figures and needs no network; and "latex",
    sentences and tables that need the booktabs package.
    """
    forms: dict[str, Callable[[], str]] = {
        "text": lambda: answer_text(answer, width=width, details=details),
        "markdown": lambda: _markdown(answer),
        "json": lambda: f"{answer.to_json()}\n",
        "html": lambda: _html(answer, stem),
        "latex": lambda: _latex(answer),
    }
    return forms[form]()


def _markdown(answer: Answer) -> str:
    sentences = [markdown_text(on_one_line(sentence)) for sentence in answer.rest]
    cautions = [markdown_text(on_one_line(caution)) for caution in answer.cautions]
    careful = ["\n".join([BEFORE, "", *(f"- {caution}" for caution in cautions)])] if cautions else []
    head = answer.lines
    tables = [markdown(table.shown, table.caption) for table in answer.printed_tables()]
    if head is None:
        first, *others = sentences
        parts, folded = [f"### {markdown_text(answer.title)}", f"**{first}**", *others, *careful], tables
    else:
        parts = head_rows(head, markdown_text, "**{}**".format, "`{}`".format)
        if head.table is not None:
            table = markdown(head.table.shown, head.table.caption).rstrip()
            parts.insert(len(parts) * head.table_is_last, table)
        folded = [*sentences, *careful, *tables]
    if folded:
        body = "\n\n".join(folded).rstrip()
        parts.append(f"<details><summary>Numbers</summary>\n\n{body}\n\n</details>")
    return "\n\n".join(parts) + "\n"


def _latex(answer: Answer) -> str:
    parts = [latex_text(sentence) for sentence in answer.sentences]
    if answer.cautions:
        items = "\n".join(f"\\item {latex_text(caution)}" for caution in answer.cautions)
        parts.append(f"{latex_text(BEFORE)}\n\\begin{{itemize}}\n{items}\n\\end{{itemize}}")
    parts += [latex(table.shown, table.caption) for table in answer.first_tables()]
    return "\n\n".join(parts).rstrip() + "\n"


def _html(answer: Answer, stem: str) -> str:
    addresses = addresses_of({figure.name: figure.pictures() for figure in answer.figures})
    return answer_page(answer, addresses, stem=stem)
