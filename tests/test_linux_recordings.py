import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

FOLDER = Path(__file__).parent.parent / "crates" / "verify" / "linux"


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the recorder's modules be imported, as they are when it runs."""
    monkeypatch.syspath_prepend(str(FOLDER))


@pytest.mark.usefixtures("recorder")
def test_experiments_are_held_out_by_their_names_alone() -> None:
    import experiment  # type: ignore[import-not-found]

    declared = experiment.read()
    assert len({each.name for each in declared}) == len(declared)
    for each in declared:
        assert each.held_out == experiment.set_aside(each.name), each.name


@pytest.mark.usefixtures("recorder")
def test_a_window_is_kept_where_it_turns_and_where_it_has_changed_by_two_percent(
    tmp_path: Path,
) -> None:
    import recording  # type: ignore[import-not-found]

    lines = [
        f" <idle>-0 [000] ..s2. {10 + at / 10:.6f}: tcp_probe: src=10.1.0.2:4 dest=10.8.0.2:5001"
        f" snd_cwnd={window} ssthresh={threshold} snd_wnd=9 srtt=40000 rcv_wnd=9"
        for at, (window, threshold) in enumerate(
            [(10, 0x7FFFFFFF), (11, 0x7FFFFFFF), (12, 0x7FFFFFFF), (13, 0x7FFFFFFF), (9, 7), (8, 7)]
        )
    ]
    (tmp_path / "trace").write_text("\n".join(lines) + "\n")
    kept = [row[1:3] for row in recording.Trace(tmp_path / "trace", 10.0).windows(0)]
    assert kept == [[10, "-"], [12, "-"], [13, "-"], [9, 7], [8, 7]]


@pytest.mark.usefixtures("recorder")
def test_a_guest_that_is_not_done_in_time_is_told_of_with_its_console(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import record  # type: ignore[import-not-found]

    def start(command: list[str], timeout: float | None = None, **_: object) -> object:
        if timeout is None:
            return SimpleNamespace(stdout=b"")
        (tmp_path / "console").write_text("Kernel panic")
        raise subprocess.TimeoutExpired(command, timeout)

    (tmp_path / "image").write_bytes(b"initrd")
    machine = SimpleNamespace(
        root=tmp_path, initrd=tmp_path / "image", kernel=tmp_path / "kernel", environment={}
    )
    monkeypatch.setattr(subprocess, "run", start)
    with pytest.raises(record.GuestDied, match=r"not done after 60 s; .*\nKernel panic"):
        record.run(machine, "true", tmp_path, 60)


def test_the_table_of_the_page_is_that_of_the_recordings() -> None:
    subprocess.run([sys.executable, FOLDER / "table.py", "--check"], check=True)
