//! A return link that terminals share: its frames and slots, and the network control centre that grants them.

use longfat_foundation::config::{PositiveSpan, format_span};
use longfat_foundation::random::Stream;
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Rate, Span, Time};

use super::access::Access;
use super::log_on::LogOn;
use super::requests::Award;
use super::scheduling::{Claim, ReturnScheduler};
use super::{Demand, Grants, Terminal, frames};

longfat_foundation::section! {
    /// A return link that several lines share, those with `capacity = { kind = "shared", link = … }`. Its time is divided into frames, and
    /// frames into slots. At the beginning of each frame the network control centre decides on one more frame, `response` ahead: first the
    /// constant rates, then what was requested by rate, then what was requested by volume, then perhaps the rest.
    pub struct ReturnLinkConfig {
        /// Name, by which terminals call it.
        pub name: String,
        /// Rate of all carriers together, which terminals share.
        pub rate: Rate,
        /// Duration of a frame, here the time between decisions: a superframe, which is 25 ms to 750 ms in EN 301 545-2.
        pub frame: PositiveSpan = "50 ms" or ["25 ms", "100 ms"],
        /// Time from a request to the beginning of the first frame in which it is granted, rounded up to whole frames.
        pub response: PositiveSpan = "560 ms",
        /// Bytes that a slot carries. A frame has as many slots as its bits make, rounded down, and each slot has one terminal. With 0 any
        /// number of bits per second may be granted.
        pub slot_bytes: u64 = "0",
        /// Division among terminals of what all of them claim, where that is too much.
        pub scheduler: Chosen<dyn ReturnScheduler> = "proportional",
        /// Whether what nobody has requested is given away, to terminals that take it (free capacity assignment).
        pub fca: bool = "false",
        /// How requests reach the network control centre.
        pub access: Chosen<dyn Access> = "dedicated",
        /// Whether terminals have to log on at the beginning of a run, all at once as after a power failure. Log-on bursts contend as requests do; the answer
        /// comes `response` later, and before it a terminal is granted nothing.
        pub log_on: bool = "false",
    }
}

impl ReturnLinkConfig {
    /// Errors, as (parameter, message).
    #[must_use]
    pub fn objections(&self) -> Vec<(&'static str, String)> {
        let mut objections = frames::objections(self.frame.0, self.response.0);
        if objections.is_empty() && self.slots() == 0 {
            let (rate, frame) = (self.rate.0, format_span(self.frame.0));
            let message = format!(
                "a frame of {frame} at {rate} bit/s carries {} bytes, and no slot of {}",
                self.rate.bits_in(self.frame.0) / 8,
                self.slot_bytes
            );
            objections.push(("slot_bytes", message));
        }
        objections
    }

    /// Errors of a terminal whose line has `line_rate`, as (parameter, message).
    #[must_use]
    pub fn objections_to(&self, terminal: &Terminal, line_rate: Rate) -> Vec<(&'static str, String)> {
        let unit_bps = self.unit_bps();
        let of_line = line_rate.0 / unit_bps;
        if of_line == 0 {
            let message = format!(
                "a slot of return link {:?} takes {unit_bps} bit/s, and the line has {}",
                self.name, line_rate.0
            );
            return vec![("link", message)];
        }
        let most = self.most_bps(line_rate);
        if terminal.constant_bps.div_ceil(unit_bps) > most / unit_bps {
            let message = format!(
                "{} bit/s are more than the line can have of return link {:?}: {most} bit/s",
                terminal.constant_bps, self.name
            );
            return vec![("cra", message)];
        }
        Vec::new()
    }

    /// Units that the constant rate of a terminal takes.
    #[must_use]
    pub fn constant_units(&self, terminal: &Terminal) -> u64 {
        terminal.constant_bps.div_ceil(self.unit_bps())
    }

    /// Units of capacity in a frame: slots, or bits per second.
    #[must_use]
    pub fn units(&self) -> u64 {
        if self.slot_bytes == 0 { self.rate.0 } else { self.slots() }
    }

    /// Slots in a frame; with any number of bits, all of them are one.
    fn slots(&self) -> u64 {
        if self.slot_bytes == 0 {
            return 1;
        }
        let bits = self.rate.bits_in(self.frame.0) / (8 * u128::from(self.slot_bytes));
        u64::try_from(bits).unwrap_or(u64::MAX)
    }

    /// Bits per second of a unit over a frame. A slot's are rounded down, to no more than there is.
    #[must_use]
    pub fn unit_bps(&self) -> u64 {
        if self.slot_bytes == 0 {
            return 1;
        }
        let bits = 8 * u128::from(self.slot_bytes) * u128::from(PICOSECONDS_PER_SECOND);
        u64::try_from(bits / u128::from(self.frame.0.0)).unwrap_or(u64::MAX).max(1)
    }

    /// The most that a line can have, in bits per second: whole units.
    fn most_bps(&self, line_rate: Rate) -> u64 {
        let unit_bps = self.unit_bps();
        (line_rate.0 / unit_bps).min(self.units()) * unit_bps
    }

    /// Frames of a terminal whose line has `line_rate`.
    #[must_use]
    pub fn demand(&self, terminal: &Terminal, line_rate: Rate) -> Demand {
        Demand {
            frame: self.frame.0,
            response_frames: frames::number_in(self.response.0, self.frame.0),
            constant_bps: self.constant_units(terminal) * self.unit_bps(),
            most_bps: self.most_bps(line_rate),
            begins_at_once: !self.log_on,
        }
    }
}

/// The lines of the terminals of a return link.
pub trait Lines {
    /// The grants of the terminal with that index.
    fn grants(&mut self, terminal: usize) -> &mut Grants;
}

impl Lines for Vec<Grants> {
    fn grants(&mut self, terminal: usize) -> &mut Grants {
        &mut self[terminal]
    }
}

/// The network control centre of a return link.
pub struct ReturnLink {
    frame: Span,
    units: u64,
    unit_bps: u64,
    scheduler: Box<dyn ReturnScheduler>,
    access: Box<dyn Access>,
    gives_free: bool,
    terminals: Vec<Terminal>,
    /// For how many frames beyond the response each terminal waits for the answer to a request that may be lost.
    backoffs: Vec<u64>,
    log_ons: Vec<LogOn>,
    /// Terminal to which the first odd unit goes; moves on from frame to frame.
    first: usize,
}

impl ReturnLink {
    /// At the beginning of a run, with random requests drawn from `chance`.
    #[must_use]
    pub fn new(config: &ReturnLinkConfig, terminals: Vec<Terminal>, chance: &Stream) -> Self {
        Self {
            frame: config.frame.0,
            units: config.units(),
            unit_bps: config.unit_bps(),
            scheduler: config.scheduler.build(&()),
            access: config.access.build(chance),
            gives_free: config.fca,
            backoffs: vec![0; terminals.len()],
            log_ons: vec![LogOn::at_start(config.log_on); terminals.len()],
            terminals,
            first: 0,
        }
    }

    /// Duration of a frame.
    #[must_use]
    pub fn frame(&self) -> Span {
        self.frame
    }

    /// Begins a frame at `now`: each terminal requests what waits at its port, in `bits_waiting` bits besides the packet being sent, and one more
    /// frame is decided for all.
    pub fn begin_frame(&mut self, now: Time, bits_waiting: &[u64], lines: &mut impl Lines) {
        self.request(now, bits_waiting, lines);
        let (mut claims, mut limits) = (Vec::new(), Vec::new());
        for (number, log_on) in self.log_ons.iter().enumerate() {
            let grants = lines.grants(number);
            claims.push(if log_on.is_heard() { grants.claim(now) } else { Award::default() });
            limits.push(if log_on.is_heard() { grants.most_bps() / self.unit_bps } else { 0 });
        }
        for (number, award) in self.decide(&claims, limits).into_iter().enumerate() {
            // A requested rate that ends within a slot leaves the rest of it to requested volume.
            let claim = &claims[number];
            let for_rates = (claim.constant_bps + claim.rate_bps).min(award.constant_bps + award.rate_bps);
            let for_volume = (award.total_bps() - award.free_bps - for_rates).min(claim.volume_bps);
            lines.grants(number).grant(now, award, for_volume);
        }
        self.first = (self.first + 1) % self.terminals.len().max(1);
    }

    /// All terminals log on, or request what they need. A burst is heard if it has a slot of its own or goes along with data, or if it prevails.
    fn request(&mut self, now: Time, bits_waiting: &[u64], lines: &mut impl Lines) {
        let mut contention = self.access.contention();
        let mut contending = Vec::new();
        let frame = now.0 / self.frame.0;
        for (number, &bits) in bits_waiting.iter().enumerate() {
            let grants = lines.grants(number);
            let log_on = &mut self.log_ons[number];
            if log_on.begin_frame(frame) {
                grants.log_on(now);
            }
            if *log_on != LogOn::Done {
                let is_due = matches!(*log_on, LogOn::Due(due) if due <= frame);
                match (grants.stand_by(now) && is_due, &contention) {
                    (false, _) => {}
                    (true, None) => *log_on = LogOn::Answered(frame + grants.response_frames()),
                    (true, Some(_)) => contending.push((number, None)),
                }
                continue;
            }
            let patience = match contention {
                Some(_) => grants.response_frames() + self.backoffs[number],
                None => u64::MAX,
            };
            let Some(request) = grants.ask(now, bits, patience) else { continue };
            if contention.is_none() || grants.current().total_bps() > 0 {
                grants.hear(request);
            } else {
                contending.push((number, Some(request)));
            }
        }
        let Some(contention) = &mut contention else { return };
        let heard = contention.heard(contending.len());
        for ((number, request), is_heard) in contending.into_iter().zip(heard) {
            self.backoffs[number] = contention.backoff_frames();
            let grants = lines.grants(number);
            let answer = frame + grants.response_frames();
            match (request, is_heard) {
                (Some(request), true) => grants.hear(request),
                (Some(_), false) => grants.lose(),
                (None, true) => self.log_ons[number] = LogOn::Answered(answer),
                (None, false) => self.log_ons[number] = LogOn::Due(answer + self.backoffs[number]),
            }
        }
    }

    /// Divides a frame among terminals that claim so much, in bits per second, and can have at most so many units.
    fn decide(&self, claims: &[Award], limits: Vec<u64>) -> Vec<Award> {
        let needed: Vec<_> = claims.iter().map(|claim| claim.constant_bps).collect();
        let used: Vec<_> = needed.iter().map(|bps| bps.div_ceil(self.unit_bps)).collect();
        let mut frame = Frame { room: self.units.saturating_sub(used.iter().sum()), limits, used, needed };
        let constant = frame.used.clone();
        let by_rate = self.divide(&mut frame, |number| claims[number].rate_bps);
        let by_volume = self.divide(&mut frame, |number| claims[number].volume_bps);
        let takes_free = |number: usize| self.gives_free && self.terminals[number].takes_free;
        let free = self.divide(&mut frame, |number| if takes_free(number) { u64::MAX } else { 0 });
        let award = |number: usize| Award {
            constant_bps: constant[number] * self.unit_bps,
            rate_bps: by_rate[number] * self.unit_bps,
            volume_bps: by_volume[number] * self.unit_bps,
            free_bps: free[number] * self.unit_bps,
        };
        (0..claims.len()).map(award).collect()
    }

    /// Divides what is left of a frame among terminals that claim so many bits per second of one category. Returns the units of each.
    fn divide(&self, frame: &mut Frame, claimed_bps: impl Fn(usize) -> u64) -> Vec<u64> {
        let claim = |(number, terminal): (usize, &Terminal)| {
            let needed = frame.needed[number].saturating_add(claimed_bps(number)).div_ceil(self.unit_bps);
            let units = needed.min(frame.limits[number]).saturating_sub(frame.used[number]);
            Claim { units, weight: terminal.weight, class: terminal.class }
        };
        let claims: Vec<_> = self.terminals.iter().enumerate().map(claim).collect();
        let shares = self.scheduler.share(&claims, frame.room, self.first);
        for (number, units) in shares.iter().enumerate() {
            frame.room -= units;
            frame.used[number] += units;
            let most = frame.used[number] * self.unit_bps;
            frame.needed[number] = frame.needed[number].saturating_add(claimed_bps(number)).min(most);
        }
        shares
    }
}

/// A frame while it is divided.
struct Frame {
    /// Units that are left.
    room: u64,
    /// Most units of each terminal, and those that it has.
    limits: Vec<u64>,
    used: Vec<u64>,
    /// Bits per second that each needs of what it has: a category may leave a part of its last slot to the next.
    needed: Vec<u64>,
}

#[cfg(test)]
#[path = "return_link_tests.rs"]
mod tests;
