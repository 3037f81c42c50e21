# NewReno with a new packet for every two duplicate acknowledgments (Hoe) and four losses of one window.

array set scenario {
    agent     TCP/Newreno
    sink      TCPSink
    end       3
    lost_data {25 30 33 36}
    sender    {
        window_ 64 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ false
        newreno_changes_ 1 newreno_changes1_ 0 partial_window_deflation_ 0 exit_recovery_fix_ 0 tcpTick_ 0.0001
    }
}
