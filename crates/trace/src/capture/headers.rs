//! IPv4, TCP and UDP headers of a flow's packets (RFC 791, RFC 768, RFC 9293, RFC 7323, RFC 2018, RFC 3168, RFC 9768).
//!
//! Source n is 10.0.x.y and its destination 10.1.x.y, where x.y is n. Where proxies split the connection, the one before the bottleneck is
//! 10.2.x.y and the one behind it 10.3.x.y: each leg is a conversation of its own. Requests of a destination use another port than data.
//! The SYN has sequence number 0, byte b of the data has b + 1, modulo 2^32. Payloads are all zero bytes, and left out.

use longfat_engine::Numbers;
use longfat_engine::scenario::Scenario;
use longfat_engine::topology::{Graph, Leg};
use longfat_engine::transport::{Acknowledgment, Codepoint, CongestionNotification, Echo, Segment as SentSegment};
use longfat_engine::units::{PICOSECONDS_PER_SECOND, Span, Time};

const SOURCE_PORT: u16 = 50_000;
const REQUESTS_PORT: u16 = 5002;
/// Port of iperf, which no dissector interprets.
const DESTINATION_PORT: u16 = 5001;

const SYN: u16 = 2;
const ACK: u16 = 16;
/// ECE and CWR (RFC 3168 section 6.1), and AE, with which they form the ACE field (RFC 9768 section 3.1).
const ECE: u16 = 1 << 6;
const CWR: u16 = 1 << 7;
/// Initial value of the ACE field (RFC 9768 section 3.2.1).
const NO_MARKS: u64 = 5;
const AE: u16 = 1 << 8;

/// AccECN option with the counter of ECT(0) bytes first (RFC 9768 section 3.2.3), and that counter's constant initial value of 1.
const ACCURATE_ECN_ORDER_0: u8 = 172;
const NO_CLASSIC_BYTES: [u8; 3] = [0, 0, 1];

const PROTOCOL_TCP: u8 = 6;
const PROTOCOL_UDP: u8 = 17;
/// Second byte of the addresses of destinations.
const DESTINATION_NETWORK: u8 = 1;
const UDP_HEADER_BYTES: usize = 8;
const TIME_TO_LIVE: u8 = 64;
const DO_NOT_FRAGMENT: u16 = 0x4000;
const IP_HEADER_BYTES: usize = 20;
const TCP_HEADER_BYTES: usize = 20;
/// Largest IP packet.
pub const MOST_IP_BYTES: u64 = 65_535;

const NO_OPERATION: u8 = 1;

/// Largest headers: 20 bytes of IP and 60 of TCP (RFC 9293 section 3.1).
pub const MOST_HEADER_BYTES: u64 = 80;

/// Headers, and the length of the packet that they belong to.
pub type Headers = (Vec<u8>, u32);

/// Builds the headers of a scenario's packets.
pub struct HeaderMaker {
    flows: Vec<Ends>,
}

/// Addresses of the ends of a flow, and settings that they agree on.
struct Ends {
    mss: u64,
    /// The window that the receiver advertises: a proxy's changes.
    window: u64,
    /// Its first one, of which the opening tells without a shift.
    first_window: u64,
    shift: u8,
    is_selective: bool,
    ecn: CongestionNotification,
    carries_timestamps: bool,
    addresses: [[u8; 4]; 2],
    ports: [u16; 2],
}

/// Sending end of a packet: the sender of the flow's data, or the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Source,
    Destination,
}

/// Contents of a TCP header besides the ports.
struct Segment<'s> {
    sequence: u64,
    acknowledgment: u64,
    flags: u16,
    codepoint: Codepoint,
    window: u64,
    options: &'s [u8],
    data: u64,
}

impl HeaderMaker {
    /// Creates headers for the end systems of a scenario.
    #[must_use]
    pub fn new(scenario: &Scenario, graph: &Graph) -> Self {
        let numbers = Numbers::of(graph);
        let flows = (0..scenario.number_of_flows()).map(|flow| Ends::of(scenario, graph, numbers, flow)).collect();
        Self { flows }
    }

    /// The window field of the next acknowledgments of a flow, in units of its shift.
    pub fn advertise(&mut self, flow: usize, field: u16) {
        let ends = &mut self.flows[flow];
        ends.window = u64::from(field) << ends.shift;
    }

    /// SYN with its options: MSS, window scale, SACK permitted, timestamps.
    #[must_use]
    pub fn synchronize(&self, now: Time, flow: usize) -> Headers {
        let options = self.opening_options(now, flow);
        let segment = Segment {
            sequence: 0,
            acknowledgment: 0,
            flags: SYN | offer(self.ecn_of(flow)),
            codepoint: Codepoint::NotCapable,
            window: self.flows[flow].first_window,
            options: &options,
            data: 0,
        };
        self.packet(flow, End::Source, &segment)
    }

    /// SYN-ACK.
    #[must_use]
    pub fn synchronized(&self, now: Time, flow: usize) -> Headers {
        let options = self.opening_options(now, flow);
        let segment = Segment {
            sequence: 0,
            acknowledgment: 1,
            flags: SYN | ACK | consent(self.ecn_of(flow)),
            codepoint: Codepoint::NotCapable,
            window: self.flows[flow].first_window,
            options: &options,
            data: 0,
        };
        self.packet(flow, End::Destination, &segment)
    }

    /// The ACK that completes the handshake.
    #[must_use]
    pub fn opened(&self, now: Time, flow: usize) -> Headers {
        self.data(now, flow, &SentSegment { sequence: 0, length: 0, again: false, synchronize: false, reduced: false })
    }

    /// Data segment.
    #[must_use]
    pub fn data(&self, now: Time, flow: usize, data: &SentSegment) -> Headers {
        let options = self.timestamps(flow, now, Time::ZERO);
        let is_capable = data.length > 0 && !data.again;
        let segment = Segment {
            sequence: data.sequence + 1,
            acknowledgment: 1,
            flags: ACK | bits_of_sender(self.ecn_of(flow), data),
            codepoint: if is_capable { self.ecn_of(flow).codepoint() } else { Codepoint::NotCapable },
            window: self.flows[flow].window >> self.flows[flow].shift,
            options: &options,
            data: data.length,
        };
        self.packet(flow, End::Source, &segment)
    }

    /// Acknowledgment. Its own timestamp is the arrival time of the segment whose timestamp it echoes.
    #[must_use]
    pub fn acknowledgment(&self, flow: usize, acknowledgment: &Acknowledgment) -> Headers {
        let echoed = acknowledgment.echoed().unwrap_or(Time::ZERO);
        let delay = acknowledgment.echo.and_then(Echo::one_way_delay).unwrap_or(Span::ZERO);
        let mut options = self.timestamps(flow, echoed + delay, echoed);
        options.extend(marked_bytes(self.ecn_of(flow), acknowledgment.marks));
        let blocks = acknowledgment.blocks.as_slice();
        if !blocks.is_empty() {
            #[expect(clippy::cast_possible_truncation, reason = "at most four blocks")]
            options.extend([NO_OPERATION, NO_OPERATION, 5, 2 + 8 * blocks.len() as u8]);
            for &(from, to) in blocks {
                options.extend(wrapped(from + 1).to_be_bytes());
                options.extend(wrapped(to + 1).to_be_bytes());
            }
        }
        let segment = Segment {
            sequence: 1,
            acknowledgment: acknowledgment.next + 1,
            flags: ACK | echo_of_marks(self.ecn_of(flow), acknowledgment.marks),
            codepoint: Codepoint::NotCapable,
            window: self.flows[flow].window >> self.flows[flow].shift,
            options: &options,
            data: 0,
        };
        self.packet(flow, End::Destination, &segment)
    }

    /// Datagram with `length` bytes of data, of the flow that begins at its source. Proxies pass it on to the destination.
    #[must_use]
    pub fn datagram(&self, flow: usize, length: u64) -> Headers {
        let (mut ends, ports) = self.ends(flow, End::Source);
        ends[1][1] = DESTINATION_NETWORK;
        datagram_between(ends, ports, length)
    }

    /// Answer to it, of the same size.
    #[must_use]
    pub fn answer(&self, flow: usize, length: u64) -> Headers {
        let (mut ends, ports) = self.ends(flow, End::Destination);
        ends[0][1] = DESTINATION_NETWORK;
        datagram_between(ends, ports, length)
    }

    fn ecn_of(&self, flow: usize) -> CongestionNotification {
        self.flows[flow].ecn
    }

    /// Packet sent by one end of a flow.
    fn packet(&self, flow: usize, from: End, segment: &Segment) -> Headers {
        let (addresses, ports) = self.ends(flow, from);
        packet_between(addresses, ports, segment)
    }

    /// Addresses and ports of a packet sent by one end of a flow, the sender's first.
    fn ends(&self, flow: usize, from: End) -> ([[u8; 4]; 2], [u16; 2]) {
        let Ends { mut addresses, mut ports, .. } = self.flows[flow];
        if from == End::Destination {
            addresses.reverse();
            ports.reverse();
        }
        (addresses, ports)
    }

    #[expect(clippy::cast_possible_truncation, reason = "a larger segment would not fit the packet's length either")]
    fn opening_options(&self, now: Time, flow: usize) -> Vec<u8> {
        let ends = &self.flows[flow];
        let mss = ends.mss.min(u64::from(u16::MAX)) as u16;
        let mut options = vec![2, 4];
        options.extend(mss.to_be_bytes());
        options.extend([NO_OPERATION, 3, 3, ends.shift]);
        options.extend(if ends.is_selective { [4, 2] } else { [NO_OPERATION; 2] });
        options.extend([NO_OPERATION; 2]);
        let mut timestamps = self.timestamps(flow, now, Time::ZERO);
        options.append(&mut timestamps);
        options
    }

    /// Timestamps option, if segments carry it, with a clock of milliseconds (RFC 7323 section 3.2).
    fn timestamps(&self, flow: usize, now: Time, echo: Time) -> Vec<u8> {
        if !self.flows[flow].carries_timestamps {
            return Vec::new();
        }
        let milliseconds = |time: Time| wrapped(time.0 / (PICOSECONDS_PER_SECOND / 1000)).to_be_bytes();
        [&[NO_OPERATION, NO_OPERATION, 8, 10][..], &milliseconds(now), &milliseconds(echo)].concat()
    }
}

impl Ends {
    #[expect(clippy::cast_possible_truncation, reason = "addresses have 16 bits for the number of a connection")]
    fn of(scenario: &Scenario, graph: &Graph, numbers: Numbers, flow: usize) -> Self {
        let (connection, is_request) = (numbers.connection(flow), numbers.is_request(flow));
        let sender = graph.flows[connection].sender;
        let tcp = scenario.tcp_of_leg(sender, numbers.leg(flow), numbers.next(flow).is_some());
        let [high, low] = ((connection + 1) as u16).to_be_bytes();
        let [here, there] = match numbers.leg(flow) {
            _ if graph.legs() == 1 => [0, 1],
            Leg::Near => [0, 2],
            Leg::Bottleneck => [2, 3],
            Leg::Far => [3, 1],
        };
        let mut addresses = [[10, here, high, low], [10, there, high, low]];
        if is_request {
            addresses.reverse();
        }
        Self {
            mss: tcp.mss.0,
            window: tcp.advertised_window(),
            first_window: tcp.advertised_window(),
            shift: tcp.window_scale().shift(),
            is_selective: tcp.flavor.build(&()).recovery().build(&()).is_selective(),
            ecn: tcp.ecn,
            carries_timestamps: tcp.timestamps,
            addresses,
            ports: [SOURCE_PORT, if is_request { REQUESTS_PORT } else { DESTINATION_PORT }],
        }
    }
}

/// Flags of a SYN that negotiate ECN (RFC 3168 section 6.1.1, RFC 9768 section 3.1.1).
fn offer(ecn: CongestionNotification) -> u16 {
    match ecn {
        CongestionNotification::None => 0,
        CongestionNotification::Classic | CongestionNotification::PerSegment => ECE | CWR,
        CongestionNotification::Accurate | CongestionNotification::AccurateAce => AE | ECE | CWR,
    }
}

/// Flags of a SYN-ACK that accept ECN; with accurate ECN they report that the SYN was Not-ECT.
fn consent(ecn: CongestionNotification) -> u16 {
    match ecn {
        CongestionNotification::None => 0,
        CongestionNotification::Classic | CongestionNotification::PerSegment => ECE,
        CongestionNotification::Accurate | CongestionNotification::AccurateAce => CWR,
    }
}

/// Flags of a data segment: CWR; or the ACE field, which first reports that the SYN-ACK was Not-ECT and then counts the marks in the
/// reverse direction, of which there are none (RFC 9768 sections 3.2.1, 3.2.2.1).
fn bits_of_sender(ecn: CongestionNotification, data: &SentSegment) -> u16 {
    let ends_opening = data.length == 0;
    match ecn {
        CongestionNotification::None | CongestionNotification::Accurate => 0,
        CongestionNotification::Classic | CongestionNotification::PerSegment if data.reduced => CWR,
        CongestionNotification::Classic | CongestionNotification::PerSegment => 0,
        CongestionNotification::AccurateAce if ends_opening => consent(ecn),
        CongestionNotification::AccurateAce => echo_of_marks(ecn, NO_MARKS),
    }
}

/// Flags of an acknowledgment that echo marks.
fn echo_of_marks(ecn: CongestionNotification, marks: u64) -> u16 {
    let has = |bit: u64, flag: u16| if marks & bit != 0 { flag } else { 0 };
    match ecn {
        CongestionNotification::None | CongestionNotification::Accurate => 0,
        CongestionNotification::Classic | CongestionNotification::PerSegment => has(1, ECE),
        CongestionNotification::AccurateAce => has(4, AE) | has(2, CWR) | has(1, ECE),
    }
}

/// AccECN option that counts marked bytes, if the mechanism has it.
fn marked_bytes(ecn: CongestionNotification, marks: u64) -> Vec<u8> {
    if ecn != CongestionNotification::Accurate {
        return Vec::new();
    }
    let marked = wrapped(marks).to_be_bytes();
    [&[ACCURATE_ECN_ORDER_0, 8][..], &NO_CLASSIC_BYTES, &marked[1..]].concat()
}

#[expect(clippy::cast_possible_truncation, reason = "sequence numbers start again after 2^32")]
fn wrapped(number: u64) -> u32 {
    number as u32
}

#[expect(clippy::cast_possible_truncation, reason = "windows and lengths are limited")]
fn packet_between(ends: [[u8; 4]; 2], ports: [u16; 2], segment: &Segment) -> Headers {
    let [source, destination] = ends;
    let header_bytes = TCP_HEADER_BYTES + segment.options.len();
    let length = (IP_HEADER_BYTES + header_bytes) as u64 + segment.data;
    let mut bytes = ip_header(PROTOCOL_TCP, length as u16, segment.codepoint, source, destination);
    let tcp = bytes.len();
    bytes.extend(ports.iter().flat_map(|port| port.to_be_bytes()));
    bytes.extend(wrapped(segment.sequence).to_be_bytes());
    bytes.extend(wrapped(segment.acknowledgment).to_be_bytes());
    bytes.extend(((((header_bytes / 4) << 12) as u16) | segment.flags).to_be_bytes());
    bytes.extend((segment.window.min(u64::from(u16::MAX)) as u16).to_be_bytes());
    bytes.extend([0; 4]); // checksum, no urgent data
    bytes.extend(segment.options);
    let tcp_bytes = header_bytes as u64 + segment.data;
    let pseudo_header = [&source[..], &destination, &[0, PROTOCOL_TCP], &(tcp_bytes as u16).to_be_bytes()].concat();
    // Payload bytes are zero and do not change the checksum.
    let sum = checksum(&[&pseudo_header, &bytes[tcp..]].concat());
    bytes[tcp + 16..tcp + 18].copy_from_slice(&sum.to_be_bytes());
    (bytes, length as u32)
}

/// UDP header (RFC 768) behind that of IP.
#[expect(clippy::cast_possible_truncation, reason = "lengths are limited")]
fn datagram_between(ends: [[u8; 4]; 2], ports: [u16; 2], data: u64) -> Headers {
    let [source, destination] = ends;
    let udp_bytes = UDP_HEADER_BYTES as u64 + data;
    let length = IP_HEADER_BYTES as u64 + udp_bytes;
    let mut bytes = ip_header(PROTOCOL_UDP, length as u16, Codepoint::NotCapable, source, destination);
    let header = [ports[0].to_be_bytes(), ports[1].to_be_bytes(), (udp_bytes as u16).to_be_bytes()].concat();
    let pseudo_header = [&source[..], &destination, &[0, PROTOCOL_UDP], &(udp_bytes as u16).to_be_bytes()].concat();
    // Payload bytes are zero and do not change the checksum, of which zero means none.
    let sum = checksum(&[&pseudo_header[..], &header].concat());
    bytes.extend(header);
    bytes.extend(if sum == 0 { u16::MAX } else { sum }.to_be_bytes());
    (bytes, length as u32)
}

#[expect(clippy::cast_possible_truncation, reason = "a codepoint has two bits")]
fn ip_header(protocol: u8, length: u16, codepoint: Codepoint, source: [u8; 4], destination: [u8; 4]) -> Vec<u8> {
    let mut bytes = vec![0x45, codepoint.bits() as u8];
    bytes.extend(length.to_be_bytes());
    bytes.extend([0, 0]); // identification: nothing is ever fragmented (RFC 6864)
    bytes.extend(DO_NOT_FRAGMENT.to_be_bytes());
    bytes.extend([TIME_TO_LIVE, protocol, 0, 0]);
    bytes.extend(source);
    bytes.extend(destination);
    let sum = checksum(&bytes);
    bytes[10..12].copy_from_slice(&sum.to_be_bytes());
    bytes
}

/// The Internet checksum (RFC 1071) of an even number of bytes.
#[expect(clippy::cast_possible_truncation, reason = "the carries are folded in")]
fn checksum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
    let mut sum: u32 = words.sum();
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_rfc_1071_section_3() {
        assert_eq!(checksum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2);
    }

    fn maker(ecn: &str) -> HeaderMaker {
        let text = format!(
            "schema_version = 1\nduration = \"1 s\"\nframing = \"packet\"\nport = {{ buffer = \"100 packets\", queue = \"codel\" }}\n\
             topology = {{ kind = \"n-source\", sources = 1, access.delay = \"1 ms\", bottleneck.delay = \"1 ms\" }}\n\
             tcp.ecn = \"{ecn}\"\n"
        );
        let scenario = Scenario::parse(text.as_bytes(), "scenario.toml", &[]).expect("a scenario");
        HeaderMaker::new(&scenario, &scenario.graph())
    }

    /// AE, CWR and ECE flags of a packet, and the codepoint in its IP header.
    fn bits((bytes, _): &Headers) -> (u8, u8) {
        ((bytes[32] & 1) << 2 | bytes[33] >> 6, bytes[1] & 3)
    }

    #[test]
    fn packets_show_what_the_ends_agree_on_about_marks_and_the_opening_says_so() {
        let sent = |again, reduced| SentSegment { sequence: 0, length: 100, again, synchronize: false, reduced };
        let of = |ecn: &str| {
            let maker = maker(ecn);
            let opening = (maker.synchronize(Time::ZERO, 0), maker.synchronized(Time::ZERO, 0));
            let data = [sent(false, false), sent(false, true), sent(true, false)];
            (bits(&opening.0), bits(&opening.1), data.map(|data| bits(&maker.data(Time::ZERO, 0, &data))))
        };
        assert_eq!(of("none"), ((0, 0), (0, 0), [(0, 0), (0, 0), (0, 0)]));
        assert_eq!(of("classic"), ((0b011, 0), (0b001, 0), [(0, 0b10), (0b010, 0b10), (0, 0)]));
        let counts = [(0b101, 0b01), (0b101, 0b01), (0b101, 0)];
        assert_eq!(of("accurate-ace"), ((0b111, 0), (0b010, 0), counts), "no marks came back: 5");
        assert_eq!(bits(&maker("accurate-ace").opened(Time::ZERO, 0)), (0b010, 0), "the answer was Not-ECT");
    }

    #[test]
    fn acknowledgments_echo_marks_by_a_bit_by_three_or_in_an_option() {
        let echo = |ecn: &str, marks| {
            let acknowledgment = Acknowledgment { marks, ..Acknowledgment::default() };
            maker(ecn).acknowledgment(0, &acknowledgment)
        };
        assert_eq!([0, 1].map(|marks| bits(&echo("classic", marks)).0), [0, 0b001]);
        assert_eq!([0, 5, 6, 7].map(|marks| bits(&echo("accurate-ace", marks)).0), [0, 0b101, 0b110, 0b111]);
        let (bytes, _) = echo("accurate", 0x0102_0304);
        assert_eq!(bytes[40..48], [172, 8, 0, 0, 1, 2, 3, 4], "24 bits of the count");
    }
}
