# One packet lost from a window of four. The third duplicate sends only the retransmission, although PIPE leaves room for more.

array set scenario {
    agent     TCP/Sack1
    sink      TCPSink/Sack1
    end       3
    lost_data {15}
    sender    {
        window_ 4 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ false precisionReduce_ false
        partial_ack_ false oldCode_ false
    }
}
