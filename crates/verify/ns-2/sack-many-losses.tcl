# Ten losses of one window: the pipe stays full while SACK could send, and the timer expires.

array set scenario {
    agent     TCP/Sack1
    sink      TCPSink/Sack1
    end       3.4
    lost_data {15 16 18 19 21 22 24 25 27 28}
    sender    {
        window_ 28 windowInit_ 1 minrto_ 0.2 singledup_ 0
        bugFix_ true precisionReduce_ true
        partial_ack_ false oldCode_ false
    }
}
