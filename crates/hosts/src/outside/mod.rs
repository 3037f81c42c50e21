//! An end of a connection whose packets come from a program outside the simulation, and go to it: IP packets as they are.
//!
//! The end computes nothing that a program could notice, but marks what a queue has marked. What it knows of the program's connections it
//! reads from their headers ([`Follower`]).

mod connection;
mod follower;
mod header;
mod progress;
mod sequence;

pub use connection::Connection;
pub use follower::{Follower, Side};
pub use header::{Address, Header, Segment, Transport};
pub use sequence::position;

use std::collections::VecDeque;

use longfat_foundation::units::Time;

use crate::end_system::{EndSystem, Parcel, Progress};
use crate::transport::{Codepoint, ReceivedBytes};

/// Bytes of an IP and a UDP header, which the network adds to what an end system sends. An IP packet has all its headers already, so they are
/// taken off its length: the line then carries the packet with the framing of the scenario, and nothing twice.
pub const HEADERS_BYTES: u64 = 28;

/// Name of the transport in results.
const NAME: &str = "outside";

/// A packet for the program outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// When its last bit has arrived.
    pub due: Time,
    /// The IP packet.
    pub packet: Vec<u8>,
}

/// One end of a connection.
#[derive(Default)]
pub struct Outside {
    leaving: VecDeque<Parcel>,
    arrived: VecDeque<Arrived>,
    follower: Follower,
    /// Packets sent.
    sends: u64,
    /// Packets that carry a mark which a queue has set.
    marked: u64,
    progress: Progress,
}

impl Outside {
    /// The program sends an IP packet. Returns false for one that is none, which goes nowhere.
    pub fn send(&mut self, now: Time, packet: Vec<u8>) -> bool {
        let Some(header) = Header::read(&packet) else { return false };
        self.progress.offered += header.payload;
        self.follower.note(now, Side::Sent, &header);
        let number = self.sends;
        self.sends += 1;
        self.leaving.push_back(Parcel {
            length: (packet.len() as u64).saturating_sub(HEADERS_BYTES),
            number,
            sent: now,
            codepoint: header.codepoint,
            contents: packet,
        });
        true
    }

    /// Takes the next packet for the program.
    pub fn take_arrived(&mut self) -> Option<Arrived> {
        self.arrived.pop_front()
    }

    /// Gives back a packet that was taken, as the next one.
    pub fn give_back(&mut self, arrived: Arrived) {
        self.arrived.push_front(arrived);
    }

    /// Its connections, as far as headers tell.
    #[must_use]
    pub fn follower(&self) -> &Follower {
        &self.follower
    }

    /// Packets that a queue has marked on their way here.
    #[must_use]
    pub fn marked(&self) -> u64 {
        self.marked
    }
}

impl EndSystem for Outside {
    fn name(&self) -> String {
        NAME.to_owned()
    }

    /// Its data are those of the program.
    fn offer(&mut self, _now: Time, _bytes: u64) {}

    fn receive(&mut self, now: Time, parcel: Parcel) -> ReceivedBytes {
        let mut packet = parcel.contents;
        let Some(mut header) = Header::read(&packet) else { return ReceivedBytes::default() };
        if parcel.codepoint == Codepoint::CongestionExperienced && header.codepoint != parcel.codepoint {
            header::mark(&mut packet);
            header.codepoint = parcel.codepoint;
            self.marked += 1;
        }
        let brought = self.follower.note(now, Side::Received, &header);
        self.progress.delivered += brought.new;
        self.progress.received_to = self.progress.delivered;
        self.arrived.push_back(Arrived { due: now, packet });
        brought
    }

    fn transmit(&mut self, _now: Time) -> Option<Parcel> {
        self.leaving.pop_front()
    }

    fn progress(&self) -> Progress {
        Progress { sent: *self.follower.statistics(), ..self.progress }
    }

    fn count_anew(&mut self) {
        self.follower.count_anew();
    }

    fn memory_bytes(&self) -> usize {
        let waiting: usize = self.leaving.iter().map(|parcel| parcel.contents.capacity()).sum();
        let arrived: usize = self.arrived.iter().map(|arrived| arrived.packet.capacity()).sum();
        size_of::<Self>() + waiting + arrived + self.follower.memory_bytes()
    }

    fn outside(&mut self) -> Option<&mut Outside> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::header::specimens::{tcp, udp};
    use super::*;

    #[test]
    fn a_packet_takes_its_own_length_on_the_line_and_arrives_as_it_was_sent() {
        let (mut near, mut far) = (Outside::default(), Outside::default());
        let packet = udp(1472);
        assert_eq!(packet.len(), 1500);
        assert!(near.send(Time(5), packet.clone()));
        let parcel = near.transmit(Time(5)).expect("a packet");
        assert_eq!((parcel.length + HEADERS_BYTES, parcel.number, parcel.sent), (1500, 0, Time(5)));
        assert_eq!(far.receive(Time(9), parcel).new, 1472);
        assert_eq!(far.take_arrived(), Some(Arrived { due: Time(9), packet }));
        assert_eq!(far.take_arrived(), None);
    }

    #[test]
    fn what_is_no_ip_packet_goes_nowhere() {
        let mut near = Outside::default();
        for packet in [Vec::new(), vec![0x45; 3], vec![0; 60]] {
            assert!(!near.send(Time(1), packet));
        }
        assert_eq!(near.transmit(Time(1)), None);
    }

    #[test]
    fn a_mark_is_written_into_the_header_once() {
        let mut far = Outside::default();
        let packet = tcp(1, 100, Codepoint::Classic);
        let parcel = |codepoint| Parcel { length: 112, number: 0, sent: Time(1), codepoint, contents: packet.clone() };
        far.receive(Time(2), parcel(Codepoint::Classic));
        far.receive(Time(2), parcel(Codepoint::CongestionExperienced));
        let arrived: Vec<_> = std::iter::from_fn(|| far.take_arrived()).map(|arrived| arrived.packet).collect();
        assert_eq!(arrived[0], packet);
        assert_eq!(arrived[1], tcp(1, 100, Codepoint::CongestionExperienced), "with its checksum");
        assert_eq!(far.marked(), 1);
    }
}
