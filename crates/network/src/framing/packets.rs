//! Storage of packets in flight: one entry per packet, however many cells it travels in.

use longfat_foundation::units::Time;
use longfat_hosts::transport::Acknowledgment;

/// Index of a packet in the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketId(pub u32);

/// Contents of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Data.
    Data {
        /// First byte.
        sequence: u64,
        /// Number of bytes.
        length: u64,
        /// Time of transmission, as a timestamp would carry it.
        sent: Time,
        /// True if it announces a reduction of the window for a mark (CWR).
        reduced: bool,
    },
    /// An acknowledgment.
    Acknowledgment(Acknowledgment),
    /// A SYN.
    Synchronize {
        /// Time of transmission.
        sent: Time,
    },
    /// A SYN-ACK.
    Synchronized {
        /// Time of transmission of the SYN that it answers.
        sent: Time,
    },
    /// A UDP datagram.
    Datagram {
        /// Its number, from 0.
        sequence: u64,
        /// Number of bytes.
        length: u64,
        /// Time of transmission; of an answer, that of the datagram that it answers.
        sent: Time,
        /// Whether it answers the datagram of that number.
        is_answer: bool,
    },
    /// Background traffic, which has no receiver.
    Background,
}

/// A packet in flight.
// Two cache lines, of which nearly all packets use only the first: it has everything but SACK blocks.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// Size on a line in bits, including headers and padding.
    pub bits: u64,
    /// Number of cells at the sender; one if packets travel whole.
    pub cells: u32,
    /// Number of cells still in flight.
    under_way: u32,
    /// True if a cell has been dropped.
    pub damaged: bool,
    /// True if its receiver takes it for a continuation of another packet.
    spoiled: bool,
    /// Window field of an acknowledgment, if windows change.
    window: u16,
    /// Contents.
    pub content: Content,
}

impl Packet {
    /// Window field of the header, in units of the connection's scale; meaningless if windows are constant.
    #[must_use]
    pub fn window(&self) -> u16 {
        self.window
    }

    /// True if it reaches its receiver; valid once all its cells were admitted or dropped.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.damaged && !self.spoiled
    }
}

/// All packets in flight. Entries of packets that have left are reused.
#[derive(Default)]
pub struct Packets {
    places: Vec<Packet>,
    free: Vec<PacketId>,
    /// Contents of packets that an end system reads, by number; those of packets that were lost stay until the number is used again.
    contents: Vec<Vec<u8>>,
}

impl Packets {
    /// Stores a packet of `cells` cells and `bits` bits on a line.
    ///
    /// # Panics
    /// If more than `u32::MAX` packets are in flight.
    // Always inlined: builds the packet in place, without writing the unused part of its contents.
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

    /// A packet in flight.
    #[must_use]
    #[inline]
    pub fn get(&self, id: PacketId) -> &Packet {
        &self.places[id.0 as usize]
    }

    /// Prefetches a packet that will be read soon.
    #[inline(always)]
    pub fn read_soon(&self, id: PacketId) {
        longfat_prefetch::item(&self.places, id.0 as usize);
    }

    /// Sets the window field of an acknowledgment.
    pub fn set_window(&mut self, id: PacketId, window: u16) {
        self.places[id.0 as usize].window = window;
    }

    /// Gives a packet contents, which only end systems read.
    pub fn set_contents(&mut self, id: PacketId, contents: Vec<u8>) {
        let place = id.0 as usize;
        if self.contents.len() <= place {
            self.contents.resize_with(self.places.len(), Vec::new);
        }
        self.contents[place] = contents;
    }

    /// Takes the contents of a packet; nothing if it has none.
    pub fn take_contents(&mut self, id: PacketId) -> Vec<u8> {
        self.contents.get_mut(id.0 as usize).map(std::mem::take).unwrap_or_default()
    }

    /// Marks a packet as damaged; returns true if it was intact before.
    pub fn damage(&mut self, id: PacketId) -> bool {
        !std::mem::replace(&mut self.places[id.0 as usize].damaged, true)
    }

    /// Marks a packet that its receiver takes for a continuation of another.
    pub fn spoil(&mut self, id: PacketId) {
        self.places[id.0 as usize].spoiled = true;
    }

    /// Removes a packet with all its cells; its entry stays readable until it is reused. Returns true if the packet is
    /// [whole](Packet::is_whole).
    #[inline]
    pub fn take_out(&mut self, id: PacketId) -> bool {
        let packet = &mut self.places[id.0 as usize];
        packet.under_way = 0;
        self.free.push(id);
        packet.is_whole()
    }

    /// Removes one cell of a packet; the last one frees the entry.
    #[inline]
    pub fn release_cell(&mut self, id: PacketId) {
        let packet = &mut self.places[id.0 as usize];
        packet.under_way -= 1;
        if packet.under_way == 0 {
            self.free.push(id);
        }
    }

    /// The most packets that were in flight at once.
    #[must_use]
    pub fn most(&self) -> usize {
        self.places.len()
    }

    /// Allocated memory in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let contents: usize = self.contents.iter().map(|contents| size_of::<Vec<u8>>() + contents.capacity()).sum();
        contents + self.places.capacity() * size_of::<Packet>() + self.free.capacity() * size_of::<PacketId>()
    }

    /// Total number of cells in flight.
    #[must_use]
    pub fn cells_under_way(&self) -> u64 {
        self.places.iter().map(|packet| u64::from(packet.under_way)).sum()
    }
}
