# The fast retransmission of SACK is lost too: only the timer, with the minimum of 200 ms, helps.

array set scenario {
    agent     TCP/Sack1
    sink      TCPSink/Sack1
    end       3
    lost_data {15 30}
    sender    {
        window_ 28 windowInit_ 1 minrto_ 0.2 singledup_ 0
        bugFix_ true precisionReduce_ true
        partial_ack_ false oldCode_ false
    }
}
