//! Files of claims.

use longfat_study::Claims;

use crate::refusal;
use crate::scenario::source_of;

/// Claims are rejected with a position, or read, with the position of each measure.
pub fn claims(bytes: &[u8]) {
    let source = source_of(bytes);
    match Claims::check(bytes, source) {
        Err(problems) => refusal::is_for_people(&problems, source),
        Ok(claims) => {
            for claim in claims.to_json().as_array().expect("a list") {
                let place = claim["measure"][1].as_str().expect("a place");
                assert!(place.starts_with(source), "{place}");
            }
        }
    }
}
