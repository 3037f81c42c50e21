//! The part that a script plays against: a sender of TCP, or an end of QUIC.

use longfat_engine::units::Time;

use super::read::{Arrival, Quantity};

/// The player under test. Segments and packets are counted from 0.
pub trait Player {
    /// Its unit, in messages.
    fn unit(&self) -> &'static str;
    /// The application hands over so many; without a number there is no end of them. Returns what it sends.
    fn write(&mut self, now: Time, number: Option<u64>) -> Vec<u64>;
    /// An acknowledgment arrives. Returns what it sends.
    ///
    /// # Errors
    /// If it is not one of its kind, or acknowledges what was not sent.
    fn acknowledge(&mut self, now: Time, arrival: &Arrival) -> Result<Vec<u64>, String>;
    /// When its next timer is due.
    fn expires(&mut self) -> Option<Time>;
    /// The timer is due. Returns which it was, and what is sent.
    fn expire(&mut self, now: Time) -> (&'static str, Vec<u64>);
    /// A quantity, in units of what it sends.
    fn quantity(&self, quantity: Quantity) -> f64;
}
