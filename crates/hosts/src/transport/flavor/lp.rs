//! TCP-LP (Kuzmanovic and Knightly 2003, "TCP-LP: a distributed algorithm for low priority data transfer"), and the module of Linux 6.12
//! (net/ipv4/tcp_lp.c).

mod kernel;

use longfat_foundation::config::{AtLeastOne, Fraction};
use longfat_foundation::registry::{Chosen, Plan};
use longfat_foundation::units::{Span, Time};

use super::Flavor;
use crate::transport::Window;
use crate::transport::law::{
    AfterLoss, Arithmetic, Classical, LawFacts, Progress, Regrowth, ResponseToMarks, SlowStart, WindowLaw,
};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// TCP-LP: Reno that yields to all others. Slow start shows how long one-way delays can be. From then on, when the smoothed one-way delay
    /// shows that a queue begins to fill, the window is halved, and does not grow for three round trips; if a queue fills meanwhile, the
    /// window is one segment. Needs `timestamps`: without them it is Reno.
    #[name = "lp"]
    #[source = "Kuzmanovic and Knightly 2003, IEEE INFOCOM; Linux 6.12, net/ipv4/tcp_lp.c"]
    pub struct Lp: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// The share of the range of one-way delays from which on a queue fills (delta).
        threshold: Fraction = "0.15",
        /// The weight of a sample in the smoothed one-way delay (gamma).
        smoothing: Fraction = "0.125",
        /// Round trips during which the window does not grow (inference phase).
        inference_round_trips: AtLeastOne = "3",
        /// Whether the range of delays begins anew each time that the window is reduced, between the smoothed delay and twice that, as in
        /// Linux.
        forgets_range: bool = "false" or ["true"],
        /// How one-way delays are measured: as times, or as the module of the Linux kernel does, from timestamps of 32 bits of which the receiver's
        /// begin at random. Of eight connections seven are then Reno, and the eighth finds queues where there are none.
        arithmetic: Arithmetic = "real" or ["linux"],
    }
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Lp {
    fn law(&self) -> Box<dyn WindowLaw> {
        match self.arithmetic {
            Arithmetic::Real => Box::new(Law::new(self.clone())),
            Arithmetic::Kernel => Box::new(kernel::Law::new(self.clone())),
        }
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        &*self.recovery
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            slow_start: SlowStart::Doubles,
            ends_slow_start: false,
            has_reno_response: false,
            marks: ResponseToMarks::AsLoss,
            observes_deliveries: false,
            is_paced: false,
            leaves_pipe_idle: true,
            shrinks_without_loss: true,
        }
    }

    /// Delays keep the window from the saw-tooth of losses.
    fn after_loss(&self, _segments: f64, _round_trip_s: f64) -> AfterLoss {
        AfterLoss { left: 0.5, left_after_timeout: 0.5, regrowth: Regrowth::NoSawTooth }
    }
}

/// The phase after a reduction in which the window does not grow.
#[derive(Clone, Copy, Debug, Default)]
struct Inference {
    began: Option<Time>,
    /// By the latest round trip.
    length: Span,
}

impl Inference {
    fn lasts(&self, now: Time) -> bool {
        self.began.is_some_and(|began| now - began < self.length)
    }

    /// Reduces the window for a queue: to half in whole segments, and to one segment in an inference phase. Begins a new one.
    fn yield_to_others(&mut self, window: &mut Window, now: Time) {
        if self.lasts(now) {
            window.set_segments(1);
        } else {
            window.set_segments((window.segments() / 2).max(1));
        }
        self.began = Some(now);
    }
}

/// One-way delays in seconds.
#[derive(Clone, Copy, Debug)]
struct Delays {
    least: f64,
    most: f64,
    smoothed: f64,
}

impl Delays {
    fn note(delays: &mut Option<Self>, delay: f64, weight: f64) {
        let delays = delays.get_or_insert(Self { least: delay, most: delay, smoothed: delay });
        (delays.least, delays.most) = (delays.least.min(delay), delays.most.max(delay));
        delays.smoothed += weight * (delay - delays.smoothed);
    }
}

/// Reno's window that shrinks as the one-way delay rises.
struct Law {
    settings: Lp,
    delays: Option<Delays>,
    inference: Inference,
    /// Data below this was sent before the latest reduction: its delays are those of the larger window.
    judged_from: u64,
}

impl Law {
    fn new(settings: Lp) -> Self {
        Self { settings, delays: None, inference: Inference::default(), judged_from: 0 }
    }

    /// Whether the smoothed delay is beyond the threshold in the range of delays.
    fn finds_queue(&self) -> bool {
        let share = self.settings.threshold.0;
        self.delays.is_some_and(|delays| delays.smoothed > delays.least + share * (delays.most - delays.least))
    }

    fn reduce(&mut self, window: &mut Window, progress: &Progress) {
        self.inference.yield_to_others(window, progress.now);
        window.ssthresh = window.ssthresh.min(window.cwnd).max(2.0 * window.mss());
        self.judged_from = progress.highest;
        if let Some(Delays { smoothed, .. }) = self.delays
            && self.settings.forgets_range
        {
            self.delays = Some(Delays { least: smoothed, most: 2.0 * smoothed, smoothed });
        }
    }
}

impl WindowLaw for Law {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        if let Some(round_trip) = progress.sample {
            self.inference.length = Span(self.settings.inference_round_trips.0 * round_trip.0);
        }
        if let Some(delay) = progress.one_way_delay {
            Delays::note(&mut self.delays, delay.as_seconds(), self.settings.smoothing.0);
        }
        let may_judge = !window.in_slow_start() && progress.unacknowledged > self.judged_from;
        if may_judge && progress.one_way_delay.is_some() && self.finds_queue() {
            self.reduce(window, progress);
        } else if !self.inference.lasts(progress.now) {
            Classical.on_acknowledgment(window, progress);
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        Classical.on_loss(window, flight);
    }

    fn on_loss_after_mark(&mut self, _window: &mut Window, _flight: u64) {}

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        Classical.on_timeout(window, flight);
    }
}

#[cfg(test)]
mod steps;
