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
    use longfat_hosts::transport::Codepoint;

    use super::super::super::test_support::{at, packet};
    use super::super::Judgment;
    use super::super::tests::{arrive, queue};
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

    /// The distances between 2000 drops while the average stays at 10, where p_b is 0.01.
    fn distances(spacing: &str) -> Vec<i32> {
        let mut queue = queue(&format!("{{ spacing = {spacing:?} }}"));
        queue.average = 10.0;
        let (mut distances, mut distance) = (Vec::new(), 0);
        while distances.len() < 2001 {
            distance += 1;
            if matches!(queue.judge(&packet(0, Codepoint::NotCapable)), Judgment::Notify) {
                distances.push(distance);
                distance = 0;
            }
        }
        distances.split_off(1)
    }

    /// After a drop p_a = 0.01 / (1 - 0.01 count) is 1 for the 99th packet, and each of 99 distances as likely. With a wait it is 0 until
    /// the 100th, and 0.01 / (2 - 0.01 count) is 1 for the 199th: each of 100 distances as likely.
    #[test]
    fn drops_are_spread_evenly_over_the_packets_between_them_after_a_wait_if_so_set() {
        for (spacing, shortest, longest) in [("uniform", 1, 99), ("uniform-after-wait", 100, 199)] {
            let distances = distances(spacing);
            assert!(
                distances.iter().all(|distance| (shortest..=longest).contains(distance)),
                "{spacing}: {distances:?}"
            );
            let mean = f64::from(distances.iter().sum::<i32>()) / 2000.0;
            // A uniform distance has a standard deviation of 29, the mean of 2000 one of 0.65.
            assert!((mean - f64::from(shortest + longest) / 2.0).abs() < 2.0, "{spacing}: {mean}");
        }
    }

    /// ns-2: while at most one packet waits none is dropped, however high the average, and the count begins again after that.
    #[test]
    fn a_packet_that_finds_a_short_queue_may_be_let_in() {
        for (treatment, refused) in [("may-be-dropped", [true, true, true]), ("let-in", [false, false, true])] {
            let mut queue = queue(&format!("{{ gentle = false, weight = 1e-9, short_queue = {treatment:?} }}"));
            queue.idle_since = None;
            queue.average = 16.0;
            assert_eq!([0, 0, 0].map(|time| !arrive(&mut queue, time)), refused, "{treatment}");
        }
    }

    /// ns-2: the first packet above the minimum is let in and counts as 1, though the probability is 1.
    #[test]
    fn the_first_packet_above_the_minimum_may_be_let_in_and_begins_the_count() {
        let mut queue = queue("{ maximum_probability = 1.0, first_above_minimum = \"let-in\" }");
        let mut judge = |average| {
            queue.average = average;
            (format!("{:?}", queue.judge(&packet(0, Codepoint::NotCapable))), queue.since_drop)
        };
        assert_eq!(judge(31.0), ("Drop".into(), None), "not judged by chance, so the first is still to come");
        assert_eq!(judge(15.0), ("LetIn".into(), Some(1)));
        assert_eq!(judge(15.0), ("Notify".into(), Some(0)));
        assert_eq!(judge(4.9), ("LetIn".into(), None));
        assert_eq!(judge(15.0), ("LetIn".into(), Some(1)));
    }

    /// ns-2: after ten packets' time without any, eleven samples of an empty queue.
    #[test]
    fn the_packet_that_ends_an_idle_time_may_add_its_own_sample() {
        let mut queue = queue("{ weight = 0.5, samples_after_idle = \"idle-time-and-arrival\" }");
        (queue.average, queue.idle_since) = (2048.0, Some(at(7)));
        queue.update_average(at(17));
        assert_eq!(queue.average, 1.0);
    }
}
