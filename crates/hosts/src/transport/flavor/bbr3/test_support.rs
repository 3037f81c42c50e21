//! A BBR on a known path: 1 MB/s and 100 ms, whose product is 100 segments of 1000 bytes. Its initial window is ten, its receiver allows 1000.

use longfat_foundation::units::{Span, Time};

use super::{Law, State};
pub(super) use crate::transport::law::test_support::window;
use crate::transport::{Delivery, LostSegment, Standing};

pub(super) const RATE: f64 = 1e6;

/// So many milliseconds after the beginning.
pub(super) fn at(milliseconds: u64) -> Time {
    Time::ZERO + span(milliseconds)
}

pub(super) fn span(milliseconds: u64) -> Span {
    Span::from_microseconds(1000 * milliseconds)
}

/// At a second, when a million bytes are delivered, an acknowledgment of a segment that was sent a round trip ago with a product in flight.
pub(super) fn delivery() -> Delivery {
    Delivery {
        now: at(1000),
        bytes: 1000,
        total: 1_000_000,
        total_when_sent: 900_000,
        in_flight_when_sent: 100_000,
        lost_since_sent: 0,
        rate: Some(RATE),
        is_application_limited: false,
        round_trip: Some(span(100)),
        standing: Standing {
            in_flight_before: 101_000,
            in_flight: 100_000,
            lost: 0,
            is_recovering: false,
            unacknowledged: 1_000_000,
            highest: 1_100_000,
            ..Standing::default()
        },
    }
}

/// A lost segment of 1000 bytes, the last of so many since it was sent with this in flight.
pub(super) fn lost(in_flight: u64, lost: u64) -> LostSegment {
    LostSegment {
        begin: 1_000_000,
        bytes: 1000,
        in_flight_when_sent: in_flight,
        lost_since_sent: lost,
        is_application_limited: false,
        total: 1_000_000,
    }
}

/// A BBR that knows the path and that its pipe is full.
pub(super) fn in_state(state: State) -> Law {
    let mut law = Law { state, total: 1_000_000, ..Law::default() };
    law.rate.initial_window = Some(10_000.0);
    law.path.note_rate(&delivery());
    law.path.note_round_trip(&delivery());
    law.full.was_ever = true;
    law
}

pub(super) const PROBING: State = State::ProbeRoundTrip { until: None, round_is_over: false };

#[track_caller]
pub(super) fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} is not {expected}");
}
