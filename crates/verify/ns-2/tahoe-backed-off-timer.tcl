# Segment 20 is lost five times: the timer backs off to 16 times. Then a new segment is timed, the estimator starts
# afresh, and the next loss waits for that timer.

array set scenario {
    agent     TCP
    sink      TCPSink
    end       9.2
    lost_data {21 33 34 35 36 39}
    sender    {
        window_ 12 windowInit_ 4 minrto_ 0.2 singledup_ 0
        bugFix_ true precisionReduce_ true
    }
}
