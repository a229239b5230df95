/* The state of a run at an instant, for a series over time. */
#ifndef SIM_SAMPLE_H
#define SIM_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* Sums over all connections, and over all hops of all paths. */
struct sim_sample_direction {
    uint64_t bytes;        /* of the TCP streams, received in order */
    uint64_t window_bytes; /* congestion windows of the senders */
    uint64_t queue_bytes;  /* waiting at links, what is being serialised included; as the rate counts them */
};

struct sim_sample {
    int64_t at_ns;
    uint64_t data_bytes; /* file data of the exchanges that are done */
    struct sim_sample_direction down, up;
    uint64_t outstanding; /* requests */
};

/* Calls `on_sample` at 0 and then each interval as long as the run goes on, and once at its end. */
struct sim_sampler {
    int64_t every_ns; /* > 0 */
    void (*on_sample)(void *self, const struct sim_sample *s);
    void *self;
};

struct smb_connection;
struct path;

/* Fills in what connections and paths know, at `now_ns`. */
void sample_connections(const struct smb_connection *connections, size_t count, struct sim_sample *s);
void sample_paths(const struct path *paths, size_t count, int64_t now_ns, struct sim_sample *s);

#endif
