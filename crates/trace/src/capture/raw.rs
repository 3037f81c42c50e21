//! Capture of packets that are there as they are, at the interfaces of their hosts: those of programs outside the simulation.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use longfat_engine::scenario::Scenario;
use longfat_engine::units::{Rate, Time};

use super::pcapng::{self, Direction, Packet, SNAP_LENGTH};
use crate::partial::{Partial, failure};

/// A capture with one interface for each host.
pub struct RawCapture {
    file: BufWriter<File>,
    partial: Partial,
    failed: Option<io::Error>,
}

impl RawCapture {
    /// Creates an empty capture for hosts with these names, and the rates of their lines.
    ///
    /// # Errors
    /// If the file cannot be written: a message that begins with the path.
    pub fn start(path: &Path, scenario: &Scenario, hosts: &[(String, Rate)]) -> Result<Self, String> {
        let (partial, file) = Partial::create(path)?;
        let mut file = BufWriter::with_capacity(1 << 16, file);
        let about = format!("scenario {}\nreal packets of programs, in real time", scenario.hash());
        let described = pcapng::section(&mut file, &about).and_then(|()| {
            hosts
                .iter()
                .try_for_each(|(name, rate)| pcapng::interface(&mut file, name, "interface of a program", *rate))
        });
        described.map_err(|error| failure(path, &error))?;
        Ok(Self { file, partial, failed: None })
    }

    /// A program on this host has sent a packet.
    pub fn sent(&mut self, time: Time, host: usize, packet: &[u8]) {
        self.write(time, host, Direction::Outbound, packet);
    }

    /// A packet has arrived at this host.
    pub fn received(&mut self, time: Time, host: usize, packet: &[u8]) {
        self.write(time, host, Direction::Inbound, packet);
    }

    #[expect(clippy::cast_possible_truncation, reason = "hosts are few, and an IP packet has 16 bits of length")]
    fn write(&mut self, time: Time, host: usize, direction: Direction, packet: &[u8]) {
        if self.failed.is_some() {
            return;
        }
        let headers = packet[..packet.len().min(SNAP_LENGTH as usize)].to_vec();
        let (interface, length) = (host as u32, packet.len() as u32);
        let packet = Packet { time, interface, direction, headers, length, comment: String::new() };
        self.failed = pcapng::packet(&mut self.file, &packet).err();
    }

    /// Completes the file and renames it to its final name.
    ///
    /// # Errors
    /// If anything could not be written: a message that begins with the path.
    pub fn finish(mut self) -> Result<(), String> {
        let path = self.partial.path().to_owned();
        let written = self.failed.take().map_or_else(|| self.file.flush(), Err);
        written.map_err(|error| failure(&path, &error))?;
        self.partial.keep()
    }
}
