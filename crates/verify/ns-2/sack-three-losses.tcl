# Fall and Floyd 1996, three packets lost from a window of 15. SACK retransmits the holes as the pipe drains.

array set scenario {
    agent     TCP/Sack1
    sink      TCPSink/Sack1
    end       2.4
    lost_data {15 27 29}
    sender    {
        window_ 28 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ false precisionReduce_ false
        partial_ack_ false oldCode_ false
    }
}
