//! Blocks of a pcapng file (IETF draft-ietf-opsawg-pcapng), little-endian, times in nanoseconds.

use std::io::{self, Write};

use longfat_engine::units::{Rate, Time};

const SECTION_HEADER: u32 = 0x0A0D_0D0A;
const INTERFACE_DESCRIPTION: u32 = 1;
const ENHANCED_PACKET: u32 = 6;
const BYTE_ORDER_MAGIC: u32 = 0x1A2B_3C4D;
/// LINKTYPE_RAW: packets begin with their IP header.
const RAW_IP: u16 = 101;
/// Snapshot length: an upper bound of IPv4 and TCP headers.
pub const SNAP_LENGTH: u32 = 128;

const COMMENT: u16 = 1;
const SECTION_APPLICATION: u16 = 4;
const INTERFACE_NAME: u16 = 2;
const INTERFACE_DESCRIPTION_TEXT: u16 = 3;
const INTERFACE_SPEED: u16 = 8;
const INTERFACE_RESOLUTION: u16 = 9;
const PACKET_FLAGS: u16 = 2;

/// 10^-9 s.
const NANOSECONDS: u8 = 9;
const PICOSECONDS_PER_NANOSECOND: u64 = 1000;

/// Direction of a packet at an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Received.
    Inbound,
    /// Sent.
    Outbound,
}

/// A packet, of which only the headers are captured.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Time of capture; written in nanoseconds.
    pub time: Time,
    /// Number of the interface, in the order of their descriptions.
    pub interface: u32,
    /// Direction.
    pub direction: Direction,
    /// Its headers.
    pub headers: Vec<u8>,
    /// Length of the whole packet.
    pub length: u32,
    /// Comment; none if empty.
    pub comment: String,
}

/// Writes a section header block.
pub fn section(file: &mut impl Write, comment: &str) -> io::Result<()> {
    let mut body = BYTE_ORDER_MAGIC.to_le_bytes().to_vec();
    body.extend([1, 0, 0, 0]); // version 1.0
    body.extend(u64::MAX.to_le_bytes()); // of unknown length
    option(&mut body, COMMENT, comment.as_bytes());
    option(&mut body, SECTION_APPLICATION, format!("longfat {}", longfat_engine::ENGINE_VERSION).as_bytes());
    block(file, SECTION_HEADER, body)
}

/// Writes an interface description block.
pub fn interface(file: &mut impl Write, name: &str, description: &str, rate: Rate) -> io::Result<()> {
    let mut body = RAW_IP.to_le_bytes().to_vec();
    body.extend([0, 0]);
    body.extend(SNAP_LENGTH.to_le_bytes());
    option(&mut body, INTERFACE_NAME, name.as_bytes());
    option(&mut body, INTERFACE_DESCRIPTION_TEXT, description.as_bytes());
    option(&mut body, INTERFACE_SPEED, &rate.0.to_le_bytes());
    option(&mut body, INTERFACE_RESOLUTION, &[NANOSECONDS]);
    block(file, INTERFACE_DESCRIPTION, body)
}

/// Writes an enhanced packet block.
#[expect(clippy::cast_possible_truncation, reason = "headers are short, and times are written in two halves")]
pub fn packet(file: &mut impl Write, packet: &Packet) -> io::Result<()> {
    let nanoseconds = packet.time.0 / PICOSECONDS_PER_NANOSECOND;
    let mut body = Vec::with_capacity(64 + packet.headers.len() + packet.comment.len());
    body.extend(packet.interface.to_le_bytes());
    body.extend(((nanoseconds >> 32) as u32).to_le_bytes());
    body.extend((nanoseconds as u32).to_le_bytes());
    body.extend((packet.headers.len() as u32).to_le_bytes());
    body.extend(packet.length.to_le_bytes());
    body.extend(&packet.headers);
    pad(&mut body);
    if !packet.comment.is_empty() {
        option(&mut body, COMMENT, packet.comment.as_bytes());
    }
    let flags: u32 = if packet.direction == Direction::Inbound { 1 } else { 2 };
    option(&mut body, PACKET_FLAGS, &flags.to_le_bytes());
    block(file, ENHANCED_PACKET, body)
}

#[expect(clippy::cast_possible_truncation, reason = "options are shorter than 2^16 bytes")]
fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    pad(body);
}

fn pad(body: &mut Vec<u8>) {
    body.resize(body.len().next_multiple_of(4), 0);
}

/// Writes a block whose body ends with options: appends the end-of-options option, and the length before and after.
#[expect(clippy::cast_possible_truncation, reason = "blocks are short")]
fn block(file: &mut impl Write, kind: u32, mut body: Vec<u8>) -> io::Result<()> {
    body.extend([0; 4]);
    let length = (body.len() as u32 + 12).to_le_bytes();
    file.write_all(&kind.to_le_bytes())?;
    file.write_all(&length)?;
    file.write_all(&body)?;
    file.write_all(&length)
}
