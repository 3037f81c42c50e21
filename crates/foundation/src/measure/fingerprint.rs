//! Rolling hash of a stream of events: equal streams have equal fingerprints, different streams almost never.

/// Hash of the events of one entity (a flow, a port), in order.
///
/// Each entity has its own, so the order in which a driver visits entities with independent events does not matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint(u64);

/// 2^64 divided by the golden ratio: odd, and without structure.
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

impl Fingerprint {
    /// Adds a number.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "both halves are folded together")]
    pub fn add(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value) * u128::from(MULTIPLIER);
        self.0 = ((product >> 64) as u64 ^ product as u64).rotate_left(23).wrapping_add(MULTIPLIER);
    }

    /// Hash of the numbers so far.
    #[must_use]
    pub fn value(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_number_of_events_matter() {
        let of = |values: &[u64]| {
            let mut fingerprint = Fingerprint::default();
            values.iter().for_each(|&value| fingerprint.add(value));
            fingerprint
        };
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
        assert_ne!(of(&[0]), of(&[0, 0]));
        assert_ne!(of(&[]), of(&[0]));
        assert_eq!(of(&[1, 2]), of(&[1, 2]));
    }
}
