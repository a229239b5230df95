/* A disk or array of disks behind a file cache.
 *
 * Model. n drives in RAID 0 deliver n times one drive's rate, up to the bus's limit; a drive's rate falls linearly from
 * its outer to its inner tracks with the position of the data (0 % outer, 100 % inner). Reads: the cache reads ahead,
 * so data asked for in sequence are ready as soon as the drive has got there, at most `read_ahead` bytes in advance; the
 * first read of a file costs a seek. Writes: the cache takes them at once as long as less than `write_behind` bytes
 * wait for the drive, and at the drive's pace from then on. */
#ifndef SIM_DISK_H
#define SIM_DISK_H

#include "sim/profile.h"

struct disk {
    const struct disk_profile *profile; /* borrowed; rate_bps 0: no disk, everything is in memory */
    int64_t rate_bps;                   /* of the whole array at its position */
    int64_t free_ns;                    /* the drive has worked off everything until then */
    uint32_t file;
    bool started;
};

void disk_init(struct disk *d, const struct disk_profile *profile);
/* When data asked for or given at `now_ns` are there or taken. Calls come in the order of their times. */
int64_t disk_read(struct disk *d, int64_t now_ns, uint32_t file, int64_t bytes);
int64_t disk_write(struct disk *d, int64_t now_ns, int64_t bytes);

#endif
