"""Tables in LaTeX."""

from collections.abc import Sequence

ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
    }
)


def latex_table(
    caption: str, header: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1
) -> str:
    """Return a table environment; the first `names` columns are left-aligned, others right."""
    lines = [" & ".join(cell.translate(ESCAPES) for cell in cells) + r" \\" for cells in rows]
    titles = " & ".join(cell.translate(ESCAPES) for cell in header) + r" \\"
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{caption.translate(ESCAPES)}}}",
            rf"\begin{{tabular}}{{{'l' * names}{'r' * (len(header) - names)}}}",
            r"\hline",
            titles,
            r"\hline",
            *lines,
            r"\hline",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )
