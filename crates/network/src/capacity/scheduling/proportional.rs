//! Every claim is cut by the same share.

use super::{Claim, ReturnScheduler, divide_by};

longfat_foundation::model! {
    /// Cuts all claims by the same share where they come to more than there is: who asks for twice as much gets twice as much. Weights and
    /// classes have no effect.
    #[name = "proportional"]
    #[source = "-"]
    pub struct Proportional: dyn ReturnScheduler {}
    build(_config, _context) { Box::new(Proportional {}) }
}

impl ReturnScheduler for Proportional {
    fn divide(&self, claims: &[Claim], room: u64, first: usize) -> Vec<u64> {
        let mut given = vec![0; claims.len()];
        let all: Vec<_> = (0..claims.len()).collect();
        divide_by(|claim| claim.units, (claims, &all), room, first, &mut given);
        given
    }
}
