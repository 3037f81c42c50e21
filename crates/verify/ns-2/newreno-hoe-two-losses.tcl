# NewReno with a new packet for every two duplicate acknowledgments (Hoe); ssthresh from the first acknowledgments.

array set scenario {
    agent     TCP/Newreno
    sink      TCPSink
    end       2.6
    lost_data {25 30}
    sender    {
        window_ 64 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ false
        newreno_changes_ 1 newreno_changes1_ 0 partial_window_deflation_ 0 exit_recovery_fix_ 0
    }
}
