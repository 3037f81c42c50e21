# The acknowledgment of the only segment in flight is lost, and the timer sends the segment again. The receiver delays its answer to the
# repetition as it delayed the first.

array set scenario {
    agent                TCP/Reno
    sink                 TCPSink/DelAck
    end                  6
    lost_acknowledgments {3 6 7}
    sender               {
        window_ 1 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ false precisionReduce_ false
    }
}
