//! TCP: a sender (a mechanism, with the window law and the loss recovery of a flavor as its plugs), a timeout estimator,
//! and a receiver with its rule of acknowledgment.

mod ace_field;
pub mod acknowledging;
mod acknowledgment;
mod clock;
mod codepoint;
mod config;
mod congestion_notification;
mod connection;
pub mod control;
mod delivery;
pub mod ends;
pub mod flavor;
pub mod law;
mod opening;
pub mod pacing;
pub mod preset;
pub mod ranges;
mod receiver;
pub mod recovery;
pub mod resume;
pub mod rto;
mod scoreboard;
mod segment;
mod sender;
pub mod slow_start;
mod smoothed_round_trip;
mod statistics;
mod under_way;
mod window;
mod window_scale;
mod window_settings;
mod window_use;

pub use acknowledgment::{Acknowledgment, Blocks, Echo, OptionSize, SackBlocks, option_bytes};
pub use clock::{TickClock, TimerPhase};
pub use codepoint::Codepoint;
pub use config::{GroupTcp, IdleRestart, NagleWaitsFor, RoundTripsInRecovery, TcpConfig};
pub use congestion_notification::{CongestionNotification, MarkEcho, MarkResponse};
pub use connection::{Connection, DUPLICATE_THRESHOLD};
pub use control::{CLASSICAL, Control, Controls, NamedControl};
pub use delivery::{Deliveries, Delivery, DeliveryLog, Departure, LostSegment, Sample, Standing};
pub use opening::LostSynRule;
pub use receiver::{OutOfOrder, ReceivedBytes, Receiver};
pub use scoreboard::Scoreboard;
pub use segment::{Piece, Segment};
pub use sender::{Sender, Waiting};
pub use smoothed_round_trip::SmoothedRoundTrip;
pub use statistics::SenderStatistics;
pub use under_way::{Transmission, UnderWay};
pub use window::{TimeoutKind, Window};
pub use window_scale::WindowScale;
pub use window_settings::{
    CongestionWindowLimit, InitialThreshold, InitialWindow, LinearGrowth, SlowStartGrowth, ThresholdRule,
    WindowAfterLoss, WindowArithmetic, WindowSettings,
};
pub use window_use::WindowUse;
