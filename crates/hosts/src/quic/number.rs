//! Numbers in packets: integers of variable length (RFC 9000 section 16), and shortened packet numbers (section 17.1).

/// Bytes that a number takes.
#[must_use]
pub fn size(number: u64) -> u64 {
    match number {
        0..0x40 => 1,
        0x40..0x4000 => 2,
        0x4000..0x4000_0000 => 4,
        _ => 8,
    }
}

/// Writes a number below 2^62.
pub fn write(buffer: &mut Vec<u8>, number: u64) {
    let size = size(number);
    let prefix = u64::from(size.trailing_zeros()) << (8 * size - 2);
    write_last(buffer, number | prefix, size);
}

/// Writes the last `size` bytes of a number.
pub fn write_last(buffer: &mut Vec<u8>, number: u64, size: u64) {
    let bytes = number.to_be_bytes();
    buffer.extend(bytes.iter().rev().take(usize::try_from(size).unwrap_or(bytes.len())).rev());
}

/// Bytes that are still to be read.
#[derive(Clone, Copy, Debug)]
pub struct Unread<'a>(pub &'a [u8]);

impl Unread<'_> {
    /// The next `size` bytes as a number.
    pub fn whole(&mut self, size: u64) -> Option<u64> {
        let (bytes, rest) = self.0.split_at_checked(usize::try_from(size).ok()?)?;
        self.0 = rest;
        Some(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Passes over `size` bytes.
    pub fn skip(&mut self, size: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(size).ok()?..)?;
        Some(())
    }

    /// A number of variable length.
    pub fn number(&mut self) -> Option<u64> {
        let size = 1_u64 << (self.0.first()? >> 6);
        Some(self.whole(size)? & (u64::MAX >> (64 - 8 * size + 2)))
    }
}

/// Bytes of a packet number that suffice where `largest` was acknowledged, if any was (RFC 9000 appendix A.2): they tell apart twice as many
/// packets as may be under way.
#[must_use]
pub fn packet_number_bytes(full: u64, largest: Option<u64>) -> u64 {
    let under_way = largest.map_or(full + 1, |largest| full - largest);
    let bits = u64::from(u64::BITS - under_way.leading_zeros()) + u64::from(!under_way.is_power_of_two());
    bits.div_ceil(8).clamp(1, 4)
}

/// The packet number of which the last `bytes` bytes are `shortened`, closest to that after the `largest` received (RFC 9000 appendix A.3).
#[must_use]
pub fn whole_packet_number(largest: Option<u64>, shortened: u64, bytes: u64) -> u64 {
    let expected = largest.map_or(0, |largest| largest + 1);
    let (window, half) = (1_u64 << (8 * bytes), 1_u64 << (8 * bytes - 1));
    let candidate = (expected & !(window - 1)) | shortened;
    if candidate + half <= expected && candidate < (1 << 62) - window {
        candidate + window
    } else if candidate > expected + half && candidate >= window {
        candidate - window
    } else {
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// RFC 9000 appendix A.1.
    #[test]
    fn numbers_of_variable_length_are_those_of_the_rfc() {
        let cases: [(&[u8], u64); 4] = [
            (&[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c], 151_288_809_941_952_652),
            (&[0x9d, 0x7f, 0x3e, 0x7d], 494_878_333),
            (&[0x7b, 0xbd], 15_293),
            (&[0x25], 37),
        ];
        for (bytes, number) in cases {
            let mut buffer = Vec::new();
            write(&mut buffer, number);
            assert_eq!((&buffer[..], size(number)), (bytes, bytes.len() as u64));
            assert_eq!(Unread(bytes).number(), Some(number));
        }
        assert_eq!(Unread(&[0x40, 0x25]).number(), Some(37), "longer than it need be");
        assert_eq!(Unread(&[0x40]).number(), None);
    }

    /// RFC 9000 appendix A.2: after 0xabe8b3, 0xac5c02 needs 16 bits and 0xace8fe 18; appendix A.3: 0x9b32 after 0xa82f30ea.
    #[test]
    fn packet_numbers_are_shortened_as_in_the_rfc() {
        assert_eq!(packet_number_bytes(0xac_5c02, Some(0xab_e8b3)), 2);
        assert_eq!(packet_number_bytes(0xac_e8fe, Some(0xab_e8b3)), 3);
        assert_eq!(whole_packet_number(Some(0xa82f_30ea), 0x9b32, 2), 0xa82f_9b32);
        assert_eq!(packet_number_bytes(0, None), 1);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(number in 0_u64..1 << 62) {
            let mut buffer = Vec::new();
            write(&mut buffer, number);
            prop_assert_eq!(buffer.len() as u64, size(number));
            prop_assert_eq!(Unread(&buffer).number(), Some(number));
        }

        /// Whatever of the packets under way the receiver has seen.
        #[test]
        fn a_shortened_packet_number_is_recovered(full in 0_u64..1 << 40, acknowledged in 1_u64..1 << 20, seen in 0.0..1.0_f64) {
            let largest = full.checked_sub(acknowledged);
            let bytes = packet_number_bytes(full, largest);
            #[expect(clippy::cast_precision_loss, clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "a share")]
            let received = largest.map(|largest| largest + ((full - 1 - largest) as f64 * seen) as u64);
            prop_assert_eq!(whole_packet_number(received, full & ((1 << (8 * bytes)) - 1), bytes), full);
        }
    }
}
