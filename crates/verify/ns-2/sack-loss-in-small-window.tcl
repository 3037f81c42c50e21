# One packet lost from a window of four in slow start. The third duplicate sends only the retransmission, although PIPE leaves room for more.

array set scenario {
    agent     TCP/Sack1
    sink      TCPSink/Sack1
    end       2
    lost_data {4}
    sender    {
        window_ 28 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ false precisionReduce_ false
        partial_ack_ false oldCode_ false
    }
}
