//! An end of a connection: a smoltcp interface with one socket, and the application above it.

use std::collections::VecDeque;

use longfat_foundation::measure::SendLimit;
use longfat_foundation::units::{Span, Time};
use longfat_hosts::end_system::{EndSystem, Parcel, Progress, Vitals};
use longfat_hosts::outside::position;
use longfat_hosts::transport::ranges::RangeSet;
use longfat_hosts::transport::{Codepoint, ReceivedBytes};
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::socket::tcp::{CongestionControl, Socket, SocketBuffer};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{HardwareAddress, IpAddress, IpCidr};

use super::HEADERS_BYTES;
use super::device::Wire;
use super::header::segment;

const PORT: u16 = 443;
const CLIENT: IpAddress = IpAddress::v4(10, 0, 0, 1);
const SERVER: IpAddress = IpAddress::v4(10, 0, 0, 2);

/// Bits of the address that belong to the network.
const PREFIX: u8 = 24;

const PICOSECONDS_PER_MICROSECOND: u64 = 1_000_000;

/// Settings of an end.
pub struct Settings {
    /// Name in results.
    pub name: &'static str,
    /// Congestion control.
    pub control: CongestionControl,
    /// Largest IP packet in bytes.
    pub mtu: usize,
    /// Room for data that have arrived, in bytes.
    pub receive_buffer: usize,
    /// Room for data that are not acknowledged, in bytes.
    pub send_buffer: usize,
    /// Time for which an acknowledgment waits.
    pub acknowledgment_delay: Span,
    /// Nagle's rule.
    pub nagle: bool,
}

/// One end of a connection.
pub struct End {
    name: &'static str,
    opens: bool,
    wire: Wire,
    interface: Interface,
    sockets: SocketSet<'static>,
    socket: SocketHandle,
    buffers_bytes: usize,
    /// Packets sent.
    sends: u64,
    progress: Progress,
    /// Bytes that the stack has taken from the application, and the end of the furthest that it has sent.
    written: u64,
    sent_to: u64,
    /// Sequence numbers of the two SYNs, once they are known.
    opening: Option<u32>,
    peers_opening: Option<u32>,
    /// Bytes that have arrived beyond a hole.
    arrived: RangeSet,
    /// When the stack has last had something to do, in its own clock.
    polled: Instant,
}

impl End {
    /// An end that opens the connection or waits for it.
    pub fn new(settings: &Settings, opens: bool, seed: u64) -> Self {
        let mut wire = Wire { mtu: settings.mtu, arrived: VecDeque::new(), leaving: VecDeque::new() };
        let mut config = Config::new(HardwareAddress::Ip);
        config.random_seed = seed;
        let mut interface = Interface::new(config, &mut wire, Instant::ZERO);
        let own = if opens { CLIENT } else { SERVER };
        // The list has room for one.
        interface.update_ip_addrs(|addresses| _ = addresses.push(IpCidr::new(own, PREFIX)));
        let buffer = |bytes| SocketBuffer::new(vec![0; bytes]);
        let mut socket = Socket::new(buffer(settings.receive_buffer), buffer(settings.send_buffer));
        socket.set_congestion_control(settings.control);
        socket.set_nagle_enabled(settings.nagle);
        let delay = settings.acknowledgment_delay.0 / PICOSECONDS_PER_MICROSECOND;
        socket.set_ack_delay((delay > 0).then(|| Duration::from_micros(delay)));
        let mut sockets = SocketSet::new(Vec::new());
        Self {
            name: settings.name,
            opens,
            wire,
            interface,
            socket: sockets.add(socket),
            sockets,
            buffers_bytes: settings.receive_buffer + settings.send_buffer,
            sends: 0,
            progress: Progress::default(),
            written: 0,
            sent_to: 0,
            opening: None,
            peers_opening: None,
            arrived: RangeSet::default(),
            polled: Instant::ZERO,
        }
    }

    /// Lets the stack work: it takes what has arrived and sends what it can.
    fn poll(&mut self, now: Time) {
        self.polled = instant(now);
        self.interface.poll(self.polled, &mut self.wire, &mut self.sockets);
        self.read();
        self.write();
        self.interface.poll(self.polled, &mut self.wire, &mut self.sockets);
    }

    /// Writes what the application has handed over, as far as the stack takes it.
    fn write(&mut self) {
        let socket = self.sockets.get_mut::<Socket>(self.socket);
        while self.written < self.progress.offered && socket.can_send() {
            let left = usize::try_from(self.progress.offered - self.written).unwrap_or(usize::MAX);
            let taken = socket.send(|room| (room.len().min(left), room.len().min(left))).unwrap_or(0);
            self.written += taken as u64;
            if taken == 0 {
                break;
            }
        }
    }

    /// Reads what has arrived in order.
    fn read(&mut self) {
        let socket = self.sockets.get_mut::<Socket>(self.socket);
        while let Ok(taken) = socket.recv(|data| (data.len(), data.len())) {
            self.progress.delivered += taken as u64;
            if taken == 0 {
                break;
            }
        }
    }

    /// Notes the data of a packet that arrives.
    fn note_arrival(&mut self, packet: &[u8]) -> ReceivedBytes {
        let Some(segment) = segment(packet) else { return ReceivedBytes::default() };
        if segment.opens {
            self.peers_opening = Some(segment.sequence);
        }
        let Some(opening) = self.peers_opening else { return ReceivedBytes::default() };
        let begin = position(segment.sequence, opening, self.progress.delivered);
        let fresh = begin.max(self.progress.delivered)..begin + segment.length;
        let new = if fresh.is_empty() { 0 } else { self.arrived.insert((fresh.start, fresh.end)) };
        ReceivedBytes { new, duplicate: segment.length - new, beyond_hole: 0 }
    }

    /// Counts a packet that leaves.
    fn count(&mut self, packet: &[u8]) {
        self.sends += 1;
        let Some(segment) = segment(packet) else { return };
        if segment.opens {
            self.opening = Some(segment.sequence);
        }
        let Some(opening) = self.opening.filter(|_| segment.length > 0) else { return };
        let begin = position(segment.sequence, opening, self.sent_to);
        let sent = &mut self.progress.sent;
        sent.segments_sent += 1;
        sent.segments_retransmitted += u64::from(begin < self.sent_to);
        self.sent_to = self.sent_to.max(begin + segment.length);
        let flight = self.flight();
        let most = &mut self.progress.sent.max_cwnd;
        *most = most.max(flight);
    }

    /// Bytes sent and not acknowledged.
    #[expect(clippy::cast_precision_loss, reason = "windows have no more than 53 bits")]
    fn flight(&self) -> f64 {
        let kept = self.sockets.get::<Socket>(self.socket).send_queue() as u64;
        let acknowledged = self.written.saturating_sub(kept);
        self.sent_to.saturating_sub(acknowledged) as f64
    }
}

impl EndSystem for End {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn begin(&mut self, now: Time) {
        self.interface.poll_maintenance(instant(now));
        let socket = self.sockets.get_mut::<Socket>(self.socket);
        // Neither fails: the addresses are there, and the socket is new.
        if self.opens {
            _ = socket.connect(self.interface.context(), (SERVER, PORT), PORT);
        } else {
            _ = socket.listen(PORT);
        }
        self.poll(now);
    }

    fn offer(&mut self, now: Time, bytes: u64) {
        self.progress.offered = self.progress.offered.saturating_add(bytes);
        self.poll(now);
    }

    fn committed(&self) -> u64 {
        self.written
    }

    fn withdraw(&mut self, _now: Time) {
        if self.progress.offered == u64::MAX {
            self.progress.offered = self.written;
        }
    }

    fn receive(&mut self, now: Time, parcel: Parcel) -> ReceivedBytes {
        let mut brought = self.note_arrival(&parcel.contents);
        let before = self.progress.delivered;
        self.wire.arrived.push_back(parcel.contents);
        self.poll(now);
        let Progress { delivered, received_to, held, .. } = &mut self.progress;
        // Some data beyond a hole the stack does not keep; they come again.
        if let Some((_, end)) = self.arrived.containing(before).filter(|(_, end)| *end > *delivered) {
            brought.beyond_hole = (end - *delivered).min(brought.new);
            brought.new -= brought.beyond_hole;
            self.arrived.clear();
        }
        self.arrived.remove_below(*delivered);
        *received_to = self.arrived.end().unwrap_or(*delivered).max(*received_to).max(*delivered);
        *held = self.arrived.bytes();
        brought
    }

    fn expire(&mut self, now: Time) {
        self.poll(now);
    }

    fn transmit(&mut self, now: Time) -> Option<Parcel> {
        let contents = self.wire.leaving.pop_front()?;
        let number = self.sends;
        self.count(&contents);
        // The network adds the headers that these packets have already.
        let length = (contents.len() as u64).saturating_sub(HEADERS_BYTES);
        Some(Parcel { length, number, sent: now, codepoint: Codepoint::NotCapable, contents })
    }

    /// Its clock ticks in microseconds: what is due now has been done.
    #[expect(clippy::cast_sign_loss, reason = "time does not go back")]
    fn expires(&mut self) -> Option<Time> {
        let due = self.interface.poll_at(self.polled, &self.sockets)?;
        let due = due.max(self.polled + Duration::from_micros(1));
        Some(Time(due.total_micros() as u64 * PICOSECONDS_PER_MICROSECOND))
    }

    fn limit(&self) -> SendLimit {
        let socket = self.sockets.get::<Socket>(self.socket);
        if self.sent_to >= self.progress.offered {
            SendLimit::NoData
        } else if !socket.may_send() {
            SendLimit::Opening
        } else if self.sent_to >= self.written {
            SendLimit::ReceiverWindow
        } else {
            SendLimit::CongestionAvoidance
        }
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    /// It tells nothing but what was acknowledged.
    fn vitals(&self) -> Vitals {
        Vitals { flight: Some(self.flight()), ..Vitals::default() }
    }

    fn count_anew(&mut self) {
        self.progress.sent.count_anew(0.0);
    }

    fn memory_bytes(&self) -> usize {
        let waiting: usize = self.wire.leaving.iter().chain(&self.wire.arrived).map(Vec::capacity).sum();
        size_of::<Self>() + self.buffers_bytes + waiting + self.arrived.memory_bytes()
    }
}

/// Time of the simulation as the stack reads it, rounded down to a microsecond.
#[expect(clippy::cast_possible_wrap, reason = "a run is shorter than 500 years")]
fn instant(now: Time) -> Instant {
    Instant::from_micros((now.0 / PICOSECONDS_PER_MICROSECOND) as i64)
}
