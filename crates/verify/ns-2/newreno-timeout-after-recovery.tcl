# The queue lengthens the round trip. NewReno recovers from one loss by fast retransmission; the next is lost again when
# retransmitted, and the timer shows what became of the estimate of the round trip.

array set scenario {
    agent                    TCP/Newreno
    sink                     TCPSink
    end                      1.3
    bottleneck_delay_seconds 0.02
    lost_data                {31 50 57}
    sender                   {
        window_ 12 windowInit_ 2 minrto_ 0.1 singledup_ 0
        bugFix_ true precisionReduce_ true
        newreno_changes_ 0 newreno_changes1_ 1 partial_window_deflation_ 1 exit_recovery_fix_ 0
    }
}
