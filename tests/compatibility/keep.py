"""Keep what this version writes, for the tests of later versions.

    python -m tests.compatibility.keep VERSION

Reads the study in the folder of the version, and writes its runs, as SQL, and the record of its
scenario beside it. A folder is written once, when its version is released.
"""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent


def main() -> None:
    """Write `store.sql` and `record.json` of a version."""
    folder = HERE / sys.argv[1]
    program = Path(sys.executable).with_name("longfat")
    with TemporaryDirectory() as temporary:
        store = Path(temporary) / "kept.db"
        subprocess.run([program, "study", "run", folder / "study", "--store", store], check=True)
        with closing(sqlite3.connect(store)) as database:
            (folder / "store.sql").write_text("\n".join(database.iterdump()) + "\n")
    run = [str(program), "run", str(folder / "study" / "scenario.toml"), "--json"]
    record = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    (folder / "record.json").write_text(record)


if __name__ == "__main__":
    main()
