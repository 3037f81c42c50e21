# The fast retransmission of Reno is lost too: only the timer, with the minimum of 200 ms, helps.

array set scenario {
    agent     TCP/Reno
    sink      TCPSink
    end       3
    lost_data {15 30}
    sender    {
        window_ 28 windowInit_ 1 minrto_ 0.2 singledup_ 0
        bugFix_ true precisionReduce_ true
    }
}
