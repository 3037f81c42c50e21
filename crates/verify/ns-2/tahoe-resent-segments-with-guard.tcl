# Five losses of one window. What Tahoe sends again had partly arrived; three duplicate acknowledgments of that are
# ignored (bugFix_).

array set scenario {
    agent     TCP
    sink      TCPSink
    end       2.8
    lost_data {31 33 36 40 46}
    sender    {
        window_ 64 windowInit_ 1 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ false
    }
}
