//! Descriptions of orbits.

use longfat_orbit::Orbit;

use crate::refusal;
use crate::scenario::source_of;

/// Descriptions are rejected with a position, or read, with steps, satellites and stations within their limits.
pub fn orbit(bytes: &[u8]) {
    let source = source_of(bytes);
    match Orbit::check(bytes, source) {
        Err(problems) => refusal::is_for_people(&problems, source),
        Ok(orbit) => {
            let read = orbit.to_json();
            let span = |key: &str| read[key].as_u64().expect("a length of time");
            assert!((1..=1_000_000).contains(&(span("duration_ps") / span("step_ps"))));
            let listed = |key: &str| read[key].as_array().expect("a list").len();
            assert!((1..=1000).contains(&listed("shells")) && (2..=1000).contains(&listed("stations")));
        }
    }
}
