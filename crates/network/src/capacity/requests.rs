//! Requests for capacity: what a terminal has asked for, and what the network control centre still owes it.

use std::collections::VecDeque;

use longfat_foundation::measure::Histogram;
use longfat_foundation::units::{Span, Time};

/// How volume is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByVolume {
    /// Not at all.
    Never,
    /// By what is new, at any time; requests add up (VBDC).
    Adding,
    /// By all that waits, when what was asked for before has been granted; a request replaces those before (A-VBDC).
    Replacing,
}

/// Limits and ways of a terminal's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Largest rate that it may ask for, in bits per second; 0 if none.
    pub most_rate_bps: u64,
    /// Number of frames in which a requested rate is to carry what waits.
    pub rate_over_frames: u64,
    /// Number of frames for which a requested rate is granted, unless another request is heard.
    pub rate_lasts_frames: u64,
    /// How it asks for volume.
    pub by_volume: ByVolume,
    /// Largest rate at which requested volume is granted, in bits per second.
    pub most_volume_bps: u64,
}

impl Terms {
    /// Requests by volume without a limit.
    pub const ANY_VOLUME: Self = Self {
        most_rate_bps: 0,
        rate_over_frames: 1,
        rate_lasts_frames: 1,
        by_volume: ByVolume::Adding,
        most_volume_bps: u64::MAX,
    };
}

/// A request of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Rate in bits per second from now on, in place of the one requested before.
    pub rate_bps: u64,
    /// Bits to be granted once.
    pub volume: u64,
    /// Whether `volume` replaces the bits requested before that are not granted yet (A-VBDC); otherwise it is added to them (VBDC).
    pub replaces: bool,
}

/// Capacity of a terminal in a frame, by category: rates in bits per second over the frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Award {
    /// Without a request (CRA).
    pub constant_bps: u64,
    /// For a requested rate (RBDC).
    pub rate_bps: u64,
    /// For requested volume (VBDC and A-VBDC).
    pub volume_bps: u64,
    /// Without that anybody has asked for it (FCA).
    pub free_bps: u64,
}

impl Award {
    /// Sum in bits per second.
    #[must_use]
    pub fn total_bps(&self) -> u64 {
        self.constant_bps + self.rate_bps + self.volume_bps + self.free_bps
    }
}

/// Counts of a terminal that shares a link.
#[derive(Clone, Debug, Default)]
pub struct TerminalCounts {
    /// Requests sent.
    pub requests: u64,
    /// Requests that were not heard.
    pub lost: u64,
    /// Bits of volume requested.
    pub volume_asked: u64,
    /// Number of frames that are over.
    pub frames: u64,
    /// Sums over these frames of what was granted in them, in bits per second.
    pub granted: Award,
    /// Time from a request for volume that was heard to the beginning of the frame in which the last of its bits is granted.
    pub waits: Histogram,
    /// Beginning of the first frame that may have capacity, if the terminal had to log on.
    pub logged_on: Option<Time>,
    /// Number of the frame and bits of the requests that are not granted yet.
    owed: VecDeque<(u64, u64)>,
}

impl TerminalCounts {
    /// Counts from now on.
    pub fn count_anew(&mut self) {
        *self = Self { owed: std::mem::take(&mut self.owed), logged_on: self.logged_on, ..Self::default() };
    }

    fn pay(&mut self, mut bits: u64, wait: impl Fn(u64) -> Span) {
        while let Some((asked, owed)) = self.owed.front_mut() {
            if *owed > bits {
                *owed -= bits;
                return;
            }
            bits -= *owed;
            self.waits.record(wait(*asked));
            self.owed.pop_front();
        }
    }
}

/// A frame that is decided.
#[derive(Clone, Copy, Debug, Default)]
struct Decided {
    award: Award,
    /// Bits of requested volume that are granted in it.
    volume: u64,
}

/// A terminal's requests and their grants.
#[derive(Clone, Debug)]
pub struct Requests {
    terms: Terms,
    /// Bits that the terminal has asked for and that no frame has carried yet, as far as it knows.
    asked: u64,
    /// Rates in bits per second that it expects in this frame and those until an answer comes, by its requests.
    expected_bps: VecDeque<u64>,
    /// Rate in bits per second that it has asked for last, and for how many frames it has not said so again.
    rate_asked_bps: u64,
    rate_age: u64,
    /// Number of frames in which it expected something and was granted nothing.
    unanswered: u64,
    /// Whether the next request replaces the volume requested before, since those requests are taken for lost.
    starts_anew: bool,
    /// Bits that the control centre has been asked for and has not assigned to a frame.
    pending: u64,
    /// Rate in bits per second that it grants on request, and for how many more frames.
    rate_heard_bps: u64,
    rate_left_frames: u64,
    /// The current frame and later ones, as far as they are decided.
    decided: VecDeque<Decided>,
    /// Counts, of terminals that share a link.
    counts: Option<Box<TerminalCounts>>,
}

impl Requests {
    /// No requests, with `frames` frames decided.
    pub fn none(terms: Terms, frames: u64, constant_bps: u64) -> Self {
        let award = Award { constant_bps, ..Award::default() };
        Self {
            terms,
            asked: 0,
            expected_bps: (0..frames).map(|_| 0).collect(),
            rate_asked_bps: 0,
            rate_age: 0,
            unanswered: 0,
            starts_anew: false,
            pending: 0,
            rate_heard_bps: 0,
            rate_left_frames: 0,
            decided: (0..frames).map(|_| Decided { award, volume: 0 }).collect(),
            counts: None,
        }
    }

    /// Counts from now on.
    pub fn count(&mut self) {
        self.counts = Some(Box::default());
    }

    pub fn counts(&self) -> Option<&TerminalCounts> {
        self.counts.as_deref()
    }

    pub fn counts_mut(&mut self) -> Option<&mut TerminalCounts> {
        self.counts.as_deref_mut()
    }

    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Bytes that they have allocated, nearly.
    pub fn memory_bytes(&self) -> usize {
        let owed = self.counts.as_ref().map_or(0, |counts| counts.owed.capacity() * size_of::<(u64, u64)>());
        self.expected_bps.capacity() * size_of::<u64>() + self.decided.capacity() * size_of::<Decided>() + owed
    }

    /// Bits asked for that no frame has carried yet.
    pub fn volume_asked(&self) -> u64 {
        self.asked
    }

    /// Rates in bits per second that the terminal expects in this frame and those until an answer comes.
    pub fn rates_expected_bps(&self) -> impl Iterator<Item = u64> {
        self.expected_bps.iter().copied().filter(|&bps| bps > 0)
    }

    /// Capacity granted in the current frame.
    pub fn current(&self) -> Award {
        self.decided.front().copied().unwrap_or_default().award
    }

    #[cfg(test)]
    pub fn last_decided(&self) -> Award {
        self.decided.back().copied().unwrap_or_default().award
    }

    /// After more than `frames` frames in which the terminal expected something and was granted nothing, it takes its requests for lost, and
    /// starts anew.
    pub fn give_up_after(&mut self, frames: u64) {
        if self.unanswered > frames {
            self.unanswered = 0;
            self.asked = 0;
            self.rate_asked_bps = 0;
            self.starts_anew = true;
            self.expected_bps.iter_mut().for_each(|bps| *bps = 0);
        }
    }

    /// The terminal wants this rate, in bits per second, and `volume` bits beyond what it has asked for. Returns its request, if there is
    /// anything to say.
    pub fn ask(&mut self, rate_bps: u64, volume: u64) -> Option<Request> {
        let volume = match self.terms.by_volume {
            ByVolume::Never => 0,
            ByVolume::Adding => volume,
            ByVolume::Replacing => volume * u64::from(self.asked == 0),
        };
        let replaces = self.starts_anew || (self.terms.by_volume == ByVolume::Replacing && volume > 0);
        self.asked += volume;
        if self.terms.most_rate_bps > 0 {
            self.expected_bps.push_back(rate_bps);
        }
        let is_old = rate_bps > 0 && self.rate_age + 1 >= self.terms.rate_lasts_frames;
        if volume == 0 && rate_bps == self.rate_asked_bps && !is_old {
            self.rate_age += 1;
            return None;
        }
        (self.rate_asked_bps, self.rate_age, self.starts_anew) = (rate_bps, 0, false);
        if let Some(counts) = &mut self.counts {
            counts.requests += 1;
            counts.volume_asked += volume;
        }
        Some(Request { rate_bps, volume, replaces })
    }

    /// The control centre hears a request, in the frame with that number.
    pub fn hear(&mut self, request: Request, frame: u64) {
        (self.rate_heard_bps, self.rate_left_frames) = (request.rate_bps, self.terms.rate_lasts_frames);
        self.pending = request.volume + if request.replaces { 0 } else { self.pending };
        if let Some(counts) = &mut self.counts {
            if request.replaces {
                counts.owed.clear();
            }
            if request.volume > 0 {
                counts.owed.push_back((frame, request.volume));
            }
        }
    }

    /// The terminal has logged on, `now`.
    pub fn log_on(&mut self, now: Time) {
        self.counts.iter_mut().for_each(|counts| counts.logged_on = Some(now));
    }

    /// Nobody has heard it.
    pub fn lose(&mut self) {
        if let Some(counts) = &mut self.counts {
            counts.lost += 1;
        }
    }

    /// Rate in bits per second that is to be granted in one more frame by the request that was heard last.
    pub fn take_rate_bps(&mut self) -> u64 {
        let is_valid = self.rate_left_frames > 0;
        self.rate_left_frames = self.rate_left_frames.saturating_sub(1);
        if is_valid { self.rate_heard_bps } else { 0 }
    }

    /// Bits of volume that are to be granted.
    pub fn pending(&self) -> u64 {
        self.pending
    }

    /// Takes up to `most` bits of those that are pending, to be granted in one frame.
    pub fn take_volume(&mut self, most: u64) -> u64 {
        let volume = self.pending.min(most);
        self.pending -= volume;
        volume
    }

    /// Decides what one more frame has, with `volume` bits of those asked for; `wait` is the time from the frame with a number to it.
    pub fn decide(&mut self, award: Award, volume: u64, wait: impl Fn(u64) -> Span) {
        self.decided.push_back(Decided { award, volume });
        if let Some(counts) = self.counts.as_mut().filter(|_| volume > 0) {
            counts.pay(volume, wait);
        }
    }

    /// The current frame is over.
    pub fn pass_frame(&mut self) {
        let Decided { award, volume } = self.decided.pop_front().unwrap_or_default();
        let expected_bps = self.expected_bps.pop_front().unwrap_or_default();
        let is_owed = self.asked > 0 || expected_bps > 0;
        self.unanswered = if is_owed && award.rate_bps == 0 && volume == 0 { self.unanswered + 1 } else { 0 };
        self.asked = self.asked.saturating_sub(volume);
        if let Some(counts) = &mut self.counts {
            counts.frames += 1;
            let sum = &mut counts.granted;
            sum.constant_bps = sum.constant_bps.saturating_add(award.constant_bps);
            sum.rate_bps = sum.rate_bps.saturating_add(award.rate_bps);
            sum.volume_bps = sum.volume_bps.saturating_add(award.volume_bps);
            sum.free_bps = sum.free_bps.saturating_add(award.free_bps);
        }
    }
}
