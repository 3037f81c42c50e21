# Acknowledgments with SACK blocks are lost: later ones report the same blocks again.

array set scenario {
    agent                TCP/Sack1
    sink                 TCPSink/Sack1
    end                  2.4
    lost_data            {15 17 22}
    lost_acknowledgments {4 16 17 19 21 22}
    sender               {
        window_ 28 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ true
        partial_ack_ false oldCode_ false
    }
}
