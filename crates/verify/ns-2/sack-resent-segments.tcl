# Sixteen losses of one window and the fast retransmission. After the timeout SACK sends again what had arrived;
# duplicate acknowledgments without news in their blocks do not count, even without the guard (bugFix_).

array set scenario {
    agent     TCP/Sack1
    sink      TCPSink/Sack1
    end       4
    lost_data {31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 49 62}
    sender    {
        window_ 64 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ false precisionReduce_ false
        partial_ack_ false oldCode_ false
    }
}
