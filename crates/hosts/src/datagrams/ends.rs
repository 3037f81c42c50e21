//! The ends of a connection over plain UDP: one sends what the application writes, the other takes it and may answer.

use std::collections::VecDeque;

use longfat_foundation::units::Time;

use crate::end_system::{EndSystem, Parcel, Progress};
use crate::traffic::Datagrams;
use crate::transport::{Codepoint, ReceivedBytes};

/// Congestion control of a connection that has none, as results call it.
const UDP: &str = "udp";

/// The sending and the receiving end of a source of datagrams.
#[must_use]
pub fn plain(datagrams: Datagrams) -> [Box<dyn EndSystem>; 2] {
    let receiving: Box<dyn EndSystem> = Box::new(Taking { is_answering: datagrams.are_answered, answer: None });
    [Box::new(Writing::default()), receiving]
}

/// Sends each write as a datagram.
#[derive(Default)]
struct Writing {
    written: u64,
    waiting: VecDeque<Parcel>,
}

impl EndSystem for Writing {
    fn name(&self) -> String {
        UDP.into()
    }

    fn offer(&mut self, now: Time, bytes: u64) {
        let number = self.written;
        self.written += 1;
        let contents = Vec::new();
        self.waiting.push_back(Parcel { length: bytes, number, sent: now, codepoint: Codepoint::NotCapable, contents });
    }

    fn receive(&mut self, _now: Time, _answer: Parcel) -> ReceivedBytes {
        ReceivedBytes::default()
    }

    fn transmit(&mut self, _now: Time) -> Option<Parcel> {
        self.waiting.pop_front()
    }

    /// The network measures datagrams where they arrive.
    fn progress(&self) -> Progress {
        Progress::default()
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.waiting.capacity() * size_of::<Parcel>()
    }
}

/// Takes datagrams and, if it answers, sends each back.
struct Taking {
    is_answering: bool,
    answer: Option<Parcel>,
}

impl EndSystem for Taking {
    fn name(&self) -> String {
        UDP.into()
    }

    /// Its application only answers.
    fn offer(&mut self, _now: Time, _bytes: u64) {}

    fn receive(&mut self, _now: Time, parcel: Parcel) -> ReceivedBytes {
        let new = parcel.length;
        self.answer = self.is_answering.then_some(Parcel { codepoint: Codepoint::NotCapable, ..parcel });
        ReceivedBytes { new, ..ReceivedBytes::default() }
    }

    fn transmit(&mut self, _now: Time) -> Option<Parcel> {
        self.answer.take()
    }

    fn progress(&self) -> Progress {
        Progress::default()
    }

    fn memory_bytes(&self) -> usize {
        size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(7);

    fn sent(end: &mut dyn EndSystem) -> Vec<Parcel> {
        std::iter::from_fn(|| end.transmit(NOW)).collect()
    }

    #[test]
    fn each_write_is_a_datagram_and_an_answer_has_the_number_and_the_time_of_what_it_answers() {
        let [mut near, mut far] = plain(Datagrams { largest: 100, are_answered: true });
        [100, 60].into_iter().for_each(|bytes| near.offer(NOW, bytes));
        let there = sent(&mut *near);
        assert_eq!(there.iter().map(|parcel| (parcel.number, parcel.length)).collect::<Vec<_>>(), [(0, 100), (1, 60)]);
        for parcel in there {
            let brought = far.receive(Time(9), parcel.clone());
            assert_eq!((brought.new, sent(&mut *far)), (parcel.length, vec![parcel]));
        }
    }

    #[test]
    fn an_end_that_does_not_answer_sends_nothing() {
        let [mut near, mut far] = plain(Datagrams { largest: 100, are_answered: false });
        near.offer(NOW, 10);
        far.receive(NOW, sent(&mut *near).remove(0));
        assert_eq!((sent(&mut *far), sent(&mut *near)), (vec![], vec![]));
    }
}
