//! Scenarios drawn from the declarations: every model, word and field, which bytes at random seldom spell.
//!
//! Nothing here knows a model: what is declared is generated. A scenario follows from its seed alone.

mod builder;
mod coverage;
mod dice;
mod graphs;
mod laws;
mod mend;
mod targets;
mod text;

pub use coverage::Coverage;
pub use laws::{Bounds, Outcome, examine};

use builder::Builder;
use longfat_engine::scenario::Scenario;
use longfat_engine::serde_json::Value as Json;
use longfat_engine::units::Span;
use targets::Targets;

/// How often a refused scenario is mended before it is given up.
const ATTEMPTS: usize = 16;

/// Refusals that are seen to in an attempt; what follows may be due to them.
const MENDED_AT_ONCE: usize = 3;

/// Key of a scenario's length, which is fitted to the events that a run may take.
const DURATION: &str = "duration";

/// A scenario as a tree and as a text.
#[derive(Default)]
pub struct Generated {
    /// The tree.
    pub scenario: Json,
    /// TOML, as `longfat run` reads it.
    pub text: String,
}

/// The scenario of a seed, which is valid more often than not; its run is estimated to take at most `events` events.
#[must_use]
pub fn generated(seed: u64, events: f64) -> Generated {
    let mut builder = Builder::of(seed);
    let mut scenario = builder.scenario(Targets::of_scenarios().of(seed));
    let wanted = builder.dice.magnitude(30.0, events);
    let mut is_fitted = false;
    for attempt in 0..ATTEMPTS {
        let text = text::toml(&scenario);
        match Scenario::parse(text.as_bytes(), SOURCE, &[]) {
            Err(refusals) => {
                for refusal in refusals.iter().take(MENDED_AT_ONCE) {
                    mend::mend(&mut builder, &mut scenario, refusal, attempt);
                }
            }
            Ok(checked) if !is_fitted => {
                is_fitted = true;
                if !fit(&mut scenario, &checked, wanted) {
                    return Generated { scenario, text };
                }
            }
            Ok(_) => return Generated { scenario, text },
        }
    }
    let text = text::toml(&scenario);
    Generated { scenario, text }
}

/// Name of the text in messages.
const SOURCE: &str = "generated.toml";

/// Shortens a scenario that would take more events than wanted; false if it need not be.
fn fit(scenario: &mut Json, checked: &Scenario, wanted: f64) -> bool {
    let events = checked.cost().events;
    if events <= wanted {
        return false;
    }
    #[expect(clippy::cast_precision_loss, reason = "rounded anyway")]
    let fitted = checked.duration.0.0 as f64 * wanted / events;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "shorter than it was, and at least 1")]
    let fitted = Span((fitted as u64).max(1));
    scenario[DURATION] = format!("{} ps", fitted.0).into();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seeds of the test, and the events of a run: the test is built with assertions, and stays short.
    const SEEDS: u64 = 800;
    /// Most seeds drawn so that every model runs twice: declaring a model changes all draws, and rare ones may need more than `SEEDS`.
    const MOST_SEEDS: u64 = 8 * SEEDS;
    const BOUNDS: Bounds = Bounds { events: 20_000, memory_bytes: 32 << 20 };

    #[test]
    fn generated_scenarios_run_alike_with_both_drivers_and_use_every_model() {
        let mut coverage = Coverage::of_declarations();
        let mut ran = 0;
        let mut seeds = 0;
        while seeds < SEEDS || (seeds < MOST_SEEDS && hardly_run(&coverage).next().is_some()) {
            let seed = seeds;
            seeds += 1;
            let drawn = generated(seed, 3000.0);
            println!("seed {seed}\n{}", drawn.text);
            if let Outcome::Ended { canonical, .. } | Outcome::Stopped { canonical, .. } = examine(&drawn.text, BOUNDS)
            {
                coverage.count(&drawn.scenario, &canonical);
                ran += 1;
            }
        }
        assert!(ran * 10 >= seeds * 8, "only {ran} of {seeds} were accepted and run");
        let unseen: Vec<_> = hardly_run(&coverage).collect();
        assert!(unseen.is_empty(), "hardly ever run: {unseen:?}");
    }

    /// Models run less than twice. Words are keyed by table and key; kinds of models have no dot.
    fn hardly_run(coverage: &Coverage) -> impl Iterator<Item = (&str, &str, u64)> {
        coverage.seen_less_than(2).filter(|(kind, ..)| !kind.contains('.'))
    }

    #[test]
    fn a_seed_gives_the_same_scenario_again() {
        assert_eq!(generated(7, 1000.0).text, generated(7, 1000.0).text);
    }
}
