//! The packets under way, kept once however many cells they travel in.

use longfat_foundation::units::Time;
use longfat_hosts::transport::Acknowledgment;

/// Where a packet is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketId(pub u32);

/// What a packet says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Data from `sequence` on.
    Data {
        /// First byte.
        sequence: u64,
        /// Number of bytes.
        length: u64,
        /// When it was sent: its timestamp, if it carries one.
        sent: Time,
        /// Whether it announces that the window was reduced for a mark (CWR).
        reduced: bool,
    },
    /// An acknowledgment.
    Acknowledgment(Acknowledgment),
    /// The opening of a connection.
    Synchronize,
    /// The answer to it.
    Synchronized,
    /// Background traffic: nothing that anyone listens to.
    Background,
}

/// A packet under way.
// Two lines of a processor's cache, of which nearly all packets need the first only: it has all but selective acknowledgments.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// Bits that all of it takes on a line, headers and padding included.
    pub bits: u64,
    /// Cells it was sent in; one where packets travel whole.
    pub cells: u32,
    /// Cells that are still under way.
    under_way: u32,
    /// Whether a cell of it has been dropped.
    pub damaged: bool,
    /// Whether its receiver takes it for a continuation of another.
    spoiled: bool,
    /// The window field, of acknowledgments whose windows change.
    window: u16,
    /// What it says.
    pub content: Content,
}

impl Packet {
    /// The window field of its header, in the units of its connection's scale; meaningless where windows are always the same.
    #[must_use]
    pub fn window(&self) -> u16 {
        self.window
    }

    /// Whether its receiver gets it, once all its cells were let in or dropped.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.damaged && !self.spoiled
    }
}

/// All packets under way; places are used again.
#[derive(Default)]
pub struct Packets {
    places: Vec<Packet>,
    free: Vec<PacketId>,
}

impl Packets {
    /// Keeps a packet that is sent in `cells` cells and takes `bits` bits on a line.
    ///
    /// # Panics
    /// If more than `u32::MAX` packets are under way.
    // Always: a packet is made in its place then, and the room of what it does not say is left as it is.
    #[inline(always)]
    pub fn insert(&mut self, content: Content, cells: u32, bits: u64) -> PacketId {
        if let Some(id) = self.free.pop() {
            let place = &mut self.places[id.0 as usize];
            place.content = content;
            (place.cells, place.bits, place.under_way) = (cells, bits, cells);
            (place.damaged, place.spoiled) = (false, false);
            return id;
        }
        self.insert_new(Packet { content, cells, bits, under_way: cells, damaged: false, spoiled: false, window: 0 })
    }

    #[cold]
    fn insert_new(&mut self, packet: Packet) -> PacketId {
        self.places.push(packet);
        PacketId(u32::try_from(self.places.len() - 1).expect("fewer than 2^32 packets under way"))
    }

    /// A packet under way.
    #[must_use]
    #[inline]
    pub fn get(&self, id: PacketId) -> &Packet {
        &self.places[id.0 as usize]
    }

    /// Something will be asked of a packet soon.
    #[inline(always)]
    pub fn read_soon(&self, id: PacketId) {
        longfat_prefetch::item(&self.places, id.0 as usize);
    }

    /// Writes the window field of an acknowledgment.
    pub fn set_window(&mut self, id: PacketId, window: u16) {
        self.places[id.0 as usize].window = window;
    }

    /// Marks a packet as damaged; tells whether it was whole before.
    pub fn damage(&mut self, id: PacketId) -> bool {
        !std::mem::replace(&mut self.places[id.0 as usize].damaged, true)
    }

    /// Notes that its receiver takes a packet for a continuation of another.
    pub fn spoil(&mut self, id: PacketId) {
        self.places[id.0 as usize].spoiled = true;
    }

    /// Takes a packet with all its cells out of the network, whose place keeps what it says until another is sent; tells whether it is
    /// [whole](Packet::is_whole).
    #[inline]
    pub fn take_out(&mut self, id: PacketId) -> bool {
        let packet = &mut self.places[id.0 as usize];
        packet.under_way = 0;
        self.free.push(id);
        packet.is_whole()
    }

    /// Takes one cell of a packet out of the network; the last one frees its place.
    #[inline]
    pub fn release_cell(&mut self, id: PacketId) {
        let packet = &mut self.places[id.0 as usize];
        packet.under_way -= 1;
        if packet.under_way == 0 {
            self.free.push(id);
        }
    }

    /// Bytes that are allocated.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.places.capacity() * size_of::<Packet>() + self.free.capacity() * size_of::<PacketId>()
    }

    /// Cells under way in all.
    #[must_use]
    pub fn cells_under_way(&self) -> u64 {
        self.places.iter().map(|packet| u64::from(packet.under_way)).sum()
    }
}
