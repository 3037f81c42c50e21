# Fall and Floyd 1996, four packets lost from a window of 15. NewReno needs a round trip for each.

array set scenario {
    agent     TCP/Newreno
    sink      TCPSink
    end       2.6
    lost_data {15 25 27 29}
    sender    {
        window_ 28 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ false precisionReduce_ false
        newreno_changes_ 0 newreno_changes1_ 0 partial_window_deflation_ 0 exit_recovery_fix_ 0 tcpTick_ 0.0001
    }
}
