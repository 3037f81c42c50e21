//! No discipline of its own.

use super::QueueDiscipline;
use super::tail_drop::Fifo;

longfat_foundation::model! {
    /// No queue discipline: `policy` guards one queue for each class, and `scheduler` takes cells or packets from them.
    #[name = "by-policy"]
    #[source = "UBR+ section 3"]
    pub struct ByPolicy: dyn QueueDiscipline {}
    // Without limit: a port has no discipline where this is chosen.
    build(_config, _context) { Box::new(Fifo::default()) }
}
