# The second segment is lost: the guard (bugFix_) does not hold for it (bugfix_ss_).

array set scenario {
    agent     TCP/Reno
    sink      TCPSink
    end       2
    lost_data {2}
    sender    {
        window_ 20 windowInit_ 5 minrto_ 1 singledup_ 0
        bugFix_ true precisionReduce_ true
    }
}
