# Fall and Floyd 1996, three packets lost from a window of 15. Reno halves its window twice and then waits for the
# timer.

array set scenario {
    agent     TCP/Reno
    sink      TCPSink
    end       4
    lost_data {15 27 29}
    sender    {
        window_ 28 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ false precisionReduce_ false
    }
}
