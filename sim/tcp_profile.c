/* TCP by operating system. Sources, per column: Linux: kernel 6.x defaults. Windows: initial window, delayed ACK and RTO floor
 * from Get-NetTCPSetting dumps and Microsoft's TCP registry references; SACK, scaling (XP and 2003 accept it but don't offer it)
 * and autotuning from KB224829 and Microsoft's NIC tuning guide; DSACK and F-RTO from Vista on;
 * RACK and TLP from Windows 10 1607 on; Compound TCP in Server 2008, and
 * from Get-NetTCPSetting dumps in the Internet template of 8 and 2012 up to 10 1703 and Server 2016; CUBIC from 1709/2019 on, with HyStart++
 * (2019's form has limited slow start in the place of RFC 9406's conservative rounds). What no source gives is assumed and said to be so: XP's and
 * Vista's growth counts ACKs (RFC 5681), an ACK counts for RFC 9406's 8 segments where HyStart++ is, PRR is on where RACK and CUBIC are, and the
 * FreeBSD row stands for storage appliances of about 2010. */
#include "sim/profile.h"
#include "base/units.h"

#define MS(x) ((x)*NS_PER_MS)

enum {
    WINDOW_XP = 44 * 1460,      /* gigabit adapters, no scaling; 12 * 1460 up to 100 Mbit/s */
    WINDOW_LEVEL = 65535 << 14, /* the autotuning level has the limit */
    WINDOW_LINUX = 4 << 20,     /* what tcp_rmem's 6 MiB gives at the usual payload share */
};

const char *const TCP_SYSTEMS[] = {
    "linux",
    "windows-xp",
    "windows-vista",
    "windows-7",
    "windows-8",
    "windows-10",
    "windows-11",
    "windows-server-2003",
    "windows-server-2008",
    "windows-server-2012",
    "windows-server-2016",
    "windows-server-2022",
    "freebsd",
    NULL,
};

#define LINUX                                                                                                \
    {                                                                                                        \
        .congestion = TCP_CUBIC, .slow_start_exit = TCP_EXIT_HYSTART, .initial_window = 10,                  \
        .receive_window_bytes = WINDOW_LINUX, .autotuning = TCP_WINDOW_LINUX, .delayed_ack_ns = MS(40),      \
        .ack_every = 2, .ack_counts_bytes = true, .quick_acks = 16, .min_rto_ns = MS(200),                   \
        .initial_rto_ns = MS(1000), .duplicate_acks = 3, .rto_floor_on_variance = true, .rack = true,        \
        .prr = true, .timestamps = true, .sack = true, .window_scaling = true, .idle_restart = true,         \
        .forgiven_syns = 1, .dsack = true, .frto = true, .undo = true                                        \
    }
#define WINDOWS_XP                                                                                           \
    {                                                                                                        \
        .congestion = TCP_NEWRENO, .initial_window = 2, .receive_window_bytes = WINDOW_XP,                   \
        .delayed_ack_ns = MS(200), .ack_every = 2, .min_rto_ns = MS(300), .initial_rto_ns = MS(3000),        \
        .duplicate_acks = 2, .growth_limit = 1, .sack = true                                                 \
    }
#define WINDOWS_7_WITH(control)                                                                              \
    {                                                                                                        \
        .congestion = (control), .initial_window = 2, .receive_window_bytes = WINDOW_LEVEL,                  \
        .autotuning = TCP_WINDOW_NORMAL, .delayed_ack_ns = MS(200), .ack_every = 2, .min_rto_ns = MS(300),   \
        .initial_rto_ns = MS(3000), .duplicate_acks = 3, .growth_limit = 1, .sack = true, .dsack = true,     \
        .frto = true, .window_scaling = true                                                                 \
    }
#define WINDOWS_8                                                                                            \
    {                                                                                                        \
        .congestion = TCP_COMPOUND, .initial_window = 4, .receive_window_bytes = WINDOW_LEVEL,               \
        .autotuning = TCP_WINDOW_NORMAL, .delayed_ack_ns = MS(50), .ack_every = 2, .min_rto_ns = MS(300),    \
        .initial_rto_ns = MS(3000), .duplicate_acks = 3, .growth_limit = 2, .sack = true, .dsack = true,     \
        .frto = true, .window_scaling = true                                                                 \
    }
#define WINDOWS_10_WITH(control, exit, limit, reduction)                                                     \
    {                                                                                                        \
        .congestion = (control), .slow_start_exit = (exit), .growth_limit = (limit), .initial_window = 10,   \
        .receive_window_bytes = WINDOW_LEVEL, .autotuning = TCP_WINDOW_NORMAL, .delayed_ack_ns = MS(40),     \
        .ack_every = 2, .min_rto_ns = MS(300), .initial_rto_ns = MS(1000), .duplicate_acks = 3,              \
        .rack = true, .prr = (reduction), .sack = true, .dsack = true, .frto = true, .window_scaling = true, \
        .forgiven_syns = 1                                                                                   \
    }
#define WINDOWS_VISTA WINDOWS_7_WITH(TCP_NEWRENO)
#define WINDOWS_2008  WINDOWS_7_WITH(TCP_COMPOUND)
#define WINDOWS_10    WINDOWS_10_WITH(TCP_CUBIC, TCP_EXIT_HYSTART_PLUS, 8, true)
#define WINDOWS_2016  WINDOWS_10_WITH(TCP_COMPOUND, TCP_EXIT_NONE, 2, false)
#define FREEBSD                                                                                              \
    {                                                                                                        \
        .congestion = TCP_NEWRENO, .initial_window = 3, .receive_window_bytes = WINDOW_XP,                   \
        .delayed_ack_ns = MS(100), .ack_every = 2, .min_rto_ns = MS(230), .initial_rto_ns = MS(3000),        \
        .duplicate_acks = 3, .growth_limit = 1, .sack = true, .window_scaling = true                         \
    }

const struct tcp_profile *tcp_profile_of(int system)
{
    static const struct tcp_profile rows[] = {
        LINUX,      WINDOWS_XP,   WINDOWS_VISTA, WINDOWS_VISTA, WINDOWS_8,  WINDOWS_10, WINDOWS_10,
        WINDOWS_XP, WINDOWS_2008, WINDOWS_8,     WINDOWS_2016,  WINDOWS_10, FREEBSD,
    };

    G_STATIC_ASSERT(G_N_ELEMENTS(rows) == G_N_ELEMENTS(TCP_SYSTEMS) - 1);
    return &rows[system];
}

static const char *const CONGESTION[] = {"newreno", "cubic", "compound", NULL};
static const char *const AUTOTUNING[] = {"none",       "linux",  "disabled",     "highlyrestricted",
                                         "restricted", "normal", "experimental", NULL};
static const char *const EXITS[] = {"none", "hystart", "hystart++", NULL};

#define AT(member) offsetof(struct tcp_profile, member)

const struct yaml_field TCP_PROFILE_FIELDS[] = {
    {.key = "congestion_control", .type = YAML_CHOICE, .offset = AT(congestion), .choices = CONGESTION},
    {.key = "slow_start_exit", .type = YAML_CHOICE, .offset = AT(slow_start_exit), .choices = EXITS},
    {.key = "initial_window_segments", .type = YAML_COUNT, .offset = AT(initial_window)},
    {.key = "receive_window", .type = YAML_SIZE, .offset = AT(receive_window_bytes)},
    {.key = "autotuning", .type = YAML_CHOICE, .offset = AT(autotuning), .choices = AUTOTUNING},
    {.key = "delayed_ack", .type = YAML_TIME, .offset = AT(delayed_ack_ns)},
    {.key = "ack_every_segments", .type = YAML_COUNT, .offset = AT(ack_every)},
    {.key = "min_rto", .type = YAML_TIME, .offset = AT(min_rto_ns)},
    {.key = "initial_rto", .type = YAML_TIME, .offset = AT(initial_rto_ns)},
    {.key = "timestamps", .type = YAML_BOOL, .offset = AT(timestamps)},
    {.key = "sack", .type = YAML_BOOL, .offset = AT(sack)},
    {.key = "window_scaling", .type = YAML_BOOL, .offset = AT(window_scaling)},
    {.key = "nagle", .type = YAML_BOOL, .offset = AT(nagle)},
    {.key = "idle_restart", .type = YAML_BOOL, .offset = AT(idle_restart)},
    {.type = YAML_END},
};
