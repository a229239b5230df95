#include "sim/smb_cost.h"
#include "sim/command.h"
#include "base/units.h"

enum { CREDIT_BYTES = 65536 };

static int64_t bytes_at(int64_t bytes, int64_t rate_bps)
{
    return rate_bps ? (int64_t)((double)bytes * 8e9 / (double)rate_bps) : 0;
}

int64_t smb_message_cost_ns(const struct host_profile *host, const struct exchange *e, bool response,
                            bool sends)
{
    int64_t bytes = response ? e->response_bytes : e->request_bytes, cost;
    bool has_data = response ? command_is_read(e->command) : command_is_write(e->command);
    const struct cpu_profile *cpu;

    if (!host)
        return 0;
    cpu = &host->cpu;
    cost = response ? 0 : cpu->request_ns * (e->chain ? e->chain->count : 1);
    if (e->flags & EXCHANGE_SIGNED)
        cost += bytes_at(bytes, cpu->signing_rate_bps);
    if (e->flags & EXCHANGE_ENCRYPTED)
        cost += bytes_at(bytes, cpu->encryption_rate_bps);
    if (e->flags & EXCHANGE_COMPRESSED && has_data)
        cost += bytes_at(e->data_bytes, sends ? cpu->compression_rate_bps : cpu->decompression_rate_bps);
    return cost;
}

int64_t smb_service_ns(const struct server_profile *server, const struct exchange *e)
{
    int64_t sum = 0;

    if (!e->chain)
        return server_service_ns(server, e->command, e->data_bytes);
    for (uint32_t i = 0; i < e->chain->count; i++)
        sum += server_service_ns(server, e->chain->elements[i].command, 0);
    return sum;
}

int64_t smb_credit_charge(const struct exchange *e)
{
    int64_t bytes = command_is_read(e->command) || command_is_write(e->command) ? e->data_bytes : 0;

    if (e->chain)
        return e->chain->count;
    return MAX(1, (bytes + CREDIT_BYTES - 1) / CREDIT_BYTES);
}
