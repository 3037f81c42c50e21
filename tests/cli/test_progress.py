import pytest

from longfat.cli.progress import shown_progress
from longfat.running.execution import Progress

HALFWAY = Progress(
    runs=10, simulated_seconds_total=100.0, finished=4, failed=1, simulated_seconds=50.0
)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that the display sees; append to let it pass."""
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[-1])
    return now


def test_without_a_terminal_there_is_a_plain_line_every_ten_seconds(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with shown_progress() as show:
        for seconds in (1.0, 9.9, 10.0, 12.0, 20.0):
            clock.append(100.0 + seconds)
            show(HALFWAY)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "4 of 10 runs, 5 simulated s/s, 1 failed, about 10 s left",
        "4 of 10 runs, 2 simulated s/s, 1 failed, about 20 s left",
    ]


def test_before_anything_is_simulated_the_time_left_is_unknown(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with shown_progress() as show:
        clock.append(110.0)
        show(Progress(runs=1, simulated_seconds_total=100.0))
    assert capsys.readouterr().err.endswith("time left unknown\n")


def test_on_a_terminal_there_is_a_bar_for_what_takes_longer_than_a_second(
    clock: list[float], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with shown_progress() as show:
        clock.append(100.9)
        show(HALFWAY)
        assert capsys.readouterr().err == ""
        clock.append(110.0)
        show(HALFWAY)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "4 of 10 runs, 5 simulated s/s, 1 failed" in captured.err
