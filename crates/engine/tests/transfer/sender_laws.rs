//! Laws of every sender at every step, for any flavor and network.

use longfat_engine::transport::ranges::RangeSet;
use longfat_engine::transport::{
    Acknowledgment, CongestionWindowLimit, LostSynRule, Segment, Sender, TcpConfig, WindowAfterLoss,
};
use longfat_engine::units::{Span, Time};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::laws::{is_paced, longest_timeout};
use crate::support::may_pass_receiver_window;

type Law = Result<(), TestCaseError>;

/// A sender whose every step is checked.
pub struct LawfulSender<'c> {
    config: &'c TcpConfig,
    pub sender: Sender,
    /// A sender that takes the general path for every acknowledgment.
    twin: Sender,
    /// True if nothing is checked but that both do the same: where segments wait in the host's discipline, what leaves it is not what TCP sends.
    only_compares: bool,
    longest_timeout: Span,
    is_paced: bool,
    is_open: bool,
    offered: u64,
    /// First byte never sent, according to the segments.
    highest: u64,
    sent: Vec<(Time, Segment)>,
    timeouts: u64,
    round_trip: Option<Span>,
    /// Data reported by SACK since the last timeout.
    reported: RangeSet,
}

impl<'c> LawfulSender<'c> {
    pub fn new(config: &'c TcpConfig, only_compares: bool, sender: impl Fn() -> Sender) -> Self {
        Self {
            config,
            sender: sender(),
            twin: sender(),
            only_compares,
            longest_timeout: longest_timeout(config),
            is_paced: is_paced(config),
            is_open: !config.handshake,
            offered: 0,
            highest: 0,
            sent: Vec::new(),
            timeouts: 0,
            round_trip: None,
            reported: RangeSet::default(),
        }
    }

    pub fn offer(&mut self, now: Time, bytes: u64) -> Result<Vec<Segment>, TestCaseError> {
        self.offered += bytes;
        self.step(now, |sender, segments| sender.offer(now, bytes, segments))
    }

    pub fn synchronized(&mut self, now: Time, sent: Time) -> Result<Vec<Segment>, TestCaseError> {
        let opened = self.sent.iter().filter(|(_, segment)| segment.synchronize).map(|(time, _)| now - *time);
        let opened: Vec<Span> = opened.collect();
        let is_first = !std::mem::replace(&mut self.is_open, true);
        let segments = self.step(now, |sender, segments| sender.synchronized(now, sent, segments))?;
        if is_first && !self.only_compares {
            self.round_trip = self.sender.round_trip();
            let is_known =
                opened.len() == 1 || (self.config.timestamps && self.config.lost_syns != LostSynRule::Rfc5681);
            prop_assert_eq!(self.round_trip, Some(now - sent).filter(|_| is_known), "Karn");
        }
        Ok(segments)
    }

    pub fn acknowledge(&mut self, now: Time, acknowledgment: Acknowledgment) -> Result<Vec<Segment>, TestCaseError> {
        if acknowledgment.next >= self.sender.unacknowledged() {
            self.reported.remove_below(acknowledgment.next);
            acknowledgment.blocks.as_slice().iter().for_each(|&block| _ = self.reported.insert(block));
        }
        let mut of_twin = Vec::new();
        self.twin.take_any_acknowledgment(now, &acknowledgment, &mut of_twin);
        let segments = self.act(now, |sender, segments| sender.acknowledge(now, acknowledgment, segments))?;
        self.check_twin(&segments, &of_twin)?;
        if !self.only_compares {
            self.check_round_trip(now, &acknowledgment)?;
        }
        Ok(segments)
    }

    pub fn expire(&mut self, now: Time) -> Result<Vec<Segment>, TestCaseError> {
        prop_assert_eq!(self.sender.expires(), Some(now), "woken at another time than it wanted");
        let segments = self.step(now, |sender, segments| sender.expire(now, segments))?;
        prop_assert!(self.sender.expires() > Some(now), "it wants to be woken at once again");
        Ok(segments)
    }

    /// True if all offered data is acknowledged.
    pub fn is_done(&self) -> bool {
        self.is_open && self.sender.unacknowledged() == self.offered
    }

    fn step(&mut self, now: Time, act: impl Fn(&mut Sender, &mut Vec<Segment>)) -> Result<Vec<Segment>, TestCaseError> {
        let mut of_twin = Vec::new();
        act(&mut self.twin, &mut of_twin);
        let segments = self.act(now, act)?;
        self.check_twin(&segments, &of_twin)?;
        Ok(segments)
    }

    /// The fast path for acknowledgments of new data is equivalent to the general one.
    fn check_twin(&self, segments: &[Segment], of_twin: &[Segment]) -> Law {
        prop_assert_eq!(segments, of_twin);
        let state = |sender: &Sender| {
            let bytes = [sender.unacknowledged(), sender.highest(), sender.timeout().0];
            format!("{bytes:?} {:?} {:?}", sender.window(), sender.statistics())
        };
        prop_assert_eq!(state(&self.sender), state(&self.twin));
        let waiting = self.sender.waits_for();
        prop_assert_eq!((waiting.expires, waiting.limit), (self.twin.expires(), self.twin.send_limit()));
        Ok(())
    }

    fn act(
        &mut self,
        now: Time,
        act: impl FnOnce(&mut Sender, &mut Vec<Segment>),
    ) -> Result<Vec<Segment>, TestCaseError> {
        let mut segments = Vec::new();
        act(&mut self.sender, &mut segments);
        if self.only_compares {
            return Ok(segments);
        }
        if self.sender.statistics().timeouts > self.timeouts {
            self.timeouts = self.sender.statistics().timeouts;
            self.reported.clear();
        }
        segments.iter().try_for_each(|&segment| self.check_segment(now, segment))?;
        self.check_no_byte_goes_twice(&segments)?;
        self.check_window()?;
        self.check_timer(now)?;
        self.check_statistics()?;
        Ok(segments)
    }

    fn check_segment(&mut self, now: Time, segment: Segment) -> Law {
        self.sent.push((now, segment));
        prop_assert_eq!(segment.synchronize, !self.is_open, "data goes when the connection is open, and only then");
        if segment.synchronize {
            prop_assert_eq!((segment.sequence, segment.length), (0, 0));
            return Ok(());
        }
        let end = segment.sequence + segment.length;
        prop_assert!((1..=self.config.mss.0).contains(&segment.length), "{segment:?}");
        prop_assert!(end <= self.offered, "{segment:?} of {} bytes", self.offered);
        let first = self.sender.unacknowledged();
        prop_assert!(segment.sequence >= first, "{segment:?} is acknowledged up to {first}");
        prop_assert_eq!(segment.again, segment.sequence < self.highest, "{:?} after {}", segment, self.highest);
        prop_assert!(segment.sequence <= self.highest, "{segment:?} leaves out bytes from {} on", self.highest);
        let edge = first + self.config.advertised_window();
        prop_assert!(end <= edge || may_pass_receiver_window(self.config), "{segment:?} is beyond the receiver window");
        if segment.again {
            self.check_retransmission(segment)?;
        }
        if end > self.highest {
            self.check_new_data(segment)?;
            self.highest = end;
        }
        Ok(())
    }

    /// RFC 6675 section 4, `NextSeg`, and section 5.1: data reported as arrived is not retransmitted, unless a timeout makes the sender
    /// forget it. (98-0876R1's SACK goes back after a timeout and sends everything again, T-31.)
    fn check_retransmission(&self, segment: Segment) -> Law {
        if ["sack-rfc6675", "rack-tlp", "rack-tlp-linux"].contains(&self.config.flavor.build(&()).recovery().name()) {
            let end = segment.sequence + segment.length;
            let known = self.reported.bytes_below(end) - self.reported.bytes_below(segment.sequence);
            prop_assert_eq!(known, 0, "{:?} is sent again though {:?} have arrived", segment, self.reported.ranges());
        }
        Ok(())
    }

    /// New data is sent within the inflated congestion window, plus a segment for each of two duplicates (RFC 3042). During recovery this
    /// does not hold for three flavors: PIPE limits both kinds of SACK (RFC 6675 from the first duplicate on), and NewReno's flywheel is
    /// limited by the receiver alone (T-24). With RACK-TLP PIPE limits it always, except for a probe of one segment (RFC 8985 section 7.3).
    fn check_new_data(&self, segment: Segment) -> Law {
        let is_exempt = match self.config.flavor.build(&()).recovery().name() {
            "newreno" | "sack" => self.sender.is_recovering(),
            "sack-rfc6675" => self.sender.is_recovering() || !self.reported.is_empty(),
            "rack-tlp" | "rack-tlp-linux" => true,
            _ => false,
        };
        if is_exempt {
            return Ok(());
        }
        let allowance = if self.config.limited_transmit { 2 } else { 0 };
        let edge = self.sender.unacknowledged() + self.sender.window().usable_beyond(allowance);
        let end = segment.sequence + segment.length;
        prop_assert!(end <= edge, "{segment:?} is beyond {edge}: {:?}", self.sender.window());
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "small windows")]
    fn check_window(&self) -> Law {
        let (window, config) = (self.sender.window(), self.config);
        let (mss, receiver_window) = (config.mss.0 as f64, config.advertised_window() as f64);
        // ns-2 halves a window without a minimum.
        if config.window_after_loss == WindowAfterLoss::Threshold {
            prop_assert!(window.cwnd >= mss, "less than a segment: {window:?}");
        }
        let limit = match config.cwnd_limit {
            CongestionWindowLimit::ReceiverWindow => receiver_window,
            CongestionWindowLimit::ScaledMaximum => config.window_scale().largest_window() as f64,
            CongestionWindowLimit::Unlimited | CongestionWindowLimit::Used => f64::INFINITY,
        };
        // The initial window may be larger, and so may the minimum threshold after a loss, which is two segments.
        let limit = limit.max(config.initial_window.bytes(config.mss.0) as f64).max(2.0 * mss);
        prop_assert!(window.cwnd <= limit, "more than {limit}: {window:?}");
        prop_assert!(window.inflation >= 0.0, "{window:?}");
        let losses = self.sender.statistics().timeouts + self.sender.statistics().fast_retransmits;
        // Laws with delivery samples leave the threshold unchanged, and those that shrink without a loss may lower it then (Vegas in Linux).
        let flavor = config.flavor.build(&());
        let is_of_losses = !flavor.law().observes_deliveries() && !flavor.facts().shrinks_without_loss;
        let is_large_enough = losses == 0 || !is_of_losses || window.ssthresh >= 2.0 * mss;
        prop_assert!(is_large_enough, "RFC 5681 equation (4): {window:?}");
        Ok(())
    }

    /// A sender always has a reason to continue: with data in flight the timer runs, and with nothing in flight, all offered data is
    /// acknowledged. (Only a window that ns-2's rule has halved to less than a segment lets data wait with nothing in flight, and then the
    /// timer runs.)
    fn check_timer(&self, now: Time) -> Law {
        let under_way = self.highest - self.sender.unacknowledged();
        let is_opening = !self.is_open && self.offered > 0;
        match self.sender.expires() {
            Some(expires) => {
                prop_assert!(expires >= now, "a timer in the past");
                // Pacing waits as well, while there is data.
                let is_paced = self.is_paced && self.highest < self.offered;
                let is_far = expires > now + self.longest_timeout;
                prop_assert!(!is_far || (is_paced && under_way == 0), "{:?} is more than a timeout away", expires);
                let is_barred =
                    self.highest < self.offered && (is_paced || self.sender.window().usable() < self.config.mss.0);
                prop_assert!(under_way > 0 || is_opening || is_barred, "a timer runs for nothing");
            }
            None => {
                prop_assert_eq!(under_way, 0, "bytes are under way without a timer");
                prop_assert!(!is_opening, "a connection is being opened without a timer");
                prop_assert_eq!(self.highest, self.offered, "data waits for nothing: {:?}", self.sender.window());
            }
        }
        Ok(())
    }

    fn check_statistics(&self) -> Law {
        let data = || self.sent.iter().filter(|(_, segment)| !segment.synchronize);
        let statistics = self.sender.statistics();
        prop_assert_eq!(statistics.segments_sent, data().count() as u64);
        let again = data().filter(|(_, segment)| segment.again).count();
        prop_assert_eq!(statistics.segments_retransmitted, again as u64);
        prop_assert_eq!(self.sender.highest(), self.highest);
        Ok(())
    }

    /// Karn: only segments that were sent once are timed, unless a timestamp identifies the transmission that has arrived (RFC 6298 section
    /// 3).
    fn check_round_trip(&mut self, now: Time, acknowledgment: &Acknowledgment) -> Law {
        let measured = self.sender.round_trip();
        if measured == self.round_trip {
            return Ok(());
        }
        self.round_trip = measured;
        let sent = Time(now.0 - measured.expect("it has changed").0);
        if self.config.timestamps {
            prop_assert_eq!(Some(sent), acknowledgment.echoed());
            return Ok(());
        }
        let timed_at = |segment: &Segment| {
            let holds = |other: &Segment| {
                !other.synchronize && (other.sequence..other.sequence + other.length).contains(&segment.sequence)
            };
            segment.sequence < acknowledgment.next && self.sent.iter().filter(|(_, other)| holds(other)).count() == 1
        };
        let is_sound = self.sent.iter().any(|(time, segment)| *time == sent && timed_at(segment));
        prop_assert!(is_sound, "no segment sent at {sent:?}, and only then, is acknowledged by {acknowledgment:?}");
        Ok(())
    }

    /// Segments sent at one time for one reason do not overlap; but RFC 6675's rescue may repeat the last segment even if it has just been
    /// sent for the first time (section 4, `NextSeg` rule 4).
    fn check_no_byte_goes_twice(&self, segments: &[Segment]) -> Law {
        let may_rescue =
            self.config.flavor.build(&()).recovery().name() == "sack-rfc6675" && self.sender.is_recovering();
        let mut segments = segments.to_vec();
        if may_rescue && segments.last().is_some_and(|last| last.again && last.sequence + last.length == self.highest) {
            segments.pop();
        }
        segments.sort_by_key(|segment| segment.sequence);
        for pair in segments.windows(2) {
            prop_assert!(pair[0].sequence + pair[0].length <= pair[1].sequence, "twice at one instant: {pair:?}");
        }
        Ok(())
    }
}
