//! Recordings of Linux's TCP in virtual time: texts under `linux/recordings`, made by `linux/record.py`.

mod recording;

pub use recording::{Connection, Queue, Recording, Sample, Waits, Window};

#[cfg(test)]
mod tests;
