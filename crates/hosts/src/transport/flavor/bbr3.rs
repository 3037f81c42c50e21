//! BBR, version 3.

use longfat_foundation::registry::Model;

use super::Flavor;
use crate::transport::law::{self, WindowLaw};
use crate::transport::recovery::{RackTlp, Recovery};

longfat_foundation::model! {
    /// Like `bbr`, but it learns from losses how much may be in flight: more than 2 % of loss while probing for bandwidth is too much, and
    /// a loss at other times lowers its rate until the next probe. It leaves room for others between probes, and looks for the minimum
    /// round trip every 5 s with half of what the path holds. Losses are detected as by `rack-tlp`.
    #[name = "bbr3"]
    #[source = "draft-ietf-ccwg-bbr"]
    pub struct Bbr3: dyn Flavor {}
    build(config, _context) { Box::new(config.clone()) }
}

impl Flavor for Bbr3 {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(law::Bbr3::default())
    }

    fn recovery(&self) -> Box<dyn Recovery> {
        Model::<dyn Recovery>::build(&RackTlp::without_reduction(), &())
    }

    fn recovery_name(&self) -> &'static str {
        <RackTlp as Model<dyn Recovery>>::NAME
    }
}
