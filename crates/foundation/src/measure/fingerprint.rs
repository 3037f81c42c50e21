//! A rolling hash of a stream of events: equal streams give equal fingerprints, other streams almost never.

/// The hash of what one entity (a flow, a port) has been through, in order.
///
/// Each entity has a fingerprint of its own, so that it does not matter in which order a driver visits entities whose events do
/// not depend on each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint(u64);

/// An odd number without structure (2^64 over the golden ratio).
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

impl Fingerprint {
    /// Adds a number.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "both halves are folded together")]
    pub fn add(&mut self, value: u64) {
        let product = u128::from(self.0 ^ value) * u128::from(MULTIPLIER);
        self.0 = ((product >> 64) as u64 ^ product as u64).rotate_left(23).wrapping_add(MULTIPLIER);
    }

    /// The hash so far.
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
