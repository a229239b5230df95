/* What a copy would be if its client worked otherwise: traces made from traces.
 *
 * Each function returns an owned trace, or NULL when there is nothing in `t` that it would change. Bytes of file data stay
 * the same, and so do the client's think times in sum, but for those that a change is said to take away. Release distances are kept in
 * their meaning: what waited for an exchange waits for what took its place. Cost: one or two passes. */
#ifndef REPLAY_TRACE_CHANGE_H
#define REPLAY_TRACE_CHANGE_H

#include "sim/workload.h"

/* Up to `factor` consecutive reads (or writes) of a file become one of at most `most_bytes`, with as many outstanding as before. The
 * server's time for each byte stays, its time for a request is spent once. */
struct trace *trace_larger_blocks(const struct trace *t, unsigned factor, uint32_t most_bytes);
/* Reads (or writes) wait for the one `more` further back, within their file. */
struct trace *trace_deeper_pipeline(const struct trace *t, unsigned more);
/* The files are dealt out to `n` connections for each one that there was, and copied side by side. */
struct trace *trace_files_at_once(const struct trace *t, unsigned n);
/* Blocks of SMB2 and SMB3 travel compressed to `ratio` of their size, and 16 bytes of header ([MS-SMB2] 2.2.42.1), where that is
 * smaller; both ends try each (EXCHANGE_COMPRESSED): what that costs is the hosts'. NULL where the trace has no such block. */
struct trace *trace_compressed(const struct trace *t, double ratio);
/* Questions about files and folders are answered by the client itself: QUERY_INFO and QUERY_DIRECTORY, SMB1's TRANSACTION2
 * and QUERY_INFORMATION commands. */
struct trace *trace_cached_queries(const struct trace *t);
/* Up to `most` consecutive exchanges of SMB2 about one file, each waiting for the one before, go as one message. */
struct trace *trace_compounded(const struct trace *t, unsigned most);

#endif
