# The fast retransmission of NewReno is lost too: only the timer, with the minimum of 200 ms, helps.

array set scenario {
    agent     TCP/Newreno
    sink      TCPSink
    end       3
    lost_data {15 30}
    sender    {
        window_ 28 windowInit_ 1 minrto_ 0.2 singledup_ 0
        bugFix_ true precisionReduce_ true
        newreno_changes_ 0 newreno_changes1_ 1 partial_window_deflation_ 1 exit_recovery_fix_ 0
    }
}
