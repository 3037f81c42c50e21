# Eight losses of one window; every partial acknowledgment restarts the timer (RFC 2582, slow but steady).

array set scenario {
    agent     TCP/Newreno
    sink      TCPSink
    end       3.4
    lost_data {15 17 19 21 23 25 27 29}
    sender    {
        window_ 28 windowInit_ 1 minrto_ 0.2 singledup_ 0
        bugFix_ true precisionReduce_ true
        newreno_changes_ 0 newreno_changes1_ 0 partial_window_deflation_ 0 exit_recovery_fix_ 0 tcpTick_ 0.0001
    }
}
