# No loss: Reno is limited by a receiver window of 12 packets on a path of 20.

array set scenario {
    agent  TCP/Reno
    sink   TCPSink
    end    1.6
    sender {
        window_ 12 windowInit_ 2 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ true
    }
}
