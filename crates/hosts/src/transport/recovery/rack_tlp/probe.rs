//! Tail loss probes (RFC 8985 section 7).

use longfat_foundation::units::{Span, Time};

use crate::transport::Acknowledgment;

/// Probe timeout before a round trip has been measured (section 7.2).
const FIRST_TIMEOUT: Span = Span::from_microseconds(1_000_000);

/// A probe in flight.
#[derive(Clone, Copy, Debug)]
struct InFlight {
    /// The highest sequence number sent when the probe was sent (`TLP.end_seq`).
    end: u64,
    /// True if the probe was a retransmission (`TLP.is_retrans`).
    is_again: bool,
}

/// Tail loss probes of a connection, one at a time.
#[derive(Clone, Copy, Debug)]
pub(in crate::transport::recovery) struct TailLossProbe {
    /// Delay of the acknowledgment of a single segment (`TLP.max_ack_delay`); `None` disables probes.
    longest_delay: Option<Span>,
    /// Time at which the probe timer was started: new data sent or acknowledged; `None` once a probe was sent.
    since: Option<Time>,
    /// True if the probe timer has expired and the probe was not sent.
    is_due: bool,
    in_flight: Option<InFlight>,
    /// Number of round trips measured when the latest probe was sent.
    measured_before: u64,
}

impl TailLossProbe {
    pub fn new(longest_delay: Option<Span>) -> Self {
        Self { longest_delay, since: None, is_due: false, in_flight: None, measured_before: 0 }
    }

    /// Restarts the probe timer: new data was sent or acknowledged.
    pub fn start_anew(&mut self, now: Time) {
        self.since = Some(now);
    }

    /// Whether no probe is in flight.
    pub fn is_idle(&self) -> bool {
        self.in_flight.is_none()
    }

    /// Processes an acknowledgment of new data while no probe is in flight.
    pub fn go_on(&mut self, now: Time) {
        (self.since, self.is_due) = (Some(now), false);
    }

    /// Stops the probe timer and forgets the probe in flight, because a loss is being repaired.
    pub fn end(&mut self) {
        (self.since, self.is_due, self.in_flight) = (None, false, None);
    }

    /// Expiry of the probe timer (`TLP_calc_PTO` of section 7.2), at most that of the retransmission timer.
    pub fn time(&self, smoothed: Option<Span>, one_segment: bool, timer: Option<Time>) -> Option<Time> {
        let delay = self.longest_delay.map(|longest| if one_segment { longest } else { Span::ZERO })?;
        let timeout = smoothed.map_or(FIRST_TIMEOUT, |smoothed| Span(2 * smoothed.0) + delay);
        let due = self.since? + timeout;
        timer.map(|timer| timer.min(due))
    }

    /// True if a probe may be sent (section 7.3): none is in flight, and a round trip was measured since the latest one, or since the
    /// connection began.
    pub fn is_allowed(&self, measured: u64) -> bool {
        self.in_flight.is_none() && measured > self.measured_before
    }

    /// Handles the expiry of the probe timer.
    pub fn fall_due(&mut self) {
        (self.since, self.is_due) = (None, true);
    }

    pub fn is_due(&self) -> bool {
        self.is_due
    }

    /// Records that the probe is sent (section 7.3); `end` is the highest sequence number sent, `measured` the number of round trips
    /// measured.
    pub fn note_sent(&mut self, end: u64, is_again: bool, measured: u64) {
        (self.since, self.is_due, self.in_flight) = (None, false, Some(InFlight { end, is_again }));
        self.measured_before = measured;
    }

    /// Processes an acknowledgment; `unacknowledged` is the left edge before it, `duplicate_end` the end of its D-SACK block. Returns true
    /// if the probe has repaired a loss that nothing else shows (section 7.4.2). Restarts the timer if the probe has ended.
    pub fn take_in(
        &mut self,
        now: Time,
        acknowledgment: &Acknowledgment,
        unacknowledged: u64,
        duplicate_end: Option<u64>,
    ) -> bool {
        self.is_due = false;
        let Some(probe) = self.in_flight.filter(|probe| acknowledgment.next >= probe.end) else { return false };
        let repairs = probe.is_again && duplicate_end != Some(probe.end) && acknowledgment.next > probe.end;
        // Without D-SACK, a duplicate acknowledgment indicates that both copies have arrived.
        let has_nothing_new = acknowledgment.next == unacknowledged && acknowledgment.blocks.as_slice().is_empty();
        if repairs || !probe.is_again || duplicate_end == Some(probe.end) || has_nothing_new {
            self.in_flight = None;
            self.since = self.since.map(|_| now);
        }
        repairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Span::from_microseconds(1000 * milliseconds)
    }

    /// Section 7.2, with a smoothed round trip of 40 ms and a maximum acknowledgment delay of 200 ms.
    #[test]
    fn a_probe_goes_after_two_round_trips_or_the_delay_of_an_acknowledgment_more_but_not_after_the_timer() {
        let mut probe = TailLossProbe::new(Some(Span::from_microseconds(200_000)));
        probe.start_anew(ms(10));
        let smoothed = Some(Span::from_microseconds(40_000));
        let timer = Some(ms(5000));
        assert_eq!(probe.time(smoothed, false, timer), Some(ms(90)));
        assert_eq!(probe.time(smoothed, true, timer), Some(ms(290)));
        assert_eq!(probe.time(smoothed, true, Some(ms(250))), Some(ms(250)));
        assert_eq!(probe.time(None, true, timer), Some(ms(1010)));
    }

    /// Section 7.3.
    #[test]
    fn one_probe_goes_at_a_time_and_only_after_a_round_trip_was_measured() {
        let mut probe = TailLossProbe::new(Some(Span::ZERO));
        assert_eq!((probe.is_allowed(0), probe.is_allowed(1)), (false, true), "since the connection began");
        probe.note_sent(500, true, 7);
        assert!(!probe.is_allowed(8), "one at a time");
        probe.take_in(ms(600), &Acknowledgment::from(600), 500, None);
        assert_eq!((probe.is_allowed(7), probe.is_allowed(8)), (false, true), "since the last one");
    }

    /// Section 7.4.2: segment 4, the last, was retransmitted.
    #[test]
    fn what_a_probe_has_repaired_shows_when_more_is_acknowledged_and_no_duplicate_was_reported() {
        let acknowledgment = |next| Acknowledgment::from(next);
        let sent = |is_again| {
            let mut probe = TailLossProbe::new(Some(Span::ZERO));
            probe.note_sent(500, is_again, 0);
            probe
        };
        let mut lost = sent(true);
        assert!(!lost.take_in(ms(600), &acknowledgment(500), 400, None), "the first transmission or the second?");
        assert!(lost.take_in(ms(600), &acknowledgment(600), 500, None), "the second, for nothing told of a duplicate");
        let mut reported = sent(true);
        reported.take_in(ms(600), &acknowledgment(500), 400, None);
        reported.take_in(ms(600), &acknowledgment(500), 500, Some(500));
        assert!(!reported.take_in(ms(600), &acknowledgment(600), 500, None), "both have arrived");
        let mut unreported = sent(true);
        unreported.take_in(ms(600), &acknowledgment(500), 400, None);
        unreported.take_in(ms(600), &acknowledgment(500), 500, None);
        assert!(!unreported.take_in(ms(600), &acknowledgment(600), 500, None), "both have been acknowledged");
        assert!(!sent(false).take_in(ms(600), &acknowledgment(600), 400, None), "new data repairs nothing");
    }

    #[test]
    fn a_probe_is_judged_once_and_then_the_next_may_go() {
        // A round trip has been measured since the probe was sent.
        let waits = |probe: &TailLossProbe| !probe.is_allowed(1);
        let sent = |is_again| {
            let mut probe = TailLossProbe::new(Some(Span::ZERO));
            probe.note_sent(500, is_again, 0);
            probe.start_anew(ms(10));
            assert!(waits(&probe));
            probe
        };
        let mut lost = sent(true);
        assert!(!lost.take_in(ms(600), &Acknowledgment::from(499), 400, None) && waits(&lost), "not of the probe");
        assert!(lost.take_in(ms(700), &Acknowledgment::from(600), 500, None) && !waits(&lost));
        assert_eq!(lost.time(None, false, Some(ms(9000))), Some(ms(1700)), "it waits anew");
        assert!(!lost.take_in(ms(800), &Acknowledgment::from(700), 600, None));
        let mut new = sent(false);
        assert!(!new.take_in(ms(600), &Acknowledgment::from(500), 400, None) && !waits(&new));
        let mut reported = sent(true);
        assert!(!reported.take_in(ms(600), &Acknowledgment::from(500), 400, Some(500)) && !waits(&reported));
        let mut twice = sent(true);
        assert!(!twice.take_in(ms(600), &Acknowledgment::from(500), 400, None) && waits(&twice), "which of both?");
        let blocks = [(600, 700)].into_iter().collect();
        let beyond = Acknowledgment { blocks, ..Acknowledgment::from(500) };
        assert!(!twice.take_in(ms(600), &beyond, 500, None) && waits(&twice), "of another segment");
        assert!(!twice.take_in(ms(600), &Acknowledgment::from(500), 500, None) && !waits(&twice));
    }

    #[test]
    fn nothing_is_made_of_a_probe_once_a_loss_is_repaired_otherwise() {
        let mut probe = TailLossProbe::new(Some(Span::ZERO));
        probe.note_sent(500, true, 0);
        probe.end();
        assert!(!probe.take_in(ms(600), &Acknowledgment::from(600), 500, None));
        probe.start_anew(ms(10));
        probe.fall_due();
        probe.end();
        assert!(!probe.is_due());
        assert_eq!(probe.time(None, false, Some(ms(9000))), None, "until new data goes");
    }
}
