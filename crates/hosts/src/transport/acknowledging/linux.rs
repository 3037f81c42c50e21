//! Acknowledgments as the receiver of Linux sends them. Names in code font are those of net/ipv4/tcp_input.c, Linux 6.12.

use longfat_foundation::config::{
    AtLeastOne, Bytes, Node, Parameter, PositiveSpan, Reader, Shape, Value, VariantShape,
};
use longfat_foundation::serde_json::Value as Json;
use longfat_foundation::units::{Span, Time};

use super::{Acknowledging, Arrival};

/// Bytes that a receiver with a buffer of 128 KiB at first advertises (`tcp_select_initial_window`).
const FIRST_WINDOW: u64 = 65_535;
/// Segments shorter than this do not let the window grow (`tcp_event_data_recv`).
const LEAST_LENGTH: u64 = 128;
/// Time without data after which segments are acknowledged at once again: the least timeout of the receiver (`TCP_RTO_MIN`).
const PAUSE: Span = Span::from_microseconds(200_000);
/// Reports of the same hole that are not delayed (`TCP_FASTRETRANS_THRESH`).
const PROMPT_REPORTS: u32 = 3;

longfat_foundation::model! {
    /// One acknowledgment for every second segment, or when the delay is over, as in other systems; but every segment is acknowledged at once
    /// at the start of a connection and while the receiver's window still grows: by two segments for each one that arrives, from 64 KiB
    /// to `receiver_window`. With 6 MiB these are the first 2,150 segments. A segment that is shorter than those before ends a message: the
    /// application reads it, and it is acknowledged at once. While data is missing, three segments are reported at once and
    /// further ones together, but before a third block arises. Not as in Linux: the window grows to its full size whatever the flow's rate, without the buffer's
    /// autotuning, and the sender may use all of it from the start; a pause is one of 200 ms, and not of a round trip more.
    #[name = "linux"]
    #[source = "Linux 6.12, net/ipv4/tcp_input.c: __tcp_ack_snd_check, tcp_grow_window, tcp_event_data_recv; tcp_output.c: tcp_send_delayed_ack"]
    pub struct Linux: dyn Acknowledging {
        /// Longest wait in a steady flow (`TCP_DELACK_MIN`).
        delay: PositiveSpan = "40 ms" or ["200 ms"],
        /// Segments acknowledged at once when data begins to arrive, also after a pause, or when a duplicate has arrived
        /// (`TCP_MAX_QUICKACKS`). They count from when the window has grown, too.
        quick: AtLeastOne = "16",
        /// Longest wait of a report of out-of-order data: `tcp_comp_sack_delay_ns` with its slack. Linux waits a twentieth of the round trip if
        /// that is less.
        report_delay: PositiveSpan = "1.1 ms",
        /// Reports that one acknowledgment stands for at most (`tcp_comp_sack_nr`).
        most_reports: AtLeastOne = "44",
        /// Bytes by which the receiver's window grows while every segment is acknowledged.
        growth: Growth = "to-receiver-window",
    }
    build(config, host) {
        Box::new(Rule {
            delay: config.delay.0,
            most_quick: config.quick.0,
            report_delay: config.report_delay.0,
            most_reports: config.most_reports.0,
            mss: host.mss.0,
            room: config.growth.within(host.advertised_window()),
            quick: 0,
            latest: None,
            longest: 0,
            acknowledged: 0,
            reported: None,
            compressed: 0,
            due: None,
        })
    }
}

const TO_RECEIVER_WINDOW: &str = "to-receiver-window";

/// Growth of the receiver's window. With a large buffer it begins at half of the buffer's size, and what it may still grow depends on how
/// much memory a segment takes (`tcp_measure_rcv_mss`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth(Option<Bytes>);

impl Growth {
    /// Bytes by which a window grows to `full`.
    fn within(self, full: u64) -> u64 {
        self.0.map_or(full.saturating_sub(FIRST_WINDOW), |bytes| bytes.0)
    }
}

impl Parameter for Growth {
    const SUFFIX: &'static str = Bytes::SUFFIX;

    fn shape() -> Shape {
        let doc = "From 64 KiB to `receiver_window`.";
        Shape::Either(vec![Shape::Choice(vec![VariantShape { name: TO_RECEIVER_WINDOW, doc }]), Bytes::shape()])
    }

    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::Text(text) if text == TO_RECEIVER_WINDOW => Some(Self(None)),
            Value::Text(text) if !text.starts_with(|c: char| c.is_ascii_digit()) => {
                let expected = format!("\"{TO_RECEIVER_WINDOW}\" or {}", Bytes::shape().expected());
                reader.reject(node, format!("expected {expected}, found {}", node.describe()));
                None
            }
            _ => Bytes::read(node, reader).map(|bytes| Self(Some(bytes))),
        }
    }

    fn read_resolved(node: &Node, reader: &mut Reader) -> Option<Self> {
        Bytes::read_resolved(node, reader).map(|bytes| Self(Some(bytes)))
    }

    fn resolved_shape() -> Shape {
        Bytes::resolved_shape()
    }

    fn resolved(&self) -> Json {
        self.0.map_or(TO_RECEIVER_WINDOW.into(), |bytes| bytes.resolved())
    }

    /// True for growth to the receiver window, which resolved scenarios omit.
    fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}

struct Rule {
    delay: Span,
    most_quick: u64,
    report_delay: Span,
    most_reports: u64,
    mss: u64,
    /// Bytes by which the window may still grow (`rcv_ssthresh`).
    room: u64,
    /// Acknowledgments that are not delayed (`icsk_ack.quick`).
    quick: u64,
    /// The latest arrival (`lrcvtime`).
    latest: Option<Time>,
    /// The longest segment so far (`rcv_mss`).
    longest: u64,
    /// Next byte expected at the latest acknowledgment (`rcv_wup`).
    acknowledged: u64,
    /// Next byte expected, and reports sent at once of what lies beyond it (`compressed_ack_rcv_nxt`, `dup_ack_counter`).
    reported: Option<(u64, u32)>,
    /// Reports that wait (`compressed_ack`).
    compressed: u64,
    due: Option<Time>,
}

impl Rule {
    /// `tcp_grow_window`.
    fn grow(&mut self, arrival: Arrival) {
        if self.room > 0 && arrival.length >= LEAST_LENGTH {
            self.room = self.room.saturating_sub(2 * arrival.length.max(self.mss));
            self.quick |= 1;
        }
    }

    fn send(&mut self, arrival: Arrival) -> Option<Time> {
        self.quick = self.quick.saturating_sub(1);
        self.acknowledged = arrival.next;
        (self.compressed, self.due) = (0, None);
        None
    }

    /// Reports out-of-order data, or lets the report wait.
    fn report(&mut self, now: Time, arrival: Arrival) -> Option<Time> {
        let prompt = match self.reported {
            Some((next, prompt)) if next == arrival.next => prompt,
            _ => 0,
        };
        if self.compressed >= self.most_reports || prompt < PROMPT_REPORTS {
            self.reported = Some((arrival.next, (prompt + 1).min(PROMPT_REPORTS)));
            return self.send(arrival);
        }
        self.compressed += 1;
        Some(*self.due.get_or_insert(now + self.report_delay))
    }
}

impl Acknowledging for Rule {
    fn delay(&mut self, now: Time, arrival: Arrival) -> Option<Time> {
        if !arrival.waits {
            (self.compressed, self.due) = (0, None);
        }
        if self.latest.replace(now).is_none_or(|latest| now - latest > PAUSE) {
            self.quick = self.quick.max(self.most_quick);
        }
        if arrival.repeats {
            self.quick = self.most_quick;
            return self.send(arrival);
        }
        self.grow(arrival);
        let ends_message = arrival.length < self.longest;
        self.longest = self.longest.max(arrival.length);
        let two_full = arrival.next - self.acknowledged.min(arrival.next) > self.longest;
        let is_at_hole = !arrival.in_order && !arrival.holds;
        if two_full || self.quick > 0 || is_at_hole || (ends_message && arrival.in_order) {
            self.send(arrival)
        } else if arrival.holds {
            self.report(now, arrival)
        } else {
            Some(*self.due.get_or_insert(now + self.delay))
        }
    }

    /// `tcp_sack_compress_send_ack`, called by `tcp_sack_new_ofo_skb` beyond `TCP_SACK_BLOCKS_EXPECTED` blocks; no acknowledgment is due after
    /// it.
    fn reports_before(&mut self, next: u64) -> bool {
        let waits = self.compressed > 0;
        if waits {
            self.send(Arrival { next, ..Arrival::default() });
        }
        waits
    }

    fn segments(&self) -> u64 {
        2
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::config::{Parameter, Reader, parse_fragment};
    use longfat_foundation::registry::Chosen;

    use super::*;
    use crate::transport::TcpConfig;

    const MSS: u64 = 1000;

    fn rule(window: &str) -> Box<dyn Acknowledging> {
        written("\"linux\"", window)
    }

    fn written(rule: &str, window: &str) -> Box<dyn Acknowledging> {
        let config = TcpConfig::written(&format!("{{ mss = \"1000 B\", receiver_window = \"{window}\" }}"));
        let rule = Chosen::<dyn Acknowledging>::read(&parse_fragment(rule), &mut Reader::default());
        rule.expect("it has defaults").build(&config)
    }

    fn in_order(number: u64, waits: bool) -> Arrival {
        Arrival { in_order: true, waits, length: MSS, next: MSS * (number + 1), ..Arrival::default() }
    }

    /// Segments that arrive in order; the numbers of those whose acknowledgment waits.
    fn waiting(window: &str, segments: u64) -> Vec<u64> {
        waiting_by(rule(window), segments)
    }

    fn waiting_by(mut rule: Box<dyn Acknowledging>, segments: u64) -> Vec<u64> {
        let mut waits = false;
        (0..segments)
            .filter(|&number| {
                waits = rule.delay(Time::ZERO, in_order(number, waits)).is_some();
                waits
            })
            .collect()
    }

    #[test]
    fn sixteen_segments_are_acknowledged_one_by_one_and_then_two_at_once() {
        assert_eq!(waiting("65535 B", 22), [16, 18, 20]);
    }

    /// Of 40,000 bytes more, each segment takes 2,000. They do not use up the sixteen (`quick |= 1`).
    #[test]
    fn while_the_window_grows_and_for_sixteen_more_every_segment_is_acknowledged() {
        assert_eq!(waiting("105535 B", 42), [36, 38, 40]);
    }

    /// Of 40,000 bytes, each segment takes 2,000, whatever the window is.
    #[test]
    fn a_large_window_grows_by_what_is_said() {
        let rule = written("{ kind = \"linux\", growth = \"40 kB\" }", "32 MiB");
        assert_eq!(waiting_by(rule, 42), [36, 38, 40]);
    }

    #[test]
    fn after_a_pause_sixteen_segments_are_acknowledged_one_by_one_again() {
        let mut rule = steady();
        let later = |milliseconds: u64| Time::ZERO + Span::from_microseconds(1000 * milliseconds);
        assert!(rule.delay(later(200), in_order(20, false)).is_some(), "not yet a pause");
        assert!((21..37).all(|number| rule.delay(later(401), in_order(number, number == 21)).is_none()));
        assert!(rule.delay(later(401), in_order(37, false)).is_some());
    }

    /// A rule that has acknowledged twenty segments in order, two at once.
    fn steady() -> Box<dyn Acknowledging> {
        let mut rule = rule("65535 B");
        let mut waits = false;
        for number in 0..20 {
            waits = rule.delay(Time::ZERO, in_order(number, waits)).is_some();
        }
        assert!(!waits);
        rule
    }

    #[test]
    fn a_short_segment_is_acknowledged_at_once() {
        let mut rule = steady();
        let short = Arrival { length: 300, next: 20_300, ..in_order(20, false) };
        assert_eq!(rule.delay(Time::ZERO, short), None);
    }

    #[test]
    fn three_reports_of_a_hole_go_at_once_and_the_next_together_after_a_millisecond() {
        let mut rule = steady();
        let beyond = |waits| Arrival { waits, length: MSS, next: 20_000, holds: true, ..Arrival::default() };
        let due = Time::ZERO + Span::from_microseconds(1100);
        assert_eq!([(); 3].map(|()| rule.delay(Time::ZERO, beyond(false))), [None; 3]);
        assert_eq!(rule.delay(Time::ZERO, beyond(false)), Some(due));
        let later = Time::ZERO + Span::from_microseconds(500);
        assert_eq!([(); 43].map(|()| rule.delay(later, beyond(true))), [Some(due); 43]);
        assert_eq!(rule.delay(later, beyond(true)), None, "44 wait at most");
    }

    #[test]
    fn reports_that_wait_go_before_a_third_block_arises() {
        let mut rule = steady();
        let beyond = Arrival { length: MSS, next: 20_000, holds: true, ..Arrival::default() };
        (0..3).for_each(|_| assert_eq!(rule.delay(Time::ZERO, beyond), None));
        assert!(!rule.reports_before(20_000), "nothing waits");
        assert!(rule.delay(Time::ZERO, beyond).is_some());
        assert!(rule.reports_before(20_000));
        assert!(!rule.reports_before(20_000), "it is sent");
    }

    #[test]
    fn what_fills_the_last_hole_is_acknowledged_at_once_and_a_duplicate_ends_the_waiting_for_a_while() {
        let mut rule = steady();
        assert_eq!(rule.delay(Time::ZERO, Arrival { in_order: false, next: 21_000, ..in_order(20, false) }), None);
        assert!(rule.delay(Time::ZERO, in_order(21, false)).is_some());
        assert_eq!(rule.delay(Time::ZERO, Arrival { repeats: true, ..in_order(21, true) }), None);
        assert!((22..37).all(|number| rule.delay(Time::ZERO, in_order(number, false)).is_none()));
        assert!(rule.delay(Time::ZERO, in_order(37, false)).is_some());
    }
}
