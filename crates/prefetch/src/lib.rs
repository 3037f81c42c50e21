//! Tells the processor what will be read soon.
//!
//! A run with thousands of connections waits for memory most of its time: whatever comes next is another connection's. What comes after
//! that is known, and can be on its way meanwhile. `core::hint::prefetch_read` will say so, as safely, once it is stable
//! (rust-lang/rust#146941); until then this crate has the instruction, and nothing else. It reads nothing, writes nothing, and
//! with an address of nothing it does nothing: so there is nothing that a caller could do wrong.

/// An item of a slice will be read soon, all that fits into one line of the cache from its beginning; nothing, if there is none of that
/// number.
#[inline(always)]
pub fn item<T>(items: &[T], number: usize) {
    read_soon(items.as_ptr().wrapping_add(number));
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn read_soon<T>(place: *const T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch of any address whatever is allowed and changes nothing but how long things take.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn read_soon<T>(_place: *const T) {}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_not_there_does_no_harm() {
        let items = [1_u64, 2, 3];
        [0, 2, 3, usize::MAX].into_iter().for_each(|number| super::item(&items, number));
        assert_eq!(items, [1, 2, 3]);
    }
}
