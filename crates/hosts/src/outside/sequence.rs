//! Sequence numbers of TCP as positions in a stream.

/// Position in a stream of data of which the first byte has the number behind `opening`, that of the SYN: the one nearest to `near`.
#[must_use]
pub fn position(sequence: u32, opening: u32, near: u64) -> u64 {
    let low = u64::from(sequence.wrapping_sub(opening).wrapping_sub(1));
    let (wrap, half) = (1 << 32, 1 << 31);
    let candidate = near / wrap * wrap + low;
    if candidate > near + half && candidate >= wrap {
        candidate - wrap
    } else if candidate + half < near {
        candidate + wrap
    } else {
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_go_on_where_sequence_numbers_wrap() {
        assert_eq!(position(8, 7, 0), 0);
        assert_eq!(position(6, 7, 0), (1 << 32) - 2, "nothing is before the beginning");
        assert_eq!(position(7, 7, (1 << 32) - 10), (1 << 32) - 1);
        assert_eq!(position(9, 7, (1 << 32) - 10), (1 << 32) + 1);
        assert_eq!(position(5, 7, 3 << 32), (3 << 32) - 3);
    }
}
