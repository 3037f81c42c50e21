//! LeoCC (Lai et al., SIGCOMM 2025), as the module for replayed traces has it: github.com/SpaceNetLab/LeoCC, leocc/simulation/leocc.c, commit 867e673. Names in
//! code font are the module's. It is BBR as in Linux, whose model is renewed when the path is about to change.

mod kalman;

use kalman::{Kalman, Noise};
use longfat_foundation::config::{AtLeastOne, Gain, PositiveNumber, PositiveSpan};
use longfat_foundation::registry::Plan;
use longfat_foundation::units::{Span, Time};

use super::Flavor;
use super::bbr::{Addition, Bbr, Law, RecoveryOfBbr, State, Variant};
use crate::transport::Delivery;
use crate::transport::law::{AfterLoss, Changes, JIFFIES_PER_SECOND, LawFacts, WindowLaw, jiffies, microseconds};
use crate::transport::pacing::PacingTimer;
use crate::transport::recovery::Recovery;

longfat_foundation::choice! {
    /// The time from which changes of the path are counted.
    pub enum GridFrom {
        /// The start of the scenario, as paths that change count.
        Scenario = "scenario",
        /// The opening of the connection, as the module counts, in which that of the host's latest connection counts for all.
        Opening = "opening",
    }
}

longfat_foundation::model! {
    /// BBR for satellites in low orbits: it knows when the path changes, every 15 s with Starlink. Just before, it measures the round trip, and then the bandwidth from
    /// Startup on. Between changes the rate follows a Kalman filter of the bandwidth instead of its maximum while round trips are long. It computes as the
    /// module of the Linux kernel does.
    #[name = "leocc"]
    #[source = "Lai et al. 2025, \"LeoCC: Making Internet Congestion Control Robust to LEO Satellite Dynamics\"; github.com/SpaceNetLab/LeoCC, leocc/simulation/leocc.c"]
    pub struct Leocc: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: RecoveryOfBbr = "sack-rfc6675",
        /// When the next segment may go.
        pacing_timer: PacingTimer = "exact" or ["linux", "linux-fq"],
        /// Time between changes of the path (`PERIOD`).
        period: PositiveSpan = "15 s",
        /// When the path first changes (`offset`), a period after the start if 0 s. The module has to be told and has 12 s otherwise: Starlink's changes are 12, 27, 42 and 57 s after
        /// each full minute. Those of the path `leo` are at 15 s, 30 s and so on.
        offset: Span = "0 s" or ["12 s"],
        /// From when `offset` is counted.
        grid_from: GridFrom = "scenario" or ["opening"],
        /// How long before a change LeoCC gets ready for it (`magic_offet`): with the first acknowledgment in this time.
        lead: PositiveSpan = "100 ms",
        /// How long the shortest round trip counts without a change (`leocc_min_rtt_win_sec`).
        round_trip_lifetime: PositiveSpan = "20 s",
        /// How long the round trip is probed, at least a round (`leocc_probe_rtt_mode_ms`).
        probe_duration: PositiveSpan = "200 ms",
        /// Bandwidth-delay products in flight meanwhile, at least four segments (`leocc_probe_rtt_cwnd_gain`).
        probe_products: PositiveNumber = "0.5",
        /// By how much the round trip must have fallen, while it is probed, for the latest bandwidth to be kept for the new path
        /// (`delta_thresh`). Otherwise nothing of the bandwidth is.
        kept_bandwidth_threshold: Span = "45 ms",
        /// How much longer than the shortest the filtered round trip must be for the filtered bandwidth to count instead of the maximum
        /// (`min_rtt_fluctuation`). 5 to 20 ms, says the module's page: more for throughput, less for short queues.
        min_rtt_fluctuation: Span = "10 ms" or ["5 ms", "20 ms"],
        /// By how much more (`delta_rtt`).
        extra_round_trip: Span = "0 s",
        /// The pacing gain of the phase that probes for more bandwidth while the filtered one counts, rounded down to 256ths; otherwise 1.25.
        filtered_gain: Gain = "1.05",
        /// Variance by which the bandwidth is assumed to wander in a round (`var_Q`). Only its ratio to `bandwidth_noise` and the rounding of small numbers
        /// count.
        bandwidth_wander: AtLeastOne = "4",
        /// Variance of a measurement of the bandwidth (`var_R`).
        bandwidth_noise: AtLeastOne = "4",
        /// Variance by which round trips are assumed to wander from acknowledgment to acknowledgment (`var_Q_rtt`).
        round_trip_wander: AtLeastOne = "4",
        /// Variance of a measurement of the round trip (`var_R_rtt`).
        round_trip_noise: AtLeastOne = "4",
        /// Variance of both estimates, which are 0 at first (`p_post_bw`, `p_post_rtt`).
        first_variance: AtLeastOne = "25",
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(config, _context) { config.objections() }
}

impl Leocc {
    fn objections(&self) -> Vec<(&'static str, String)> {
        if self.lead < self.period {
            return Vec::new();
        }
        let words = "no time between changes is left; write less than period".to_owned();
        vec![("lead", words)]
    }

    /// BBR as LeoCC is made of it.
    fn bbr(&self) -> Bbr {
        Bbr::of_kernel(self.recovery, self.pacing_timer)
    }
}

impl Flavor for Leocc {
    fn law(&self) -> Box<dyn WindowLaw> {
        let variant = Variant {
            round_trip_lifetime: self.round_trip_lifetime.0,
            probe_duration: self.probe_duration.0,
            probe_products: self.probe_products.0,
            measures_round_trip_anew: true,
            ..Variant::default()
        };
        Box::new(Law::varied(self.bbr(), variant, Box::new(Renewal::new(self.clone()))))
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        self.recovery.plan()
    }

    fn facts(&self) -> LawFacts {
        self.bbr().facts()
    }

    fn after_loss(&self, segments: f64, round_trip_s: f64) -> AfterLoss {
        self.bbr().after_loss(segments, round_trip_s)
    }
}

/// When the model of the path is renewed, and the filters between.
struct Renewal {
    settings: Leocc,
    opened: Time,
    /// In units of the kernel, and in microseconds (`bw_hat_post`, `rtt_hat_post`).
    bandwidth: Kalman,
    round_trip: Kalman,
    /// The largest sample of the round in units of the kernel (`rtt_cnt_max_bw`), and the latest in bytes per second (`latest_bw`).
    largest: u64,
    latest: f64,
    /// The bandwidth with which Startup begins on the new path (`reconfiguration_max_bw`).
    kept: f64,
    was_in_startup: bool,
}

impl Renewal {
    fn new(settings: Leocc) -> Self {
        let (of_bandwidth, of_round_trips) = (
            Noise { wander: settings.bandwidth_wander.0, measurement: settings.bandwidth_noise.0 },
            Noise { wander: settings.round_trip_wander.0, measurement: settings.round_trip_noise.0 },
        );
        let variance = settings.first_variance.0;
        Self {
            opened: Time::ZERO,
            bandwidth: Kalman::new(of_bandwidth, variance),
            round_trip: Kalman::new(of_round_trips, variance),
            largest: 0,
            latest: 0.0,
            kept: 0.0,
            was_in_startup: true,
            settings,
        }
    }

    /// True from `lead` before a change of the path until the change, both ends included, in the kernel's jiffies.
    fn changes_soon(&self, now: Time) -> bool {
        let begin = match self.settings.grid_from {
            GridFrom::Scenario => Time::ZERO,
            GridFrom::Opening => self.opened,
        };
        let lead = self.settings.lead.0;
        let since_begin = (jiffies(now) - jiffies(begin)) * 1_000_000 / JIFFIES_PER_SECOND;
        Changes::new(self.settings.offset, self.settings.period.0).is_about(since_begin, lead, lead)
    }
}

impl Addition for Renewal {
    fn open(&mut self, now: Time) {
        self.opened = now;
    }

    /// The beginning of `leocc_main`, and what `leocc_update_bw` has beyond BBR's.
    fn before(&mut self, bbr: &mut Law, delivery: &Delivery) {
        if bbr.variant.starts_anew.is_some() || self.changes_soon(delivery.now) {
            bbr.variant.starts_anew = Some(self.kept);
        }
        self.was_in_startup = bbr.state == State::Startup;
        let round_is_over = bbr.rounds.would_start(delivery);
        if round_is_over && matches!(bbr.state, State::ProbeBandwidth { .. }) {
            self.bandwidth.add(self.largest);
        }
        let Some(rate) = delivery.rate.map(|rate| bbr.units.bandwidth(rate)) else { return };
        let before = if round_is_over { 0 } else { self.largest };
        self.largest = before.max(bbr.units.scaled(rate));
        let has_fallen = delivery.round_trip.is_some_and(|sample| {
            self.round_trip.estimate > microseconds(sample + self.settings.kept_bandwidth_threshold)
        });
        if has_fallen && matches!(bbr.state, State::ProbeRoundTrip { .. }) {
            self.kept = self.latest;
            bbr.variant.starts_anew = bbr.variant.starts_anew.map(|_| self.kept);
        }
        self.latest = rate;
    }

    /// The end of `leocc_main`.
    fn bandwidth(&mut self, bbr: &mut Law, delivery: &Delivery) -> f64 {
        if self.was_in_startup && bbr.state != State::Startup {
            self.kept = 0.0;
        }
        if let Some(sample) = delivery.round_trip.map(microseconds).filter(|sample| *sample > 0) {
            self.round_trip.add(sample);
        }
        let limit = self.settings.extra_round_trip + self.settings.min_rtt_fluctuation;
        let is_long =
            bbr.round_trip.is_some_and(|(shortest, _)| self.round_trip.estimate >= microseconds(shortest + limit));
        let cruises = bbr.variant.starts_anew.is_none() && matches!(bbr.state, State::ProbeBandwidth { .. });
        // The phase that probes has this gain from the next acknowledgment on.
        if is_long && cruises {
            bbr.variant.probing_gain = (self.settings.filtered_gain.0 * 256.0).floor() / 256.0;
            return bbr.units.unscaled(self.bandwidth.estimate);
        }
        bbr.variant.probing_gain = Variant::default().probing_gain;
        bbr.bandwidth()
    }
}

#[cfg(test)]
mod steps;
