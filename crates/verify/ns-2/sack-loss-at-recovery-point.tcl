# The first new segment after the fast retransmission is lost as well: the acknowledgment stops exactly at the recovery
# point. The guard (bugFix_) is gone with the recovery.

array set scenario {
    agent     TCP/Sack1
    sink      TCPSink/Sack1
    end       3
    lost_data {15 31}
    sender    {
        window_ 28 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ true
        partial_ack_ false oldCode_ false
    }
}
