# Five losses of one window, the fast retransmission and, after the timeout, one more retransmission: Reno waits for the
# timer again (bugFix_).

array set scenario {
    agent     TCP/Reno
    sink      TCPSink
    end       5.6
    lost_data {31 33 36 40 46 62 106}
    sender    {
        window_ 64 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ false
    }
}
