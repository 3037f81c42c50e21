# RED drops retransmissions too. The window reopens while partial acknowledgments come, and neither they nor the duplicates let more than two
# new segments leave.

array set scenario {
    agent     TCP/Newreno
    sink      TCPSink
    end       3
    bottleneck_delay_seconds 0.02
    queue     RED
    sender    {
        window_ 30 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ false precisionReduce_ false
        newreno_changes_ 0 newreno_changes1_ 0 partial_window_deflation_ 0 exit_recovery_fix_ 0
    }
    red       {thresh_ 2 maxthresh_ 3 q_weight_ 0.2 linterm_ 1e12 gentle_ false wait_ true}
}
