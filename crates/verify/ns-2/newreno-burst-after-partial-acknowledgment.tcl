# Most duplicate acknowledgments are lost, so the partial acknowledgment opens the window by more than two packets:
# NewReno sends two for an acknowledgment.

array set scenario {
    agent                TCP/Newreno
    sink                 TCPSink
    end                  2.4
    lost_data            {15 29}
    lost_acknowledgments {18 19 20 21 22 23 24 25 26 27}
    sender               {
        window_ 28 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ true
        newreno_changes_ 0 newreno_changes1_ 0 partial_window_deflation_ 0 exit_recovery_fix_ 0
    }
}
