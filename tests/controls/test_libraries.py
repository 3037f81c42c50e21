"""Congestion controls in shared libraries."""

import shutil
import subprocess
from pathlib import Path

import pytest

import longfat
from longfat.controls import HEADER
from tests.controls.test_controls import EXAMPLES, external, run_with


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example in C, compiled without a warning."""
    folder = tmp_path_factory.mktemp("library")
    return compiled(EXAMPLES / "reno.c", folder)


def compiled(source: Path, folder: Path) -> Path:
    """A library of one C file."""
    compiler = shutil.which("cc")
    assert compiler is not None, "the engine itself is linked by it"
    (folder / "longfat_control.h").write_text(HEADER)
    target = folder / f"{source.stem}.so"
    options = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", f"-I{folder}"]
    subprocess.run([compiler, *options, "-o", str(target), str(source)], check=True)
    return target


def test_reno_written_out_in_c_sends_every_packet_as_the_engines_own(library: Path) -> None:
    longfat.use_control("reno", library)
    record = run_with(external("reno"))
    assert record["fingerprint"] == run_with("newreno")["fingerprint"]


def test_reno_written_out_in_rust_sends_every_packet_as_the_engines_own(tmp_path: Path) -> None:
    compiler = shutil.which("rustc")
    if compiler is None:
        pytest.skip("rustc is not installed")
    target = tmp_path / "reno.so"
    options = ["--edition", "2021", "-O", "-D", "warnings", "--crate-type", "cdylib"]
    subprocess.run([compiler, *options, "-o", target, EXAMPLES / "reno.rs"], check=True)
    longfat.use_control("reno", target)
    for beta in 0.5, 0.8:
        in_rust = run_with(external("reno", beta=beta))["fingerprint"]
        longfat.use_control("in-python", EXAMPLES / "reno.py")
        assert in_rust == run_with(external("in-python", beta=beta))["fingerprint"]


def test_parameters_reach_a_control_by_name(library: Path) -> None:
    longfat.use_control("reno", library)
    in_c = run_with(external("reno", beta=0.8))
    longfat.use_control("reno", EXAMPLES / "reno.py")
    in_python = run_with(external("reno", beta=0.8))
    assert in_python["fingerprint"] == in_c["fingerprint"]
    assert in_python["fingerprint"] != run_with(external("reno"))["fingerprint"]


LIBRARY = """
#include "longfat_control.h"
static int state;
static void *create(const longfat_parameter *p, size_t n) { (void)p; return n > 1 ? 0 : &state; }
static void destroy(void *c) { (void)c; }
static void on_acknowledgment(void *c, longfat_window *w, const longfat_progress *p)
{ (void)c, (void)p; w->cwnd = CWND; }
static void on_flight(void *c, longfat_window *w, uint64_t f) { (void)c, (void)w, (void)f; }
static double pacing_rate(void *c, const longfat_window *w) { (void)c, (void)w; return RATE; }
static const longfat_methods methods = {
    .version = VERSION, .create = create, .destroy = destroy, .on_loss = on_flight,
    .on_acknowledgment = on_acknowledgment, .on_timeout = TIMEOUT, .pacing_rate = pacing_rate };
const longfat_methods *longfat_control(void) { return GIVEN; }
"""


def library_with(folder: Path, **changed: str) -> Path:
    """A compiled library that reports its arguments."""
    said = {
        "CWND": "w->mss * 20",
        "RATE": "1e7",
        "VERSION": "LONGFAT_CONTROL_VERSION",
        "TIMEOUT": "on_flight",
        "GIVEN": "&methods",
    } | changed
    # The header says all that it defines, so that these are defined behind it.
    definitions = "".join(f"#define {name} {value}\n" for name, value in said.items())
    source = folder / "told.c"
    source.write_text(LIBRARY.replace("static int state;", definitions + "static int state;", 1))
    return compiled(source, folder)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"VERSION": "7"}, "told.so: made for version 7 of longfat_control.h; this is version 2"),
        ({"TIMEOUT": "0"}, "told.so: the control has no on_timeout"),
    ],
)
def test_a_library_without_a_control_is_refused(
    changed: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(longfat.InvalidInput, match=message):
        longfat.use_control("told", library_with(tmp_path, **changed))


def test_a_file_that_is_no_library_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "text.so"
    file.write_text("no library")
    with pytest.raises(longfat.InvalidInput, match=r"text\.so: "):
        longfat.use_control("told", file)
    source = tmp_path / "empty.c"
    source.write_text("int nothing;\n")
    with pytest.raises(
        longfat.InvalidInput, match="no function longfat_control; see longfat_control"
    ):
        longfat.use_control("told", compiled(source, tmp_path))


def test_what_a_library_gives_back_is_checked(tmp_path: Path) -> None:
    longfat.use_control("told", library_with(tmp_path))
    record = run_with(external("told"))
    assert record["flows"][0]["max_cwnd_bytes"] == 20 * 512
    with pytest.raises(longfat.InvalidInput, match="it rejects these parameters"):
        run_with(external("told", alpha=1, beta=2))
    for number, (changed, message) in enumerate(
        [
            ({"CWND": "-1"}, "cwnd is a number of bytes, not -1"),
            ({"RATE": "-1"}, "pacing_rate gives bytes per second, or 0 for none; not -1"),
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        longfat.use_control("told", library_with(folder, **changed))
        with pytest.raises(longfat.LongfatError, match=message):
            run_with(external("told"))
