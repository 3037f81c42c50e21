# As sack-pipe-from-window, with the pipe taken from the packets in flight.

array set scenario {
    agent     TCP/Sack1
    sink      TCPSink/Sack1
    end       3
    lost_data {60 64}
    sender    {
        window_ 12 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ false
        partial_ack_ false oldCode_ false
    }
}
