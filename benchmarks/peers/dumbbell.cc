// The dumbbell of dumbbell.toml in ns-3:
//
//     dumbbell FLAVOR SOURCES DURATION
//
// FLAVOR is "newreno" or "sack", DURATION in seconds. Prints one line: data packets that senders handed to their lines, and
// acknowledgments that reached them. README.md says how to build it.

#include <iostream>
#include <string>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

using namespace ns3;

namespace {

const char* const rate = "155.52Mbps";
const char* const delay = "5ms";
const double starts_within_seconds = 0.1;
const uint32_t segment_bytes = 1460;
const uint32_t window_bytes = 600000;
const uint16_t first_port = 5000;

uint64_t data_packets = 0;
uint64_t acknowledgments = 0;

void count_data(Ptr<const Packet>) { ++data_packets; }
void count_acknowledgment(Ptr<const Packet>) { ++acknowledgments; }

void configure(const std::string& flavor) {
  Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
  Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(flavor == "sack"));
  Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
  Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment_bytes));
  Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
  Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(1));
  // ns-3 has no window but its buffers'.
  Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(window_bytes));
  Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window_bytes));
}

NetDeviceContainer connect(Ptr<Node> one, Ptr<Node> other, const char* queue) {
  PointToPointHelper line;
  line.SetDeviceAttribute("DataRate", StringValue(rate));
  line.SetChannelAttribute("Delay", StringValue(delay));
  line.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(queue)));
  return line.Install(one, other);
}

// Gives addresses to the ends of a line. ns-3 then puts an FQ-CoDel before each, which is taken away again: a tail-drop queue it is.
Ipv4Address assign(Ipv4AddressHelper& addresses, const NetDeviceContainer& line) {
  addresses.NewNetwork();
  const Ipv4Address other = addresses.Assign(line).GetAddress(1);
  TrafficControlHelper().Uninstall(line);
  return other;
}

void add_connection(uint32_t number, double start, Ptr<Node> source, Ipv4Address destination, Ptr<Node> sink) {
  const uint16_t port = first_port + number;
  BulkSendHelper sender("ns3::TcpSocketFactory", InetSocketAddress(destination, port));
  sender.Install(source).Start(Seconds(start));
  PacketSinkHelper receiver("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
  receiver.Install(sink).Start(Seconds(0));
}

}  // namespace

int main(int count, char* arguments[]) {
  if (count != 4) {
    std::cerr << "usage: dumbbell FLAVOR SOURCES DURATION\n";
    return 2;
  }
  const uint32_t sources = std::stoul(arguments[2]);
  configure(arguments[1]);
  NodeContainer hosts(sources), far_hosts(sources), switches(2);
  InternetStackHelper internet;
  internet.InstallAll();
  Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
  assign(addresses, connect(switches.Get(0), switches.Get(1), "500p"));
  for (uint32_t number = 0; number < sources; ++number) {
    const NetDeviceContainer before = connect(hosts.Get(number), switches.Get(0), "100000p");
    const NetDeviceContainer behind = connect(switches.Get(1), far_hosts.Get(number), "100000p");
    before.Get(0)->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&count_data));
    before.Get(0)->TraceConnectWithoutContext("PhyRxEnd", MakeCallback(&count_acknowledgment));
    assign(addresses, before);
    const Ipv4Address destination = assign(addresses, behind);
    const double start = starts_within_seconds * number / sources;
    add_connection(number, start, hosts.Get(number), destination, far_hosts.Get(number));
  }
  Ipv4GlobalRoutingHelper::PopulateRoutingTables();
  Simulator::Stop(Seconds(std::stod(arguments[3])));
  Simulator::Run();
  std::cout << data_packets << " " << acknowledgments << "\n";
  Simulator::Destroy();
  return 0;
}
