//! The loop: simulates what is due, hands over what programs have sent, writes what has arrived, and waits.

use std::io;

use longfat_engine::Simulation;
use longfat_engine::measure::RunRecord;
use longfat_engine::observer::Observer;
use longfat_engine::units::{Span, Time};
use longfat_trace::capture::RawCapture;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use serde_json::Value as Json;

use crate::account;
use crate::allowance::{Allowance, NAP, processor_time};
use crate::clock::{Clock, duration};
use crate::control::{Control, Snapshot};
use crate::device::Device;
use crate::lateness::Lateness;
use crate::waking::Waking;

/// Settings of a run in real time.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Least time before an event for which the loop does not sleep, since the machine may be late to wake it; more where it is later.
    pub spin: Span,
    /// Bound of the lateness.
    pub bound: Span,
}

/// Most packets that are read from an interface before others have their turn.
const READS_AT_ONCE: usize = 32;

/// Largest IP packet.
const LARGEST_PACKET: usize = 65_536;

/// Longest sleep, after which the loop looks whether it has been stopped.
const LONGEST_SLEEP: Span = Span(20_000_000_000);

/// Shortest and longest sleep between two arrivals, of a loop that has been busy for long: events that are no arrivals can wait so long.
const SHORTEST_PAUSE: Span = Span(30_000_000);
const LONGEST_PAUSE: Span = Span(200_000_000);

/// Time between two states that are published.
const PUBLISH_INTERVAL: Span = Span(100_000_000_000);

/// Runs a scenario in real time until its end or until it is stopped. Returns its record, what is known of the programs' connections and of the
/// lateness, and the observer.
///
/// # Errors
/// If the machine gives no access to an interface, or a conservation law does not hold.
pub fn emulate<O: Observer>(
    simulation: Simulation<O>,
    devices: Vec<Device>,
    settings: Settings,
    control: &Control,
    capture: Option<RawCapture>,
) -> Result<(RunRecord, Json, O), String> {
    let lateness = Lateness::new(settings.bound);
    let mut run = Emulation {
        simulation,
        devices,
        lateness,
        capture,
        clock: Clock::start(),
        buffer: vec![0; LARGEST_PACKET],
        published: Time::ZERO,
        allowance: Allowance::default(),
        waking: Waking::new(settings.spin),
    };
    let end = run.until_stopped(control).map_err(|error| format!("the interface of a host: {error}"))?;
    run.simulation.advance(end);
    run.simulation.end_at(end);
    let account = run.account(end);
    run.capture.take().map_or(Ok(()), RawCapture::finish)?;
    let (record, observer) = run.simulation.finish_observed().map_err(|violation| violation.to_string())?;
    Ok((record, account, observer))
}

struct Emulation<O: Observer> {
    simulation: Simulation<O>,
    devices: Vec<Device>,
    lateness: Lateness,
    capture: Option<RawCapture>,
    clock: Clock,
    buffer: Vec<u8>,
    published: Time,
    allowance: Allowance,
    waking: Waking,
}

impl<O: Observer> Emulation<O> {
    /// Returns when the run ends.
    fn until_stopped(&mut self, control: &Control) -> io::Result<Time> {
        loop {
            let now = self.clock.now();
            if now >= self.simulation.end() || control.is_stopped() {
                return Ok(now.min(self.simulation.end()));
            }
            self.simulation.advance(now);
            let has_written = self.write_arrived();
            let has_read = self.read_sent()?;
            if now.0 >= self.published.0 + PUBLISH_INTERVAL.0 {
                self.published = now;
                control.publish(|| self.snapshot(now));
            }
            if !has_written && !has_read {
                self.rest()?;
            }
        }
    }

    /// Writes all that has arrived to the interfaces of its receivers. Returns true if there was any.
    fn write_arrived(&mut self) -> bool {
        let mut any = false;
        for (number, device) in self.devices.iter_mut().enumerate() {
            for place in 0..device.own.len() {
                let (connection, end) = device.own[place];
                let Some(outside) = self.simulation.outside(connection, end) else { continue };
                while let Some(arrived) = outside.take_arrived() {
                    device.write(&arrived.packet);
                    self.lateness.note(self.clock.now() - arrived.due);
                    if let Some(capture) = &mut self.capture {
                        capture.received(arrived.due, number, &arrived.packet);
                    }
                    any = true;
                }
            }
        }
        any
    }

    /// Hands over what programs have sent. Returns true if there was any.
    fn read_sent(&mut self) -> io::Result<bool> {
        let mut any = false;
        for (number, device) in self.devices.iter_mut().enumerate() {
            for _ in 0..READS_AT_ONCE {
                let Some(length) = device.read(&mut self.buffer)? else { break };
                any = true;
                let packet = &self.buffer[..length];
                let Some((connection, end)) = device.end_for(packet) else { continue };
                let now = self.clock.now().min(self.simulation.end());
                self.simulation.advance(now);
                if let Some(capture) = &mut self.capture {
                    capture.sent(now, number, packet);
                }
                self.simulation.send_from_outside(now, connection, end, packet.to_vec());
            }
        }
        Ok(any)
    }

    /// Sleeps until shortly before the next event, or until a program sends something.
    fn rest(&mut self) -> io::Result<()> {
        let now = self.clock.now();
        let left = self.time_to_sleep(now).min(LONGEST_SLEEP.0);
        if left == 0 {
            std::hint::spin_loop();
            return Ok(());
        }
        let sleep = Timespec::try_from(duration(Span(left))).ok();
        let mut waiting: Vec<_> = self.devices.iter().map(|device| PollFd::new(device, PollFlags::IN)).collect();
        match poll(&mut waiting, sleep.as_ref()) {
            Ok(0) => self.waking.note(Span((self.clock.now() - now).0.saturating_sub(left))),
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// How long nothing has to be done, in picoseconds. A loop that has been busy for long sleeps where nothing can arrive, and only if there is no
    /// such time where something does.
    fn time_to_sleep(&mut self, now: Time) -> u64 {
        let margin = self.waking.margin().0;
        let until = |time: Time| time.0.saturating_sub(now.0 + margin);
        if self.allowance.allows_spinning(now) {
            return until(self.simulation.now());
        }
        let pause = until(self.simulation.nothing_arrives_before());
        if pause >= SHORTEST_PAUSE.0 {
            pause.min(LONGEST_PAUSE.0)
        } else if self.allowance.is_overdrawn() {
            NAP.0
        } else {
            0
        }
    }

    fn snapshot(&mut self, now: Time) -> Snapshot {
        Snapshot {
            now,
            devices: self.devices.iter().map(|device| device.counts).collect(),
            queues: self.simulation.queues(),
            p99_seconds: self.lateness.p99_seconds(),
            late_seconds: self.lateness.take_latest(),
        }
    }

    fn account(&mut self, end: Time) -> Json {
        let mut account = account::of_run(&mut self.simulation, &self.devices, &self.lateness, end);
        account["busy_s"] = processor_time().as_seconds().into();
        account
    }
}
