# Tahoe with limited transmit: new packets on the first two duplicate acknowledgments make the third.

array set scenario {
    agent     TCP
    sink      TCPSink
    end       3.4
    lost_data {3 30}
    sender    {
        window_ 20 windowInit_ 1 minrto_ 1 singledup_ 1
        bugFix_ true precisionReduce_ true
    }
}
