"""Build the site: `python -m tools.site [OUTPUT]`.

Writes the sources below `target/site`, runs Sphinx with warnings as errors, and checks every link
within the site. Links that lead elsewhere are listed in `external-links.txt`, and not fetched.
"""

import shutil
import sys
from pathlib import Path

from tools.site.links import broken_links, external_links
from tools.site.staging import ROOT, sources, write

WORK = ROOT / "target" / "site"


def main() -> int:
    """Build, check, and say where the first page is."""
    output = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "site").resolve()
    failed = build(output)
    if failed:
        return failed
    outside = external_links(output)
    listed = "".join(f"{link}\n" for link in outside)
    (output / "external-links.txt").write_text(listed, encoding="utf-8")
    broken = broken_links(output)
    for link in broken:
        print(f"broken link: {link}", file=sys.stderr)
    print(f"{output / 'index.html'}: {len(outside)} external links are not checked")
    return 1 if broken else 0


def build(output: Path) -> int:
    """Write the sources and run Sphinx; returns its exit code."""
    from sphinx.cmd.build import build_main

    source, doctrees = WORK / "source", WORK / "doctrees"
    if write(source, sources()):
        shutil.rmtree(doctrees, ignore_errors=True)  # links to pages that come or go are read anew
    configuration = str(Path(__file__).parent)
    options = ["-q", "-W", "--keep-going", "-b", "html", "-c", configuration]
    return build_main([*options, "-d", str(doctrees), str(source), str(output)])


if __name__ == "__main__":
    sys.exit(main())
