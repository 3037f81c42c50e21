# RED without early drops by chance. Slow start lifts the average above the maximum, and the queue empties while the average is still above.
# A packet that finds at most one other is let in all the same.

array set scenario {
    agent     TCP/Newreno
    sink      TCPSink
    end       6
    bottleneck_delay_seconds 0.02
    queue     RED
    sender    {
        window_ 40 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ false precisionReduce_ false
        newreno_changes_ 0 newreno_changes1_ 0 partial_window_deflation_ 0 exit_recovery_fix_ 0
    }
    red       {thresh_ 4 maxthresh_ 5 q_weight_ 0.05 linterm_ 1e12 gentle_ false wait_ true}
}
