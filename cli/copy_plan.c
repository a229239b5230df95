#include "cli/copy_plan.h"
#include "cli/profiles.h"
#include "sim/copy.h"

struct copy_run {
    struct copy copy;
    struct network_profile *networks; /* views of the question's, with this run's values */
    const struct network_profile **further;
};

/* Networks of equal ranges differ all the same. */
static void draw_networks(struct copy_run *r, const struct question *q, uint64_t run)
{
    r->networks = g_new(struct network_profile, q->network_count);
    r->further = g_new0(const struct network_profile *, q->network_count);
    for (guint i = 0; i < q->network_count; i++) {
        network_profile_draw(&q->networks[i], (uint64_t)q->seed + i, run, &r->networks[i]);
        if (i > 0)
            r->further[i - 1] = &r->networks[i];
    }
}

void copy_plan_prepare(const struct question *q, uint64_t run, struct simulation_run *out)
{
    struct copy_run *r = g_new(struct copy_run, 1);

    draw_networks(r, q, run);
    copy_init(&r->copy, &(struct copy_setup){.client = &q->client,
                                             .groups = q->groups,
                                             .upload = q->upload,
                                             .warm = question_is_warm(q),
                                             .rtt_ns = 2 * network_one_way_ns(&q->networks[0]),
                                             .networks = q->network_count});
    out->owned = r;
    out->setup = (struct sim_setup){
        .network = &r->networks[0],
        .further_networks = r->further,
        .further_network_count = q->network_count - 1,
        .client_tcp = &q->client.tcp,
        .server_tcp = &q->server.tcp,
        .server = &q->server,
        .client_host = &q->client.host,
        .server_host = &q->server.host,
        .credits = q->client.credits,
        .most_outstanding = profiles_max_requests(&q->client, &q->server),
        .request_timeout_ns = q->client.request_timeout_ns,
        .connections = &r->copy.connection,
        .connection_count = 1,
        .seed = (uint64_t)q->seed,
        .run = run,
    };
}

void copy_plan_release(struct simulation_run *run)
{
    struct copy_run *r = run->owned;

    copy_clear(&r->copy);
    g_free(r->networks);
    g_free(r->further);
    g_free(r);
}
