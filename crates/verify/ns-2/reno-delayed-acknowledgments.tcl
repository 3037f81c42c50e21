# Reno with delayed acknowledgments: three packets of one window lost, two of them in a row, and later one more.

array set scenario {
    agent     TCP/Reno
    sink      TCPSink/DelAck
    end       5
    lost_data {20 21 27 50}
    sender    {
        window_ 40 windowInit_ 2 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ true
    }
}
