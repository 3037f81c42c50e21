//! Traffic without TCP that crosses the bottleneck: it enters the bottleneck's port and leaves at the other end of its line.
//!
//! To add a model: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`BACKGROUNDS`].

mod poisson;
mod vbr_on_off;

pub use poisson::OfferedLoad;

use longfat_foundation::random::{Chance, Stream};
use longfat_foundation::registry::{Chosen, Entry, Family};
use longfat_foundation::units::{Rate, Time};

use crate::framing::{Class, Framing};

/// Every registered background.
pub const BACKGROUNDS: &[Entry<dyn Background>] =
    &[Entry::of::<poisson::Poisson>(), Entry::of::<vbr_on_off::VbrOnOff>()];

/// A datagram that enters the bottleneck's port at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission {
    /// Its cells; one where packets travel whole.
    pub cells: u32,
    /// Its bits on the line.
    pub bits: u64,
    /// When the next one comes, if one does.
    pub next: Option<Time>,
}

/// A source of datagrams.
pub trait Background: Send {
    /// When the first datagram comes; [`Time::NEVER`] if none does.
    fn start(&self) -> Time;
    /// A datagram comes now.
    fn emit(&mut self, now: Time) -> Emission;
    /// The service class in whose queue it waits at a port that has more than one.
    fn class(&self) -> Class {
        Class::Ubr
    }
    /// The share of the line that is reserved for it, and so not TCP's to get (M-02).
    fn reserved_share(&self) -> f64 {
        0.0
    }
}

impl Family for dyn Background {
    const KIND: &'static str = "background";
    type Context = BackgroundContext;
    fn models() -> &'static [Entry<Self>] {
        BACKGROUNDS
    }
}

/// The bottleneck that a background crosses.
#[derive(Clone, Debug)]
pub struct BackgroundContext {
    /// Its rate.
    pub rate: Rate,
    /// How packets travel there.
    pub framing: Chosen<dyn Framing>,
    /// The background's own chance.
    pub chance: Stream,
}

impl BackgroundContext {
    /// For the background with that number, from 0.
    #[must_use]
    pub fn of(number: usize, rate: Rate, framing: &Chosen<dyn Framing>, chance: Chance) -> Self {
        Self { rate, framing: framing.clone(), chance: chance.stream(&format!("background/{}", number + 1)) }
    }
}
