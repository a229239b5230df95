#include "cli/progress.h"
#include "base/units.h"

#include <stdio.h>
#include <unistd.h>

enum { BAR = 30, PATIENCE_US = 500000, REDRAW_US = 100000 };

void progress_begin(struct progress *p)
{
    *p = (struct progress){.on = isatty(STDERR_FILENO) == 1, .start_us = g_get_monotonic_time()};
}

static void draw(uint64_t done, uint64_t of)
{
    g_autofree char *size = units_format_size((int64_t)done, 3);
    g_autofree char *whole = units_format_size((int64_t)of, 3);
    double share = of > 0 ? (double)done / (double)of : 0;
    g_autofree char *bar = g_strnfill((gsize)(CLAMP(share, 0, 1) * BAR), '#');

    if (of > 0)
        fprintf(stderr, "\r\033[Kreading [%-*s] %3.0f %% of %s", BAR, bar, 100 * CLAMP(share, 0, 1), whole);
    else
        fprintf(stderr, "\r\033[Kreading, %s so far", size);
    fflush(stderr);
}

/* Whether it is time to draw. */
static bool due(struct progress *p)
{
    gint64 now;

    if (!p->on)
        return false;
    now = g_get_monotonic_time();
    if (now - p->start_us < PATIENCE_US || (p->shown && now - p->drawn_us < REDRAW_US))
        return false;
    p->shown = true;
    p->drawn_us = now;
    return true;
}

void progress_show(struct progress *p, uint64_t done, uint64_t of)
{
    if (due(p))
        draw(done, of);
}

void progress_steps(struct progress *p, guint done, guint of)
{
    g_autofree char *bar = NULL;

    if (!due(p))
        return;
    bar = g_strnfill((gsize)((double)done / of * BAR), '#');
    fprintf(stderr, "\r\033[Ksimulating [%-*s] %u of %u", BAR, bar, done, of);
    fflush(stderr);
}

void progress_end(struct progress *p)
{
    if (p->shown)
        fprintf(stderr, "\r\033[K");
    p->shown = false;
}
