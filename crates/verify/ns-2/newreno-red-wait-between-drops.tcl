# RED with a weight of 1, so that the average is the queue. It rises to 6 while more than 2 / p packets have come since the count began:
# only then is one dropped. Without the wait between drops, one would be dropped before, at a queue of 5.

array set scenario {
    agent     TCP/Newreno
    sink      TCPSink
    end       4
    bottleneck_delay_seconds 0.02
    queue     RED
    lost_data {12}
    sender    {
        window_ 28 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ false precisionReduce_ false
        newreno_changes_ 0 newreno_changes1_ 0 partial_window_deflation_ 0 exit_recovery_fix_ 0
    }
    red       {thresh_ 4 maxthresh_ 5 q_weight_ 1 linterm_ 25 gentle_ true wait_ true}
}
