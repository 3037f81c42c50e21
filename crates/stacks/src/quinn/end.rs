//! An end of a connection: a quinn endpoint with one connection, and the application above it.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use longfat_foundation::measure::SendLimit;
use longfat_foundation::random::Stream;
use longfat_foundation::units::Time;
use longfat_hosts::end_system::{Direction, EndSystem, Message, Parcel, Progress, Vitals};
use longfat_hosts::quic::{Form, Frame, Kind, Packet, whole_packet_number};
use longfat_hosts::transport::ranges::RangeSet;
use longfat_hosts::transport::{Codepoint, ReceivedBytes};
use quinn_proto::{
    ClientConfig, Connection, ConnectionError, ConnectionHandle, ConnectionIdGenerator, DatagramEvent, Dir,
    EcnCodepoint, Endpoint, EndpointConfig, Event, NoneTokenStore, ServerConfig, StreamEvent, StreamId, VarInt,
};

use super::Quinn;
use super::messages::Messages;
use super::plain_text::{PlainText, Sizes, reset_key, token_key};
use super::surroundings::{Clock, Ids, NoCalendar, span};

/// Zeros that the application writes: what they are does not matter.
pub static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// Number of the stream of a client's law among those of a connection, behind three of each end.
const LAWS: u64 = 6;

/// Role in the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The end that opens the connection.
    Client,
    /// The end that waits for it.
    Server,
}

impl Side {
    /// Role of the other end.
    pub fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }

    /// An address; the network delivers by circuit and looks at none.
    fn address(self) -> SocketAddr {
        let last = match self {
            Self::Client => 1,
            Self::Server => 2,
        };
        SocketAddr::from((Ipv4Addr::new(10, 0, 0, last), 443))
    }
}

/// Settings that both ends of a connection share.
pub struct Pair<'q> {
    /// Name in results.
    pub name: String,
    /// Settings of the transport.
    pub quinn: &'q Quinn,
    /// Sizes of the handshake's messages.
    pub sizes: Sizes,
    /// Packets use ECN.
    pub uses_ecn: bool,
}

impl Pair<'_> {
    /// The end with that role, with randomness of its own.
    pub fn end(&self, side: Side, chance: &Stream) -> End {
        // Each end has three streams of its own: of the stack, of its connection IDs, and of the first that a client makes up for its server. Its law has a fourth.
        let part = |number: u64| chance.of_part(3 * side as u64 + number);
        let clock = Clock::start();
        let transport = Arc::new(self.quinn.transport(clock, chance.of_part(LAWS + side as u64)));
        let (mut draws, mut seed) = (part(0), [0; 32]);
        seed.chunks_exact_mut(8).for_each(|part| part.copy_from_slice(&draws.draw().to_be_bytes()));
        let mut config = EndpointConfig::new(reset_key());
        config.rng_seed(Some(seed)).grease_quic_bit(false);
        let ids = part(1);
        config.cid_generator(move || Box::new(Ids(ids.clone())));
        let crypto = Arc::new(PlainText(self.sizes));
        let server = (side == Side::Server).then(|| {
            let mut server = ServerConfig::new(crypto.clone(), token_key());
            server.transport_config(Arc::clone(&transport)).time_source(Arc::new(NoCalendar));
            Arc::new(server)
        });
        let first = std::sync::Mutex::new(Ids(part(2)));
        let mut client = ClientConfig::new(crypto);
        client.transport_config(transport).token_store(Arc::new(NoneTokenStore));
        client.initial_dst_cid_provider(Arc::new(move || {
            first.lock().unwrap_or_else(std::sync::PoisonError::into_inner).generate_cid()
        }));
        End {
            name: self.name.clone(),
            side,
            uses_ecn: self.uses_ecn,
            endpoint: Endpoint::new(Arc::new(config), server, true, None),
            client,
            connection: None,
            outgoing: VecDeque::new(),
            clock,
            sends: 0,
            progress: Progress::default(),
            written: 0,
            sent_to: 0,
            stream: None,
            incoming: None,
            arrived: RangeSet::default(),
            messages: Messages::default(),
            told: Default::default(),
        }
    }
}

/// One end of a connection.
pub struct End {
    name: String,
    side: Side,
    uses_ecn: bool,
    endpoint: Endpoint,
    client: ClientConfig,
    connection: Option<(ConnectionHandle, Connection)>,
    /// Packets that the endpoint itself sends.
    outgoing: VecDeque<Vec<u8>>,
    clock: Clock,
    /// Packets sent.
    sends: u64,
    progress: Progress,
    /// Bytes that the stack has taken from the application, and the end of the furthest that it has sent.
    written: u64,
    sent_to: u64,
    /// The stream of this end's data, and that of the other's.
    stream: Option<StreamId>,
    incoming: Option<StreamId>,
    /// Bytes that have arrived beyond a hole.
    arrived: RangeSet,
    messages: Messages,
    /// Largest packet numbers that were told of, by direction and packet number space.
    told: [[Option<u64>; 3]; 2],
}

impl End {
    /// Does what is to be done after the stack has had something to do: its events, and reading and writing of the application.
    fn attend(&mut self) -> ReceivedBytes {
        let Some((handle, connection)) = &mut self.connection else { return ReceivedBytes::default() };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        while let Some(event) = connection.poll() {
            match event {
                Event::ConnectionLost { reason } if reason != ConnectionError::TimedOut => {
                    panic!("the {} of a quinn connection lost it: {reason}", self.side.name());
                }
                Event::Stream(StreamEvent::Finished { id }) if id.dir() == Dir::Bi => self.messages.finish(id),
                _ => {}
            }
        }
        self.messages.write(connection);
        let of_messages = self.messages.read(connection);
        self.write();
        let mut brought = self.read();
        brought += of_messages;
        brought
    }

    /// Writes what the application has handed over, as far as the stack takes it.
    fn write(&mut self) {
        let Some((_, connection)) = &mut self.connection else { return };
        // A server could send before the handshake is over. Here it waits, as for a request: data that nobody can acknowledge yet may fill the
        // window while messages of the handshake are lost, and quinn then sends neither.
        if self.stream.is_none() && self.progress.offered > 0 && !connection.is_handshaking() {
            self.stream = connection.streams().open(Dir::Uni);
        }
        let Some(stream) = self.stream else { return };
        while self.written < self.progress.offered {
            let length = (self.progress.offered - self.written).min(ZEROS.len() as u64);
            let mut chunk = [Bytes::from_static(&ZEROS[..usize::try_from(length).unwrap_or(ZEROS.len())])];
            match connection.send_stream(stream).write_chunks(&mut chunk) {
                Ok(taken) if taken.bytes > 0 => self.written += taken.bytes as u64,
                _ => break,
            }
        }
    }

    /// Reads what has arrived, in order or not, and returns what is new.
    fn read(&mut self) -> ReceivedBytes {
        let mut brought = ReceivedBytes::default();
        let Some((_, connection)) = &mut self.connection else { return brought };
        if self.incoming.is_none() {
            self.incoming = connection.streams().accept(Dir::Uni);
        }
        let Some(stream) = self.incoming else { return brought };
        let mut incoming = connection.recv_stream(stream);
        let Ok(mut chunks) = incoming.read(false) else { return brought };
        while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
            let length = chunk.bytes.len() as u64;
            brought.new += length;
            self.arrived.insert((chunk.offset, chunk.offset + length));
        }
        // New windows are sent with the next packet.
        let _ = chunks.finalize();
        let Progress { delivered, received_to, held, .. } = &mut self.progress;
        *received_to = self.arrived.end().map_or(*received_to, |end| end.max(*received_to));
        *delivered = self.arrived.containing(*delivered).map_or(*delivered, |(_, end)| end);
        self.arrived.remove_below(*delivered);
        *held = self.arrived.bytes();
        brought
    }

    /// Counts a packet that leaves.
    fn count(&mut self, packet: &[u8]) {
        self.sends += 1;
        let packets = Packet::of_datagram(packet, packet.len() as u64, Form::Whole);
        let (mut has_data, mut again, mut sent_to) = (false, false, self.sent_to);
        for frame in packets.iter().flat_map(|(packet, _)| &packet.frames) {
            let Frame::Stream { id, range, .. } = frame else { continue };
            if range.0 == range.1 {
                continue;
            }
            has_data = true;
            if StreamId::from(VarInt::from_u64(*id).unwrap_or(VarInt::MAX)).dir() == Dir::Bi {
                again |= self.messages.note_sent(*id, *range);
            } else {
                again |= range.0 < self.sent_to;
                sent_to = sent_to.max(range.1);
            }
        }
        self.sent_to = sent_to;
        self.progress.sent.segments_sent += u64::from(has_data);
        self.progress.sent.segments_retransmitted += u64::from(again);
    }

    #[expect(clippy::cast_precision_loss, reason = "windows have no more than 53 bits")]
    fn note_window(&mut self) {
        let Some((_, connection)) = &self.connection else { return };
        let statistics = connection.stats().path;
        let sent = &mut self.progress.sent;
        sent.max_cwnd = sent.max_cwnd.max(statistics.cwnd as f64);
        sent.fast_retransmits = statistics.congestion_events;
    }
}

impl EndSystem for End {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn begin(&mut self, now: Time) {
        if self.side == Side::Client {
            let (now, server) = (self.clock.at(now), self.side.other());
            self.connection = self.endpoint.connect(now, self.client.clone(), server.address(), server.name()).ok();
        }
    }

    fn offer(&mut self, _now: Time, bytes: u64) {
        self.progress.offered = self.progress.offered.saturating_add(bytes);
        self.attend();
    }

    fn has_streams(&self) -> bool {
        true
    }

    fn send(&mut self, _now: Time, message: Message) {
        self.messages.push(message);
        self.attend();
    }

    fn take_whole(&mut self) -> Option<u64> {
        self.messages.take_whole()
    }

    fn withdraw(&mut self, _now: Time) {
        if self.progress.offered == u64::MAX {
            self.progress.offered = self.written;
        }
    }

    fn receive(&mut self, now: Time, parcel: Parcel) -> ReceivedBytes {
        let (now, from) = (self.clock.at(now), self.side.other().address());
        let ecn = if self.uses_ecn { of_codepoint(parcel.codepoint) } else { None };
        let mut answer = Vec::new();
        let packet = BytesMut::from(&parcel.contents[..]);
        let before = self.connection.as_ref().map(|(_, connection)| connection.rtt());
        match self.endpoint.handle(now, from, None, ecn, packet, &mut answer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                self.connection = self.endpoint.accept(incoming, now, &mut answer, None).ok();
            }
            Some(DatagramEvent::Response(_)) => self.outgoing.push_back(std::mem::take(&mut answer)),
            None => {}
        }
        let brought = self.attend();
        let after = self.connection.as_ref().map(|(_, connection)| connection.rtt());
        if let Some(round_trip) = after.filter(|_| after != before) {
            self.progress.sent.round_trips.note(span(round_trip));
        }
        self.note_window();
        brought
    }

    fn expire(&mut self, now: Time) {
        if let Some((_, connection)) = &mut self.connection {
            connection.handle_timeout(self.clock.at(now));
        }
        self.attend();
        self.note_window();
    }

    fn transmit(&mut self, now: Time) -> Option<Parcel> {
        let (mut contents, mut codepoint) = (Vec::new(), Codepoint::NotCapable);
        if let Some(answer) = self.outgoing.pop_front() {
            contents = answer;
        } else {
            let (_, connection) = self.connection.as_mut()?;
            let transmit = connection.poll_transmit(self.clock.at(now), 1, &mut contents)?;
            if self.uses_ecn {
                codepoint = transmit.ecn.map_or(Codepoint::NotCapable, |ecn| Codepoint::of_bits(ecn as u32));
            }
        }
        let number = self.sends;
        self.count(&contents);
        Some(Parcel { length: contents.len() as u64, number, sent: now, codepoint, contents })
    }

    fn expires(&mut self) -> Option<Time> {
        let clock = self.clock;
        self.connection.as_mut()?.1.poll_timeout().map(|instant| clock.time(instant))
    }

    fn limit(&self) -> SendLimit {
        let Some((_, connection)) = &self.connection else { return SendLimit::NoData };
        let [taken, sent] = self.messages.taken();
        if self.sent_to + sent >= self.progress().offered {
            return SendLimit::NoData;
        }
        if connection.is_handshaking() {
            return SendLimit::Opening;
        }
        if self.sent_to + sent >= self.written + taken {
            return SendLimit::ReceiverWindow;
        }
        let metrics = connection.congestion_state().metrics();
        match metrics.ssthresh {
            Some(threshold) if metrics.congestion_window >= threshold => SendLimit::CongestionAvoidance,
            _ => SendLimit::SlowStart,
        }
    }

    fn progress(&self) -> Progress {
        let mut progress = self.progress;
        self.messages.add_to(&mut progress);
        progress
    }

    /// It does not tell its bytes in flight and its probe timeout.
    #[expect(clippy::cast_precision_loss, reason = "windows have no more than 53 bits")]
    fn vitals(&self) -> Vitals {
        let Some((_, connection)) = &self.connection else { return Vitals::default() };
        let metrics = connection.congestion_state().metrics();
        let threshold = metrics.ssthresh.map(|bytes| if bytes == u64::MAX { f64::INFINITY } else { bytes as f64 });
        let has_sample = self.progress.sent.round_trips.count > 0;
        let smoothed = has_sample.then(|| span(connection.rtt()));
        Vitals {
            window: Some(metrics.congestion_window as f64),
            threshold,
            round_trip: smoothed,
            smoothed_round_trip: smoothed,
            ..Vitals::default()
        }
    }

    fn packets(&mut self, parcel: &Parcel, direction: Direction) -> Vec<(Packet, u64)> {
        let mut packets = Packet::of_datagram(&parcel.contents, parcel.length, Form::Whole);
        for (packet, _) in &mut packets {
            let space = match packet.kind {
                Kind::Initial => 0,
                Kind::Handshake => 1,
                Kind::ZeroRoundTrip | Kind::OneRoundTrip => 2,
            };
            let largest = &mut self.told[direction as usize][space];
            packet.number = whole_packet_number(*largest, packet.number, packet.number_bytes);
            *largest = (*largest).max(Some(packet.number));
        }
        packets
    }

    fn count_anew(&mut self) {
        self.progress.sent.count_anew(0.0);
        self.note_window();
    }

    /// Memory in bytes: a constant for the stack, and the data that wait to be sent or read.
    fn memory_bytes(&self) -> usize {
        let outgoing: usize = self.outgoing.iter().map(Vec::capacity).sum();
        size_of::<Self>() + STACK_BYTES + outgoing + self.arrived.memory_bytes() + self.messages.memory_bytes()
    }
}

/// Memory of an endpoint with a connection: a process grew by 31 kB for each of 4,000 (quinn-proto 0.11.19).
pub const STACK_BYTES: usize = 32 * 1024;

fn of_codepoint(codepoint: Codepoint) -> Option<EcnCodepoint> {
    EcnCodepoint::from_bits(u8::try_from(codepoint.bits()).unwrap_or(0))
}
