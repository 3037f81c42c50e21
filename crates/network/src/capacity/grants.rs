//! Requests and grants of capacity, frame by frame, and the departure times that follow from them.

use std::collections::VecDeque;

use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Span, Time};

/// Parameters of the assignment of capacity on demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Time between requests.
    pub frame: Span,
    /// Number of frames from a request to the first frame in which it is granted; at least one.
    pub response_frames: u64,
    /// Rate in bits per second that is assigned without a request.
    pub constant_bps: u64,
    /// Largest rate that can be assigned, in bits per second.
    pub most_bps: u64,
}

/// Bits times picoseconds per second, so that the work of any rate in any time is an integer.
type Work = u128;

fn work_of(bits: u64) -> Work {
    Work::from(bits) * Work::from(PICOSECONDS_PER_SECOND)
}

/// Capacity assigned to one line.
#[derive(Clone, Debug)]
pub struct Grants {
    demand: Demand,
    /// Index of the current frame: the first one stored.
    first: u64,
    /// Rates in bits per second of the current frame and of later ones, as far as they are decided; and the bits of each that were granted
    /// on request.
    rates_bps: VecDeque<u64>,
    volumes: VecDeque<u64>,
    /// Bits requested and not yet assigned to a frame.
    pending: u64,
    /// Time until which the line is busy with decided capacity, and the rest of a packet beyond that.
    busy_until: Time,
    left: Work,
    /// Capacity granted in past frames.
    granted_before: Work,
}

impl Grants {
    /// State before the first request; the first frame begins with the run.
    #[must_use]
    pub fn new(demand: Demand) -> Self {
        let decided = 0..demand.response_frames;
        Self {
            first: 0,
            rates_bps: decided.clone().map(|_| demand.constant_bps).collect(),
            volumes: decided.map(|_| 0).collect(),
            pending: 0,
            busy_until: Time::ZERO,
            left: 0,
            granted_before: 0,
            demand,
        }
    }

    /// Duration of a frame.
    #[must_use]
    pub fn frame(&self) -> Span {
        self.demand.frame
    }

    /// Begins a frame at `now`, with `bits_waiting` bits queued besides the packet being sent: requests what no grant or request covers
    /// yet, and decides the rate of one more frame.
    pub fn begin_frame(&mut self, now: Time, bits_waiting: u64) {
        while self.first < now.0 / self.demand.frame.0 {
            self.first += 1;
            let over = self.rates_bps.pop_front().unwrap_or_default();
            self.granted_before += self.work_in_frame(over);
            self.volumes.pop_front();
        }
        self.ask_for(bits_waiting + self.bits_being_sent(now));
        let room_bps = self.demand.most_bps - self.demand.constant_bps;
        let volume = self.pending.min(self.bits_in_frame(room_bps));
        self.pending -= volume;
        let rate_bps = work_of(volume).div_ceil(Work::from(self.demand.frame.0));
        let rate_bps = u64::try_from(rate_bps).map_or(room_bps, |rate| rate.min(room_bps));
        self.volumes.push_back(volume);
        self.rates_bps.push_back(self.demand.constant_bps + rate_bps);
    }

    /// Requests the part of a backlog that is covered neither by earlier requests nor by constant capacity until the response.
    fn ask_for(&mut self, backlog: u64) {
        let requested = self.volumes.iter().sum::<u64>() + self.pending;
        let constant = self.bits_in_frame(self.demand.constant_bps).saturating_mul(self.demand.response_frames);
        self.pending += backlog.saturating_sub(requested.saturating_add(constant));
    }

    /// Sends a packet of `bits` bits from `begin` on, when no other is being sent. Returns its departure time if that is decided; otherwise
    /// the rest [continues](Self::go_on) later.
    pub fn send(&mut self, begin: Time, bits: u64) -> Option<Time> {
        self.left = work_of(bits);
        self.send_from(begin)
    }

    /// Continues the packet in transmission at `from`, the end of the capacity decided before.
    pub fn go_on(&mut self, from: Time) -> Option<Time> {
        self.send_from(from)
    }

    /// Time until which rates are decided.
    #[must_use]
    pub fn decided_until(&self) -> Time {
        Time((self.first + self.rates_bps.len() as u64) * self.demand.frame.0)
    }

    /// Capacity in bits granted until `now`, used or not.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "reports need no more than 53 bits")]
    pub fn granted_bits(&self, now: Time) -> f64 {
        let since = now.0.saturating_sub(self.first * self.demand.frame.0);
        let of_frame = self.rates_bps.front().map_or(0, |&rate| Work::from(rate) * Work::from(since));
        (self.granted_before + of_frame) as f64 / PICOSECONDS_PER_SECOND as f64
    }

    #[expect(clippy::cast_possible_truncation, reason = "a packet takes no longer than what is decided lasts")]
    fn send_from(&mut self, from: Time) -> Option<Time> {
        let mut at = from.0;
        for (number, &rate_bps) in (self.first..).zip(&self.rates_bps) {
            let ends = (number + 1) * self.demand.frame.0;
            if at >= ends {
                continue;
            }
            let work = Work::from(rate_bps) * Work::from(ends - at);
            if work >= self.left {
                let sent = at + self.left.div_ceil(Work::from(rate_bps.max(1))) as u64;
                self.left = 0;
                self.busy_until = Time(sent);
                return Some(self.busy_until);
            }
            self.left -= work;
            at = ends;
        }
        self.busy_until = self.decided_until();
        None
    }

    /// Bits left at `now` of the packet in transmission.
    #[must_use]
    pub fn bits_being_sent(&self, now: Time) -> u64 {
        let mut work = self.left;
        for (number, &rate_bps) in (self.first..).zip(&self.rates_bps) {
            let (begins, ends) = (number * self.demand.frame.0, (number + 1) * self.demand.frame.0);
            let lasting = ends.min(self.busy_until.0).saturating_sub(begins.max(now.0));
            work += Work::from(rate_bps) * Work::from(lasting);
        }
        u64::try_from(work.div_ceil(Work::from(PICOSECONDS_PER_SECOND))).unwrap_or(u64::MAX)
    }

    fn work_in_frame(&self, rate_bps: u64) -> Work {
        Work::from(rate_bps) * Work::from(self.demand.frame.0)
    }

    fn bits_in_frame(&self, rate_bps: u64) -> u64 {
        u64::try_from(self.work_in_frame(rate_bps) / Work::from(PICOSECONDS_PER_SECOND)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: u64 = PICOSECONDS_PER_SECOND / 1000;

    fn at(milliseconds: u64) -> Time {
        Time(milliseconds * MILLISECOND)
    }

    /// Frames of 10 ms, granted two frames after a request: up to 10,000 bits in each, of which `constant` are always assigned.
    fn grants(constant: u64) -> Grants {
        Grants::new(Demand {
            frame: Span(10 * MILLISECOND),
            response_frames: 2,
            constant_bps: 100 * constant,
            most_bps: 1_000_000,
        })
    }

    #[test]
    fn what_waits_is_granted_after_the_response_and_asked_for_once() {
        let mut grants = grants(0);
        grants.begin_frame(at(0), 4000);
        grants.begin_frame(at(10), 4000);
        grants.begin_frame(at(20), 4000);
        assert_eq!(grants.rates_bps, [400_000, 0, 0], "in the frame from 20 ms on, all of it, and never again");
        grants.begin_frame(at(30), 500);
        assert_eq!(grants.rates_bps, [0, 0, 50_000], "what came since");
    }

    #[test]
    fn no_frame_has_more_than_the_line_and_what_is_left_is_granted_in_the_next() {
        let mut grants = grants(0);
        for frame in 0..4 {
            grants.begin_frame(at(10 * frame), 25_000);
        }
        // Nothing could be sent until 20 ms; 10,000 bits could have been since, but the backlog is reported as unchanged.
        assert_eq!(grants.rates_bps, [1_000_000, 500_000, 1_000_000]);
    }

    #[test]
    fn what_is_there_without_a_request_is_not_asked_for() {
        let mut grants = grants(1000);
        grants.begin_frame(at(0), 2000);
        assert_eq!(grants.rates_bps, [100_000; 3], "two frames until the answer carry all that waits");
        grants.begin_frame(at(10), 2600);
        assert_eq!(grants.rates_bps, [100_000, 100_000, 160_000], "less what they carry");
    }

    #[test]
    fn a_packet_is_sent_when_the_frames_have_carried_all_its_bits() {
        let mut grants = grants(1000);
        // One bit every 10 us: 400 bits from 5 ms to 9 ms, then 700, of which 100 in this frame.
        assert_eq!(grants.send(at(5), 400), Some(at(9)));
        assert_eq!(grants.send(at(9), 700), Some(at(16)));
    }

    #[test]
    fn a_packet_goes_on_when_more_is_decided_than_was_when_it_began() {
        let mut grants = grants(0);
        grants.begin_frame(at(0), 0);
        assert_eq!(grants.send(at(3), 4000), None);
        assert_eq!(grants.decided_until(), at(30));
        grants.begin_frame(at(10), 0);
        assert_eq!(grants.decided_until(), at(40));
        assert_eq!(grants.go_on(at(30)), Some(at(40)), "asked for at 10 ms, granted in the frame from 30 ms on");
    }

    #[test]
    fn all_that_was_there_is_counted_whether_it_was_used_or_not() {
        let mut grants = grants(1000);
        assert!((grants.granted_bits(at(5)) - 500.0).abs() < 1e-9);
        grants.begin_frame(at(0), 3000);
        for frame in 1..=3 {
            grants.begin_frame(at(10 * frame), 0);
        }
        assert!((grants.granted_bits(at(35)) - (3000.0 + 1000.0 + 500.0)).abs() < 1e-9, "1000 on demand at 20 ms");
    }
}
