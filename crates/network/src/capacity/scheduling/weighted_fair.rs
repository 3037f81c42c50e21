//! Max-min fairness by weight.

use super::{Claim, ReturnScheduler, divide_fairly};

longfat_foundation::model! {
    /// Divides capacity by the terminals' weights; what one does not claim is divided among the others (weighted max-min fairness). Who asks
    /// for more than its part gets its part, however much it asks for. Classes have no effect.
    #[name = "weighted-fair"]
    #[source = "Bertsekas and Gallager 1992 section 6.5.2: max-min fairness, with weights"]
    pub struct WeightedFair: dyn ReturnScheduler {}
    build(_config, _context) { Box::new(WeightedFair {}) }
}

impl ReturnScheduler for WeightedFair {
    fn divide(&self, claims: &[Claim], room: u64, first: usize) -> Vec<u64> {
        let mut given = vec![0; claims.len()];
        let all: Vec<_> = (0..claims.len()).collect();
        divide_fairly(claims, &all, room, first, &mut given);
        given
    }
}
