//! Cache of packet sizes, which avoids virtual calls of the framing.

use super::Framing;

/// A framing with the sizes that it computed last.
pub struct Sizes {
    framing: Box<dyn Framing>,
    /// Latest packet with data and latest without: nearly all are full segments or pure acknowledgments.
    latest: [Size; 2],
    /// Latest UDP datagram.
    latest_datagram: (u64, (u32, u64)),
}

/// Size of a packet.
#[derive(Clone, Copy)]
struct Size {
    payload_bytes: u64,
    option_bytes: u64,
    cells: u32,
    bits: u64,
}

impl Size {
    #[expect(clippy::cast_possible_truncation, reason = "a packet has few cells")]
    fn of(framing: &dyn Framing, payload_bytes: u64, option_bytes: u64) -> Self {
        let cells = framing.cells(payload_bytes, option_bytes) as u32;
        Self { payload_bytes, option_bytes, cells, bits: framing.bits(payload_bytes, option_bytes) }
    }
}

impl Sizes {
    /// Creates a cache for `framing`.
    #[must_use]
    pub fn new(framing: Box<dyn Framing>) -> Self {
        let latest = [1, 0].map(|payload_bytes| Size::of(&*framing, payload_bytes, 0));
        let latest_datagram = (1, datagram(&*framing, 1));
        Self { framing, latest, latest_datagram }
    }

    /// Number of cells, and bits on the line, of a UDP datagram with `payload_bytes` of data.
    pub fn of_datagram(&mut self, payload_bytes: u64) -> (u32, u64) {
        if self.latest_datagram.0 != payload_bytes {
            self.latest_datagram = (payload_bytes, datagram(&*self.framing, payload_bytes));
        }
        self.latest_datagram.1
    }

    /// Number of cells, and bits on the line, of a TCP packet with `payload_bytes` of data and `option_bytes` of TCP options.
    #[inline(always)]
    pub fn of(&mut self, payload_bytes: u64, option_bytes: u64) -> (u32, u64) {
        let latest = &mut self.latest[usize::from(payload_bytes == 0)];
        if (latest.payload_bytes, latest.option_bytes) != (payload_bytes, option_bytes) {
            *latest = Size::of(&*self.framing, payload_bytes, option_bytes);
        }
        (latest.cells, latest.bits)
    }

    /// The framing.
    #[must_use]
    pub fn framing(&self) -> &dyn Framing {
        &*self.framing
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a packet has few cells")]
fn datagram(framing: &dyn Framing, payload_bytes: u64) -> (u32, u64) {
    let (cells, bits) = framing.datagram(payload_bytes);
    (cells as u32, bits)
}

#[cfg(test)]
mod tests {
    use longfat_foundation::config::{Parameter, Reader, parse_fragment};
    use longfat_foundation::registry::Chosen;

    use super::super::FRAMINGS;
    use super::*;

    #[test]
    fn what_is_remembered_is_what_the_framing_says() {
        for entry in FRAMINGS {
            let chosen = parse_fragment(&format!("{{ kind = {:?} }}", entry.name));
            let chosen = Chosen::<dyn Framing>::read(&chosen, &mut Reader::default()).expect("it needs no parameters");
            let framing = || chosen.build(&());
            let mut sizes = Sizes::new(framing());
            for (payload, options) in [(512, 0), (512, 0), (0, 0), (0, 12), (512, 12), (513, 12), (0, 12), (1, 0)] {
                let (cells, bits) = sizes.of(payload, options);
                let expected = (framing().cells(payload, options), framing().bits(payload, options));
                assert_eq!((u64::from(cells), bits), expected, "{}", entry.name);
                let (cells, bits) = sizes.of_datagram(payload + options);
                assert_eq!((u64::from(cells), bits), framing().datagram(payload + options), "{}", entry.name);
            }
        }
    }
}
