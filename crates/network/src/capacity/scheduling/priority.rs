//! One class after another.

use super::{Claim, ReturnScheduler, divide_fairly};

longfat_foundation::model! {
    /// Serves the claims of class 1 first, then those of class 2, and so on: a class gets what those before it leave. Within a class capacity is
    /// divided as by weighted-fair.
    #[name = "priority"]
    #[source = "-"]
    pub struct Priority: dyn ReturnScheduler {}
    build(_config, _context) { Box::new(Priority {}) }
}

impl ReturnScheduler for Priority {
    fn divide(&self, claims: &[Claim], room: u64, first: usize) -> Vec<u64> {
        let mut given = vec![0; claims.len()];
        let mut by_class: Vec<_> = (0..claims.len()).collect();
        by_class.sort_by_key(|&index| claims[index].class);
        let mut left = room;
        for members in by_class.chunk_by(|&one, &next| claims[one].class == claims[next].class) {
            divide_fairly(claims, members, left, first, &mut given);
            left -= members.iter().map(|&index| given[index]).sum::<u64>();
        }
        given
    }
}
