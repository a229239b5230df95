/* The `cpu:`, `nic:` and `disk:` sections that client and server files share. */
#include "sim/profile.h"
#include "base/error.h"

#define CPU(member)  offsetof(struct cpu_profile, member)
#define NIC(member)  offsetof(struct nic_profile, member)
#define DISK(member) offsetof(struct disk_profile, member)

const struct yaml_field HOST_CPU_FIELDS[] = {
    {.key = "cores", .type = YAML_COUNT, .offset = CPU(cores)},
    {.key = "send_packet", .type = YAML_TIME, .offset = CPU(send_packet_ns)},
    {.key = "receive_packet", .type = YAML_TIME, .offset = CPU(receive_packet_ns)},
    {.key = "byte_rate", .type = YAML_RATE, .offset = CPU(byte_rate_bps)},
    {.key = "checksum_rate", .type = YAML_RATE, .offset = CPU(checksum_rate_bps)},
    {.key = "request", .type = YAML_TIME, .offset = CPU(request_ns)},
    {.key = "signing_rate", .type = YAML_RATE, .offset = CPU(signing_rate_bps)},
    {.key = "encryption_rate", .type = YAML_RATE, .offset = CPU(encryption_rate_bps)},
    {.key = "compression_rate", .type = YAML_RATE, .offset = CPU(compression_rate_bps)},
    {.key = "decompression_rate", .type = YAML_RATE, .offset = CPU(decompression_rate_bps)},
    {.type = YAML_END},
};

const struct yaml_field HOST_NIC_FIELDS[] = {
    {.key = "interrupt_moderation", .type = YAML_TIME, .offset = NIC(moderation_ns)},
    {.key = "packets_per_ms", .type = YAML_COUNT, .offset = NIC(packets_per_ms)},
    {.key = "adapters", .type = YAML_COUNT, .offset = NIC(adapters)},
    {.key = "ring_frames", .type = YAML_COUNT, .offset = NIC(ring_frames)},
    {.key = "receive_queues", .type = YAML_COUNT, .offset = NIC(receive_queues)},
    {.key = "checksum_offload", .type = YAML_BOOL, .offset = NIC(checksum_offload)},
    {.key = "send_offload", .type = YAML_SIZE, .offset = NIC(send_offload_bytes)},
    {.key = "receive_offload", .type = YAML_SIZE, .offset = NIC(receive_offload_bytes)},
    {.type = YAML_END},
};

const struct yaml_field HOST_DISK_FIELDS[] = {
    {.key = "rate", .type = YAML_RATE, .offset = DISK(rate_bps), .required = true},
    {.key = "inner_rate", .type = YAML_RATE, .offset = DISK(inner_rate_bps)},
    {.key = "position", .type = YAML_PERCENT, .offset = DISK(position)},
    {.key = "seek", .type = YAML_TIME, .offset = DISK(seek_ns)},
    {.key = "drives", .type = YAML_COUNT, .offset = DISK(drives)},
    {.key = "bus_rate", .type = YAML_RATE, .offset = DISK(bus_rate_bps)},
    {.key = "read_ahead", .type = YAML_SIZE, .offset = DISK(read_ahead_bytes)},
    {.key = "write_behind", .type = YAML_SIZE, .offset = DISK(write_behind_bytes)},
    {.type = YAML_END},
};

void host_profile_init(struct host_profile *h)
{
    *h = (struct host_profile){
        .cpu = {.cores = 2}, .nic = {.adapters = 1, .receive_queues = 1}, .disk = {.drives = 1}};
}

bool host_profile_check(const struct host_profile *h, const struct yaml_doc *doc, const char *section,
                        GError **error)
{
    const char *what = NULL;

    if (h->cpu.cores < 1 || h->cpu.cores > 1024)
        what = "cpu: cores must be 1 to 1024";
    else if (h->nic.adapters < 1 || h->nic.adapters > 64)
        what = "nic: adapters must be 1 to 64";
    else if (h->nic.receive_queues < 1 || h->nic.receive_queues > 1024)
        what = "nic: receive_queues must be 1 to 1024";
    else if (h->nic.packets_per_ms > 1000000)
        what = "nic: packets_per_ms must be below a million";
    else if (h->disk.drives < 1 || h->disk.drives > 1024)
        what = "disk: drives must be 1 to 1024";
    else if (h->disk.position > 1)
        what = "disk: position runs from 0 % (outer tracks) to 100 % (inner tracks)";
    if (!what)
        return true;
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s:%d: %s: %s", yaml_name(doc),
                yaml_line(doc, section), section, what);
    return false;
}
