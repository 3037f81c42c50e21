//! TCP flavors: a window law together with a loss recovery.
//!
//! The papers' flavors all have the classical law and differ in their recovery, so every registered
//! [recovery](super::recovery) is a flavor of its own. A flavor with another law is a file in `flavor/`: a
//! [`model!`](longfat_foundation::model) for `dyn Flavor`, its facts, and the law itself.

// The registered laws: `build.rs` makes their list of these lines. Their order is that of `longfat models` and of the schema; rustfmt sorts
// lines only up to the next blank one.
mod cubic;
mod dctcp;
mod satcp;

mod bbr;
mod bbr3;
mod leocc;
mod prague;

mod high_speed;
mod hybla;
mod scalable;

mod h_tcp;
mod westwood;

mod vegas;

mod bic;
mod illinois;
mod ledbat;

mod cdg;
mod lp;
mod nv;
mod veno;
mod yeah;

mod external;

use longfat_foundation::config::Field;
use longfat_foundation::registry::{Entry, Family, Model, Plan};

use super::NamedControl;
use super::law::{AfterLoss, Classical, LawFacts, WindowLaw};
use super::recovery::{
    NewReno, NewRenoRfc6582, RackTlp, RackTlpLinux, Recovery, Reno, Sack, SackRfc6675, Tahoe, Vanilla,
};

/// Registers recoveries, each also as a flavor with the classical law, and flavors with laws of their own.
macro_rules! register {
    ($($recovery:ident),+; $($flavor:path),+) => {
        /// Every registered recovery.
        pub const RECOVERIES: &[Entry<dyn Recovery>] = &[$(Entry::of::<$recovery>()),+];
        /// Every registered flavor.
        pub const FLAVORS: &[Entry<dyn Flavor>] = &[$(Entry::of::<$recovery>()),+, $(Entry::of::<$flavor>()),+];

        $(impl Model<dyn Flavor> for $recovery {
            const NAME: &'static str = <Self as Model<dyn Recovery>>::NAME;
            const SOURCE: &'static str = <Self as Model<dyn Recovery>>::SOURCE;
            const ABOUT: &'static str = <Self as Model<dyn Recovery>>::ABOUT;

            fn parameters() -> Vec<Field> {
                <Self as Model<dyn Recovery>>::parameters()
            }

            fn build(&self, _context: &()) -> Box<dyn Flavor> {
                Box::new(WithClassicalLaw(self.clone()))
            }
        })+
    };
}

macro_rules! register_laws {
    ($($law:path),+) => {
        register![Vanilla, Tahoe, Reno, NewReno, NewRenoRfc6582, Sack, SackRfc6675, RackTlp, RackTlpLinux; $($law),+];
    };
}

include!(concat!(env!("OUT_DIR"), "/laws.rs"));

/// Every registered flavor with its defaults, by name.
///
/// # Panics
/// If a parameter of a flavor has no default.
pub fn with_defaults() -> impl Iterator<Item = (&'static str, Box<dyn Flavor>)> {
    let build = |entry: &Entry<dyn Flavor>| entry.with_defaults().expect("flavors have defaults").build(&());
    FLAVORS.iter().map(move |entry| (entry.name, build(entry)))
}

/// The flavor whose law is provided from outside.
pub const EXTERNAL: &str = <external::External as Model<dyn Flavor>>::NAME;

/// The plugs of one connection.
pub trait Flavor: Send {
    /// How the window grows and shrinks.
    fn law(&self) -> Box<dyn WindowLaw>;
    /// How losses are detected and repaired.
    fn recovery(&self) -> &dyn Plan<dyn Recovery>;
    /// Properties of the law.
    fn facts(&self) -> LawFacts;
    /// Effect of a loss on a window of `segments` segments on a path with a round trip of `round_trip_s` seconds.
    fn after_loss(&self, segments: f64, round_trip_s: f64) -> AfterLoss;
    /// Where the law comes from outside: its name, and the law itself if it is provided.
    fn control(&self) -> Option<&NamedControl> {
        None
    }
}

impl Family for dyn Flavor {
    const KIND: &'static str = "TCP flavor";
    type Context = ();
    fn models() -> &'static [Entry<Self>] {
        FLAVORS
    }
}

/// A recovery with the classical law.
struct WithClassicalLaw<R>(R);

impl<R: Model<dyn Recovery>> Flavor for WithClassicalLaw<R> {
    fn law(&self) -> Box<dyn WindowLaw> {
        Box::new(Classical)
    }

    fn recovery(&self) -> &dyn Plan<dyn Recovery> {
        &self.0
    }

    fn facts(&self) -> LawFacts {
        Classical::FACTS
    }

    fn after_loss(&self, segments: f64, round_trip_s: f64) -> AfterLoss {
        AfterLoss::reno(segments, round_trip_s)
    }
}
