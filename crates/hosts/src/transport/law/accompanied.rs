//! A window law with rules beside it: one for the end of slow start, and one for what is known of the path before.

use longfat_foundation::config::Parameter;
use longfat_foundation::random::Stream;
use longfat_foundation::registry::Chosen;
use longfat_foundation::units::{Span, Time};

use super::{Arrivals, Progress, WindowLaw};
use crate::transport::pacing::PacingTimer;
use crate::transport::resume::Resumption;
use crate::transport::slow_start::SlowStartExit;
use crate::transport::{Delivery, LostSegment, TcpConfig, Window};

/// A law that is accompanied: what it is told, its companions are told too.
pub struct Accompanied {
    law: Box<dyn WindowLaw>,
    exit: Box<dyn SlowStartExit>,
    /// The rule of resumption, if there is one.
    resume: Option<Box<dyn Resumption>>,
}

impl Accompanied {
    /// The law itself, unless the settings ask for company.
    #[must_use]
    pub fn where_configured(law: Box<dyn WindowLaw>, config: &TcpConfig) -> Box<dyn WindowLaw> {
        Self::by(law, &config.slow_start_exit, &config.resume)
    }

    /// The law with these companions, or itself where there are none.
    #[must_use]
    pub fn by(
        law: Box<dyn WindowLaw>,
        exit: &Chosen<dyn SlowStartExit>,
        resume: &Chosen<dyn Resumption>,
    ) -> Box<dyn WindowLaw> {
        if exit.is_absent() && resume.is_absent() {
            return law;
        }
        let resume = (!resume.is_absent()).then(|| resume.build(&()));
        Box::new(Self { law, exit: exit.build(&()), resume })
    }

    /// Lets the law grow the window, in slow start by as much as the rule for its end allows.
    fn grow(&mut self, window: &mut Window, progress: &Progress) {
        if !window.in_slow_start() {
            return self.law.on_acknowledgment(window, progress);
        }
        let most = self.exit.most_counted(window, progress);
        let before = window.cwnd;
        self.law.on_acknowledgment(window, &Progress { acknowledged: progress.acknowledged.min(most), ..*progress });
        let (share, growth) = (self.exit.share_of_growth(), window.cwnd - before);
        if share < 1.0 && growth > 0.0 {
            window.cwnd = before;
            window.grow(share * growth);
        }
        self.exit.on_growth(window, progress);
    }

    /// Tells the companions of a reduction that `reduce` makes.
    fn reduce(&mut self, window: &mut Window, reduce: impl FnOnce(&mut dyn WindowLaw, &mut Window)) {
        self.exit.on_reduction();
        if let Some(resume) = &mut self.resume {
            resume.before_reduction(window);
        }
        reduce(&mut *self.law, window);
        if let Some(resume) = &mut self.resume {
            resume.after_reduction(window);
        }
    }
}

impl WindowLaw for Accompanied {
    fn on_acknowledgment(&mut self, window: &mut Window, progress: &Progress) {
        let Some(resume) = &mut self.resume else { return self.grow(window, progress) };
        resume.on_acknowledgment(progress);
        let held = resume.holds_window().then_some(window.cwnd);
        self.grow(window, progress);
        window.cwnd = held.unwrap_or(window.cwnd);
    }

    fn on_loss(&mut self, window: &mut Window, flight: u64) {
        self.reduce(window, |law, window| law.on_loss(window, flight));
    }

    fn on_loss_after_mark(&mut self, window: &mut Window, flight: u64) {
        self.reduce(window, |law, window| law.on_loss_after_mark(window, flight));
    }

    fn on_mark(&mut self, window: &mut Window, flight: u64) {
        self.reduce(window, |law, window| law.on_mark(window, flight));
    }

    fn on_timeout(&mut self, window: &mut Window, flight: u64) {
        self.exit.on_timeout();
        self.resume.iter_mut().for_each(|resume| resume.on_timeout());
        self.law.on_timeout(window, flight);
    }

    fn observes_arrivals(&self) -> bool {
        self.exit.observes_arrivals() || self.law.observes_arrivals()
    }

    fn counts_delivered(&self) -> bool {
        self.law.counts_delivered()
    }

    fn on_arrivals(&mut self, window: &mut Window, arrivals: &Arrivals) {
        if self.law.observes_arrivals() {
            self.law.on_arrivals(window, arrivals);
        }
        self.exit.on_arrivals(window, arrivals);
    }

    fn on_restart_from_idle(&mut self, now: Time) {
        self.exit.on_restart_from_idle();
        self.law.on_restart_from_idle(now);
    }

    fn observes_marks(&self) -> bool {
        self.law.observes_marks()
    }

    fn observe_marks(&mut self, acknowledged: u64, marked: u64, unacknowledged: u64, highest: u64) {
        self.law.observe_marks(acknowledged, marked, unacknowledged, highest);
    }

    fn observes_deliveries(&self) -> bool {
        self.resume.is_some() || self.law.observes_deliveries()
    }

    fn on_delivery(&mut self, window: &mut Window, delivery: &Delivery) {
        let (by_rate, resume) = (self.law.tries_rates(), self.resume.as_mut());
        if let Some(rate) = resume.filter(|_| by_rate).and_then(|resume| resume.known_rate(window, delivery)) {
            self.law.try_rate(rate);
        }
        if self.law.observes_deliveries() {
            self.law.on_delivery(window, delivery);
        }
        if let Some(resume) = self.resume.as_mut().filter(|_| !by_rate) {
            resume.on_delivery(window, delivery);
        }
    }

    fn on_recovered(&mut self, window: &mut Window, highest: u64) {
        self.law.on_recovered(window, highest);
    }

    fn on_lost_segment(&mut self, window: &mut Window, lost: &LostSegment, now: Time) {
        self.law.on_lost_segment(window, lost, now);
    }

    fn sends_less_than_it_could(&self) -> bool {
        self.law.sends_less_than_it_could()
    }

    fn forgets_when_idle(&self) -> bool {
        self.law.forgets_when_idle()
    }

    fn on_opened(&mut self, now: Time, round_trip: Span) {
        self.law.on_opened(now, round_trip);
        self.resume.iter_mut().for_each(|resume| resume.on_opened(now, round_trip));
    }

    fn set_first_window(&mut self, window: &mut Window) {
        self.law.set_first_window(window);
    }

    fn is_paced(&self) -> bool {
        self.resume.is_some() || self.law.is_paced()
    }

    fn pacing_rate(&mut self, window: &Window) -> Option<f64> {
        let rate = self.resume.as_ref().and_then(|resume| resume.pacing_rate());
        rate.or_else(|| self.law.pacing_rate(window))
    }

    fn pacing_timer(&self) -> Option<PacingTimer> {
        self.law.pacing_timer()
    }

    fn take_chance(&mut self, chance: &mut dyn FnMut() -> Stream) {
        self.law.take_chance(chance);
    }

    fn resumption(&mut self) -> Option<&mut dyn Resumption> {
        Some(&mut **self.resume.as_mut()?)
    }

    fn on_undo(&mut self, window: &mut Window, before: f64) {
        // After a jump the window before the reduction was not validated (RFC 9959 section 3.5): a needless reduction stays.
        if !self.resume.as_ref().is_some_and(|resume| resume.holds_window()) {
            self.law.on_undo(window, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::law::test_support::law_and_window;

    const HOST: &str = "timestamps = true, slow_start_growth = \"per-segment\", initial_ssthresh = \"unlimited\"";

    /// A connection of such a host.
    fn host(settings: &str) -> (Box<dyn WindowLaw>, Window) {
        let (law, window) = law_and_window(&format!("{HOST}, {settings}"));
        let config = TcpConfig::written(&format!("{{ mss = \"1000 B\", {HOST}, {settings} }}"));
        (Accompanied::where_configured(law, &config), window)
    }

    /// The windows after acknowledgments of a segment each, whose round trips grow after two rounds.
    fn windows(settings: &str) -> Vec<f64> {
        let (mut law, mut window) = host(settings);
        let grown = (1..200_u64).map(|number| {
            let round_trip = Span::from_microseconds(if number < 30 { 80_000 } else { 100_000 });
            let now = Time::ZERO + Span::from_microseconds(80_000 + 500 * number);
            let highest = 1000 * number + window.usable();
            let arrivals = Arrivals {
                now,
                segments: 1,
                bytes: 1000,
                round_trip: Some(round_trip),
                unacknowledged: 1000 * number,
                highest,
                ..Arrivals::default()
            };
            law.on_arrivals(&mut window, &arrivals);
            let progress = Progress {
                now,
                acknowledged: 1000,
                sample: Some(round_trip),
                smoothed_round_trip: Some(round_trip),
                unacknowledged: 1000 * number,
                highest,
                window_is_used: true,
                ..Progress::default()
            };
            law.on_acknowledgment(&mut window, &progress);
            window.cwnd
        });
        grown.collect()
    }

    /// Windows are equal, whether the rule is beside the law or within it.
    #[test]
    fn a_rule_beside_cubic_does_what_it_does_within() {
        for exit in ["hystart++", "hystart"] {
            let within = windows(&format!("flavor = {{ kind = \"cubic\", slow_start_exit = \"{exit}\" }}"));
            let beside = windows(&format!("flavor = \"cubic\", slow_start_exit = \"{exit}\""));
            assert_eq!(within, beside, "{exit}");
            assert_ne!(beside, windows("flavor = \"cubic\""), "{exit}");
        }
    }

    /// `Accompanied` hands everything on: a rule that never acts changes no law.
    #[test]
    fn a_rule_that_never_acts_changes_nothing() {
        for flavor in ["reno", "cubic", "illinois", "bic", "h-tcp", "westwood", "scalable", "dctcp"] {
            let never = "slow_start_exit = { kind = \"search\", threshold = 1.0 }";
            assert_eq!(windows(&format!("flavor = \"{flavor}\", {never}")), windows(&format!("flavor = \"{flavor}\"")));
        }
    }

    #[test]
    fn without_a_rule_the_law_stands_alone() {
        assert!(host("flavor = \"reno\"").0.grows_classically());
        assert!(!host("flavor = \"reno\", slow_start_exit = \"search\"").0.grows_classically());
    }
}
