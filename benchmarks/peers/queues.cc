// The dumbbell of queues.toml in ns-3, with a queue discipline at its bottleneck:
//
//     queues DISCIPLINE SOURCES STARTS WARM_UP DURATION RUN
//
// DISCIPLINE is "tail-drop", "codel", "fq-codel" or "pie", STARTS the time within which connections start one after another, WARM_UP
// and DURATION also in seconds, RUN the number of the random draws. Prints one line, about what comes after the warm-up: the bytes that
// crossed the bottleneck, the mean time that packets waited in s, and the packets that the discipline dropped.

#include <iostream>
#include <map>
#include <string>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

using namespace ns3;

namespace {

const char* const access_rate = "100Mbps";
const char* const access_delay = "5ms";
const char* const bottleneck_rate = "40Mbps";
const char* const bottleneck_delay = "20ms";
const uint32_t places = 1000;
const uint32_t segment_bytes = 1460;
const uint32_t window_bytes = 1000000;
const uint32_t initial_threshold_bytes = 73000;
const uint16_t first_port = 5000;

struct Counts {
  uint64_t bytes = 0;
  uint64_t packets = 0;
  uint64_t dropped = 0;
  double waited_seconds = 0;
};

Counts now;
Counts at_warm_up;

void count_bytes(Ptr<const Packet> packet) { now.bytes += packet->GetSize(); }
void count_drop(Ptr<const QueueDiscItem>) { ++now.dropped; }
void end_warm_up() { at_warm_up = now; }

void count_wait(Time wait) {
  ++now.packets;
  now.waited_seconds += wait.GetSeconds();
}

// The device holds one packet more, which waits for the line to become free.
Time device_since;
void enter_device(Ptr<const Packet>) { device_since = Simulator::Now(); }
void leave_device(Ptr<const Packet>) { now.waited_seconds += (Simulator::Now() - device_since).GetSeconds(); }

void configure() {
  Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
  Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpClassicRecovery::GetTypeId()));
  Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
  Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(false));
  Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
  Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment_bytes));
  Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
  Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
  Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold", UintegerValue(initial_threshold_bytes));
  // ns-3 has no window but its buffers'.
  Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(window_bytes));
  Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window_bytes));
  Config::SetDefault("ns3::PieQueueDisc::QueueDelayReference", TimeValue(MilliSeconds(15)));
  Config::SetDefault("ns3::PieQueueDisc::Tupdate", TimeValue(MilliSeconds(15)));
  Config::SetDefault("ns3::PieQueueDisc::MaxBurstAllowance", TimeValue(MilliSeconds(150)));
  Config::SetDefault("ns3::PieQueueDisc::UseCapDropAdjustment", BooleanValue(true));
  Config::SetDefault("ns3::PieQueueDisc::MeanPktSize", UintegerValue(segment_bytes + 42));
}

NetDeviceContainer connect(Ptr<Node> one, Ptr<Node> other, const char* rate, const char* delay, const char* queue) {
  PointToPointHelper line;
  line.SetDeviceAttribute("DataRate", StringValue(rate));
  line.SetChannelAttribute("Delay", StringValue(delay));
  line.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(queue)));
  return line.Install(one, other);
}

Ipv4Address assign(Ipv4AddressHelper& addresses, const NetDeviceContainer& line) {
  addresses.NewNetwork();
  const Ipv4Address other = addresses.Assign(line).GetAddress(1);
  TrafficControlHelper().Uninstall(line);
  return other;
}

Ptr<QueueDisc> guard(const NetDeviceContainer& line, const std::string& name) {
  const std::map<std::string, std::string> types = {{"tail-drop", "ns3::FifoQueueDisc"},
                                                    {"codel", "ns3::CoDelQueueDisc"},
                                                    {"fq-codel", "ns3::FqCoDelQueueDisc"},
                                                    {"pie", "ns3::PieQueueDisc"}};
  TrafficControlHelper control;
  control.SetRootQueueDisc(types.at(name), "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, places)));
  return control.Install(line).Get(0);
}

void add_connection(uint32_t number, double start, Ptr<Node> source, Ipv4Address destination, Ptr<Node> sink) {
  const uint16_t port = first_port + number;
  BulkSendHelper sender("ns3::TcpSocketFactory", InetSocketAddress(destination, port));
  sender.SetAttribute("SendSize", UintegerValue(segment_bytes));
  sender.Install(source).Start(Seconds(start));
  PacketSinkHelper receiver("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
  receiver.Install(sink).Start(Seconds(0));
}

}  // namespace

int main(int count, char* arguments[]) {
  if (count != 7) {
    std::cerr << "usage: queues DISCIPLINE SOURCES STARTS WARM_UP DURATION RUN\n";
    return 2;
  }
  const uint32_t sources = std::stoul(arguments[2]);
  const double starts_within_seconds = std::stod(arguments[3]);
  RngSeedManager::SetRun(std::stoul(arguments[6]));
  configure();
  NodeContainer hosts(sources), far_hosts(sources), switches(2);
  InternetStackHelper internet;
  internet.InstallAll();
  Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
  const NetDeviceContainer bottleneck = connect(switches.Get(0), switches.Get(1), bottleneck_rate, bottleneck_delay, "1p");
  assign(addresses, bottleneck);
  const Ptr<QueueDisc> discipline = guard(NetDeviceContainer(bottleneck.Get(0)), arguments[1]);
  discipline->TraceConnectWithoutContext("SojournTime", MakeCallback(&count_wait));
  discipline->TraceConnectWithoutContext("Drop", MakeCallback(&count_drop));
  const Ptr<PointToPointNetDevice> device = DynamicCast<PointToPointNetDevice>(bottleneck.Get(0));
  device->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&count_bytes));
  device->GetQueue()->TraceConnectWithoutContext("Enqueue", MakeCallback(&enter_device));
  device->GetQueue()->TraceConnectWithoutContext("Dequeue", MakeCallback(&leave_device));
  for (uint32_t number = 0; number < sources; ++number) {
    const NetDeviceContainer before = connect(hosts.Get(number), switches.Get(0), access_rate, access_delay, "100000p");
    const NetDeviceContainer behind = connect(switches.Get(1), far_hosts.Get(number), access_rate, access_delay, "100000p");
    assign(addresses, before);
    const Ipv4Address destination = assign(addresses, behind);
    add_connection(number, starts_within_seconds * number / sources, hosts.Get(number), destination, far_hosts.Get(number));
  }
  Ipv4GlobalRoutingHelper::PopulateRoutingTables();
  Simulator::Schedule(Seconds(std::stod(arguments[4])), &end_warm_up);
  Simulator::Stop(Seconds(std::stod(arguments[5])));
  Simulator::Run();
  const double mean_wait = (now.waited_seconds - at_warm_up.waited_seconds) / (now.packets - at_warm_up.packets);
  std::cout << now.bytes - at_warm_up.bytes << " " << mean_wait << " " << now.dropped - at_warm_up.dropped << "\n";
  Simulator::Destroy();
  return 0;
}
