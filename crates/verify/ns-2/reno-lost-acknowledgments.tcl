# Acknowledgments are lost, single ones and three in a row, before and during the fast recovery of Reno.

array set scenario {
    agent                TCP/Reno
    sink                 TCPSink
    end                  2.4
    lost_data            {25}
    lost_acknowledgments {3 6 9 10 11 18 27 28 36}
    sender               {
        window_ 28 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ true
    }
}
