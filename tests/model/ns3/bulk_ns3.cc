/* The transfer of tests/model/bulk.c in ns-3: two nodes, one point-to-point link, a sender, a sink. Prints the seconds from the first SYN
 * to the last byte at the sink, and ns-3's events, one line a run.
 *
 * Usage: bulk_ns3 RATE_BPS RTT_US QUEUE_BYTES LOSS BYTES CONTROL RUNS THRESHOLD
 *
 * What is set to agree with Linux: segments of 1448 bytes with timestamps, initial window 10, an ACK for two segments or after 40 ms,
 * smallest timeout 200 ms, SACK, proportional rate reduction, windows that never limit, both rules of HyStart. ns-3's link adds two
 * bytes of PPP to a packet, so its rate is raised by 2/1500. Its queue holds what waits behind the packet being sent; ours compares the
 * backlog without the new packet: of a burst both pass floor(queue / frame) + 1. Losses strike at the receiver's end. */
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace ns3;

namespace
{

uint64_t received;
uint64_t wanted;
double done_s;

void on_receive(Ptr<const Packet> packet, const Address &)
{
    received += packet->GetSize();
    if (received >= wanted && done_s == 0) {
        done_s = Simulator::Now().GetSeconds();
        Simulator::Stop();
    }
}

void set_tcp(const std::string &control, uint32_t threshold)
{
    const char *type = control == "cubic"   ? "ns3::TcpCubic"
                       : control == "reno" ? "ns3::TcpLinuxReno"
                                           : "ns3::TcpNewReno";

    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName(type)));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TypeId::LookupByName("ns3::TcpPrrRecovery")));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    if (threshold)
        Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold", UintegerValue(threshold * 1448));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(Seconds(1)));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 28));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 28));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpCubic::HyStartDetect", IntegerValue(3)); // ACK train and delay
}

void transfer(char **argv, uint64_t run)
{
    double rate = atof(argv[1]) * 1502 / 1500;
    NodeContainer nodes;
    PointToPointHelper link;
    InternetStackHelper stack;
    Ipv4AddressHelper addresses;

    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(run + 1);
    received = 0;
    wanted = strtoull(argv[5], nullptr, 10);
    done_s = 0;

    nodes.Create(2);
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rate))));
    link.SetChannelAttribute("Delay", TimeValue(NanoSeconds(atoll(argv[2]) * 500)));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue(std::string(argv[3]) + "B"));
    NetDeviceContainer devices = link.Install(nodes);
    Ptr<RateErrorModel> loss = CreateObject<RateErrorModel>();
    loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    loss->SetRate(atof(argv[4]));
    devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
    stack.Install(nodes);
    addresses.SetBase("10.0.0.0", "255.255.255.0");
    Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    TrafficControlHelper().Uninstall(devices);

    BulkSendHelper sender("ns3::TcpSocketFactory", InetSocketAddress(interfaces.GetAddress(1), 445));
    sender.SetAttribute("MaxBytes", UintegerValue(wanted));
    sender.Install(nodes.Get(0)).Start(Seconds(0));
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 445));
    ApplicationContainer sinks = sink.Install(nodes.Get(1));
    sinks.Start(Seconds(0));
    sinks.Get(0)->TraceConnectWithoutContext("Rx", MakeCallback(&on_receive));
    Simulator::Stop(Seconds(100000));
    Simulator::Run();
    printf("%.6f %llu\n", done_s, static_cast<unsigned long long>(Simulator::GetEventCount()));
    Simulator::Destroy();
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 9) {
        fprintf(stderr, "usage: bulk_ns3 RATE_BPS RTT_US QUEUE_BYTES LOSS BYTES CONTROL RUNS THRESHOLD\n");
        return 2;
    }
    set_tcp(argv[6], strtoul(argv[8], nullptr, 10));
    for (uint64_t run = 0; run < strtoull(argv[7], nullptr, 10); run++)
        transfer(argv, run);
    return 0;
}
