//! Requests and grants of capacity, frame by frame, and the departure times that follow from them.

use std::collections::VecDeque;

use longfat_foundation::units::{PICOSECONDS_PER_SECOND, Rate, Span, Time};

use super::requests::{Award, Request, Requests, TerminalCounts, Terms};
use crate::path::Conditions;

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
    /// Whether the constant rate is there from the beginning of the run on; otherwise it has to be granted first.
    pub begins_at_once: bool,
}

/// Bits times picoseconds per second, so that the work of any rate in any time is an integer.
type Work = u128;

fn work_of(bits: u64) -> Work {
    Work::from(bits) * Work::from(PICOSECONDS_PER_SECOND)
}

/// A line whose rate changes. What is granted is a share of its time, which carries as many bits as the line does then.
#[derive(Clone, Debug)]
struct Pace {
    conditions: Conditions,
    /// Rate in bits per second at which the share is what is granted.
    nominal_bps: u64,
}

impl Pace {
    /// Bits per second that are sent while `rate_bps` are granted and the line has `rate`.
    #[expect(clippy::cast_possible_truncation, reason = "no more than the line's highest rate")]
    fn sent_bps(&self, rate_bps: u64, rate: Option<Rate>) -> u64 {
        let product = u128::from(rate_bps) * u128::from(rate.map_or(0, |rate| rate.0));
        product.div_ceil(u128::from(self.nominal_bps)) as u64
    }
}

/// Capacity assigned to one line.
#[derive(Clone, Debug)]
pub struct Grants {
    demand: Demand,
    /// If the line's rate changes.
    pace: Option<Pace>,
    /// Index of the current frame: the first one stored.
    first: u64,
    /// Rates in bits per second of the current frame and of later ones, as far as they are decided.
    rates_bps: VecDeque<u64>,
    /// Requests, and their grants in these frames.
    requests: Requests,
    /// Time until which the line is busy with decided capacity, and the rest of a packet beyond that.
    busy_until: Time,
    left: Work,
    /// Capacity granted in past frames.
    granted_before: Work,
}

impl Grants {
    /// State before the first request, of a line whose capacity nobody else asks for; the first frame begins with the run.
    #[must_use]
    pub fn new(demand: Demand) -> Self {
        Self::with(demand, Terms::ANY_VOLUME)
    }

    /// State before the first request of a terminal that shares a link.
    #[must_use]
    pub fn of_terminal(demand: Demand, terms: Terms) -> Self {
        let mut grants = Self::with(demand, terms);
        grants.requests.count();
        grants
    }

    fn with(demand: Demand, terms: Terms) -> Self {
        let at_first = if demand.begins_at_once { demand.constant_bps } else { 0 };
        Self {
            first: 0,
            rates_bps: (0..demand.response_frames).map(|_| at_first).collect(),
            requests: Requests::none(terms, demand.response_frames, at_first),
            busy_until: Time::ZERO,
            left: 0,
            granted_before: 0,
            pace: None,
            demand,
        }
    }

    /// From now on the line's rate changes, which is `nominal` where nothing is said of it.
    pub fn follow(&mut self, conditions: Conditions, nominal: Rate) {
        self.pace = Some(Pace { conditions, nominal_bps: nominal.0 });
    }

    /// Duration of a frame.
    #[must_use]
    pub fn frame(&self) -> Span {
        self.demand.frame
    }

    /// Begins a frame at `now`, with `bits_waiting` bits queued besides the packet being sent: requests what no grant or request covers
    /// yet, and decides the rate of one more frame. Nobody else asks, so that all of the line is granted. While the line is interrupted no
    /// request is heard.
    pub fn begin_frame(&mut self, now: Time, bits_waiting: u64) {
        if let Some(request) = self.ask(now, bits_waiting, u64::MAX) {
            self.hear(request);
        }
        let room_bps = self.demand.most_bps - self.demand.constant_bps;
        let (volume, volume_bps) = self.rate_at(now).map_or((0, 0), |rate| {
            let volume = self.requests.take_volume(self.bits_in_frame(room_bps, rate));
            (volume, self.share_for(volume, rate).min(room_bps))
        });
        let constant_bps = self.demand.constant_bps;
        self.decide(Award { constant_bps, volume_bps, ..Award::default() }, volume);
    }

    /// Begins a frame at `now`: what the terminal asks for with `bits_waiting` bits queued besides the packet being sent, if it asks. After
    /// more than `patience` frames without the answer that it expects it takes its requests for lost. Asks for nothing while the line is
    /// interrupted.
    pub fn ask(&mut self, now: Time, bits_waiting: u64, patience: u64) -> Option<Request> {
        self.pass_frames(now);
        let rate = self.rate_at(now)?;
        self.requests.give_up_after(patience);
        let uncovered = self.uncovered(now, bits_waiting, rate);
        let Terms { most_rate_bps, rate_over_frames, .. } = *self.requests.terms();
        if most_rate_bps == 0 {
            return self.requests.ask(0, uncovered);
        }
        let rate_bps = self.share_for(uncovered.div_ceil(rate_over_frames), rate).min(most_rate_bps);
        let carried = self.bits_in_frame(rate_bps, rate);
        self.requests.ask(rate_bps, uncovered.saturating_sub(carried))
    }

    /// Begins a frame at `now` without a request, which a terminal may not send yet. Returns true if its line is open.
    pub fn stand_by(&mut self, now: Time) -> bool {
        self.pass_frames(now);
        self.rate_at(now).is_some()
    }

    /// The terminal has logged on, `now`.
    pub fn log_on(&mut self, now: Time) {
        self.requests.log_on(now);
    }

    /// The control centre hears the request of this frame.
    pub fn hear(&mut self, request: Request) {
        self.requests.hear(request, self.first);
    }

    /// Nobody hears the request of this frame.
    pub fn lose(&mut self) {
        self.requests.lose();
    }

    /// Capacity granted in the current frame.
    #[must_use]
    pub fn current(&self) -> Award {
        self.requests.current()
    }

    /// Claims on one more frame, in bits per second: the constant rate, and what was requested by rate and by volume.
    /// While the line is interrupted, the constant rate only.
    pub fn claim(&mut self, now: Time) -> Award {
        let rate_bps = self.requests.take_rate_bps();
        let constant_bps = self.demand.constant_bps;
        let Some(rate) = self.rate_at(now) else { return Award { constant_bps, ..Award::default() } };
        let volume_bps = self.share_for(self.requests.pending(), rate).min(self.requests.terms().most_volume_bps);
        Award { constant_bps, rate_bps, volume_bps, free_bps: 0 }
    }

    /// Decides what one more frame has; of its rates, `for_volume_bps` bits per second are for requested volume.
    pub fn grant(&mut self, now: Time, award: Award, for_volume_bps: u64) {
        let most = self.rate_at(now).map_or(0, |rate| self.bits_in_frame(for_volume_bps, rate));
        let volume = self.requests.take_volume(most);
        self.decide(award, volume);
    }

    /// Capacity granted in the last frame that is decided.
    #[cfg(test)]
    pub fn last_decided(&self) -> Award {
        self.requests.last_decided()
    }

    /// Largest rate that can be assigned, in bits per second.
    #[must_use]
    pub fn most_bps(&self) -> u64 {
        self.demand.most_bps
    }

    /// Number of frames from a request to the first frame in which it is granted.
    #[must_use]
    pub fn response_frames(&self) -> u64 {
        self.demand.response_frames
    }

    /// Counts, if it is a terminal that shares a link.
    #[must_use]
    pub fn counts(&self) -> Option<&TerminalCounts> {
        self.requests.counts()
    }

    /// Bytes that it has allocated, nearly.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.rates_bps.capacity() * size_of::<u64>() + self.requests.memory_bytes()
    }

    /// Counts from now on.
    pub fn count_anew(&mut self) {
        if let Some(counts) = self.requests.counts_mut() {
            counts.count_anew();
        }
    }

    /// Forgets the frames that are over at `now`.
    fn pass_frames(&mut self, now: Time) {
        while self.first < now.0 / self.demand.frame.0 {
            let over = self.rates_bps.pop_front().unwrap_or_default();
            self.granted_before += self.work_between(over, self.beginning(self.first), self.beginning(self.first + 1));
            self.first += 1;
            self.requests.pass_frame();
        }
    }

    /// Bits that wait and are covered neither by earlier requests nor by constant capacity until the answer, for a line that has `rate` now.
    fn uncovered(&self, now: Time, bits_waiting: u64, rate: Rate) -> u64 {
        let constant = self.bits_in_frame(self.demand.constant_bps, rate).saturating_mul(self.demand.response_frames);
        let by_rate: u64 = self.requests.rates_expected_bps().map(|bps| self.bits_in_frame(bps, rate)).sum();
        let covered = self.requests.volume_asked().saturating_add(constant).saturating_add(by_rate);
        (bits_waiting + self.bits_being_sent(now)).saturating_sub(covered)
    }

    /// The share of the line's time that carries `bits` bits in a frame while the line has `rate`, as a rate in bits per second.
    fn share_for(&self, bits: u64, rate: Rate) -> u64 {
        let nominal = self.pace.as_ref().map_or(rate.0, |pace| pace.nominal_bps);
        let at_nominal = (Work::from(bits) * Work::from(nominal)).div_ceil(Work::from(rate.0));
        let bps = (at_nominal * Work::from(PICOSECONDS_PER_SECOND)).div_ceil(Work::from(self.demand.frame.0));
        u64::try_from(bps).unwrap_or(u64::MAX)
    }

    /// Decides one more frame, in which `volume` bits are granted of those requested.
    fn decide(&mut self, award: Award, volume: u64) {
        let (number, frame) = (self.first + self.rates_bps.len() as u64, self.demand.frame.0);
        self.rates_bps.push_back(award.total_bps());
        self.requests.decide(award, volume, |asked| Span((number - asked) * frame));
    }

    /// The line's rate; `None` while it is interrupted.
    fn rate_at(&self, now: Time) -> Option<Rate> {
        self.pace.as_ref().map_or(Some(Rate(self.demand.most_bps)), |pace| pace.conditions.at(now).rate)
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
        let of_frame =
            self.rates_bps.front().map_or(0, |&rate| self.work_between(rate, self.beginning(self.first), now));
        (self.granted_before + of_frame) as f64 / PICOSECONDS_PER_SECOND as f64
    }

    #[expect(clippy::cast_possible_truncation, reason = "a packet takes no longer than what is decided lasts")]
    fn send_from(&mut self, from: Time) -> Option<Time> {
        let (mut at, mut left, mut sent) = (from, self.left, None);
        for (number, &rate_bps) in (self.first..).zip(&self.rates_bps) {
            let ends = self.beginning(number + 1);
            if at >= ends {
                continue;
            }
            for (begin, end, bps) in self.stretches(rate_bps, at, ends) {
                let work = Work::from(bps) * Work::from(end.0 - begin.0);
                if work >= left {
                    sent = Some(Time(begin.0 + left.div_ceil(Work::from(bps.max(1))) as u64));
                    left = 0;
                    break;
                }
                left -= work;
            }
            if sent.is_some() {
                break;
            }
            at = ends;
        }
        self.left = left;
        self.busy_until = sent.unwrap_or_else(|| self.decided_until());
        sent
    }

    /// Bits per second that are sent while `rate_bps` are granted, between `from` and `until`: each with its beginning and end.
    fn stretches(&self, rate_bps: u64, from: Time, until: Time) -> impl Iterator<Item = (Time, Time, u64)> {
        let constant = self.pace.is_none().then_some((from, until, rate_bps));
        let changing = self.pace.iter().flat_map(move |pace| {
            let rates = pace.conditions.rates_between(from, until);
            rates.map(move |(begin, end, rate)| (begin, end, pace.sent_bps(rate_bps, rate)))
        });
        constant.into_iter().chain(changing)
    }

    /// Work that `rate_bps` can do between two times.
    fn work_between(&self, rate_bps: u64, from: Time, until: Time) -> Work {
        let work = |(begin, end, bps): (Time, Time, u64)| Work::from(bps) * Work::from(end.0.saturating_sub(begin.0));
        self.stretches(rate_bps, from, until).map(work).sum()
    }

    /// Beginning of the frame with that index.
    fn beginning(&self, number: u64) -> Time {
        Time(number * self.demand.frame.0)
    }

    /// Bits left at `now` of the packet in transmission.
    #[must_use]
    pub fn bits_being_sent(&self, now: Time) -> u64 {
        let mut work = self.left;
        for (number, &rate_bps) in (self.first..).zip(&self.rates_bps) {
            let (begin, end) = (self.beginning(number).max(now), self.beginning(number + 1).min(self.busy_until));
            if begin < end {
                work += self.work_between(rate_bps, begin, end);
            }
        }
        u64::try_from(work.div_ceil(Work::from(PICOSECONDS_PER_SECOND))).unwrap_or(u64::MAX)
    }

    /// Bits that `rate_bps` carry in a frame while the line has `rate`.
    fn bits_in_frame(&self, rate_bps: u64, rate: Rate) -> u64 {
        let sent_bps = self.pace.as_ref().map_or(rate_bps, |pace| pace.sent_bps(rate_bps, Some(rate)));
        let work = Work::from(sent_bps) * Work::from(self.demand.frame.0);
        u64::try_from(work / Work::from(PICOSECONDS_PER_SECOND)).unwrap_or(u64::MAX)
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
            begins_at_once: true,
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
