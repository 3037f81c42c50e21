//! Answers that share one stream of bytes, in frames (RFC 9113 sections 4 and 5).

use std::collections::VecDeque;

/// The order of the answers' bytes. It is decided when bytes are sent: what came before can no longer change, so a frame that was begun is
/// finished, and an answer that comes later shares only what is behind.
pub struct Multiplex {
    frame: u64,
    takes_turns: bool,
    /// Answers with the bytes that have no place yet; the first has the next turn.
    waiting: VecDeque<(u64, u64)>,
    /// Bytes that have a place.
    placed: u64,
    /// Where answers end.
    ends: VecDeque<(u64, u64)>,
}

impl Multiplex {
    pub fn new(frame: u64, takes_turns: bool) -> Self {
        Self { frame, takes_turns, waiting: VecDeque::new(), placed: 0, ends: VecDeque::new() }
    }

    /// Takes an answer of so many bytes.
    pub fn add(&mut self, stream: u64, bytes: u64) {
        self.waiting.push_back((stream, bytes));
    }

    /// The first `to` bytes are sent: frame by frame, they get their places.
    pub fn place(&mut self, to: u64) {
        while self.placed < to
            && let Some((stream, left)) = self.waiting.pop_front()
        {
            let length = left.min(self.frame);
            self.placed += length;
            match left - length {
                0 => self.ends.push_back((self.placed, stream)),
                left if self.takes_turns => self.waiting.push_back((stream, left)),
                left => self.waiting.push_front((stream, left)),
            }
        }
    }

    /// The next answer that ends within the first `delivered` bytes, once.
    pub fn take_whole(&mut self, delivered: u64) -> Option<u64> {
        self.place(delivered);
        let (_, stream) = *self.ends.front().filter(|(end, _)| *end <= delivered)?;
        self.ends.pop_front();
        Some(stream)
    }

    pub fn memory_bytes(&self) -> usize {
        (self.waiting.capacity() + self.ends.capacity()) * size_of::<(u64, u64)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(shared: &mut Multiplex, delivered: u64) -> Vec<u64> {
        std::iter::from_fn(|| shared.take_whole(delivered)).collect()
    }

    /// Frames of 10 bytes: of 25 bytes and of 15, in turns: 10, 10, 10, 5 (the second ends at 35), 5 (the first at 40).
    #[test]
    fn answers_in_turns_end_where_their_last_frames_do() {
        let mut shared = Multiplex::new(10, true);
        shared.add(1, 25);
        shared.add(2, 15);
        assert!(whole(&mut shared, 34).is_empty());
        assert_eq!(whole(&mut shared, 39), [2]);
        assert_eq!(whole(&mut shared, 40), [1]);
    }

    /// These answers one after the other: the first ends at 25, the second at 40.
    #[test]
    fn answers_in_sequence_end_in_their_order() {
        let mut shared = Multiplex::new(10, false);
        shared.add(1, 25);
        shared.add(2, 15);
        assert_eq!(whole(&mut shared, 25), [1]);
        assert_eq!(whole(&mut shared, 40), [2]);
    }

    /// 12 bytes of 40 have been sent, in two frames of 10, when an answer of 5 bytes comes: the third frame goes before it, and the fourth does
    /// not. After 21 bytes the third was begun, and the fourth goes before; after 31 bytes none is left.
    #[test]
    fn what_was_sent_keeps_its_place_before_a_later_answer() {
        for (sent, end) in [(12, 35), (21, 45), (31, 45)] {
            let mut shared = Multiplex::new(10, true);
            shared.add(1, 40);
            shared.place(sent);
            shared.add(2, 5);
            assert!(!whole(&mut shared, end - 1).contains(&2), "after {sent}");
            assert!(whole(&mut shared, end).contains(&2), "after {sent}");
        }
    }
}
