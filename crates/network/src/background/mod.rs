//! Background traffic without TCP, which enters the bottleneck's port and leaves at the other end of its line.
//!
//! To add a model: a file here with a [`model!`](longfat_foundation::model), a `mod` line and a line in [`BACKGROUNDS`].

mod poisson;
mod vbr_on_off;

pub use poisson::OfferedLoad;

use longfat_foundation::random::{Chance, Stream};
use longfat_foundation::registry::{Chosen, Entry, Family};
use longfat_foundation::units::{Rate, Time};

use crate::framing::{Class, Framing};

/// Every registered background model.
pub const BACKGROUNDS: &[Entry<dyn Background>] =
    &[Entry::of::<poisson::Poisson>(), Entry::of::<vbr_on_off::VbrOnOff>()];

/// A datagram that arrives at the bottleneck's port at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission {
    /// Number of cells; one if packets travel whole.
    pub cells: u32,
    /// Size on the line in bits.
    pub bits: u64,
    /// Time of the next datagram, if any.
    pub next: Option<Time>,
}

/// A source of datagrams.
pub trait Background: Send {
    /// Arrival time of the first datagram; [`Time::NEVER`] if there is none.
    fn start(&self) -> Time;
    /// Generates the datagram that is due at `now`.
    fn emit(&mut self, now: Time) -> Emission;
    /// Service class of its queue, at a port with service classes.
    fn class(&self) -> Class {
        Class::Ubr
    }
    /// Mean number of datagrams per second, of a source whose datagrams wait with the connections' packets.
    fn datagrams_per_second(&self) -> f64 {
        0.0
    }
    /// Share of the line that is reserved for it and unavailable to TCP (M-02).
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
    /// Rate of the bottleneck.
    pub rate: Rate,
    /// Framing on the bottleneck.
    pub framing: Chosen<dyn Framing>,
    /// Seed and replication of the background's random stream.
    pub chance: Stream,
}

impl BackgroundContext {
    /// Context of background number `number`, from 0.
    #[must_use]
    pub fn of(number: usize, rate: Rate, framing: &Chosen<dyn Framing>, chance: Chance) -> Self {
        Self { rate, framing: framing.clone(), chance: chance.stream(&format!("background/{}", number + 1)) }
    }
}
