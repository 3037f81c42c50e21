# SACK that sends two packets on every partial acknowledgment (partial_ack_).

array set scenario {
    agent     TCP/Sack1
    sink      TCPSink/Sack1
    end       2.6
    lost_data {15 25 27 29}
    sender    {
        window_ 28 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ true
        partial_ack_ true oldCode_ false
    }
}
