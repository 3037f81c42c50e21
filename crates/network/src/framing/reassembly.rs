//! Reassembly of packets from cells, at the receiving end of a virtual circuit.

use super::{Cell, PacketId, Packets};

longfat_foundation::choice! {
    /// Effect of a lost last cell (D-02).
    pub enum LostLastCell {
        /// The receiver takes the next packet's cells for a continuation, and the checksum fails: both packets are lost. AAL5 behaves like
        /// this, because it marks the end of a packet but not its beginning.
        CorruptsNextPacket = "corrupts-next-packet",
        /// Only the packet itself is lost.
        CorruptsOwnPacket = "corrupts-own-packet",
    }
}

/// Cells of a circuit since the last end of a packet.
#[derive(Clone, Debug)]
pub struct Reassembly {
    lost_last_cell: LostLastCell,
    packet: Option<PacketId>,
    cells: u32,
    mixed: bool,
}

impl Reassembly {
    /// An empty reassembly.
    #[must_use]
    pub fn new(lost_last_cell: LostLastCell) -> Self {
        Self { lost_last_cell, packet: None, cells: 0, mixed: false }
    }

    /// Receives a cell; returns the packet if the cell completes an intact one.
    #[inline]
    pub fn receive(&mut self, cell: Cell, packets: &Packets) -> Option<PacketId> {
        let begins = self.packet.is_none();
        if begins || (cell.is_first() && self.lost_last_cell == LostLastCell::CorruptsOwnPacket) {
            (self.packet, self.cells, self.mixed) = (Some(cell.packet), 0, !cell.is_first());
        } else if self.packet != Some(cell.packet) || cell.is_first() {
            self.mixed = true;
        }
        self.cells += 1;
        if !cell.is_last() {
            return None;
        }
        self.packet = None;
        let packet = packets.get(cell.packet);
        let whole = !self.mixed && !packet.damaged && self.cells == packet.cells;
        whole.then_some(cell.packet)
    }
}

/// The rules of [`Reassembly`], applied when cells are admitted to a buffer behind which none is lost: a packet is delivered if none of its
/// cells was dropped and no cells of another precede it in the reassembly.
#[derive(Clone, Debug)]
pub struct Continuity {
    lost_last_cell: LostLastCell,
    /// Per circuit: true if a cell was admitted since the last end of a packet.
    is_open: Vec<bool>,
    spoiled: Vec<PacketId>,
}

impl Continuity {
    /// State of `circuits` circuits without cells.
    #[must_use]
    pub fn new(lost_last_cell: LostLastCell, circuits: usize) -> Self {
        Self { lost_last_cell, is_open: vec![false; circuits], spoiled: Vec::new() }
    }

    /// Records an admitted cell.
    #[inline]
    pub fn admit(&mut self, cell: Cell) {
        let is_open = &mut self.is_open[cell.circuit()];
        if cell.is_first() && *is_open && self.lost_last_cell == LostLastCell::CorruptsNextPacket {
            self.spoiled.push(cell.packet);
        }
        *is_open = !cell.is_last();
    }

    /// Records admitted cells of one packet, from `first` on; `ends` if they include its last.
    #[inline]
    pub fn admit_part(&mut self, first: Cell, ends: bool) {
        self.admit(first);
        if ends {
            self.is_open[first.circuit()] = false;
        }
    }

    /// Returns the packets that the receiver takes for a continuation of others, since the last call.
    #[inline]
    pub fn take_spoiled(&mut self) -> impl Iterator<Item = PacketId> {
        self.spoiled.drain(..)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Content;
    use super::*;
    use longfat_foundation::units::Time;
    use proptest::prelude::*;

    /// Receives the given cells of packets of four cells each; returns the packets that are delivered.
    fn receive(rule: LostLastCell, cells: &[(u32, u32)]) -> Vec<u32> {
        let mut packets = Packets::default();
        (0..4).for_each(|_| _ = packets.insert(Content::Synchronize { sent: Time::ZERO }, 4, 4 * 424));
        let mut reassembly = Reassembly::new(rule);
        let cell = |&(packet, index)| Cell::new(PacketId(packet), 0, index == 0, index == 3);
        cells.iter().filter_map(|at| reassembly.receive(cell(at), &packets)).map(|id| id.0).collect()
    }

    fn without(lost: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let all = (0..3).flat_map(|packet| (0..4).map(move |index| (packet, index)));
        all.filter(|cell| !lost.contains(cell)).collect()
    }

    #[test]
    fn a_packet_with_any_cell_missing_is_never_delivered() {
        for lost in 0..4 {
            let delivered = receive(LostLastCell::CorruptsOwnPacket, &without(&[(1, lost)]));
            assert_eq!(delivered, [0, 2], "cell {lost} lost");
        }
    }

    #[test]
    fn a_lost_last_cell_takes_the_next_packet_with_it() {
        assert_eq!(receive(LostLastCell::CorruptsNextPacket, &without(&[(0, 3)])), [2]);
        assert_eq!(receive(LostLastCell::CorruptsOwnPacket, &without(&[(0, 3)])), [1, 2]);
    }

    #[test]
    fn missing_cells_that_add_up_to_a_whole_packet_do_not_make_one() {
        let lost = [(0, 2), (0, 3), (1, 0), (1, 1)];
        assert_eq!(receive(LostLastCell::CorruptsNextPacket, &without(&lost)), [2]);
    }

    proptest! {
        #[test]
        fn what_is_let_in_tells_which_packets_a_receiver_gets(
            rule in prop::sample::select(vec![LostLastCell::CorruptsNextPacket, LostLastCell::CorruptsOwnPacket]),
            sizes in prop::collection::vec(1_u32..5, 1..12),
            lost in prop::collection::vec(prop::bool::weighted(0.2), 60),
        ) {
            let mut packets = Packets::default();
            let ids: Vec<_> = sizes.iter().map(|&cells| packets.insert(Content::Synchronize { sent: Time::ZERO }, cells, 424)).collect();
            let mut reassembly = Reassembly::new(rule);
            let mut continuity = Continuity::new(rule, 1);
            let (mut received, mut expected) = (Vec::new(), Vec::new());
            let mut fate = lost.iter();
            for (&id, &size) in ids.iter().zip(&sizes) {
                let mut last_comes = false;
                for index in 0..size {
                    let cell = Cell::new(id, 0, index == 0, index + 1 == size);
                    if *fate.next().expect("as many as there can be cells") {
                        packets.damage(id);
                        continue;
                    }
                    received.extend(reassembly.receive(cell, &packets));
                    continuity.admit(cell);
                    last_comes = cell.is_last();
                }
                continuity.take_spoiled().for_each(|id| packets.spoil(id));
                expected.extend((last_comes && packets.get(id).is_whole()).then_some(id));
            }
            prop_assert_eq!(received, expected);
        }
    }

    #[test]
    fn a_lost_first_cell_costs_one_packet() {
        assert_eq!(receive(LostLastCell::CorruptsNextPacket, &without(&[(1, 0)])), [0, 2]);
    }
}
