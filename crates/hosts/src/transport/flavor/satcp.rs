//! SaTCP (Cao and Zhang, INFOCOM 2023), as its authors' patch of Linux's CUBIC has it: github.com/XuyangCaoUCSD/LeoEM, emulation_stage/satcp, commit 4488b00. Names
//! in code font are those of its files.

use longfat_foundation::config::{AtLeastOne, PositiveSpan};
use longfat_foundation::registry::{Chosen, Plan};
use longfat_foundation::units::Span;

use super::Flavor;
use super::cubic::{Cubic, Inhibition, SlowStartExit};
use crate::transport::law::{AfterLoss, Changes, LawFacts, Regrowth, WindowLaw};
use crate::transport::recovery::Recovery;

longfat_foundation::model! {
    /// CUBIC for satellites in low orbits, as in Linux: around handovers, which it knows, a loss does not make it forget how large the window was, and it grows back
    /// to that at once.
    #[name = "satcp"]
    #[source = "Cao and Zhang 2023, \"SaTCP: Link-Layer Informed TCP Adaptation for Highly Dynamic LEO Satellite Networks\"; github.com/XuyangCaoUCSD/LeoEM, emulation_stage/satcp"]
    pub struct Satcp: dyn Flavor {
        /// How losses are detected and repaired.
        recovery: Chosen<dyn Recovery> = "sack-rfc6675",
        /// When the first slow start ends. As in Linux.
        slow_start_exit: SlowStartExit = "hystart" or ["loss", "hystart++"],
        /// Time between handovers.
        period: PositiveSpan = "15 s",
        /// When the first handover is, from the start of the scenario; a period after it if 0 s.
        offset: Span = "0 s",
        /// How long before a handover it is reported (`status_report_delayed_shift`): no forecast of one is exact.
        earlier: Span = "500 ms" or ["0 s"],
        /// For how long from then on losses are taken for those of a handover (`SATCP_DURATION`).
        inhibited_for: PositiveSpan = "2.3 s",
        /// By what the time back to the maximum is divided then: a ninth is left.
        divisor: AtLeastOne = "9",
    }
    build(config, _context) { Box::new(config.clone()) }
    objections(config, _context) { config.objections() }
}

impl Satcp {
    fn objections(&self) -> Vec<(&'static str, String)> {
        if self.inhibited_for < self.period {
            return Vec::new();
        }
        let words = "no time between handovers is left; write less than period".to_owned();
        vec![("inhibited_for", words)]
    }

    /// CUBIC as SaTCP is made of it.
    fn cubic(&self) -> Cubic {
        Cubic::of_kernel(self.recovery.clone(), self.slow_start_exit)
    }
}

impl Flavor for Satcp {
    fn law(&self) -> Box<dyn WindowLaw> {
        self.cubic().inhibited(Inhibition {
            changes: Changes::new(self.offset, self.period.0),
            earlier: self.earlier,
            duration: self.inhibited_for.0,
            divisor: self.divisor.0,
        })
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        &*self.recovery
    }

    fn facts(&self) -> LawFacts {
        self.cubic().facts()
    }

    /// How long the window takes to grow back depends on when the loss was.
    fn after_loss(&self, segments: f64, round_trip_s: f64) -> AfterLoss {
        AfterLoss { regrowth: Regrowth::NoSawTooth, ..self.cubic().after_loss(segments, round_trip_s) }
    }
}

#[cfg(test)]
mod tests {
    use crate::transport::law::test_support::Module;

    /// A handover at 12 s: losses are those of one from 11.5 to 13.8 s.
    fn at(milliseconds: u64) -> Module {
        let mut module = Module::with("satcp", "offset = \"12 s\", slow_start_exit = \"loss\"", 100);
        module.wait(milliseconds);
        module.acknowledge(1, 40_000);
        module
    }

    /// Acknowledgments of a segment each for a round trip of 40 ms.
    fn round(module: &mut Module) -> u64 {
        let segments = module.window.segments();
        (0..segments).for_each(|_| module.acknowledge(1, 40_000));
        module.wait(40);
        module.window.segments()
    }

    /// K = 4316 1024ths of a second; 4316 * 8 / 9 is 3836, which leaves 480. Where the function is 480 1024ths before its flat part, it is
    /// 410 * 440^3 / 2^40 = 0.03 segments below 100: `cnt` is 70 / 30 = 2, the window grows by half at most.
    #[test]
    fn a_loss_in_a_handover_is_made_good_in_two_round_trips() {
        for (time, is_handover) in [(11_400, false), (11_500, true), (13_700, true), (13_900, false)] {
            let mut module = at(time);
            assert_eq!(module.lose(), 70);
            let windows = [round(&mut module), round(&mut module)];
            assert_eq!(windows[1] >= 95, is_handover, "at {time}: {windows:?}");
            assert!(is_handover || windows[1] <= 75, "at {time}: {windows:?}");
        }
    }

    /// `bictcp_state`: the maximum of 100 is kept, and from a threshold of 70 it is near. Without it the window grows by a twentieth.
    #[test]
    fn a_timeout_in_a_handover_does_not_forget_the_maximum() {
        for (time, is_handover) in [(11_400, false), (12_000, true)] {
            let mut module = at(time);
            assert_eq!(module.time_out(), 70, "the threshold is CUBIC's");
            module.window.set_segments(71);
            let windows = [round(&mut module), round(&mut module)];
            assert_eq!(windows[1] >= 95, is_handover, "at {time}: {windows:?}");
        }
    }
}
