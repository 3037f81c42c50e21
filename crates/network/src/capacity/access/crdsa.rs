//! Contention resolution diversity slotted Aloha.

use longfat_foundation::config::AtLeastOne;
use longfat_foundation::random::Stream;

use super::{Access, Contention, draw_backoff, object_to_slots};

longfat_foundation::model! {
    /// Slotted Aloha in which a terminal sends its request in several slots of the frame, each of which says where the others are. A request
    /// that is alone in a slot is heard, and the receiver removes its copies from the other slots, where others may then be alone, and so on
    /// (successive interference cancellation). Slots with several requests are lost, and removal is perfect.
    #[name = "crdsa"]
    #[source = "Casini, De Gaudenzi and del Rio Herrero 2007; EN 301 545-2"]
    pub struct Crdsa: dyn Access {
        /// Slots for requests in a frame.
        slots: AtLeastOne = "64",
        /// Copies of each request, in different slots.
        replicas: AtLeastOne = "2" or ["3"],
        /// Most times that the receiver goes through the slots of a frame.
        iterations: AtLeastOne = "16" or ["1"],
        /// Most frames, drawn evenly from 0 on, for which a terminal waits beyond the response before it takes its request for lost and sends
        /// another.
        backoff_frames: AtLeastOne = "8" or ["32"],
    }
    build(config, stream) {
        Box::new(Resolving { config: config.clone(), chance: stream.clone(), slots: Vec::new() })
    }
    objections(config, _stream) {
        if config.replicas.0 > config.slots.0.min(MOST_REPLICAS) {
            let message = format!(
                "{} copies; at most {MOST_REPLICAS}, and no more than the {} slots that they are in",
                config.replicas.0, config.slots.0
            );
            return vec![("replicas", message)];
        }
        object_to_slots(config.slots)
    }
}

/// Most copies of a request.
const MOST_REPLICAS: u64 = 16;

/// Requests in a slot: how many, and the exclusive or of their numbers, which is that of the last one left.
#[derive(Clone, Copy, Default)]
struct Slot {
    requests: usize,
    numbers: usize,
}

impl Slot {
    fn toggle(&mut self, number: usize) {
        self.numbers ^= number;
    }
}

struct Resolving {
    config: Crdsa,
    chance: Stream,
    /// Kept to reuse memory.
    slots: Vec<Slot>,
}

impl Resolving {
    /// Slots of the copies of one request, all different.
    fn draw_slots(&mut self) -> Vec<usize> {
        let slots = self.slots.len();
        let replicas = usize::try_from(self.config.replicas.0).unwrap_or(1);
        let mut drawn = Vec::with_capacity(replicas);
        while drawn.len() < replicas {
            let slot = self.chance.below(slots);
            if !drawn.contains(&slot) {
                drawn.push(slot);
            }
        }
        drawn
    }
}

impl Access for Resolving {
    fn contention(&mut self) -> Option<&mut dyn Contention> {
        Some(self)
    }
}

impl Contention for Resolving {
    fn heard(&mut self, requests: usize) -> Vec<bool> {
        let mut heard = vec![false; requests];
        if requests == 0 {
            return heard;
        }
        self.slots.clear();
        self.slots.resize(usize::try_from(self.config.slots.0).unwrap_or(1), Slot::default());
        let copies: Vec<_> = (0..requests).map(|_| self.draw_slots()).collect();
        for (number, slots) in copies.iter().enumerate() {
            for &slot in slots {
                self.slots[slot].requests += 1;
                self.slots[slot].toggle(number);
            }
        }
        for _ in 0..self.config.iterations.0 {
            let mut is_any_new = false;
            for place in 0..self.slots.len() {
                let Slot { requests: 1, numbers: number } = self.slots[place] else { continue };
                heard[number] = true;
                is_any_new = true;
                for &slot in &copies[number] {
                    self.slots[slot].requests -= 1;
                    self.slots[slot].toggle(number);
                }
            }
            if !is_any_new {
                break;
            }
        }
        heard
    }

    fn backoff_frames(&mut self) -> u64 {
        draw_backoff(&mut self.chance, self.config.backoff_frames.0)
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::random::Chance;

    use super::*;

    /// Requests heard per slot, with `load` requests per slot in frames of 100 slots.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn throughput(load: usize, replicas: u64, iterations: u64) -> f64 {
        let config = Crdsa {
            slots: AtLeastOne(100),
            replicas: AtLeastOne(replicas),
            iterations: AtLeastOne(iterations),
            backoff_frames: AtLeastOne(8),
        };
        let chance = Chance { seed: 1, replication: 0 }.stream("test");
        let mut access = Resolving { config, chance, slots: Vec::new() };
        let frames = 2000;
        let heard: usize =
            (0..frames).map(|_| access.heard(load).into_iter().filter(|&is_heard| is_heard).count()).sum();
        heard as f64 / (frames * 100) as f64
    }

    #[test]
    fn one_copy_is_slotted_aloha() {
        for load in [10, 50, 100, 200] {
            let expected = f64::from(load) / 100.0 * 0.99_f64.powi(load - 1);
            let found = throughput(usize::try_from(load).unwrap(), 1, 16);
            assert!((found - expected).abs() < 0.01, "{load}: {found}, not {expected}");
        }
    }

    #[test]
    fn two_requests_in_the_same_two_slots_are_never_heard_and_a_chain_is() {
        let config = Crdsa {
            slots: AtLeastOne(2),
            replicas: AtLeastOne(2),
            iterations: AtLeastOne(16),
            backoff_frames: AtLeastOne(8),
        };
        let chance = Chance { seed: 1, replication: 0 }.stream("test");
        let mut access = Resolving { config, chance, slots: Vec::new() };
        assert_eq!(access.heard(1), [true]);
        assert_eq!(access.heard(2), [false, false]);
        assert_eq!(access.heard(0), [] as [bool; 0]);
    }

    /// The curve of Casini et al. 2007, figure 7, for frames of 100 slots: the most is about 0.52 to 0.55 requests per slot at a load of 0.6
    /// to 0.7, and nearly all are heard at 0.4. Slotted Aloha has 1/e at most.
    #[test]
    fn with_two_copies_the_most_is_heard_at_a_load_of_two_thirds() {
        let curve: Vec<_> = (1..=12).map(|tenth| throughput(10 * tenth, 2, 16)).collect();
        let most = curve.iter().copied().fold(0.0, f64::max);
        assert!((0.50..0.57).contains(&most), "{curve:?}");
        assert!(most == curve[5] || most == curve[6], "{curve:?}");
        assert!(curve[3] > 0.38, "{curve:?}");
        assert!(curve[11] < 0.3, "beyond the most it collapses: {curve:?}");
    }

    /// With three copies (CRDSA++) the most is about 0.68 at 0.7 or 0.8: del Rio Herrero and De Gaudenzi 2009.
    #[test]
    fn three_copies_carry_more_and_one_iteration_less() {
        assert!(throughput(70, 3, 16) > 0.62);
        assert!(throughput(60, 2, 1) < throughput(60, 2, 16));
    }
}
