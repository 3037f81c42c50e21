# Fall and Floyd 1996, one packet lost from a window of 15. Tahoe retransmits once and slow-starts.

array set scenario {
    agent     TCP
    sink      TCPSink
    end       3.2
    lost_data {15}
    sender    {
        window_ 28 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ false precisionReduce_ false
    }
}
