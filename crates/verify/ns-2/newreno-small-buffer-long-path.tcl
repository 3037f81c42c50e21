# NewReno fills a drop-tail buffer of 8 packets on a path of 224 ms and 11 packets: slow start loses many.

array set scenario {
    agent                      TCP/Newreno
    sink                       TCPSink
    end                        4
    bottleneck_bits_per_second 400000
    waiting_places             8
    sender                     {
        window_ 64 windowInit_ 1 minrto_ 0.2 singledup_ 0
        bugFix_ true precisionReduce_ true
        newreno_changes_ 0 newreno_changes1_ 1 partial_window_deflation_ 1 exit_recovery_fix_ 0
    }
}
