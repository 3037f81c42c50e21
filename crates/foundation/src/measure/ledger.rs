//! The capacity ledger: every picosecond of the bottleneck's line, charged to one cause.
//!
//! `docs/method/ledger.md` defines the causes, and which sender an idle line is charged to.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::{Better, DeclaredMetric, SendLimit};
use crate::units::Span;

/// Declares the causes once: their names in ledgers, and their metrics with the direction of improvement.
macro_rules! causes {
    ($($(#[doc = $doc:literal])+ $cause:ident = $name:literal, $better:ident;)+) => {
        /// Use of a picosecond of the bottleneck's line.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Cause {
            $($(#[doc = $doc])+ $cause,)+
        }

        impl Cause {
            /// All causes in the order of ledgers: what the line sent, then why it was idle.
            pub const ALL: &[Self] = &[$(Self::$cause),+];
            /// Metrics of their shares of the duration, in the same order.
            pub const SHARES: &[DeclaredMetric] = &[$(DeclaredMetric {
                name: concat!("share_", $name),
                text: concat!($($doc),+),
                better: Better::$better,
                is_share: true,
            }),+];

            /// Name in ledgers.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$cause => $name,)+
                }
            }
        }
    };
}

causes! {
    /// Packets that brought their receiver new bytes, which were delivered to the application by the end.
    Useful = "useful", More;
    /// Packets whose bytes had arrived before.
    Duplicate = "duplicate", Less;
    /// Packets that arrived beyond a hole, at a receiver that discards them.
    BeyondHole = "beyond_hole", Less;
    /// Cells of packets that did not arrive whole.
    Incomplete = "incomplete", Less;
    /// Cells of the class VBR, which does not wait for UBR.
    Vbr = "vbr", Neither;
    /// Background traffic that shares the buffer.
    Background = "background", Neither;
    /// Packets without data: acknowledgments and the opening of connections.
    Control = "control", Neither;
    /// Packets whose fate was open at the end: still in flight, or held by their receiver beyond a hole.
    UnderWay = "under_way", Neither;
    /// Nothing to send: the receiver's window allowed no more.
    IdleReceiverWindow = "idle_receiver_window", Less;
    /// Nothing to send: the congestion window, past slow start, allowed no more.
    IdleCongestionAvoidance = "idle_congestion_avoidance", Less;
    /// Nothing to send: a loss was being repaired.
    IdleRecovery = "idle_recovery", Less;
    /// Nothing to send: the congestion window was still small.
    IdleSlowStart = "idle_slow_start", Less;
    /// Nothing to send: connections were being opened.
    IdleOpening = "idle_opening", Less;
    /// Nothing to send: all senders with anything to send, or to be acknowledged, waited for their retransmission timers.
    IdleTimeout = "idle_timeout", Less;
    /// Nothing to send: no application had offered anything that was not sent.
    IdleNoData = "idle_no_data", Neither;
}

impl From<SendLimit> for Cause {
    /// The cause that an idle line is charged to, given its sender's limit.
    fn from(limit: SendLimit) -> Self {
        match limit {
            SendLimit::NoData => Self::IdleNoData,
            SendLimit::Timer => Self::IdleTimeout,
            SendLimit::Opening => Self::IdleOpening,
            SendLimit::SlowStart => Self::IdleSlowStart,
            SendLimit::Recovery => Self::IdleRecovery,
            SendLimit::CongestionAvoidance => Self::IdleCongestionAvoidance,
            SendLimit::ReceiverWindow => Self::IdleReceiverWindow,
        }
    }
}

/// A number per cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByCause([u64; Cause::ALL.len()]);

impl ByCause {
    /// Number of a cause.
    #[must_use]
    pub fn of(&self, cause: Cause) -> u64 {
        self.0[cause as usize]
    }

    /// Adds to the number of a cause.
    pub fn add(&mut self, cause: Cause, number: u64) {
        self.0[cause as usize] += number;
    }

    /// Subtracts from the number of a cause.
    ///
    /// # Panics
    /// In a debug build, if it becomes negative.
    pub fn take(&mut self, cause: Cause, number: u64) {
        self.0[cause as usize] -= number;
    }

    /// Sum over all causes.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Divides `whole` in proportion to these numbers, so that the parts sum to it exactly: each is rounded down, and the rest is given in
    /// units of one to the parts with the largest remainders (Hamilton's method). All parts are zero if these numbers are.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a part is no more than the whole")]
    pub fn apportion(&self, whole: u64) -> Self {
        let sum = u128::from(self.sum());
        if sum == 0 {
            return Self::default();
        }
        let due = self.0.map(|number| u128::from(whole) * u128::from(number));
        let mut parts = due.map(|due| (due / sum) as u64);
        let mut by_remainder: Vec<usize> = (0..due.len()).collect();
        by_remainder.sort_by_key(|&index| std::cmp::Reverse(due[index] % sum));
        let left = whole - parts.iter().sum::<u64>();
        by_remainder.iter().zip(0..left).for_each(|(&index, _)| parts[index] += 1);
        Self(parts)
    }
}

/// Picoseconds of a run's duration by cause; they sum to it exactly.
///
/// As JSON, a list of `{cause, ps, share}` in the order of [`Cause::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ledger(pub ByCause);

impl Ledger {
    /// Ledger of the time since `earlier`, a ledger of the same run and start.
    ///
    /// Packets in flight at that time were sent in the earlier ledger, but are charged in this one once they arrive; as much is subtracted
    /// here, first from what is useful. A packet in flight then and lost later makes an error of at most its transmission time.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut since = ByCause::default();
        let mut too_much = earlier.0.of(Cause::UnderWay);
        for &cause in Cause::ALL {
            let before = if cause == Cause::UnderWay { 0 } else { earlier.0.of(cause) };
            since.add(cause, self.0.of(cause).saturating_sub(before));
            too_much += before.saturating_sub(self.0.of(cause));
        }
        for &cause in Cause::ALL {
            let taken = too_much.min(since.of(cause));
            since.take(cause, taken);
            too_much -= taken;
        }
        Self(since)
    }

    /// Time charged to a cause.
    #[must_use]
    pub fn span(&self, cause: Cause) -> Span {
        Span(self.0.of(cause))
    }

    /// Total duration.
    #[must_use]
    pub fn duration(&self) -> Span {
        Span(self.0.sum())
    }

    /// Share of the duration charged to a cause, from 0 to 1.
    #[must_use]
    pub fn share(&self, cause: Cause) -> f64 {
        self.span(cause).as_seconds() / self.duration().as_seconds()
    }
}

#[derive(serde::Serialize)]
struct Entry {
    cause: &'static str,
    ps: u64,
    share: f64,
}

impl Serialize for Ledger {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(Cause::ALL.len()))?;
        for &cause in Cause::ALL {
            let entry = Entry { cause: cause.name(), ps: self.span(cause).0, share: self.share(cause) };
            list.serialize_element(&entry)?;
        }
        list.end()
    }
}

/// Shares of a ledger as metrics: `share_useful` and so on.
#[derive(Clone, Copy, Debug)]
pub struct Shares(pub Ledger);

impl Serialize for Shares {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Cause::ALL.len()))?;
        for (&cause, metric) in Cause::ALL.iter().zip(Cause::SHARES) {
            map.serialize_entry(metric.name, &self.0.share(cause))?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers(of: &[(Cause, u64)]) -> ByCause {
        let mut numbers = ByCause::default();
        of.iter().for_each(|&(cause, number)| numbers.add(cause, number));
        numbers
    }

    #[test]
    fn what_rounding_leaves_goes_to_the_largest_remainders() {
        // The exact parts of 10 are 3.33, 3.33 and 3.33; those of 11 are 1.83, 3.67 and 5.5.
        use Cause::{Duplicate, Useful, Vbr};
        let thirds = numbers(&[(Useful, 1), (Duplicate, 1), (Vbr, 1)]).apportion(10);
        assert_eq!(thirds, numbers(&[(Useful, 4), (Duplicate, 3), (Vbr, 3)]));
        let sixths = numbers(&[(Useful, 1), (Duplicate, 2), (Vbr, 3)]).apportion(11);
        assert_eq!(sixths, numbers(&[(Useful, 2), (Duplicate, 4), (Vbr, 5)]));
        assert_eq!(ByCause::default().apportion(10), ByCause::default());
    }

    #[test]
    fn a_ledger_lists_every_cause_and_its_shares_are_metrics() {
        let ledger = Ledger(numbers(&[(Cause::Useful, 750), (Cause::IdleTimeout, 250)]));
        let list = serde_json::to_value(ledger).unwrap();
        assert_eq!(list[0], serde_json::json!({ "cause": "useful", "ps": 750, "share": 0.75 }));
        assert_eq!(list.as_array().unwrap().len(), Cause::ALL.len());
        let shares = serde_json::to_value(Shares(ledger)).unwrap();
        assert_eq!(shares["share_idle_timeout"], 0.25);
        assert_eq!(shares.as_object().unwrap().len(), Cause::SHARES.len());
    }

    proptest! {
        #[test]
        fn parts_sum_to_the_whole_and_each_is_within_one_of_what_is_due(
            bits in prop::array::uniform15(prop_oneof![Just(0_u64), 0..1_u64 << 56]),
            whole in 0..1_u64 << 62,
        ) {
            let weights = ByCause(bits);
            prop_assume!(weights.sum() > 0);
            let parts = weights.apportion(whole);
            prop_assert_eq!(parts.sum(), whole);
            for &cause in Cause::ALL {
                let due = u128::from(whole) * u128::from(weights.of(cause)) / u128::from(weights.sum());
                let part = u128::from(parts.of(cause));
                prop_assert!(part == due || part == due + 1, "{cause:?}: {part} where {due} is due");
            }
        }
    }
}
