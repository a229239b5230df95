/* A copy: the exchanges that a client profile makes to copy files.
 *
 * Its connect list once; then its workers take one file after the other from the list, each with the exchanges of the profile's
 * download or upload list, the data step repeated block by block; when all are through, its disconnect list. A worker takes the next
 * file when it is done with the one before. Further connections are set up by the NEGOTIATE and SESSION_SETUP exchanges of the
 * connect list ([MS-SMB2] 2.2.5: the session is bound to them, and has its trees already).
 *
 * Caches. A step that is cached for the connection or a directory is made when nobody has made it there, or when that is longer ago
 * than the cache keeps it. In a warm copy the same files were copied just before: those caches hold what the first file and each directory
 * need, and steps cached for the file are left out where the client has a file cache and the path's round trip is above its
 * threshold; file data in it take size / rate of the client's time.
 *
 * Memory is a few words for each worker, directory and group of files. */
#ifndef SIM_COPY_H
#define SIM_COPY_H

#include "sim/profile.h"
#include "sim/run.h"
#include "sim/workload.h"

struct copy;

/* One worker's exchanges, or those of a list made once. */
struct copy_source {
    struct copy *copy;
    struct exchange_source source;
    const GArray *steps; /* of struct client_step: the list in progress */
    bool takes_files;
    bool has_file;
    bool further; /* sets a further connection up: not all of its steps are made */
    guint step;
    uint32_t file, directory;
    int64_t size;
    int64_t offset;   /* bytes of the file asked for by the data step */
    uint64_t done;    /* exchanges issued in this step */
    int64_t saved;    /* bytes that compression took off the file */
    int64_t local_ns; /* the client's time for data from its file cache, before the next exchange */
};

/* When and where a cached step was last made. */
struct copy_cached {
    bool made, everywhere;
    uint32_t directory;
    int64_t at_ns;
};

struct copy {
    const struct client_profile *client;
    const GArray *per_file;
    const GArray *groups;
    bool warm, file_cached;
    uint32_t file_count;
    guint group; /* the file that is taken next: the in_group-th of this group */
    int64_t in_group;
    uint32_t next_file;
    struct copy_cached *cached; /* of each step of per_file */
    struct copy_source first, last, *workers, *further;
    struct exchange_source *worker_sources;
    struct sim_further *further_setup;
    struct sim_connection connection; /* for a run's setup, which takes it once */
};

struct copy_setup {
    const struct client_profile *client;
    const GArray *groups; /* of struct file_group */
    bool upload;
    bool warm;
    int64_t rtt_ns;  /* of the path, for the file cache's threshold */
    size_t networks; /* paths to the server; 0 counts as 1 */
};

/* Borrows the profile and the groups. The copy must not move. */
void copy_init(struct copy *c, const struct copy_setup *setup);
void copy_clear(struct copy *c);

#endif
