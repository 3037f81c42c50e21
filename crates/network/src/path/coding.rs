//! Adaptive coding and modulation: the sender's choice of a code, from what it knows of the attenuation.

use longfat_foundation::config::Decibels;
use longfat_foundation::units::{Rate, Span, Time};

use super::modcod::{Codes, Modcod};
use super::{PathContext, Step};

/// Rounds a level in decibels, which is not negative, to a thousandth.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative; a cast saturates")]
pub(super) fn level_of(decibels: f64) -> Decibels {
    Decibels(libm::round((1000.0 * decibels).min(1e6)) as u64)
}

/// The choice of a code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coding {
    /// Codes to choose from.
    pub codes: Codes,
    /// Es/N0 under a clear sky.
    pub clear_sky: Decibels,
    /// Attenuation that the chosen code must withstand beyond the known one.
    pub margin: Decibels,
    /// Attenuation beyond that which a more efficient code must withstand before the sender changes to it.
    pub hysteresis: Decibels,
    /// Age of what the sender knows.
    pub reaction: Span,
}

impl Coding {
    /// The most efficient code that withstands an attenuation; `None` if no code does.
    fn most_efficient(&self, attenuation_mdb: u64) -> Option<Modcod> {
        let stands = |code: &Modcod| code.stands(self.clear_sky).is_some_and(|most| most.0 >= attenuation_mdb);
        self.codes.all().filter(stands).max_by_key(|code| code.efficiency)
    }

    /// The code that the sender chooses at a known attenuation, whichever it used before.
    pub fn code_at(&self, known: Decibels) -> Option<Modcod> {
        self.most_efficient(known.0 + self.margin.0)
    }

    /// The objection to these settings, if no code withstands even a clear sky.
    pub fn object_to_clear_sky(&self) -> Option<String> {
        let message = "no code withstands even a clear sky with this margin; raise it, or lower the margin";
        self.code_at(Decibels(0)).is_none().then(|| message.into())
    }

    /// The code that the sender, which uses `current`, chooses at a known attenuation. It gives up a code at once that no longer stands.
    fn next(&self, current: Option<Modcod>, known: Decibels) -> Option<Modcod> {
        let needed = known.0 + self.margin.0;
        let kept = current.filter(|code| code.stands(self.clear_sky).is_some_and(|most| most.0 >= needed));
        let better = self.most_efficient(needed + self.hysteresis.0);
        match (kept, better) {
            (Some(kept), Some(better)) if better.efficiency > kept.efficiency => Some(better),
            (Some(kept), _) => Some(kept),
            (None, _) => self.code_at(known),
        }
    }

    /// Conditions of a line whose rate is that of the code for a clear sky, while the attenuation is as `samples` say: each from its time on,
    /// ascending, the first from the beginning of the run. Packets are lost while the attenuation exceeds what the code in use withstands,
    /// and nothing is sent while none would.
    pub fn steps(&self, context: &PathContext, samples: &[(Time, Decibels)]) -> Vec<Step> {
        let clear = self.code_at(Decibels(0)).map_or(1, |code| u128::from(code.efficiency));
        let rate_of = |code: Modcod| {
            let rate = u128::from(context.rate.0) * u128::from(code.efficiency) / clear;
            Rate(u64::try_from(rate).unwrap_or(u64::MAX).max(1))
        };
        let first = samples.first().map_or(Decibels(0), |(_, attenuation)| *attenuation);
        let (mut actual, mut code) = (first, self.code_at(first));
        let known = samples.iter().map(|(time, attenuation)| (time.saturating_add(self.reaction), *attenuation));
        let (mut happens, mut becomes_known) = (samples.iter().copied().peekable(), known.peekable());
        let mut steps: Vec<Step> = Vec::new();
        while let Some(now) = [happens.peek(), becomes_known.peek()].into_iter().flatten().map(|(time, _)| *time).min()
        {
            if let Some((_, attenuation)) = happens.next_if(|(time, _)| *time == now) {
                actual = attenuation;
            }
            if let Some((_, attenuation)) = becomes_known.next_if(|(time, _)| *time == now) {
                code = self.next(code, attenuation);
            }
            let in_use = code.or_else(|| self.codes.all().max_by_key(|code| code.stands(self.clear_sky)));
            let stands = in_use.and_then(|code| code.stands(self.clear_sky)).is_some_and(|most| most >= actual);
            let loss = if stands { 0.0 } else { 1.0 };
            let step = Step { rate: code.map(rate_of), loss, ..context.nominal(now) };
            if steps.last().is_none_or(|before| (before.rate, before.loss) != (step.rate, step.loss)) {
                steps.push(step);
            }
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::random::Chance;

    use super::*;

    const SECOND: u64 = 1_000_000_000_000;

    fn at(milliseconds: u64) -> Time {
        Time(milliseconds * SECOND / 1000)
    }

    /// Rate in Mbit/s of a line of 100 Mbit/s in clear sky, and whether packets are lost, from each time in milliseconds on.
    fn steps(coding: Coding, samples: &[(u64, u64)]) -> Vec<(u64, Option<u64>, bool)> {
        let context = PathContext {
            chance: Chance { seed: 1, replication: 0 },
            link: None,
            duration: Span(100 * SECOND),
            rate: Rate(100_000_000),
            delay: Span::ZERO,
        };
        let samples: Vec<_> = samples.iter().map(|&(time, level)| (at(time), Decibels(level))).collect();
        let in_short =
            |step: &Step| (step.time.0 / (SECOND / 1000), step.rate.map(|rate| rate.0 / 1_000_000), step.loss > 0.0);
        coding.steps(&context, &samples).iter().map(in_short).collect()
    }

    const CODING: Coding = Coding {
        codes: Codes::DvbS2,
        clear_sky: Decibels(15_000),
        margin: Decibels(1000),
        hysteresis: Decibels(500),
        reaction: Span(600 * SECOND / 1000),
    };

    /// Thresholds of table 13: 32APSK 4/5 13.64 dB, 32APSK 3/4 12.73 dB, 16APSK 5/6 11.61 dB.
    #[test]
    fn a_code_is_given_up_when_it_no_longer_stands_and_taken_again_beyond_the_hysteresis() {
        // 14 dB are needed at 0 dB; 0.5 dB more leave 13.5 dB: 32APSK 3/4.
        let levels = [(0, 0), (10_000, 500), (20_000, 300), (30_000, 0)];
        let clear = 3_951_571;
        let of = |efficiency: u64| Some(100 * efficiency / clear);
        let with = |hysteresis| steps(Coding { hysteresis: Decibels(hysteresis), ..CODING }, &levels);
        // At 0.3 dB the better code stands, with 0.06 dB to spare; at 0 dB with 0.36 dB.
        assert_eq!(with(0), [(0, of(clear), false), (10_600, of(3_703_295), false), (20_600, of(clear), false)]);
        assert_eq!(with(300), [(0, of(clear), false), (10_600, of(3_703_295), false), (30_600, of(clear), false)]);
        assert_eq!(
            with(500),
            [(0, of(clear), false), (10_600, of(3_703_295), false)],
            "it needs 0.14 dB less than clear sky"
        );
    }

    /// DVB-S2X has 64APSK 32/45-L with 13.98 dB at 4.206428 bits a symbol, and 32APSK 11/15 with 12.17 dB at 3.620536.
    #[test]
    fn more_codes_leave_smaller_steps() {
        let found = steps(Coding { codes: Codes::DvbS2x, ..CODING }, &[(0, 0), (10_000, 1500)]);
        assert_eq!(found.first(), Some(&(0, Some(100), false)));
        assert_eq!(found.last(), Some(&(10_600, Some(86), false)));
    }

    #[test]
    fn packets_are_lost_while_the_code_in_use_does_not_stand_what_the_sender_does_not_know_yet() {
        // 32APSK 4/5 stands 1.36 dB; 5 dB are known 600 ms later: 9 dB carry 8PSK 3/4 and 16APSK 2/3 (8.97 dB), the more efficient one.
        let found = steps(CODING, &[(0, 0), (1000, 5000)]);
        assert_eq!(found, [(0, Some(100), false), (1000, Some(100), true), (1600, Some(66), false)]);
    }

    #[test]
    fn nothing_is_sent_where_no_code_stands() {
        // QPSK 1/4 stands 17.35 dB, and 16.35 dB with the margin.
        let found = steps(CODING, &[(0, 16_000), (1000, 17_000), (2000, 18_000), (3000, 0)]);
        assert_eq!(found[0], (0, Some(12), false));
        assert_eq!(found[1], (1600, None, false), "what is under way still stands");
        assert_eq!(found[2], (2000, None, true));
        assert_eq!(found.last(), Some(&(3600, Some(100), false)));
    }
}
