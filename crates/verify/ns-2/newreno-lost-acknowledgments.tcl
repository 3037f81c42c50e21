# Acknowledgments are lost during the fast recovery of NewReno, the first partial one among them.

array set scenario {
    agent                TCP/Newreno
    sink                 TCPSink
    end                  2.8
    lost_data            {15 25}
    lost_acknowledgments {5 17 18 19 27}
    sender               {
        window_ 28 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ true
        newreno_changes_ 0 newreno_changes1_ 0 partial_window_deflation_ 0 exit_recovery_fix_ 0
    }
}
