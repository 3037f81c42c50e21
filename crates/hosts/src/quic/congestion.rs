//! Congestion control (RFC 9002 section 7): the window laws of TCP, told of packets.
//!
//! Laws go by sequence numbers. Here they are of all bytes in flight that were ever sent: a packet is never sent again, so each has its
//! own, and what is taken for lost is passed over.

use longfat_foundation::measure::SendLimit;
use longfat_foundation::random::Stream;
use longfat_foundation::units::{Span, Time};

use super::sent::Numbered;
use super::settings::{self, Settings};
use crate::transport::law::{Accompanied, Arrivals, Phase, Progress, WindowLaw};
use crate::transport::resume::Resumption;
use crate::transport::{Deliveries, Departure, Sample, Standing, TimeoutKind, Transmission, Window, WindowSettings};

/// The least window in packets (`kMinimumWindow`).
const LEAST_WINDOW: f64 = 2.0;

/// Congestion control of one end.
pub struct Congestion {
    /// Window and threshold.
    pub window: Window,
    law: Box<dyn WindowLaw>,
    deliveries: Deliveries,
    fills_window: bool,
    /// True if a reduction lets one packet go beyond the window (RFC 9002 section 7.3.2), and if one may.
    sends_at_reduction: bool,
    pub(super) may_exceed: bool,
    is_paced: bool,
    /// `bytes_in_flight`.
    in_flight: u64,
    /// Bytes sent so far that counted as in flight.
    highest: u64,
    /// First of these bytes that is in flight.
    edge: u64,
    /// When the latest reduction was (`congestion_recovery_start_time`).
    recovery_start: Option<Time>,
    is_recovering: bool,
    /// True if the window has not been used up lately, because there was nothing to send or the peer allowed no more (RFC 9002 section 7.8).
    is_underused: bool,
    has_opened: bool,
    /// Reductions for losses, and for marks.
    pub reductions: [u64; 2],
    /// Times at which congestion was persistent.
    pub persistent: u64,
}

/// State of the path that an acknowledgment tells.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// When it arrives.
    pub now: Time,
    /// Sample of the round trip.
    pub sample: Option<Span>,
    /// Smoothed round trip.
    pub smoothed: Span,
    /// When the next packet may leave.
    pub departs: Time,
}

/// An acknowledgment under way through this module.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    sample: Sample,
    in_flight_before: u64,
    /// Bytes that may let the window grow.
    counted: u64,
}

impl Congestion {
    /// Creates the congestion state of a new connection: nothing in flight, the initial window.
    #[must_use]
    pub fn new(settings: &Settings, chance: &Stream) -> Self {
        let law = settings.flavor.build(&()).law();
        let law = Accompanied::by(law, &settings.slow_start_exit, &settings.resume);
        Self {
            is_paced: law.is_paced() || settings.pacing != settings::Pacing::None,
            fills_window: settings.window != settings::Window::NotFilled,
            sends_at_reduction: settings.at_reduction != settings::AtReduction::Nothing,
            ..Self::of(law, &settings.window_settings(), chance)
        }
    }

    /// Creates the state of a law over another stack, which paces its packets and asks for nothing but the window.
    #[must_use]
    pub fn of(mut law: Box<dyn WindowLaw>, window: &WindowSettings, chance: &Stream) -> Self {
        law.take_chance(&mut || chance.clone());
        Self {
            window: Window::of(window),
            is_paced: true,
            law,
            deliveries: Deliveries::default(),
            fills_window: true,
            sends_at_reduction: false,
            may_exceed: false,
            in_flight: 0,
            highest: 0,
            edge: 0,
            recovery_start: None,
            is_recovering: false,
            is_underused: true,
            has_opened: false,
            reductions: [0; 2],
            persistent: 0,
        }
    }

    /// True if the window lets a packet of so many bytes go.
    #[must_use]
    pub fn has_room(&self, bytes: u64) -> bool {
        let (flight, window) = (self.in_flight + bytes, self.window.usable());
        self.may_exceed || if self.fills_window { flight <= window } else { flight < window }
    }

    /// The rule of resumption, if there is one.
    pub fn resumption(&mut self) -> Option<&mut dyn Resumption> {
        self.law.resumption()
    }

    /// Rate of the law, if it has one, in bytes per second.
    pub fn rate(&mut self) -> Option<f64> {
        self.law.pacing_rate(&self.window)
    }

    /// The limit that binds when the window is full.
    #[must_use]
    pub fn limit(&self) -> SendLimit {
        if self.is_recovering { SendLimit::Recovery } else { self.window.send_limit() }
    }

    /// The sender has stopped: its window is used up or not.
    pub fn note_use(&mut self, is_underused: bool) {
        self.is_underused = is_underused;
        if is_underused {
            self.deliveries.limit(self.in_flight);
        }
    }

    /// A packet that counts as in flight leaves.
    pub fn send(&mut self, now: Time, bytes: u64) -> (u64, Departure) {
        let (is_first, begin) = (self.in_flight == 0, self.highest);
        if is_first && begin > 0 {
            self.law.on_restart_from_idle(now);
        }
        if is_first {
            self.edge = begin;
        }
        self.highest += bytes;
        self.in_flight += bytes;
        self.may_exceed = false;
        (begin, self.deliveries.note_sent(now, bytes, self.in_flight, is_first))
    }

    /// Bytes in flight.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Packets do not count any more: their keys are gone.
    pub fn forget(&mut self, bytes: u64) {
        self.in_flight -= bytes;
    }

    /// The handshake has measured a round trip.
    fn open(&mut self, now: Time, round_trip: Span) {
        if !self.has_opened {
            self.has_opened = true;
            self.law.on_opened(now, round_trip);
            self.law.set_first_window(&mut self.window);
        }
    }

    fn phase(&self) -> Phase {
        if self.is_recovering { Phase::Recovery } else { Phase::Open }
    }

    fn was_before_reduction(&self, sent: Time) -> bool {
        self.recovery_start.is_some_and(|start| sent <= start)
    }

    /// Takes packets that were acknowledged; `edge` is where the first in flight begins now.
    pub fn take_in(&mut self, measured: &Measured, arrived: &[Numbered], edge: Option<u64>) -> Account {
        let mut account = Account { sample: Sample::default(), in_flight_before: self.in_flight, counted: 0 };
        if let Some(round_trip) = measured.sample {
            self.open(measured.now, round_trip);
        }
        for (_, sent) in arrived {
            let Some((begin, note)) = sent.in_flight else { continue };
            self.in_flight -= sent.bytes;
            let end = begin + sent.bytes;
            account.sample.note_arrival(&Transmission {
                begin,
                end,
                sent: sent.time,
                was_sent_before: false,
                has_arrived: true,
                note,
            });
            if !self.was_before_reduction(sent.time) {
                account.counted += sent.bytes;
            }
        }
        self.edge = edge.unwrap_or(self.highest);
        self.deliveries.take_in(measured.now, &account.sample);
        if account.counted > 0 && std::mem::take(&mut self.is_recovering) {
            self.law.on_recovered(&mut self.window, self.highest);
        }
        if self.law.observes_arrivals() {
            let (round_trip, delivered_since) = self.deliveries.newest(account.sample, measured.now);
            let arrivals = Arrivals {
                now: measured.now,
                segments: self.window.in_segments(account.sample.bytes),
                bytes: account.sample.bytes,
                round_trip,
                delivered_since,
                unacknowledged: self.edge,
                highest: self.highest,
                phase: self.phase(),
                is_paced: self.is_paced,
            };
            self.law.on_arrivals(&mut self.window, &arrivals);
        }
        account
    }

    /// Answers marks on some of the packets acknowledged, of which the largest was `sent` then (RFC 9002 section 7.1).
    #[expect(clippy::cast_precision_loss, reason = "far less than 2^53 packets")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of bytes")]
    pub fn respond_to_marks(&mut self, now: Time, account: &Account, marked_share: f64, sent: Time) {
        let bytes = account.sample.bytes;
        if self.law.observes_marks() {
            let marked = (bytes as f64 * marked_share.min(1.0)) as u64;
            self.law.observe_marks(bytes, marked, self.edge, self.highest);
        }
        if marked_share > 0.0 && !self.was_before_reduction(sent) {
            let before = self.window.cwnd;
            self.begin_recovery(now);
            let reduced = self.bytes_to_reduce();
            self.law.on_mark(&mut self.window, reduced);
            self.reductions[1] += u64::from(self.window.cwnd < before);
        }
    }

    /// Bytes of which a reduction leaves a share: the window, not what is in flight as with TCP (RFC 9002 appendix B.6).
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a window is at most a number of bytes"
    )]
    fn bytes_to_reduce(&self) -> u64 {
        self.window.cwnd as u64
    }

    fn begin_recovery(&mut self, now: Time) {
        self.recovery_start = Some(now);
        self.is_recovering = true;
    }

    /// Takes packets that are lost (RFC 9002 appendix B.8); `edge` is where the first in flight begins now, and `persists` if they show
    /// persistent congestion.
    pub fn lose(&mut self, now: Time, lost: &[Numbered], edge: Option<u64>, persists: bool) -> u64 {
        let mut bytes = 0;
        let mut last: Option<Time> = None;
        for (_, sent) in lost {
            let Some((begin, departure)) = sent.in_flight else { continue };
            bytes += sent.bytes;
            last = last.max(Some(sent.time));
            self.in_flight -= sent.bytes;
            let segment = self.deliveries.note_lost(begin, sent.bytes, &departure);
            self.law.on_lost_segment(&mut self.window, &segment, now);
        }
        self.edge = edge.unwrap_or(self.highest);
        let Some(last) = last else { return 0 };
        let least = LEAST_WINDOW * self.window.mss();
        if !self.was_before_reduction(last) {
            self.begin_recovery(now);
            self.reductions[0] += 1;
            self.may_exceed = self.sends_at_reduction;
            let reduced = self.bytes_to_reduce();
            self.law.on_loss(&mut self.window, reduced);
        }
        if persists {
            self.persistent += 1;
            self.window.note_timeout(TimeoutKind::InRecovery);
            self.law.on_timeout(&mut self.window, self.in_flight);
            self.recovery_start = None;
            self.is_recovering = false;
        }
        self.window.cwnd = self.window.cwnd.max(least);
        bytes
    }

    /// The window grows by what an acknowledgment acknowledges, outside of a recovery.
    pub fn grow(&mut self, measured: &Measured, account: &Account) {
        if account.counted > 0 && !self.is_recovering {
            let was_in_slow_start = self.window.in_slow_start();
            let progress = Progress {
                now: measured.now,
                acknowledged: account.counted,
                sample: measured.sample,
                one_way_delay: None,
                smoothed_round_trip: Some(measured.smoothed),
                is_paced: self.is_paced,
                unacknowledged: self.edge,
                highest: self.highest,
                window_is_used: !self.is_underused,
                phase: self.phase(),
            };
            self.law.on_acknowledgment(&mut self.window, &progress);
            if was_in_slow_start && !self.window.in_slow_start() {
                self.window.count_beyond_threshold();
            }
            if self.window.take_back_off().is_some() {
                self.begin_recovery(measured.now);
            }
        }
    }

    /// The law takes the delivery rate of an acknowledgment that has shown the loss of `lost` bytes.
    pub fn note_delivery(&mut self, measured: &Measured, account: &Account, lost: u64) {
        if self.law.observes_deliveries() {
            let standing = Standing {
                in_flight_before: account.in_flight_before,
                in_flight: self.in_flight,
                lost,
                is_recovering: self.is_recovering,
                unacknowledged: self.edge,
                highest: self.highest,
                departs: measured.departs,
            };
            let delivery = self.deliveries.delivery(account.sample, measured.now, standing);
            self.law.on_delivery(&mut self.window, &delivery);
            if self.law.sends_less_than_it_could() {
                self.deliveries.limit(self.in_flight);
            }
        }
    }
}
