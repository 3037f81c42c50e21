//! The engine's TCP: how its packets are stored, and what observers are told.

use longfat_foundation::units::Time;
use longfat_hosts::end_system::{End, EndSystem};
use longfat_hosts::transport::ends::{Arriving, Leaving, Receiving, Segments, Sending, Signal};
use longfat_hosts::transport::{Codepoint, CongestionNotification, ReceivedBytes, Segment, Sender};
use longfat_network::framing::{Cell, Content, Packets};

use super::audit::{Violation, equal};
use super::flows::{Flow, Flows};
use super::transport::{Own, Transport};
use super::{Drive, Network, Way};
use crate::observer::Observer;

/// The ends of a flow of TCP.
pub struct Tcp {
    pub near: Sending,
    pub far: Receiving,
    pub ecn: CongestionNotification,
}

impl Transport for Tcp {
    type Packets = Segments;
    type Near = Sending;
    type Far = Receiving;
    const PASSES_PROXIES: bool = false;
    const ACKNOWLEDGES_LATE: bool = true;

    #[inline(always)]
    fn table(flows: &mut Flows) -> &mut [Option<Box<Flow<Self>>>] {
        &mut flows.tcp
    }

    #[inline(always)]
    fn ends(&self) -> (&Sending, &Receiving) {
        (&self.near, &self.far)
    }

    #[inline(always)]
    fn ends_mut(&mut self) -> (&mut Sending, &mut Receiving) {
        (&mut self.near, &mut self.far)
    }

    #[inline(always)]
    fn arriving(packets: &mut Packets, last: Cell) -> Arriving<'_> {
        let packet = packets.get(last.packet);
        let signal = match &packet.content {
            &Content::Data { sequence, length, sent, reduced } => Signal::Data { sequence, length, sent, reduced },
            Content::Acknowledgment(acknowledgment) => Signal::Acknowledgment(acknowledgment),
            &Content::Synchronize { sent } => Signal::Synchronize { sent },
            &Content::Synchronized { sent } => Signal::Synchronized { sent },
            Content::Datagram { .. } | Content::Background => unreachable!("segments travel between ends of TCP"),
        };
        Arriving { signal, codepoint: last.codepoint(), window: packet.window() }
    }

    #[inline(always)]
    fn send<O: Observer, D: Drive>(network: &mut Network<O, D>, now: Time, way: Way, _from: End, packet: Leaving) {
        let Leaving { signal, codepoint, option_bytes, window, .. } = packet;
        let (content, length) = match signal {
            Signal::Data { sequence, length, sent, reduced } => {
                (Content::Data { sequence, length, sent, reduced }, length)
            }
            Signal::Acknowledgment(acknowledgment) => (Content::Acknowledgment(acknowledgment), 0),
            Signal::Synchronize { sent } => (Content::Synchronize { sent }, 0),
            Signal::Synchronized { sent } => (Content::Synchronized { sent }, 0),
        };
        let size = network.sizes.of(length, option_bytes);
        let id = network.send_packet(now, way, content, codepoint, size);
        if let Some(window) = window {
            network.packets.set_window(id, window);
        }
    }

    #[inline(always)]
    fn send_all<O: Observer, D: Drive>(
        network: &mut Network<O, D>,
        now: Time,
        number: usize,
        flow: &mut Flow<Self>,
        from: End,
        is_usual: bool,
    ) -> bool {
        let Tcp { near, far, .. } = &mut flow.ends;
        if from == End::Near {
            for packet in near.departures(now) {
                note_segment(&mut network.observer, now, number, near.sender(), &packet);
                Self::send(network, now, flow.there, from, packet);
            }
            return near.note_left();
        }
        if is_usual {
            let (acknowledgment, option_bytes) = far.usual_answer();
            network.observer.acknowledgment_sent(now, number, &acknowledgment);
            let (content, size) = (Content::Acknowledgment(acknowledgment), network.sizes.of(0, option_bytes));
            network.send_packet(now, flow.back, content, Codepoint::NotCapable, size);
            return true;
        }
        far.has_answers() && send_unusual(network, now, number, flow)
    }

    #[inline(always)]
    fn take<O: Observer>(
        observer: &mut O,
        now: Time,
        number: usize,
        flow: &mut Flow<Self>,
        to: End,
        packet: Arriving<'_>,
    ) -> (ReceivedBytes, bool) {
        let Self { near, far, .. } = &mut flow.ends;
        if to == End::Far {
            let taken = far.take(now, &packet);
            match packet.signal {
                Signal::Data { sequence, length, .. } => {
                    observer.segment_received(now, number, sequence, length, far.receiver().next());
                }
                _ => observer.synchronize_received(now, number),
            }
            return taken;
        }
        match packet.signal {
            Signal::Acknowledgment(acknowledgment) => {
                if near.known_room().is_some() {
                    observer.window_advertised(number, packet.window);
                }
                observer.acknowledgment_received(now, number, acknowledgment, near.sender().window());
            }
            _ => observer.synchronized(now, number),
        }
        (near.receive(now, packet), false)
    }

    #[inline(always)]
    fn expire<O: Observer>(observer: &mut O, now: Time, number: usize, flow: &mut Flow<Self>, end: End) {
        let Self { near, far, .. } = &mut flow.ends;
        if end == End::Far {
            return far.expire(now);
        }
        if near.sender().times_out_next() {
            observer.timed_out(now, number, near.sender().window());
        }
        near.expire(now);
    }

    fn note_departure<O: Observer>(
        observer: &mut O,
        now: Time,
        number: usize,
        flow: &mut Flow<Self>,
        _from: End,
        packet: &Leaving,
    ) {
        match &packet.signal {
            Signal::Acknowledgment(acknowledgment) => observer.acknowledgment_sent(now, number, acknowledgment),
            _ => note_segment(observer, now, number, flow.ends.near.sender(), packet),
        }
    }

    #[inline(always)]
    fn note_act<O: Observer>(observer: &mut O, now: Time, number: usize, flow: &Flow<Self>) {
        if observer.interests().anything {
            observer.sender_acted(now, number, flow.ends.near.sender());
        }
    }
}

/// A segment leaves a sender.
#[inline(always)]
fn note_segment<O: Observer>(observer: &mut O, now: Time, number: usize, sender: &Sender, packet: &Leaving) {
    if !observer.interests().anything {
        return;
    }
    let (sequence, length, synchronize, reduced) = match packet.signal {
        Signal::Data { sequence, length, reduced, .. } => (sequence, length, false, reduced),
        Signal::Synchronize { .. } => (0, 0, true, false),
        Signal::Acknowledgment(_) | Signal::Synchronized { .. } => return,
    };
    let segment = Segment { sequence, length, again: packet.again, synchronize, reduced };
    observer.segment_sent(now, number, segment, sender.window());
}

/// Sends all that the far end answers but for the usual acknowledgment.
#[inline(never)]
fn send_unusual<O: Observer, D: Drive>(
    network: &mut Network<O, D>,
    now: Time,
    number: usize,
    flow: &mut Flow<Tcp>,
) -> bool {
    let far = &mut flow.ends.far;
    let Some((&acknowledgment, option_bytes)) = far.unusual_answer() else {
        return network.transmit(now, number, flow, End::Far);
    };
    network.observer.acknowledgment_sent(now, number, &acknowledgment);
    let size = network.sizes.of(0, option_bytes);
    network.send_packet(now, flow.back, Content::Acknowledgment(acknowledgment), Codepoint::NotCapable, size);
    far.note_left();
    true
}

impl Own for Tcp {
    fn ecn(&self) -> CongestionNotification {
        self.ecn
    }

    fn is_over(&self, size: Option<u64>) -> bool {
        size == Some(self.near.acknowledged())
    }

    /// Checks that every byte was delivered once and in order, and no more than the receiver had room for.
    fn audit(&self) -> Result<(), Violation> {
        let (sender, receiver) = (self.near.sender(), self.far.receiver());
        let kept = receiver.next() + receiver.bytes_held();
        equal("new bytes received, and delivered or held", receiver.received().new, kept)?;
        let order = [sender.unacknowledged(), receiver.next(), receiver.highest(), sender.highest()];
        if !order.is_sorted() {
            return Err(Violation(format!("acknowledged, delivered, received and sent bytes out of order: {order:?}")));
        }
        let Some((reported, known)) = self.far.room_reported().zip(self.near.known_room()) else { return Ok(()) };
        let received = receiver.highest();
        if received.max(known) <= reported {
            return Ok(());
        }
        Err(Violation(format!(
            "a proxy received up to {received} and reports room to {reported}; its sender knows {known}"
        )))
    }
}
