# RED with a weight near 1, whose probability is nearly 1 from a queue of 5 on. A burst of twenty packets meets an empty queue: the first that
# finds the average above the minimum is let in, and all others above it are dropped.

array set scenario {
    agent     TCP/Newreno
    sink      TCPSink
    end       4
    bottleneck_delay_seconds 0.02
    queue     RED
    sender    {
        window_ 20 windowInit_ 20 minrto_ 1 singledup_ 0
        bugFix_ false precisionReduce_ false
        newreno_changes_ 0 newreno_changes1_ 0 partial_window_deflation_ 0 exit_recovery_fix_ 0
    }
    red       {thresh_ 4 maxthresh_ 5 q_weight_ 0.999 linterm_ 1 gentle_ true wait_ false}
}
