/*
 * copytrial-lab-link: an emulated link between two TAP devices, in user space.
 *
 *     copytrial-lab-link --client-device NAME --server-device NAME [options]
 *
 * It creates both devices, prints "ready" and carries Ethernet frames between them until its standard input
 * ends. Then it prints its counters as one JSON object. The devices may be moved into network namespaces of
 * their own after "ready"; they disappear with the program. "down" is the direction towards the client's
 * device, "up" the one towards the server's.
 *
 * Units: time in ns, rates in bit/s, sizes in bytes; the options that take something else say so.
 *
 * Model, per direction and frame, at the time the frame is read from its device:
 *   1. Loss: dropped with a fixed probability, independently of everything else (seeded generator).
 *   2. Start of serialisation: now, or when the frame before has left, whichever is later. With a packet budget
 *      the start moves on to the first whole millisecond (of CLOCK_MONOTONIC) that has budget left.
 *   3. Queue: dropped when the time until that start, times the rate, exceeds the queue. The frame's own length
 *      does not count, so a queue of 0 still passes single frames.
 *   4. Serialisation: counted bytes * 8 / rate, with the remainder below 1 ns carried on.
 *   5. Propagation: a fixed delay. Frames never overtake each other.
 * The rate counts, of a frame of n bytes as the TAP device gives it (Ethernet header, no FCS):
 *   ip        n - 14
 *   ethernet  n
 *   wire      n + 24, at least 84 (FCS, padding, preamble and gap)
 *
 * Limits: TAP devices offer no segmentation offload, so frames have at most MTU + 14 bytes. All frames count, ARP
 * and neighbour discovery too. Times are as good as the machine's scheduling: a frame is late when the program does
 * not get a CPU in time, and the counters say how late. A sleeping virtual CPU wakes up to 0.1 ms late,
 * so the last 200 us before a frame is due are spent polling. Linux only.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <linux/if.h>
#include <linux/if_tun.h>

#include <glib.h>

#define NS_PER_S      INT64_C(1000000000)
#define NS_PER_MS     INT64_C(1000000)
#define POLL_AHEAD_NS INT64_C(200000)
#define FRAME_MAX     65536 /* bytes, more than any MTU set on a TAP device */
#define READS_IN_TURN 4     /* frames read from one device before due frames go out */

enum counted { COUNTED_IP, COUNTED_ETHERNET, COUNTED_WIRE };

static const char *const counted_names[] = {"ip", "ethernet", "wire"};

struct frame {
    int64_t due_ns;
    size_t size_bytes;
    uint8_t bytes[];
};

struct direction {
    /* settings */
    int64_t rate_bps;
    int64_t queue_bytes;
    int64_t delay_ns;
    int64_t packets_per_ms; /* 0: no budget */
    double loss_ratio;
    enum counted counted;

    /* state */
    int from_fd, to_fd;
    GRand *random;
    GQueue line;       /* struct frame, in order of due_ns */
    int64_t free_ns;   /* when the serialiser has sent everything accepted so far */
    int64_t remainder; /* of the last division by rate_bps */
    int64_t budget_ms; /* the millisecond that budget_used belongs to */
    int64_t budget_used;

    /* counters */
    int64_t frames_in, bytes_in;
    int64_t frames_out, bytes_out;
    int64_t lost, queue_drops, undelivered;
    int64_t queue_max_bytes;
    int64_t late_sum_ns, late_max_ns;
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int64_t counted_bytes(enum counted counted, size_t size_bytes)
{
    int64_t size = (int64_t)size_bytes;
    switch (counted) {
    case COUNTED_IP:
        return MAX(size - 14, 0);
    case COUNTED_WIRE:
        return MAX(size + 24, 84);
    case COUNTED_ETHERNET:
        break;
    }
    return size;
}

/* The first time from start_ns on that lies in a millisecond with budget left. */
static int64_t budget_start(const struct direction *d, int64_t start_ns)
{
    if (d->packets_per_ms == 0)
        return start_ns;
    int64_t ms = MAX(start_ns / NS_PER_MS, d->budget_ms);
    if (ms == d->budget_ms && d->budget_used >= d->packets_per_ms)
        ms++;
    return MAX(start_ns, ms * NS_PER_MS);
}

static void budget_take(struct direction *d, int64_t start_ns)
{
    int64_t ms = start_ns / NS_PER_MS;
    if (ms != d->budget_ms) {
        d->budget_ms = ms;
        d->budget_used = 0;
    }
    d->budget_used++;
}

static int64_t serialisation_ns(struct direction *d, size_t size_bytes)
{
    int64_t bits = counted_bytes(d->counted, size_bytes) * 8;
    int64_t scaled = bits * NS_PER_S + d->remainder;
    d->remainder = scaled % d->rate_bps;
    return scaled / d->rate_bps;
}

/* Puts a frame that arrived at arrival_ns through the model: afterwards it stands in the line, or it is dropped. */
static void direction_accept(struct direction *d, const uint8_t *bytes, size_t size_bytes, int64_t arrival_ns)
{
    d->frames_in++;
    d->bytes_in += (int64_t)size_bytes;
    if (d->loss_ratio > 0 && g_rand_double(d->random) < d->loss_ratio) {
        d->lost++;
        return;
    }
    int64_t start_ns = budget_start(d, MAX(arrival_ns, d->free_ns));
    int64_t wait_ns = start_ns - arrival_ns;
    if (wait_ns > d->queue_bytes * 8 * NS_PER_S / d->rate_bps) {
        d->queue_drops++;
        return;
    }
    d->queue_max_bytes = MAX(d->queue_max_bytes, (int64_t)((double)wait_ns * (double)d->rate_bps / 8e9));
    budget_take(d, start_ns);
    d->free_ns = start_ns + serialisation_ns(d, size_bytes);

    struct frame *f = g_malloc(sizeof *f + size_bytes);
    f->due_ns = d->free_ns + d->delay_ns;
    f->size_bytes = size_bytes;
    memcpy(f->bytes, bytes, size_bytes);
    g_queue_push_tail(&d->line, f);
}

/* Reads what waits at the device, within one turn. False when the device is gone. */
static bool direction_receive(struct direction *d)
{
    static uint8_t bytes[FRAME_MAX];
    for (int i = 0; i < READS_IN_TURN; i++) {
        ssize_t n = read(d->from_fd, bytes, sizeof bytes);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR || errno == EIO; /* EIO: the device is down */
        direction_accept(d, bytes, (size_t)n, now_ns());
    }
    return true;
}

/* Hands over the frames that are due. */
static void direction_deliver(struct direction *d)
{
    const struct frame *head;
    while ((head = g_queue_peek_head(&d->line)) != NULL) {
        int64_t late_ns = now_ns() - head->due_ns;
        if (late_ns < 0)
            return;
        g_autofree struct frame *f = g_queue_pop_head(&d->line);
        if (write(d->to_fd, f->bytes, f->size_bytes) != (ssize_t)f->size_bytes) {
            d->undelivered++;
            continue;
        }
        d->frames_out++;
        d->bytes_out += (int64_t)f->size_bytes;
        d->late_sum_ns += late_ns;
        d->late_max_ns = MAX(d->late_max_ns, late_ns);
    }
}

static int64_t direction_next_due(const struct direction *d)
{
    const struct frame *head = g_queue_peek_head((GQueue *)&d->line);
    return head ? head->due_ns : INT64_MAX;
}

/* Waits for a frame, for the end of standard input, or until shortly before the next frame is due. */
static int wait_for_work(struct pollfd *fds, nfds_t n_fds, int64_t due_ns)
{
    if (due_ns == INT64_MAX)
        return ppoll(fds, n_fds, NULL, NULL);
    int64_t ahead_ns = due_ns - now_ns() - POLL_AHEAD_NS;
    int64_t sleep_ns = MAX(ahead_ns, 0);
    struct timespec timeout = {.tv_sec = (time_t)(sleep_ns / NS_PER_S),
                               .tv_nsec = (long)(sleep_ns % NS_PER_S)};
    return ppoll(fds, n_fds, &timeout, NULL);
}

/* Carries frames until standard input ends (true) or a device is gone (false). */
static bool link_run(struct direction *down, struct direction *up)
{
    struct pollfd fds[] = {
        {.fd = down->from_fd, .events = POLLIN},
        {.fd = up->from_fd, .events = POLLIN},
        {.fd = STDIN_FILENO, .events = POLLIN},
    };
    for (;;) {
        int64_t down_due_ns = direction_next_due(down), up_due_ns = direction_next_due(up);
        int64_t due_ns = MIN(down_due_ns, up_due_ns);
        if (wait_for_work(fds, G_N_ELEMENTS(fds), due_ns) < 0 && errno != EINTR)
            return false;
        if (fds[0].revents && !direction_receive(down))
            return false;
        if (fds[1].revents && !direction_receive(up))
            return false;
        direction_deliver(down);
        direction_deliver(up);
        char ignored[64];
        if (fds[2].revents && read(STDIN_FILENO, ignored, sizeof ignored) <= 0)
            return true;
    }
}

static int tap_open(const char *name, GError **error)
{
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    if (g_strlcpy(request.ifr_name, name, sizeof request.ifr_name) >= sizeof request.ifr_name) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                    "device name \"%s\" is longer than %d bytes", name, IFNAMSIZ - 1);
        return -1;
    }
    int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || ioctl(fd, TUNSETIFF, &request) < 0) {
        g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(errno),
                    "cannot create TAP device \"%s\": %s", name, g_strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

static void direction_init(struct direction *d, int from_fd, int to_fd, enum counted counted, int64_t seed,
                           uint32_t number)
{
    const guint32 seeds[] = {(guint32)seed, (guint32)((uint64_t)seed >> 32), number};
    d->random = g_rand_new_with_seed_array(seeds, G_N_ELEMENTS(seeds));
    d->from_fd = from_fd;
    d->to_fd = to_fd;
    d->counted = counted;
    d->free_ns = now_ns();
    g_queue_init(&d->line);
}

static void direction_fini(struct direction *d)
{
    g_queue_clear_full(&d->line, g_free);
    g_rand_free(d->random);
}

static void direction_print(const struct direction *d, const char *name)
{
    printf("\"%s\": {\"frames_in\": %" PRId64 ", \"bytes_in\": %" PRId64 ", \"frames_out\": %" PRId64
           ", \"bytes_out\": %" PRId64 ", \"lost\": %" PRId64 ", \"queue_drops\": %" PRId64
           ", \"undelivered\": %" PRId64 ", \"queue_max_bytes\": %" PRId64 ", \"late_mean_ns\": %" PRId64
           ", \"late_max_ns\": %" PRId64 "}",
           name, d->frames_in, d->bytes_in, d->frames_out, d->bytes_out, d->lost, d->queue_drops,
           d->undelivered, d->queue_max_bytes, d->frames_out ? d->late_sum_ns / d->frames_out : 0,
           d->late_max_ns);
}

static bool direction_check(const struct direction *d, const char *name, GError **error)
{
    const char *wrong = NULL;
    if (d->rate_bps < 1 || d->rate_bps > 100 * NS_PER_S)
        wrong = "rate needs 1 to 100000000000 bit/s";
    else if (d->queue_bytes < 0 || d->queue_bytes > 1000000000)
        wrong = "queue needs 0 to 1000000000 bytes";
    else if (d->delay_ns < 0 || d->delay_ns > 60 * NS_PER_S)
        wrong = "delay needs 0 to 60000000000 ns";
    else if (!(d->loss_ratio >= 0 && d->loss_ratio <= 1))
        wrong = "loss needs a ratio of 0 to 1";
    else if (d->packets_per_ms < 0)
        wrong = "packets-per-ms needs 1 or more, or 0 for no budget";
    if (wrong)
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--%s-%s", name, wrong);
    return wrong == NULL;
}

static bool counted_parse(const char *text, enum counted *counted, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(counted_names); i++) {
        if (g_str_equal(text, counted_names[i])) {
            *counted = (enum counted)i;
            return true;
        }
    }
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                "--counts needs ip, ethernet or wire, not \"%s\"", text);
    return false;
}

#define DIRECTION_OPTIONS(NAME, D)                                                                           \
    {NAME "-rate", 0, 0, G_OPTION_ARG_INT64, &(D).rate_bps, "Rate", "BIT/S"},                                \
        {NAME "-queue", 0, 0, G_OPTION_ARG_INT64, &(D).queue_bytes, "Queue before the serialiser", "BYTES"}, \
        {NAME "-delay", 0, 0, G_OPTION_ARG_INT64, &(D).delay_ns, "Propagation delay", "NS"},                 \
        {NAME "-loss", 0, 0, G_OPTION_ARG_DOUBLE, &(D).loss_ratio, "Random loss before the queue, 0 to 1",   \
         "RATIO"},                                                                                           \
    {                                                                                                        \
        NAME "-packets-per-ms", 0, 0, G_OPTION_ARG_INT64, &(D).packets_per_ms,                               \
            "Budget per whole millisecond", "COUNT"                                                          \
    }

struct settings {
    struct direction down, up;
    enum counted counted;
    int64_t seed;
    char *client_device, *server_device;
};

static bool settings_parse(struct settings *s, int *argc, char ***argv, GError **error)
{
    g_autofree char *counted = g_strdup("ethernet");
    const GOptionEntry entries[] = {
        {"client-device", 0, 0, G_OPTION_ARG_STRING, &s->client_device, "TAP device to create for the client",
         "NAME"},
        {"server-device", 0, 0, G_OPTION_ARG_STRING, &s->server_device, "TAP device to create for the server",
         "NAME"},
        DIRECTION_OPTIONS("down", s->down),
        DIRECTION_OPTIONS("up", s->up),
        {"counts", 0, 0, G_OPTION_ARG_STRING, &counted, "Bytes that the rates count: ip, ethernet, wire",
         "WHICH"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &s->seed, "Seed of the losses", "NUMBER"},
        G_OPTION_ENTRY_NULL,
    };
    g_autoptr(GOptionContext) context = g_option_context_new("- an emulated link between two TAP devices");
    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, argc, argv, error))
        return false;
    if (*argc > 1) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "unexpected argument \"%s\"", (*argv)[1]);
        return false;
    }
    if (!s->client_device || !s->server_device) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
                    "--client-device and --server-device are needed");
        return false;
    }
    return counted_parse(counted, &s->counted, error) && direction_check(&s->down, "down", error) &&
           direction_check(&s->up, "up", error);
}

int main(int argc, char **argv)
{
    struct settings s = {
        .down = {.rate_bps = NS_PER_S, .queue_bytes = 256000},
        .up = {.rate_bps = NS_PER_S, .queue_bytes = 256000},
    };
    g_autoptr(GError) error = NULL;
    int client_fd = -1, server_fd = -1;
    bool ok = false;

    if (!settings_parse(&s, &argc, &argv, &error))
        goto out;
    client_fd = tap_open(s.client_device, &error);
    if (client_fd < 0)
        goto out;
    server_fd = tap_open(s.server_device, &error);
    if (server_fd < 0)
        goto out;

    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL,
          0UL); /* the default of 50 us would eat into the time for polling */
    direction_init(&s.down, server_fd, client_fd, s.counted, s.seed, 0);
    direction_init(&s.up, client_fd, server_fd, s.counted, s.seed, 1);
    puts("ready");
    fflush(stdout);
    ok = link_run(&s.down, &s.up);
    if (!ok)
        g_set_error(&error, G_FILE_ERROR, (gint)g_file_error_from_errno(errno), "a device is gone: %s",
                    g_strerror(errno));
    putchar('{');
    direction_print(&s.down, "down");
    fputs(", ", stdout);
    direction_print(&s.up, "up");
    puts("}");
    direction_fini(&s.down);
    direction_fini(&s.up);
out:
    if (error)
        fprintf(stderr, "copytrial-lab-link: %s\n", error->message);
    if (client_fd >= 0)
        close(client_fd);
    if (server_fd >= 0)
        close(server_fd);
    g_free(s.client_device);
    g_free(s.server_device);
    return ok ? 0 : 1;
}
