"""Build the site: `python -m tools.site [OUTPUT]`.

Writes the sources below `target/site`, runs Sphinx with warnings as errors, and checks every link
within the site. Links that lead elsewhere are listed in `external-links.txt`, and not fetched.
"""

import sys
from pathlib import Path

from tools.site.building import build
from tools.site.staging import ROOT, sources


def main() -> int:
    """Build, check, and say where the first page is."""
    output = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "site").resolve()
    found = build(sources(), ROOT / "target" / "site", output)
    for problem in found.problems:
        print(problem, file=sys.stderr)
    if found.problems:
        return 1
    listed = "".join(f"{link}\n" for link in found.external)
    (output / "external-links.txt").write_text(listed, encoding="utf-8")
    print(f"{output / 'index.html'}: {len(found.external)} external links are not checked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
