//! A receiver's end of a virtual circuit: packets out of cells.

use super::{Cell, PacketId, Packets};

longfat_foundation::choice! {
    /// What the loss of a packet's last cell does (D-02).
    pub enum LostLastCell {
        /// The receiver takes the next packet's cells for a continuation, and its check fails: both packets are lost. This is AAL5's
        /// behavior, which marks where a packet ends but not where it begins.
        CorruptsNextPacket = "corrupts-next-packet",
        /// Only the packet itself is lost.
        CorruptsOwnPacket = "corrupts-own-packet",
    }
}

/// The cells of a circuit since the last end of a packet.
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

    /// Takes a cell; gives the packet if this cell completes one that is whole.
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

/// The same law where the cells of a circuit are seen as they are let in, and no cell is lost behind: a packet is delivered if none
/// of its cells was dropped and none of another stuck to it.
#[derive(Clone, Debug)]
pub struct Continuity {
    lost_last_cell: LostLastCell,
    /// Whether a cell of each circuit was let in since the last end of a packet.
    is_open: Vec<bool>,
    spoiled: Vec<PacketId>,
}

impl Continuity {
    /// For so many circuits, without cells so far.
    #[must_use]
    pub fn new(lost_last_cell: LostLastCell, circuits: usize) -> Self {
        Self { lost_last_cell, is_open: vec![false; circuits], spoiled: Vec::new() }
    }

    /// A cell was let in.
    #[inline]
    pub fn admit(&mut self, cell: Cell) {
        let is_open = &mut self.is_open[cell.circuit()];
        if cell.is_first() && *is_open && self.lost_last_cell == LostLastCell::CorruptsNextPacket {
            self.spoiled.push(cell.packet);
        }
        *is_open = !cell.is_last();
    }

    /// Cells of one packet were let in, from `first` on; `ends` tells whether the last one was among them.
    #[inline]
    pub fn admit_part(&mut self, first: Cell, ends: bool) {
        self.admit(first);
        if ends {
            self.is_open[first.circuit()] = false;
        }
    }

    /// Packets whose cells the receiver takes for a continuation of others, since the last time this was asked.
    #[inline]
    pub fn take_spoiled(&mut self) -> impl Iterator<Item = PacketId> {
        self.spoiled.drain(..)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Content;
    use super::*;
    use proptest::prelude::*;

    /// Receives the given cells of packets of four cells each; gives the numbers of the packets that come out.
    fn receive(rule: LostLastCell, cells: &[(u32, u32)]) -> Vec<u32> {
        let mut packets = Packets::default();
        (0..4).for_each(|_| _ = packets.insert(Content::Synchronize, 4, 4 * 424));
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
            let ids: Vec<_> = sizes.iter().map(|&cells| packets.insert(Content::Synchronize, cells, 424)).collect();
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
