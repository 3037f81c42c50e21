//! Rain on the path to a satellite, with adaptive coding and modulation.

use longfat_foundation::config::{Decibels, DrawableSpan, PositiveSpan};
use longfat_foundation::units::{Rate, Span, Time};

use super::coding::Coding;
use super::modcod::{Codes, Modcod};
use super::{Path, PathContext, Step};

longfat_foundation::model! {
    /// A shower: the attenuation rises to a depth, stays there, and falls again. Adaptive coding and modulation steps down the ladder of
    /// codes and up again. It always uses the most efficient step that withstands the known attenuation plus a margin; this knowledge is
    /// `reaction` old. The bottleneck's rate is that of the clear sky. Where attenuation grows beyond the margin before the code follows,
    /// everything is lost; where no code withstands it, nothing passes.
    #[name = "rain"]
    #[source = "ETSI EN 302 307-1 table 13; ETSI EN 302 307-2 table 20a and annex D (adaptive coding and modulation); slopes: ITU-R P.1623-1"]
    pub struct Rain: dyn Path {
        /// Beginning of the shower.
        begin: DrawableSpan = "10 s",
        /// Time in which the attenuation rises to its depth, and in which it returns to nothing; 12 dB in 20 s are 0.6 dB/s, a steep slope.
        rise: PositiveSpan = "20 s",
        /// Duration of the largest attenuation.
        lasting: DrawableSpan = "20 s",
        /// The largest attenuation.
        depth: Decibels = "12 dB",
        /// Codes of the carrier.
        codes: Codes = "dvb-s2",
        /// Es/N0 under a clear sky.
        clear_sky: Decibels = "15 dB",
        /// Margin: the attenuation that the chosen code must withstand beyond the known one.
        margin: Decibels = "1 dB",
        /// Age of the sender's knowledge: the receiver measures, reports over the satellite, and the frame crosses the satellite again.
        reaction: Span = "600 ms",
    }
    build(config, context) { Box::new(Shower { config: config.clone(), context: context.clone() }) }
    objections(config, _context) {
        let mut objections = Vec::new();
        if let Some(message) = config.coding().object_to_clear_sky() {
            objections.push(("clear_sky", message));
        }
        if config.depth == Decibels(0) {
            objections.push(("depth", "must be more than zero".into()));
        }
        objections
    }
}

impl Rain {
    fn coding(&self) -> Coding {
        let Self { codes, clear_sky, margin, reaction, .. } = self;
        Coding { codes: *codes, clear_sky: *clear_sky, margin: *margin, hysteresis: Decibels(0), reaction: *reaction }
    }
}

struct Shower {
    config: Rain,
    context: PathContext,
}

/// A shower with its times drawn.
struct Fall<'a> {
    rain: &'a Rain,
    begin: Time,
    /// Time at which the attenuation begins to fall.
    ease: Time,
}

impl Fall<'_> {
    /// Attenuation at `time`.
    fn attenuation(&self, time: Time) -> Decibels {
        let Rain { rise: PositiveSpan(rise), depth, .. } = self.rain;
        let since = |from: Time| if time > from { (time - from).min(*rise) } else { Span::ZERO };
        let shares = since(self.begin).0 - since(self.ease).0;
        let decibels = u128::from(depth.0) * u128::from(shares) / u128::from(rise.0);
        Decibels(u64::try_from(decibels).expect("no more than the depth"))
    }

    /// Times at which the attenuation crosses `level`, rising and falling; `None` if it does not.
    fn passes(&self, level: Decibels) -> Option<[Time; 2]> {
        let Rain { rise: PositiveSpan(rise), depth, .. } = self.rain;
        let part = u128::from(rise.0) * u128::from(level.0) / u128::from(depth.0);
        let part = Span(u64::try_from(part).ok().filter(|_| level < *depth)?);
        Some([self.begin.saturating_add(part), self.ease.saturating_add(Span(rise.0 - part.0))])
    }

    /// Times at which the chosen code changes, or begins or ceases to be sufficient.
    fn changes(&self) -> Vec<Time> {
        let Rain { codes, clear_sky, margin, reaction, .. } = self.rain;
        let mut times = vec![self.begin];
        for most in codes.all().filter_map(|code| code.stands(*clear_sky)) {
            let known = most.0.checked_sub(margin.0).and_then(|level| self.passes(Decibels(level)));
            times.extend(known.into_iter().flatten().map(|time| time.saturating_add(*reaction)));
            times.extend(self.passes(most).into_iter().flatten());
        }
        times.sort_unstable();
        times.dedup();
        times
    }

    /// True if the most robust code withstands the attenuation at `time`.
    fn is_stood(&self, time: Time) -> bool {
        let stood = self.rain.codes.all().filter_map(|code| code.stands(self.rain.clear_sky)).max();
        stood.is_some_and(|most| most >= self.attenuation(time))
    }

    /// Code chosen at `time` by the knowledge of that time, and whether it withstands the actual attenuation.
    fn code(&self, time: Time) -> Option<(Modcod, bool)> {
        let known = Time(time.0.saturating_sub(self.rain.reaction.0));
        let code = self.rain.coding().code_at(self.attenuation(known))?;
        let stands = code.stands(self.rain.clear_sky).is_some_and(|most| most >= self.attenuation(time));
        Some((code, stands))
    }
}

impl Path for Shower {
    fn steps(&self) -> Vec<Step> {
        // Separate streams, so that the draws do not depend on each other.
        let chance = |what: &str| self.context.stream(&format!("rain/{what}"));
        let begin = self.config.begin.0.sample(&mut chance("begin"));
        let lasting = self.config.lasting.0.sample(&mut chance("lasting")) - Time::ZERO;
        let fall =
            Fall { rain: &self.config, begin, ease: begin.saturating_add(self.config.rise.0).saturating_add(lasting) };
        let clear = self.config.coding().code_at(Decibels(0)).expect("a checked scenario has a code for a clear sky");
        let times = fall.changes();
        let ends = times[1..].iter().copied().chain([Time::NEVER]);
        let state = |(time, end): (Time, Time)| {
            // Conditions are constant between changes, so those of the middle apply throughout.
            let step = self.context.nominal(time);
            let middle = Time(time.0.midpoint(end.0));
            match fall.code(middle) {
                Some((code, stands)) => {
                    let rate =
                        u128::from(self.context.rate.0) * u128::from(code.efficiency) / u128::from(clear.efficiency);
                    let rate = Rate(u64::try_from(rate).expect("no more than that of the clear sky").max(1));
                    Step { rate: Some(rate), loss: if stands { 0.0 } else { 1.0 }, ..step }
                }
                // Packets sent before are lost too, while the attenuation exceeds what any code withstands.
                None => Step { rate: None, loss: if fall.is_stood(middle) { 0.0 } else { 1.0 }, ..step },
            }
        };
        let mut steps: Vec<Step> = times.iter().copied().zip(ends).map(state).collect();
        steps.dedup_by(|next, step| (next.rate, next.loss) == (step.rate, step.loss));
        steps
    }
}
