//! Slow start ends as the flavor says.

use super::SlowStartExit;

longfat_foundation::model! {
    /// Slow start ends as the flavor says: at the threshold or at a loss, and before that where the flavor has a rule of its own.
    #[name = "by-flavor"]
    #[source = "RFC 5681 section 3.1"]
    pub struct ByFlavor: dyn SlowStartExit {}
    build(_config, _context) { Box::new(Nothing) }
}

struct Nothing;

impl SlowStartExit for Nothing {}
