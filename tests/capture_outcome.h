/* The pages of a recorded copy without simulating it: what would help is made up, so that pages change with pages alone. */
#ifndef TESTS_CAPTURE_OUTCOME_H
#define TESTS_CAPTURE_OUTCOME_H

#include "cli/replay_pages.h"
#include "replay/study.h"

static inline GArray *capture_outcome_changes(void)
{
    static const struct replay_change MADE_UP[] = {
        {"half_the_rtt", "half the round-trip time", "the path's delay alone changes", 3.1, 2.6, 2.5, 2.7,
         false},
        {"cache", "file and folder queries answered from the client's cache, however long that takes to say",
         "the cache holds all of them, and nothing that anyone else does to them in the meantime matters to "
         "whoever asks",
         4.4, 1.3, 1.3, 1.3, false},
        {"jumbo_frames", "jumbo frames (9,000 bytes)", "every hop passes them", 5.7, 0.001, 0, 0.002, false},
        {"nothing", "no network at all", "that is possible", 0, 0, 0, 0, true},
    };
    GArray *changes = g_array_new(FALSE, FALSE, sizeof(struct replay_change));

    g_array_append_vals(changes, MADE_UP, G_N_ELEMENTS(MADE_UP));
    return changes;
}

/* Returns owned, as does the replay in *r. */
static inline struct capture_pages *capture_outcome_pages(const char *path, struct replay **r)
{
    const struct replay_options options = {.measure = true, .timeline = true};
    const struct replay_request request = {.simulate = false};
    g_autoptr(GError) error = NULL;
    struct replay_outcome outcome;
    struct capture_pages *pages;

    *r = replay_read((const char *const[]){path, NULL}, &options, &error);
    g_assert_no_error(error);
    g_assert_true(replay_outcome_init(&outcome, *r, &request, &error));
    outcome.self_ns = replay_recorded_ns(replay_main_connection(*r));
    outcome.changes = capture_outcome_changes();
    pages = replay_pages_new(&outcome, "copytrial replay capture.pcap --pdf capture.pdf");
    replay_outcome_clear(&outcome);
    return pages;
}

#endif
