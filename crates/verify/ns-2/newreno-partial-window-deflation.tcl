# NewReno with partial window deflation and exit_recovery_fix_ (RFC 2582) and four losses of one window.

array set scenario {
    agent     TCP/Newreno
    sink      TCPSink
    end       2.6
    lost_data {25 29 36 45}
    sender    {
        window_ 40 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ true
        newreno_changes_ 0 newreno_changes1_ 0 partial_window_deflation_ 1 exit_recovery_fix_ 1 tcpTick_ 0.0001
    }
}
