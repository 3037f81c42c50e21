//! An end of a connection.

mod datagrams;
mod handshake;
mod receiving;
mod sending;
mod timers;

pub use datagrams::largest_datagram;

use std::sync::Arc;

use longfat_foundation::measure::SendLimit;
use longfat_foundation::random::Stream;
use longfat_foundation::units::{Span, Time};

use self::datagrams::Datagrams;
use super::congestion::Congestion;
use super::frame::Form;
use super::pacing::Bucket;
use super::packet::{Kind, Packet};
use super::receiver::Received;
use super::round_trip::RoundTrip;
use super::sent::SentPackets;
use super::settings::{Marking, Settings};
use super::stream::{Incoming, Outgoing};
use super::streams::Streams;
use crate::end_system::{Direction, EndSystem, Message, Parcel, Progress, Vitals};
use crate::transport::resume::Resumption;
use crate::transport::{ReceivedBytes, SenderStatistics};

/// Role in the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The end that opens the connection.
    Client,
    /// The end that waits for it.
    Server,
}

impl Side {
    /// Role of the other end.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

/// Packet number spaces (RFC 9000 section 12.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Space {
    Initial,
    Handshake,
    Data,
}

impl Space {
    const ALL: [Self; 3] = [Self::Initial, Self::Handshake, Self::Data];

    fn of(kind: Kind) -> Self {
        match kind {
            Kind::Initial => Self::Initial,
            Kind::Handshake => Self::Handshake,
            Kind::ZeroRoundTrip | Kind::OneRoundTrip => Self::Data,
        }
    }
}

/// State of a packet number space.
struct SpaceState {
    sent: SentPackets,
    received: Received,
    /// Messages of the handshake.
    crypto_out: Outgoing,
    crypto_in: Incoming,
    next_number: u64,
    /// Packets with ECT(0), ECT(1) and CE that the peer has reported.
    marks: [u64; 3],
    /// Probes to send, regardless of the window.
    probes: u64,
    /// True if there are keys to send.
    has_keys: bool,
    /// True if the keys are gone again.
    is_discarded: bool,
}

/// Frames to send beside data and those of its streams.
#[derive(Clone, Copy, Debug, Default)]
struct Pending {
    handshake_done: bool,
    ack_frequency: bool,
}

/// The two ends of connections with the same settings.
pub struct Pair {
    /// Name in results.
    pub name: String,
    /// Settings of both.
    pub settings: Arc<Settings>,
}

impl Pair {
    /// The end with that role, with randomness of its own.
    #[must_use]
    pub fn end(&self, side: Side, chance: &Stream) -> End {
        End::new(self, side, &chance.of_part(side as u64))
    }
}

/// One end of a connection.
pub struct End {
    name: String,
    settings: Arc<Settings>,
    side: Side,
    spaces: [SpaceState; 3],
    round_trip: RoundTrip,
    pub(super) congestion: Congestion,
    bucket: Bucket,
    /// When pacing lets the next packet go, if that alone holds it back.
    paced_until: Option<Time>,
    /// `pto_count`.
    probe_timeouts: u32,
    loss_timer: Option<Time>,
    is_complete: bool,
    is_confirmed: bool,
    /// True if the peer's address is known to be its own (RFC 9000 section 8.1), and bytes that count until then.
    is_validated: bool,
    received_bytes: u64,
    sent_bytes: u64,
    /// True if packets carry an ECN codepoint.
    uses_ecn: bool,
    streams: Streams,
    datagrams: Datagrams,
    /// Longest delay of the peer's acknowledgments.
    peer_delay: Span,
    pending: Pending,
    /// Packets found lost by the latest act.
    lost: Vec<(Kind, u64)>,
    /// Datagrams sent.
    parcels: u64,
    statistics: SenderStatistics,
}

impl End {
    fn new(pair: &Pair, side: Side, chance: &Stream) -> Self {
        let settings = Arc::clone(&pair.settings);
        let space = |rules| SpaceState {
            sent: SentPackets::default(),
            received: Received::new(rules),
            crypto_out: Outgoing::default(),
            crypto_in: Incoming::default(),
            next_number: 0,
            marks: [0; 3],
            probes: 0,
            has_keys: false,
            is_discarded: false,
        };
        let rules = settings.acknowledging;
        let congestion = Congestion::new(&settings, chance);
        let max_cwnd = congestion.window.cwnd;
        Self {
            name: pair.name.clone(),
            side,
            spaces: [rules.at_once(), rules.at_once(), rules].map(space),
            round_trip: RoundTrip::assumed(settings.initial_round_trip),
            bucket: Bucket::new(max_cwnd),
            congestion,
            paced_until: None,
            probe_timeouts: 0,
            loss_timer: None,
            is_complete: false,
            is_confirmed: false,
            is_validated: side == Side::Client,
            received_bytes: 0,
            sent_bytes: 0,
            uses_ecn: settings.marking != Marking::None,
            streams: Streams::new(&settings, side),
            datagrams: Datagrams::default(),
            peer_delay: rules.longest_delay,
            pending: Pending::default(),
            lost: Vec::new(),
            parcels: 0,
            statistics: SenderStatistics { max_cwnd, ..SenderStatistics::default() },
            settings,
        }
    }

    /// True if the next packet may go whatever the window is.
    #[cfg(test)]
    pub(super) fn goes_beyond_window(&self) -> bool {
        self.congestion.may_exceed || self.spaces.iter().any(|space| space.probes > 0)
    }

    fn space(&mut self, space: Space) -> &mut SpaceState {
        &mut self.spaces[space as usize]
    }

    /// Where the first packet in flight begins.
    fn edge(&self) -> Option<u64> {
        self.spaces.iter().filter_map(|space| space.sent.first_in_flight()).min()
    }

    fn note_window(&mut self) {
        self.statistics.max_cwnd = self.statistics.max_cwnd.max(self.congestion.window.cwnd);
        let [losses, marks] = self.congestion.reductions;
        (self.statistics.fast_retransmits, self.statistics.reductions_for_marks) = (losses, marks);
    }
}

impl EndSystem for End {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn begin(&mut self, _now: Time) {
        self.begin_handshake();
    }

    fn offer(&mut self, _now: Time, bytes: u64) {
        self.streams.offer(bytes);
    }

    fn has_streams(&self) -> bool {
        true
    }

    fn send(&mut self, _now: Time, message: Message) {
        self.streams.send(message);
    }

    fn take_whole(&mut self) -> Option<u64> {
        self.streams.take_whole()
    }

    fn withdraw(&mut self, _now: Time) {
        self.streams.withdraw();
    }

    fn receive(&mut self, now: Time, parcel: Parcel) -> ReceivedBytes {
        self.lost.clear();
        let brought = self.take_in(now, &parcel);
        self.note_window();
        brought
    }

    fn expire(&mut self, now: Time) {
        self.lost.clear();
        self.expire_timers(now);
        self.note_window();
    }

    fn transmit(&mut self, now: Time) -> Option<Parcel> {
        self.next_datagram(now)
    }

    fn expires(&mut self) -> Option<Time> {
        let acknowledgments = self.spaces.iter().filter(|space| !space.is_discarded && space.has_keys);
        let deadline = acknowledgments.filter_map(|space| space.received.deadline()).min();
        // A server that may send no more waits for the client.
        let deadline = deadline.filter(|_| !self.is_held_back());
        [deadline, self.loss_timer, self.paced_until].into_iter().flatten().min()
    }

    fn limit(&self) -> SendLimit {
        let has_datagrams = self.datagrams.next_bytes().is_some();
        if !self.streams.has_data() && !has_datagrams {
            SendLimit::NoData
        } else if !self.spaces[Space::Data as usize].has_keys {
            SendLimit::Opening
        } else if self.streams.next().is_none() && !has_datagrams {
            SendLimit::ReceiverWindow
        } else {
            self.congestion.limit()
        }
    }

    fn hold(&mut self, unread: u64) {
        self.streams.hold(unread);
    }

    fn acknowledged(&self) -> u64 {
        self.streams.acknowledged()
    }

    fn resumption(&mut self) -> Option<&mut dyn Resumption> {
        self.congestion.resumption()
    }

    fn progress(&self) -> Progress {
        Progress { sent: self.statistics, ..self.streams.progress() }
    }

    #[expect(clippy::cast_precision_loss, reason = "windows have no more than 53 bits")]
    fn vitals(&self) -> Vitals {
        let has_sample = self.round_trip.first_sample.is_some();
        let backoff = 1 << self.probe_timeouts.min(timers::LARGEST_EXPONENT);
        Vitals {
            window: Some(self.congestion.window.cwnd),
            threshold: Some(self.congestion.window.ssthresh),
            flight: Some(self.congestion.in_flight() as f64),
            round_trip: has_sample.then_some(self.round_trip.latest),
            smoothed_round_trip: has_sample.then_some(self.round_trip.smoothed),
            timeout: Some(Span(self.probe_timeout().0.saturating_mul(backoff))),
        }
    }

    fn packets(&mut self, parcel: &Parcel, _direction: Direction) -> Vec<(Packet, u64)> {
        Packet::of_datagram(&parcel.contents, parcel.length, Form::Shortened)
    }

    fn take_lost(&mut self) -> Vec<(Kind, u64)> {
        std::mem::take(&mut self.lost)
    }

    fn count_anew(&mut self) {
        self.statistics.count_anew(self.congestion.window.cwnd);
    }

    fn memory_bytes(&self) -> usize {
        let of_space = |space: &SpaceState| {
            space.sent.memory_bytes()
                + space.received.memory_bytes()
                + space.crypto_out.memory_bytes()
                + space.crypto_in.memory_bytes()
        };
        let spaces: usize = self.spaces.iter().map(of_space).sum();
        size_of::<Self>() + spaces + self.streams.memory_bytes() + self.datagrams.memory_bytes()
    }
}
