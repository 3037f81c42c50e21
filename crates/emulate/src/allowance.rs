//! The share of the processor's time that the loop may use: Linux takes it from a thread of real-time priority that never sleeps, for 5 % of each
//! second, at once (`sched_rt_runtime_us`, and the fair server that has replaced it). A pause of 50 ms is worse than many short ones.

use longfat_engine::units::{Span, Time};
use rustix::time::{ClockId, clock_gettime};

/// Largest share of the time in which the loop works or spins, unless packets alone need more.
const MOST_BUSY: f64 = 0.9;

/// Share of the time from which on the loop sleeps even where packets are due.
const OVERDRAWN: f64 = 0.93;

/// Shortest sleep of a loop that has been busy for longer: less does not pay for the two switches between threads.
pub const NAP: Span = Span(50_000_000);

/// Time between two looks at the clock of the thread, which is a call of the kernel.
const LOOK_INTERVAL: Span = Span(1_000_000_000);

/// Time over which the share is kept.
const WINDOW: Span = Span(100_000_000_000);

/// The busy time of the loop's thread.
#[derive(Default)]
pub struct Allowance {
    /// Begin of the window, with the processor time until then.
    since: Time,
    used_before: Span,
    looked: Time,
    is_short: bool,
    is_overdrawn: bool,
}

impl Allowance {
    /// True if the loop may go on without sleep.
    pub fn allows_spinning(&mut self, now: Time) -> bool {
        if now - self.looked >= LOOK_INTERVAL {
            self.look(now, processor_time());
        }
        !self.is_short
    }

    /// True if the loop must sleep now, whatever is due meanwhile.
    pub fn is_overdrawn(&self) -> bool {
        self.is_overdrawn
    }

    #[expect(clippy::cast_precision_loss, reason = "a share")]
    fn look(&mut self, now: Time, used: Span) {
        self.looked = now;
        let (passed, used_since) = (now - self.since, used.0 - self.used_before.0);
        self.is_short = used_since as f64 > MOST_BUSY * passed.0 as f64;
        self.is_overdrawn = used_since as f64 > OVERDRAWN * passed.0 as f64;
        if passed >= WINDOW {
            (self.since, self.used_before) = (now, used);
        }
    }
}

/// Processor time of the calling thread.
pub fn processor_time() -> Span {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanoseconds) = (u64::try_from(time.tv_sec), u64::try_from(time.tv_nsec));
    Span(seconds.unwrap_or(0) * 1_000_000_000_000 + nanoseconds.unwrap_or(0) * 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: u64 = 1_000_000_000;

    #[test]
    fn a_loop_that_only_spins_sleeps_a_tenth_of_the_time() {
        let (mut allowance, mut used, mut slept) = (Allowance::default(), 0, 0);
        for now in 1..=1_000 {
            allowance.look(Time(now * MILLISECOND), Span(used * MILLISECOND));
            if allowance.is_short { slept += 1 } else { used += 1 }
        }
        assert!((95..=120).contains(&slept), "{slept}");
    }

    #[test]
    fn a_loop_that_sleeps_anyway_may_spin() {
        let mut allowance = Allowance::default();
        for now in 1..=1_000 {
            allowance.look(Time(now * MILLISECOND), Span(now * MILLISECOND / 2));
            assert!(!allowance.is_short);
        }
    }

    #[test]
    fn a_loop_that_has_found_no_time_to_sleep_must_in_the_end() {
        for (used, is_short, is_overdrawn) in [(89, false, false), (92, true, false), (94, true, true)] {
            let mut allowance = Allowance::default();
            allowance.look(Time(100 * MILLISECOND), Span(used * MILLISECOND));
            assert_eq!((allowance.is_short, allowance.is_overdrawn()), (is_short, is_overdrawn), "{used}");
        }
    }

    #[test]
    fn the_time_of_a_thread_grows_while_it_works_and_not_while_it_sleeps() {
        let before = processor_time();
        let started = std::time::Instant::now();
        while started.elapsed().as_millis() < 20 {
            std::hint::spin_loop();
        }
        let worked = processor_time();
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(worked > before && processor_time().0 - worked.0 < 10 * MILLISECOND);
    }
}
