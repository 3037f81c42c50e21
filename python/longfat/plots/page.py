"""Self-contained HTML page of a plot: the picture, its data and its command."""

import base64
import html
from collections.abc import Sequence

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
 color: #222; background: #fff; }}
figure {{ margin: 0; overflow-x: auto; background: #fff; }}
figure svg {{ width: 100%; height: auto; min-width: 34rem; }}
code {{ background: #f2f2f2; padding: .1em .3em; overflow-wrap: anywhere; }}
@media (prefers-color-scheme: dark) {{
 body {{ color: #ddd; background: #181818; }}
 code {{ background: #2a2a2a; }}
 a {{ color: #8cf; }}
 figure {{ padding: .5rem; border-radius: .3rem; }}
}}
@media print {{ body {{ margin: 0; max-width: none; }} }}
</style>
</head>
<body>
<figure>
{picture}
</figure>
<p>{title}.
<a download="{name}.csv" href="data:text/csv;base64,{data}">The data drawn</a> (CSV).</p>
{command}</body>
</html>
"""


def page(title: str, pictures: Sequence[str], data: str, name: str, command: str) -> str:
    """Return an HTML page around pictures in SVG; `data` is the CSV of the plotted rows.

    Its content security policy forbids requests and scripts.
    """
    label = f'<svg role="img" aria-label="{html.escape(title)}" '
    picture = "\n".join(svg[svg.index("<svg") :].replace("<svg ", label, 1) for svg in pictures)
    said = f"<p>Drawn by <code>{html.escape(command)}</code></p>\n" if command else ""
    return _PAGE.format(
        title=html.escape(title[0].upper() + title[1:]),
        picture=picture,
        name=html.escape(name),
        data=base64.b64encode(data.encode()).decode(),
        command=said,
    )
