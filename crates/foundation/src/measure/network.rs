//! Metrics of the whole network: named numbers, from which studies make tables.

use serde::{Serialize, Serializer};

use super::{Better, Cause, DeclaredMetric, Shares};

/// Declares the metrics once, as fields and as [`DeclaredMetric`]s. After the type: the direction of improvement, and `share` if the metric is
/// at most 1.
macro_rules! metrics {
    ($($(#[doc = $doc:literal])+ pub $metric:ident: $type:ty = $better:ident $($share:ident)?,)+) => {
        /// Results of the whole network over the measurement.
        ///
        /// As JSON, an object. Metrics that do not apply to the network are left out; the shares of the ledger are `share_useful` and so
        /// on.
        #[derive(Clone, Debug)]
        pub struct Metrics {
            $($(#[doc = $doc])+ pub $metric: $type,)+
            /// Shares of the ledger's causes.
            pub shares: Shares,
        }

        impl Metrics {
            const OWN: &[DeclaredMetric] = &[$(DeclaredMetric {
                name: stringify!($metric),
                text: concat!($($doc),+),
                better: Better::$better,
                is_share: metrics!(@is_share $($share)?),
            }),+];
        }

        impl Serialize for Metrics {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                #[derive(Serialize)]
                struct Written<'a> {
                    $(#[serde(skip_serializing_if = "Measured::is_absent")] $metric: &'a $type,)+
                    #[serde(flatten)]
                    shares: &'a Shares,
                }
                Written { $($metric: &self.$metric,)+ shares: &self.shares }.serialize(serializer)
            }
        }
    };
    (@is_share) => { false };
    (@is_share share) => { true };
}

/// A metric that may not apply to a network.
trait Measured {
    fn is_absent(&self) -> bool;
}

impl<M: Measured> Measured for &M {
    fn is_absent(&self) -> bool {
        M::is_absent(self)
    }
}

impl Measured for f64 {
    fn is_absent(&self) -> bool {
        false
    }
}

impl Measured for u64 {
    fn is_absent(&self) -> bool {
        false
    }
}

impl<T> Measured for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

metrics! {
    /// Sum of the throughputs of the connections over TCP whose data cross the bottleneck, over the highest throughput that TCP could
    /// reach there (M-02).
    pub efficiency: f64 = More share,
    /// Jain's fairness index of the throughputs (M-03) of the connections over TCP.
    pub fairness: f64 = More share,
    /// Sum of throughputs in bits per second.
    pub goodput_bps: f64 = More,
    /// The highest throughput that TCP could reach: what full segments carry on the bottleneck (M-02).
    pub max_goodput_bps: f64 = Neither,
    /// Largest number of cells in a managed port's buffer at any time (M-05).
    pub max_queue_cells: u64 = Less,
    /// Mean number of cells in the bottleneck's buffer.
    pub mean_queue_cells: f64 = Less,
    /// Cells dropped over cells that arrived, at managed ports.
    pub cell_loss_ratio: f64 = Less share,
    /// Expiries of retransmission timers with data in flight, all connections. Expiries during a handshake are the connections'
    /// `openings_sent_again`; those of clients' requests are in the connections' `requests`.
    pub timeouts: u64 = Less,
    /// Packets lost by loss models, acknowledgments included; drops at buffers are not counted.
    pub packets_lost: u64 = Less,
    /// The smallest ratio, over connections, of the rate achieved, in cells of the segments delivered, to the minimum cell rate; left out
    /// if no rates are promised.
    pub least_share_of_mcr: Option<f64> = More,
    /// Jain's fairness index of what connections get beyond their minimum cell rates; left out if no rates are promised.
    pub excess_fairness: Option<f64> = More share,
    /// Rate at which clients requested data, in bits per second of the run, whether it was sent or not; left out if there are no clients.
    pub offered_bps: Option<f64> = Neither,
    /// Jain's fairness index of throughputs relative to max-min fair shares (M-04) of the lines behind managed ports; left out if no
    /// application limits its demand and all shares are equal.
    pub max_min_fairness: Option<f64> = More share,
    /// Mean over connections of each one's mean round trip, queueing included; left out if none has measured any. Only connections over TCP
    /// count.
    pub mean_round_trip_s: Option<f64> = Less,
    /// Mean time that packets waited in the bottleneck's queue before they were sent; left out without a queue discipline.
    pub mean_queueing_delay_s: Option<f64> = Less,
    /// 95th percentile of that waiting time; left out like the mean.
    pub queueing_delay_p95_s: Option<f64> = Less,
    /// 99th percentile of that waiting time; left out like the mean.
    pub queueing_delay_p99_s: Option<f64> = Less,
    /// Packets marked by queue disciplines instead of dropped, over packets sent; left out if there are none.
    pub packet_mark_ratio: Option<f64> = Neither share,
    /// The first group's share of the total goodput; left out if connections are alike.
    pub first_group_share: Option<f64> = Neither,
    /// Frames with CLP = 0 that lost a cell at the port, over those that arrived, all connections; left out if no rates are promised or no
    /// such frame arrived.
    pub clp0_frame_loss_ratio: Option<f64> = Less share,
    /// Frames with CLP = 1 (beyond the promised rates) that lost a cell at the port, over those that arrived; left out likewise.
    pub clp1_frame_loss_ratio: Option<f64> = Less share,
    /// The most bytes of a connection, in the direction of its data, that any proxy has buffered; left out if there are no proxies.
    pub max_proxy_bytes: Option<u64> = Neither,
    /// Mean capacity granted at the bottleneck, in bits per second; left out if capacity is permanent.
    pub mean_granted_bps: Option<f64> = Neither,
    /// The share of the granted capacity that was used; left out if none was granted or capacity is permanent.
    pub granted_capacity_used: Option<f64> = More share,
    /// Mean one-way delay of the datagrams of all connections over UDP, from their transmission to the arrival of the last bit; left out if
    /// none has arrived.
    pub datagram_delay_s: Option<f64> = Less,
    /// 95th percentile of these delays; left out like the mean.
    pub datagram_delay_p95_s: Option<f64> = Less,
    /// 99th percentile of these delays; left out like the mean.
    pub datagram_delay_p99_s: Option<f64> = Less,
    /// Mean over connections over UDP of each one's mean interarrival jitter (RFC 3550 section 6.4.1); left out if there is none.
    pub datagram_jitter_s: Option<f64> = Less,
    /// Datagrams lost, or their answers, over those whose fate is known, all connections over UDP; left out if there are none.
    pub datagram_loss_ratio: Option<f64> = Less share,
    /// Datagrams that arrived after one sent later (RFC 4737), over those that arrived; left out if none has.
    pub datagram_reordered_ratio: Option<f64> = Less share,
    /// Mean round trip of answered datagrams; left out if there are none.
    pub probe_round_trip_s: Option<f64> = Less,
    /// 99th percentile of the round trips of answered datagrams; left out if there are none.
    pub probe_round_trip_p99_s: Option<f64> = Less,
}

impl Metrics {
    /// Every metric, in the order of records: those of the network, then the shares of the ledger.
    pub const DECLARED: &[DeclaredMetric] = &{
        let mut all = [Self::OWN[0]; Self::OWN.len() + Cause::SHARES.len()];
        let (first, rest) = all.split_at_mut(Self::OWN.len());
        first.copy_from_slice(Self::OWN);
        rest.copy_from_slice(Cause::SHARES);
        all
    };

    /// Names of the metrics, in the same order.
    pub const NAMES: &[&str] = &{
        let mut names = [""; Self::DECLARED.len()];
        let mut index = 0;
        while index < names.len() {
            names[index] = Self::DECLARED[index].name;
            index += 1;
        }
        names
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_says_what_it_is() {
        for DeclaredMetric { name, text, .. } in Metrics::DECLARED {
            assert!(text.starts_with(' ') && text.ends_with('.') && text.len() > 20, "{name}: {text:?}");
        }
        assert_eq!(Metrics::DECLARED[0].name, "efficiency");
        assert!(Metrics::DECLARED[0].text.contains("over the highest throughput that TCP could reach there"));
    }
}
