"""Take the picture of completion in an editor, light and dark.

    npm install --prefix FOLDER @taplo/lsp@0.8 monaco-editor@0.57
    .venv/bin/python -m tools.editor FOLDER

taplo's language server, which VS Code's extension for TOML has, reads `longfat schema` and answers
what may stand where the cursor is. Monaco shows it. Needs node and Chromium.
"""

import io
import json
import mimetypes
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Route
from tests.browser import PATIENCE_MS, chromium

HERE = Path(__file__).parent
IMAGES = HERE.parents[1] / "docs" / "images"
WIDTH, HEIGHT, QUALITY = 960, 460, 60
ORIGIN = "http://editor.example"

TYPED = """\
#:schema ./scenario.schema.json
schema_version = 1
duration = "200 ms"
port = { buffer = "1000 cells" }

[topology]
kind = "n-source"
sources = 2
access.delay = "5 us"
bottleneck.delay = "5 ms"

[tcp]
flavor = "cubic"
re"""


def main() -> None:
    """Ask the language server, and take the pictures."""
    modules = Path(sys.argv[1]).resolve() / "node_modules"
    items = completed(modules, TYPED)
    assert items, "the language server has no answer"
    with chromium() as browser:
        for theme, name in (("vs", "editor.png"), ("vs-dark", "editor-dark.webp")):
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.set_default_timeout(PATIENCE_MS)
            page.route(f"{ORIGIN}/**", lambda route: _answer(route, modules))
            page.goto(f"{ORIGIN}/")
            page.evaluate("given => edit(given)", {"text": TYPED, "items": items, "theme": theme})
            page.wait_for_selector(".suggest-widget.visible .monaco-list-row")
            page.keyboard.press("Control+Space")  # what the key is
            page.wait_for_selector(".suggest-details-container")
            page.wait_for_timeout(2000)
            picture = page.screenshot()
            if name.endswith(".png"):
                (IMAGES / name).write_bytes(picture)
            else:
                Image.open(io.BytesIO(picture)).save(IMAGES / name, quality=QUALITY, method=6)
            page.close()


def completed(modules: Path, text: str) -> list[dict[str, Any]]:
    """Return what the language server offers at the end of a text."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = Path(sys.executable).with_name("longfat")
        schema = subprocess.run([program, "schema"], capture_output=True, check=True).stdout
        (folder / "scenario.schema.json").write_bytes(schema)
        command: list[str | Path] = ["node", HERE / "ask.cjs", modules / "@taplo/lsp", folder]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    answer: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _answer(route: Route, modules: Path) -> None:
    path = route.request.url.removeprefix(f"{ORIGIN}/").partition("?")[0]
    file = modules / path if path else HERE / "page.html"
    if file.is_file():
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        route.fulfill(body=file.read_bytes(), content_type=kind)
    else:
        route.fulfill(status=404)


if __name__ == "__main__":
    main()
