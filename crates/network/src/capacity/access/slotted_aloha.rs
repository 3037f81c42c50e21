//! Slotted Aloha.

use longfat_foundation::config::AtLeastOne;
use longfat_foundation::random::Stream;

use super::{Access, Contention, draw_backoff, object_to_slots};

longfat_foundation::model! {
    /// A terminal to which the frame gives no capacity sends its request in one of a few slots, drawn at random; it is heard if no other
    /// terminal has drawn the same slot. With capacity, the request goes along with the data and is heard.
    #[name = "slotted-aloha"]
    #[source = "Roberts 1975, ALOHA packet system with and without slots and capture; without capture"]
    pub struct SlottedAloha: dyn Access {
        /// Slots for requests in a frame.
        slots: AtLeastOne = "16",
        /// Most frames, drawn evenly from 0 on, for which a terminal waits beyond the response before it takes its request for lost and sends
        /// another.
        backoff_frames: AtLeastOne = "8" or ["32"],
    }
    build(config, stream) {
        Box::new(Drawing { config: config.clone(), chance: stream.clone(), drawn: Vec::new() })
    }
    objections(config, _stream) { object_to_slots(config.slots) }
}

struct Drawing {
    config: SlottedAloha,
    chance: Stream,
    /// Terminals in each slot; kept to reuse memory.
    drawn: Vec<usize>,
}

impl Access for Drawing {
    fn contention(&mut self) -> Option<&mut dyn Contention> {
        Some(self)
    }
}

impl Contention for Drawing {
    fn heard(&mut self, requests: usize) -> Vec<bool> {
        let slots = usize::try_from(self.config.slots.0).unwrap_or(1);
        self.drawn.clear();
        self.drawn.resize(slots, 0);
        let chosen: Vec<_> = (0..requests).map(|_| self.chance.below(slots)).collect();
        chosen.iter().for_each(|&slot| self.drawn[slot] += 1);
        chosen.into_iter().map(|slot| self.drawn[slot] == 1).collect()
    }

    fn backoff_frames(&mut self) -> u64 {
        draw_backoff(&mut self.chance, self.config.backoff_frames.0)
    }
}

#[cfg(test)]
mod tests {
    use longfat_foundation::random::Chance;

    use super::*;

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn a_request_is_heard_if_all_others_are_elsewhere() {
        let (slots, frames) = (20, 20_000);
        let config = SlottedAloha { slots: AtLeastOne(slots), backoff_frames: AtLeastOne(8) };
        let chance = Chance { seed: 1, replication: 0 }.stream("test");
        let mut access = Drawing { config, chance, drawn: Vec::new() };
        for requests in [1, 2, 20, 60] {
            let heard: usize =
                (0..frames).map(|_| access.heard(requests).into_iter().filter(|&is_heard| is_heard).count()).sum();
            let share = heard as f64 / (frames * requests) as f64;
            let expected = (1.0 - 1.0 / slots as f64).powi(i32::try_from(requests - 1).unwrap());
            // Five standard deviations, if requests of a frame were independent.
            let bound = 5.0 * (expected * (1.0 - expected) / (frames * requests) as f64).sqrt();
            assert!((share - expected).abs() <= bound, "{requests}: {share}, not {expected}");
        }
    }
}
