//! The end of a process that was told to stop and does not: a control may loop and keep the interpreter to itself, so a thread without it waits.

use std::time::Duration;

use pyo3::prelude::*;

unsafe extern "C" {
    /// Ends the process without any clean-up (POSIX, and the C library of Windows).
    fn _exit(status: i32) -> !;
}

/// Ends the process after a time, if it still exists then.
#[pyfunction]
pub fn end_process_after(milliseconds: u64, exit_code: i32) {
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(milliseconds));
        // SAFETY: `_exit` has no requirements. Nothing is lost: stores are transactional, and files replace others when they are whole.
        unsafe { _exit(exit_code) }
    });
}

#[cfg(unix)]
pub use at_signals::end_process_at_signals;

#[cfg(unix)]
mod at_signals {
    use std::fs::File;
    use std::io::Read;
    use std::os::fd::FromRawFd;

    use pyo3::prelude::*;

    use super::end_process_after;

    /// Signal numbers of POSIX: hang-up, interrupt, termination.
    const SIGHUP: u8 = 1;
    const SIGINT: u8 = 2;
    const SIGTERM: u8 = 15;

    /// SIGINTs that end the process. The first asks for a clean stop, which may wait for a run.
    const INTERRUPTS: u32 = 2;

    /// Reads signal numbers from the pipe of `signal.set_wakeup_fd`, and ends the process some time after those that must end it.
    #[pyfunction]
    pub fn end_process_at_signals(pipe: i32, milliseconds: u64) {
        // SAFETY: the caller hands over the reading end of a pipe, and uses it no more.
        let mut pipe = unsafe { File::from_raw_fd(pipe) };
        std::thread::spawn(move || {
            let mut interrupts = 0;
            let mut number = [0];
            while pipe.read_exact(&mut number).is_ok() {
                interrupts += u32::from(number[0] == SIGINT);
                if interrupts == INTERRUPTS || matches!(number[0], SIGHUP | SIGTERM) {
                    end_process_after(milliseconds, 128 + i32::from(number[0]));
                    return;
                }
            }
        });
    }
}
