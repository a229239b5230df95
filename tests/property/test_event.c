/* The event queue against a sorted array: random schedules, moves and cancellations. The seed is printed by g_test. */
#include "sim/event.h"

#include <glib.h>

enum { EVENTS = 200, STEPS = 20000 };

struct oracle_entry {
    int64_t due_ns;
    uint64_t sequence; /* of its last scheduling */
    bool pending;
};

struct cell {
    struct world *world;
    int index;
};

struct world {
    struct event_queue queue;
    struct event events[EVENTS];
    struct cell cells[EVENTS];
    struct oracle_entry oracle[EVENTS];
    uint64_t sequence;
    int ran; /* index of the event that ran, -1 when none */
};

static void ran(void *owner)
{
    struct cell *cell = owner;

    cell->world->ran = cell->index;
}

static int oracle_first(const struct world *w)
{
    int best = -1;

    for (int i = 0; i < EVENTS; i++) {
        const struct oracle_entry *e = &w->oracle[i], *b = &w->oracle[MAX(best, 0)];

        if (e->pending &&
            (best < 0 || e->due_ns < b->due_ns || (e->due_ns == b->due_ns && e->sequence < b->sequence)))
            best = i;
    }
    return best;
}

static void schedule(struct world *w, int i)
{
    /* Few distinct times, so that ties are common. */
    int64_t due = w->queue.now_ns + g_test_rand_int_range(0, 20);

    event_schedule(&w->queue, &w->events[i], due);
    w->oracle[i] = (struct oracle_entry){due, w->sequence++, true};
}

static void cancel(struct world *w, int i)
{
    event_cancel(&w->queue, &w->events[i]);
    w->oracle[i].pending = false;
}

static void step(struct world *w)
{
    int expected = oracle_first(w);

    w->ran = -1;
    g_assert_true(event_queue_step(&w->queue) == (expected >= 0));
    if (expected < 0)
        return;
    g_assert_cmpint(w->ran, ==, expected);
    g_assert_false(event_is_pending(&w->events[expected]));
    g_assert_cmpint(w->queue.now_ns, ==, w->oracle[expected].due_ns);
    w->oracle[expected].pending = false;
}

static void test_oracle(void)
{
    g_autofree struct world *w = g_new0(struct world, 1);

    event_queue_init(&w->queue);
    for (int i = 0; i < EVENTS; i++) {
        w->cells[i] = (struct cell){w, i};
        event_init(&w->events[i], ran, &w->cells[i]);
    }
    for (int n = 0; n < STEPS; n++) {
        int i = g_test_rand_int_range(0, EVENTS);
        int what = g_test_rand_int_range(0, 10);

        if (what < 5)
            schedule(w, i);
        else if (what < 7)
            cancel(w, i);
        else
            step(w);
        for (int k = 0; k < EVENTS; k += 37)
            g_assert_true(event_is_pending(&w->events[k]) == w->oracle[k].pending);
    }
    while (oracle_first(w) >= 0)
        step(w);
    step(w);
    event_queue_fini(&w->queue);
}

static void again(void *owner)
{
    struct world *w = owner;

    g_assert_false(event_is_pending(&w->events[0]));
    if (w->ran++ < 3)
        event_schedule(&w->queue, &w->events[0], w->queue.now_ns + 7);
}

/* An event is idle while it runs and may schedule itself. */
static void test_reschedules_itself(void)
{
    g_autofree struct world *w = g_new0(struct world, 1);

    event_queue_init(&w->queue);
    event_init(&w->events[0], again, w);
    event_schedule(&w->queue, &w->events[0], 5);
    while (event_queue_step(&w->queue))
        ;
    g_assert_cmpint(w->ran, ==, 4);
    g_assert_cmpint(w->queue.now_ns, ==, 5 + 3 * 7);
    event_queue_fini(&w->queue);
}

static void test_refuses_the_past(void)
{
    if (g_test_subprocess()) {
        struct event_queue q;
        struct event e;

        event_queue_init(&q);
        event_init(&e, ran, NULL);
        event_schedule(&q, &e, -1);
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*in the past*");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/event/oracle", test_oracle);
    g_test_add_func("/event/reschedules-itself", test_reschedules_itself);
    g_test_add_func("/event/refuses-the-past", test_refuses_the_past);
    return g_test_run();
}
