//! A window law of the engine as a congestion controller of quinn.
//!
//! quinn tells a controller of packets by the time at which they left and by their size, so that is how they are found again here. It tells
//! losses as a number of bytes: these are the oldest. Datagrams with nothing but acknowledgments are told when they leave, and never again:
//! what quinn does not count as in flight is taken out when it next tells the sum.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use longfat_foundation::random::Stream;
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::{Span, Time};
use longfat_hosts::quic::{Account, Congestion, Kind, Measured, Numbered, Sent};
use longfat_hosts::transport::WindowSettings;
use longfat_hosts::transport::flavor::Flavor;
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

use super::surroundings::{Clock, span};

/// Makes the controller of an end.
pub struct Laws {
    /// The law.
    pub flavor: Chosen<dyn Flavor>,
    /// Its window.
    pub window: WindowSettings,
    /// Clock of the end.
    pub clock: Clock,
    /// Randomness of the law.
    pub chance: Stream,
}

impl ControllerFactory for Laws {
    fn build(self: Arc<Self>, _now: Instant, _mtu: u16) -> Box<dyn Controller> {
        Box::new(Lawful::new(self))
    }
}

/// A law, and the packets that quinn has sent.
struct Lawful {
    laws: Arc<Laws>,
    /// quinn asks for the window of a shared controller, and a law may have something to do then. One thread uses it.
    state: Mutex<State>,
}

struct State {
    congestion: Congestion,
    /// Packets in flight, the oldest first.
    sent: VecDeque<Sent>,
    /// Packets that the present acknowledgment acknowledges.
    arrived: Vec<Numbered>,
    smoothed: Option<Span>,
    /// When the latest packet left of those that were acknowledged.
    latest: Option<Time>,
    /// The present acknowledgment, until its losses are known too.
    pending: Option<(Measured, Account, u64)>,
}

impl State {
    fn edge(&self) -> Option<u64> {
        self.sent.front().and_then(|sent| sent.in_flight.map(|(begin, _)| begin))
    }

    /// Takes out `bytes` of the packets sent at `time`: a packet, or a part of a datagram with several.
    fn take(&mut self, time: Time, bytes: u64) -> Option<Sent> {
        let place = self.sent.iter().position(|sent| sent.time == time && sent.bytes >= bytes)?;
        if self.sent[place].bytes == bytes {
            return self.sent.remove(place);
        }
        let whole = &mut self.sent[place];
        let (begin, departure) = whole.in_flight?;
        let part = Sent { bytes, ..whole.clone() };
        whole.bytes -= bytes;
        whole.in_flight = Some((begin + bytes, departure));
        Some(part)
    }

    /// Forgets packets that quinn does not count as in flight, of which there are `in_flight` bytes beside those that have arrived.
    fn forget_beyond(&mut self, in_flight: u64) {
        let arrived: u64 = self.arrived.iter().map(|(_, sent)| sent.bytes).sum();
        let mut excess = self.congestion.in_flight().saturating_sub(arrived + in_flight);
        while let Some(place) = self.sent.iter().position(|sent| excess > 0 && sent.bytes <= excess) {
            let Some(sent) = self.sent.remove(place) else { return };
            excess -= sent.bytes;
            self.congestion.forget(sent.bytes);
        }
    }

    /// Takes out the oldest packets sent until then, of so many bytes.
    fn lose(&mut self, until: Time, bytes: u64) -> Vec<Numbered> {
        let (mut lost, mut left) = (Vec::new(), bytes);
        while let Some(place) = self.sent.iter().position(|sent| sent.time <= until && sent.bytes <= left && left > 0) {
            let Some(sent) = self.sent.remove(place) else { break };
            left -= sent.bytes;
            lost.push((0, sent));
        }
        lost
    }

    /// The law takes the delivery rate of an acknowledgment, once all is known of it.
    fn settle(&mut self) {
        if let Some((measured, account, lost)) = self.pending.take() {
            self.congestion.note_delivery(&measured, &account, lost);
        }
    }
}

impl Lawful {
    fn new(laws: Arc<Laws>) -> Self {
        let law = laws.flavor.build(&()).law();
        let state = State {
            congestion: Congestion::of(law, &laws.window, &laws.chance),
            sent: VecDeque::new(),
            arrived: Vec::new(),
            smoothed: None,
            latest: None,
            pending: None,
        };
        Self { laws, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Controller for Lawful {
    fn on_sent(&mut self, now: Instant, bytes: u64, _last_packet_number: u64) {
        let now = self.laws.clock.time(now);
        let mut state = self.state();
        state.settle();
        let in_flight = Some(state.congestion.send(now, bytes));
        state.sent.push_back(Sent {
            kind: Kind::OneRoundTrip,
            time: now,
            bytes,
            is_eliciting: true,
            in_flight,
            frames: Vec::new(),
            acknowledges: None,
            was_probed: false,
            is_capable: false,
        });
    }

    fn on_ack(&mut self, _now: Instant, sent: Instant, bytes: u64, _app_limited: bool, rtt: &RttEstimator) {
        let sent = self.laws.clock.time(sent);
        let mut state = self.state();
        state.settle();
        // It is that before this acknowledgment.
        state.smoothed = state.latest.map(|_| span(rtt.get()));
        let taken = state.take(sent, bytes);
        state.arrived.extend(taken.map(|sent| (0, sent)));
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, _largest: Option<u64>) {
        let now = self.laws.clock.time(now);
        let mut state = self.state();
        state.forget_beyond(in_flight);
        let arrived = std::mem::take(&mut state.arrived);
        let Some(latest) = arrived.iter().map(|(_, sent)| sent.time).max() else { return };
        let is_latest = state.latest.is_none_or(|before| latest >= before);
        let sample = is_latest.then(|| now - latest);
        state.latest = state.latest.max(Some(latest));
        let smoothed = state.smoothed.or(sample).unwrap_or_default();
        let measured = Measured { now, sample, smoothed, departs: now };
        let edge = state.edge();
        let account = state.congestion.take_in(&measured, &arrived, edge);
        state.congestion.note_use(app_limited);
        state.congestion.grow(&measured, &account);
        state.pending = Some((measured, account, 0));
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persists: bool, lost_bytes: u64) {
        let [now, sent] = [now, sent].map(|instant| self.laws.clock.time(instant));
        let mut state = self.state();
        if lost_bytes == 0 {
            if let Some((_, account, _)) = state.pending {
                state.congestion.respond_to_marks(now, &account, 1.0, sent);
            }
            return;
        }
        let lost = state.lose(sent, lost_bytes);
        let edge = state.edge();
        let bytes = state.congestion.lose(now, &lost, edge, persists);
        if let Some((.., lost)) = &mut state.pending {
            *lost += bytes;
        }
    }

    fn on_mtu_update(&mut self, _mtu: u16) {}

    fn window(&self) -> u64 {
        let mut state = self.state();
        state.settle();
        state.congestion.window.usable().max(1)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a window is positive and below 2^53")]
    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.window();
        // An infinite threshold becomes the largest number, as with quinn's own.
        metrics.ssthresh = Some(self.state().congestion.window.ssthresh as u64);
        metrics
    }

    /// quinn asks for it when a path changes, which no path here does: the law then begins anew.
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self::new(Arc::clone(&self.laws)))
    }

    fn initial_window(&self) -> u64 {
        self.laws.window.initial
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
