/* What an exchange costs the hosts beside its service time: processor work by bytes, and the disk. */
#ifndef SIM_SMB_COST_H
#define SIM_SMB_COST_H

#include "sim/profile.h"
#include "sim/workload.h"

/* Processor time of one host for an exchange's request or response. `sends`: it makes the message rather than takes it. `host` may
 * be NULL. */
int64_t smb_message_cost_ns(const struct host_profile *host, const struct exchange *e, bool response,
                            bool sends);
/* What a server by its profile takes for an exchange; of a compound it serves one element after the other. */
int64_t smb_service_ns(const struct server_profile *server, const struct exchange *e);
/* Credits that an exchange takes: [MS-SMB2] 3.2.4.1.5. A compound's elements take one each. */
int64_t smb_credit_charge(const struct exchange *e);

#endif
