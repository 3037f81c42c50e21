//! End systems: TCP, datagrams, and the traffic of the applications above it.
//!
//! This crate knows nothing of the network: a sender takes acknowledgments and gives segments.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod datagrams;
pub mod end_system;
pub mod outside;
pub mod quic;
pub mod traffic;
pub mod transport;
