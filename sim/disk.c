#include "sim/disk.h"
#include "base/units.h"

#include <math.h>

void disk_init(struct disk *d, const struct disk_profile *p)
{
    double one = (double)p->rate_bps;

    *d = (struct disk){.profile = p};
    if (!p->rate_bps)
        return;
    if (p->inner_rate_bps)
        one += p->position * (double)(p->inner_rate_bps - p->rate_bps);
    one *= (double)p->drives;
    if (p->bus_rate_bps)
        one = MIN(one, (double)p->bus_rate_bps);
    d->rate_bps = MAX((int64_t)llround(one), 1);
}

static int64_t transfer_ns(const struct disk *d, int64_t bytes)
{
    return (int64_t)llround((double)bytes * 8e9 / (double)d->rate_bps);
}

int64_t disk_read(struct disk *d, int64_t now_ns, uint32_t file, int64_t bytes)
{
    int64_t ahead_ns;

    if (!d->rate_bps || !bytes)
        return now_ns;
    ahead_ns = transfer_ns(d, d->profile->read_ahead_bytes);
    if (!d->started || d->file != file) {
        d->free_ns = MAX(d->free_ns, now_ns) + d->profile->seek_ns;
        d->started = true;
        d->file = file;
    } else {
        d->free_ns = MAX(d->free_ns, now_ns - ahead_ns); /* it has not stood still meanwhile */
    }
    d->free_ns += transfer_ns(d, bytes);
    return MAX(now_ns, d->free_ns);
}

int64_t disk_write(struct disk *d, int64_t now_ns, int64_t bytes)
{
    if (!d->rate_bps || !bytes)
        return now_ns;
    d->free_ns = MAX(d->free_ns, now_ns) + transfer_ns(d, bytes);
    return MAX(now_ns, d->free_ns - transfer_ns(d, d->profile->write_behind_bytes));
}
