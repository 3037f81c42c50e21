//! Prefetch: one processor instruction that starts loading memory before it is needed.
//!
//! A run with thousands of connections spends most of its time waiting for memory, because each event is for another connection. The event
//! after the next is known, so its data can be loaded meanwhile. `core::hint::prefetch_read` will do this in safe code once it is stable
//! (rust-lang/rust#146941); until then this crate has the instruction, and nothing else. A prefetch reads and writes nothing and ignores
//! invalid addresses, so no caller can misuse it.

/// Prefetches the first cache line of item `number`; does nothing if there is no such item.
#[inline(always)]
pub fn item<T>(items: &[T], number: usize) {
    read_soon(items.as_ptr().wrapping_add(number));
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn read_soon<T>(place: *const T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch of any address is allowed and affects nothing but timing.
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
