//! Kinds of end systems that a flow may have.
//!
//! The network has one path for all of them (`end_systems`), which asks ends as [`EndSystem`]s. A [`Transport`] adds how its packets are stored and
//! who is told of them. The compiler knows each, so that TCP costs what it would if there were no other; what seldom happens asks [`Ends`], which
//! may be of any.

use longfat_foundation::units::Time;
use longfat_hosts::end_system::{End, EndSystem, Message, Packets as PacketsOf, Progress};
use longfat_hosts::transport::resume::Resumption;
use longfat_hosts::transport::{CongestionNotification, ReceivedBytes};
use longfat_network::framing::{Cell, Packets};

use super::audit::Violation;
use super::datagrams::DatagramCounts;
use super::flows::{Flow, Flows};
use super::{Drive, Network, Way};
use crate::observer::Observer;

/// A packet of a transport as it leaves, and as it arrives.
pub type Leaving<K> = <<K as Transport>::Packets as PacketsOf>::Leaving;
pub type Arriving<'p, K> = <<K as Transport>::Packets as PacketsOf>::Arriving<'p>;

/// Properties of a kind of ends besides those of the two [`EndSystem`]s.
pub trait Own {
    /// Mechanism of marks on which the ends agree.
    fn ecn(&self) -> CongestionNotification {
        CongestionNotification::None
    }
    /// True if all of the `size` bytes have arrived and the flow may end before the run.
    fn is_over(&self, _size: Option<u64>) -> bool {
        false
    }
    /// True if the application at the far end takes a stream of bytes.
    fn has_stream(&self) -> bool {
        true
    }
    /// Counts of datagrams, if each write of the application is one: results are then of datagrams, and not of a stream.
    fn datagrams(&self) -> Option<&DatagramCounts> {
        None
    }
    /// Checks that bytes acknowledged <= delivered <= received <= sent, and what else both ends must agree on.
    ///
    /// # Errors
    /// The first law that does not hold.
    fn audit(&self) -> Result<(), Violation> {
        Ok(())
    }
    /// Restarts peaks and distributions, but for those of the ends.
    fn count_own_anew(&mut self) {}
    /// Bytes that are allocated, but for those of the ends.
    fn own_memory_bytes(&self) -> usize {
        0
    }
}

/// The two ends of a flow, of one kind.
pub trait Transport: Own + Sized + 'static {
    type Packets: PacketsOf;
    type Near: EndSystem<Self::Packets> + ?Sized;
    type Far: EndSystem<Self::Packets> + ?Sized;
    /// True if its packets pass proxies: a connection is then one flow, which sends on its first leg and answers on its last.
    const PASSES_PROXIES: bool;
    /// True if the timer of the far end is that of a delayed acknowledgment. The ledger then knows of it, and fingerprints have the
    /// acknowledgment only.
    const ACKNOWLEDGES_LATE: bool;

    /// All flows of this kind, by number.
    fn table(flows: &mut Flows) -> &mut [Option<Box<Flow<Self>>>];
    fn ends(&self) -> (&Self::Near, &Self::Far);
    fn ends_mut(&mut self) -> (&mut Self::Near, &mut Self::Far);

    /// A packet that has arrived with this last cell.
    fn arriving(packets: &mut Packets, last: Cell) -> Arriving<'_, Self>;
    /// Sends a packet.
    fn send<O: Observer, D: Drive>(network: &mut Network<O, D>, now: Time, way: Way, from: End, packet: Leaving<Self>);
    /// Sends all that an end has to send, and the usual answer if the far one [took](Self::take) a packet that gets it. Tells whether there was
    /// anything.
    #[inline(always)]
    fn send_all<O: Observer, D: Drive>(
        network: &mut Network<O, D>,
        now: Time,
        number: usize,
        flow: &mut Flow<Self>,
        from: End,
        _is_usual: bool,
    ) -> bool {
        network.transmit(now, number, flow, from)
    }

    /// An end takes a packet, of which the observer is told. Tells whether the packet gets the usual answer of this kind, if it has one.
    fn take<O: Observer>(
        observer: &mut O,
        now: Time,
        number: usize,
        flow: &mut Flow<Self>,
        to: End,
        packet: Arriving<'_, Self>,
    ) -> (ReceivedBytes, bool);
    /// The timer of an end is due.
    fn expire<O: Observer>(observer: &mut O, now: Time, number: usize, flow: &mut Flow<Self>, end: End);
    /// A packet leaves an end.
    fn note_departure<O: Observer>(
        observer: &mut O,
        now: Time,
        number: usize,
        flow: &mut Flow<Self>,
        from: End,
        packet: &Leaving<Self>,
    );
    /// The near end has acted.
    fn note_act<O: Observer>(observer: &mut O, now: Time, number: usize, flow: &Flow<Self>);
}

/// The two ends of a flow, of any kind.
pub trait Ends: Own {
    /// The application at an end hands over `bytes` more.
    fn offer(&mut self, now: Time, end: End, bytes: u64);
    /// True if messages may each have a stream of their own.
    fn has_streams(&self) -> bool;
    /// The application at an end sends a message on its stream.
    fn send_message(&mut self, now: Time, end: End, message: Message);
    /// The next stream on which a message has arrived whole at an end, once.
    fn take_whole(&mut self, end: End) -> Option<u64>;
    /// Bytes that the application at the near end can no longer put anything before.
    fn committed(&self) -> u64;
    /// The application at an end stops.
    fn withdraw(&mut self, now: Time, end: End);
    /// The application at the far end has not read so many of the bytes delivered.
    fn hold(&mut self, unread: u64);
    /// Bytes that the near end knows the far one to have.
    fn acknowledged(&self) -> u64;
    /// The rule of resumption of what the near end sends.
    fn resumption(&mut self) -> Option<&mut dyn Resumption>;
    /// The account of an end.
    fn progress_of(&self, end: End) -> Progress;
    /// Bytes that the near end has sent, and that the other has delivered; of datagrams, those that have arrived.
    fn progress(&self) -> Progress;
    /// Restarts peaks and distributions.
    fn count_anew(&mut self);
    /// Bytes that are allocated.
    fn memory_bytes(&self) -> usize;
}

impl<K: Transport> Ends for K {
    fn offer(&mut self, now: Time, end: End, bytes: u64) {
        match (self.ends_mut(), end) {
            ((near, _), End::Near) => near.offer(now, bytes),
            ((_, far), End::Far) => far.offer(now, bytes),
        }
    }

    fn has_streams(&self) -> bool {
        self.ends().0.has_streams()
    }

    fn send_message(&mut self, now: Time, end: End, message: Message) {
        match (self.ends_mut(), end) {
            ((near, _), End::Near) => near.send(now, message),
            ((_, far), End::Far) => far.send(now, message),
        }
    }

    fn take_whole(&mut self, end: End) -> Option<u64> {
        match (self.ends_mut(), end) {
            ((near, _), End::Near) => near.take_whole(),
            ((_, far), End::Far) => far.take_whole(),
        }
    }

    fn committed(&self) -> u64 {
        self.ends().0.committed()
    }

    fn withdraw(&mut self, now: Time, end: End) {
        match (self.ends_mut(), end) {
            ((near, _), End::Near) => near.withdraw(now),
            ((_, far), End::Far) => far.withdraw(now),
        }
    }

    fn hold(&mut self, unread: u64) {
        self.ends_mut().1.hold(unread);
    }

    fn acknowledged(&self) -> u64 {
        self.ends().0.acknowledged()
    }

    fn resumption(&mut self) -> Option<&mut dyn Resumption> {
        self.ends_mut().0.resumption()
    }

    fn progress_of(&self, end: End) -> Progress {
        match end {
            End::Near => self.ends().0.progress(),
            End::Far => self.ends().1.progress(),
        }
    }

    fn progress(&self) -> Progress {
        if let Some(counts) = self.datagrams() {
            return counts.progress();
        }
        let (near, far) = (self.progress_of(End::Near), self.progress_of(End::Far));
        Progress { offered: near.offered, sent: near.sent, ..far }
    }

    fn count_anew(&mut self) {
        let (near, far) = self.ends_mut();
        near.count_anew();
        far.count_anew();
        self.count_own_anew();
    }

    fn memory_bytes(&self) -> usize {
        let (near, far) = self.ends();
        near.memory_bytes() + far.memory_bytes() + self.own_memory_bytes()
    }
}
