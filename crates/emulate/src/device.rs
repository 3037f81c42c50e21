//! The interface of a host, seen from the network: a TUN device, which gives what programs send and takes what arrives for them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use longfat_engine::End;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// Address of a packet's receiver, as in the header of either version of IP.
type Address = Vec<u8>;

/// An end of a connection at a host: who sends to these addresses uses it.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Addresses of the other end: 4 or 16 bytes each.
    pub addresses: Vec<Address>,
    /// The connection.
    pub connection: usize,
    /// The end that is at this host.
    pub end: End,
}

/// The interface of a host.
pub struct Device {
    /// Name of the host.
    pub name: String,
    file: File,
    ends: BTreeMap<Address, (usize, End)>,
    /// Ends at this host, each once.
    pub own: Vec<(usize, End)>,
    /// Packets so far.
    pub counts: Counts,
}

/// Packets at an interface.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Sent by programs.
    pub sent: u64,
    /// Bytes of these.
    pub sent_bytes: u64,
    /// Received by programs.
    pub received: u64,
    /// Bytes of these.
    pub received_bytes: u64,
    /// Sent to an address that no end has.
    pub strays: u64,
    /// Arrived, but not taken by the interface.
    pub refused: u64,
}

impl Device {
    /// The interface of the host `name`, with the ends of connections there.
    ///
    /// # Errors
    /// If the descriptor cannot be read without waiting.
    pub fn new(name: String, descriptor: OwnedFd, peers: Vec<Peer>) -> io::Result<Self> {
        let flags = fcntl_getfl(&descriptor)?;
        fcntl_setfl(&descriptor, flags | OFlags::NONBLOCK)?;
        let own = peers.iter().map(|peer| (peer.connection, peer.end)).collect();
        let by_address = |peer: Peer| {
            let place = (peer.connection, peer.end);
            peer.addresses.into_iter().map(move |address| (address, place))
        };
        let ends = peers.into_iter().flat_map(by_address).collect();
        Ok(Self { name, file: File::from(descriptor), ends, own, counts: Counts::default() })
    }

    /// Reads the next packet that a program has sent into `buffer`; its length, or `None` if none waits.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match (&self.file).read(buffer) {
            Ok(length) => Ok(Some(length)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a packet for the programs. An interface that takes none, because its host has gone, refuses it.
    pub fn write(&mut self, packet: &[u8]) {
        if (&self.file).write(packet).is_ok() {
            self.counts.received += 1;
            self.counts.received_bytes += packet.len() as u64;
        } else {
            self.counts.refused += 1;
        }
    }

    /// The end at this host that a packet leaves from, by the address of its receiver.
    pub fn end_for(&mut self, packet: &[u8]) -> Option<(usize, End)> {
        let receiver = match packet.first()? >> 4 {
            4 => packet.get(16..20)?,
            6 => packet.get(24..40)?,
            _ => return None,
        };
        let found = self.ends.get(receiver).copied();
        if found.is_some() {
            self.counts.sent += 1;
            self.counts.sent_bytes += packet.len() as u64;
        } else if !is_multicast(receiver) {
            self.counts.strays += 1;
        }
        found
    }
}

/// True for an address of many, at which hosts look for routers and neighbours (RFC 1112 section 4, RFC 4291 section 2.7).
fn is_multicast(address: &[u8]) -> bool {
    let first = address.first().copied().unwrap_or(0);
    if address.len() == 4 { first >> 4 == 0b1110 } else { first == 0xFF }
}

impl AsFd for Device {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}
