//! Readings of RED: what figure 2 of Floyd and Jacobson 1993 says, and what ns-2 does in its place.

longfat_foundation::choice! {
    /// Distances between early drops while the probability `p` for the average stays constant.
    pub enum Spacing {
        /// From 1 to `1 / p` packets, each as likely: `p / (1 - count p)`.
        Uniform = "uniform",
        /// From `1 / p` to `2 / p` packets, each as likely: nothing is dropped until `count p` is 1, and then with `p / (2 - count p)`.
        UniformAfterWait = "uniform-after-wait",
    }
    absent Uniform
}

longfat_foundation::choice! {
    /// Treatment of a packet while the average is above the minimum.
    pub enum Treatment {
        /// It may be dropped, by the probability.
        MayBeDropped = "may-be-dropped",
        /// It is let in, whatever the probability.
        LetIn = "let-in",
    }
    absent MayBeDropped
}

longfat_foundation::choice! {
    /// Samples of an empty queue in the average when an idle time ends.
    pub enum IdleSamples {
        /// One for each packet that could have been sent in the idle time.
        IdleTime = "idle-time",
        /// One more, for the packet that ends the idle time and finds the queue empty.
        IdleTimeAndArrival = "idle-time-and-arrival",
    }
    absent IdleTime
}

impl Spacing {
    /// `p_a`: the probability with which a packet is dropped if it is for `base` (`p_b`) by the average, and `count` were not since the last.
    #[expect(clippy::cast_precision_loss, reason = "few packets")]
    pub(super) fn probability(self, base: f64, count: u64) -> f64 {
        let counted = count as f64 * base;
        let longest = match self {
            Self::UniformAfterWait if counted < 1.0 => return 0.0,
            Self::UniformAfterWait => 2.0,
            Self::Uniform => 1.0,
        };
        if counted < longest { base / (longest - counted) } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::Spacing;

    #[test]
    fn the_probability_of_a_drop_rises_with_the_packets_since_the_last() {
        let worked = [
            (Spacing::Uniform, [(0, 0.02), (1, 0.02 / 0.98), (25, 0.02 / 0.5), (49, 1.0), (50, 1.0)]),
            (Spacing::UniformAfterWait, [(1, 0.0), (49, 0.0), (50, 0.02), (75, 0.02 / 0.5), (99, 1.0)]),
        ];
        for (spacing, expected) in worked {
            for (count, expected) in expected {
                assert!((spacing.probability(0.02, count) - expected).abs() < 1e-12, "{spacing:?} {count}");
            }
        }
        assert_eq!(Spacing::UniformAfterWait.probability(0.02, 100), 1.0);
    }
}
