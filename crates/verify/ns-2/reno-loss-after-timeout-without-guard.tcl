# Five losses of one window, the fast retransmission and, after the timeout, one more retransmission: Reno retransmits
# it at the third duplicate acknowledgment.

array set scenario {
    agent     TCP/Reno
    sink      TCPSink
    end       3.75
    lost_data {31 33 36 40 46 62 106}
    sender    {
        window_ 64 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ false precisionReduce_ false
    }
}
