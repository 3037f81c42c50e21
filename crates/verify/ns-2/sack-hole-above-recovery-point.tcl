# A segment sent during the recovery is lost: SACK retransmits it within the same recovery.

array set scenario {
    agent     TCP/Sack1
    sink      TCPSink/Sack1
    end       2.6
    lost_data {15 29 32}
    sender    {
        window_ 28 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ true
        partial_ack_ false oldCode_ false
    }
}
