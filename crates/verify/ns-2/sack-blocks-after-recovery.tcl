# Two holes above the recovery point, of which the retransmissions are lost too. The blocks are forgotten when the recovery ends, so the
# next recovery retransmits both holes again.

array set scenario {
    agent     TCP/Sack1
    sink      TCPSink/Sack1
    end       3.4
    lost_data {31 61 65 70 80 84}
    sender    {
        window_ 60 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ false precisionReduce_ false
        partial_ack_ false oldCode_ true
    }
}
