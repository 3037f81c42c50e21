//! Observing (sections 3.1 and 4.1): what a connection finds out about its path for later ones.

use std::collections::VecDeque;

use longfat_foundation::units::{Span, Time};

use super::CarefulResume;
use crate::transport::resume::{Memory, Saved};
use crate::transport::{Delivery, Window};

/// The observation of one connection.
#[derive(Debug, Default)]
pub struct Observing {
    /// Bytes delivered when the round trip began that is being observed.
    round: Option<u64>,
    /// Least round trips of the latest `rtt_period`: each is less than all after it.
    least: VecDeque<(Time, Span)>,
    /// Word for later connections.
    pub memory: Option<Memory>,
}

impl Observing {
    /// Takes a sample of the round trip.
    pub fn note_round_trip(&mut self, now: Time, sample: Span, period: Span) {
        while self.least.back().is_some_and(|(_, other)| *other >= sample) {
            self.least.pop_back();
        }
        self.least.push_back((now, sample));
        while self.least.front().is_some_and(|(at, _)| now - *at > period) {
            self.least.pop_front();
        }
    }

    /// Takes an acknowledgment in normal congestion control: of each round trip, the bytes that were acknowledged in it are saved. `earlier` is
    /// what was saved of this path before.
    pub fn note(&mut self, settings: &CarefulResume, window: &Window, delivery: &Delivery, earlier: Option<Saved>) {
        let Some(begin) = self.round else {
            self.round = Some(delivery.total);
            return;
        };
        if delivery.total_when_sent < begin {
            return;
        }
        self.round = Some(delivery.total);
        let Some(&(_, rtt)) = self.least.front() else { return };
        let cwnd = delivery.total - begin;
        let earlier = self.memory.map_or(earlier, |memory| memory.saved);
        // A sender that has little to send does not show what the path can carry (section 4.1).
        let is_poor = delivery.is_application_limited && earlier.is_some_and(|earlier| earlier.cwnd > cwnd);
        if window.cwnd >= settings.least_saved.0 * window.initial() && !is_poor {
            let saved = Saved { cwnd, rtt, at: delivery.now };
            self.memory = Some(Memory { at: delivery.now, saved: Some(saved) });
        }
    }

    /// A round trip in which the window is not that of normal congestion control is not observed.
    pub fn pause(&mut self) {
        self.round = None;
    }

    /// Deletes what was saved: it has turned out to be wrong (section 3.5).
    pub fn delete(&mut self, now: Time) {
        self.memory = Some(Memory { at: now, saved: None });
    }
}
