# The first new segment after the fast retransmission is lost as well: the acknowledgment stops exactly at the recovery
# point. The guard (bugFix_) refuses a fast retransmission.

array set scenario {
    agent     TCP/Reno
    sink      TCPSink
    end       3
    lost_data {15 31}
    sender    {
        window_ 28 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ true
    }
}
