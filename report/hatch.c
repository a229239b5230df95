#include "report/hatch.h"

#include <math.h>

struct filling {
    enum draw_ink ground, lines;
    bool rising, falling, upright, level;
    double gap;
};

static const struct filling FILLINGS[] = {
    [HATCH_BLUE] = {.ground = DRAW_BLUE},
    [HATCH_ORANGE] = {.ground = DRAW_ORANGE},
    [HATCH_RISING] = {.ground = DRAW_BAND, .lines = DRAW_BLUE, .rising = true, .gap = 4},
    [HATCH_FALLING] = {.ground = DRAW_WHITE, .lines = DRAW_ORANGE, .falling = true, .gap = 4},
    [HATCH_CROSSED] = {.ground = DRAW_WHITE, .lines = DRAW_BLACK, .rising = true, .falling = true, .gap = 6},
    [HATCH_UPRIGHT] = {.ground = DRAW_WHITE, .lines = DRAW_BLACK, .upright = true, .gap = 3},
    [HATCH_LEVEL] = {.ground = DRAW_BAND, .lines = DRAW_BLACK, .level = true, .gap = 3},
    [HATCH_EMPTY] = {.ground = DRAW_WHITE},
};

enum draw_ink hatch_text(enum hatch kind)
{
    return kind == HATCH_BLUE || kind == HATCH_ORANGE ? DRAW_WHITE : DRAW_BLACK;
}

static void stroke(struct page *page, enum draw_ink ink, double x1, double y1, double x2, double y2)
{
    page_line(page, (struct draw_line){x1, y1, x2, y2, 0.6, ink, DRAW_SOLID});
}

/* Lines of 45 degrees, cut to the rectangle: x - left runs from t - h to t while y runs from its foot to its top. */
static void slanted(struct page *page, const struct filling *f, bool rising, double x, double y, double w,
                    double h)
{
    for (double t = f->gap; t < w + h; t += f->gap * G_SQRT2) {
        double from = fmax(0, t - h), to = fmin(w, t);
        double low = t - from, high = t - to; /* heights above or below the edge that the line starts from */

        if (rising)
            stroke(page, f->lines, x + from, y + low, x + to, y + high);
        else
            stroke(page, f->lines, x + from, y + h - low, x + to, y + h - high);
    }
}

void hatch_box(struct page *page, enum hatch kind, double x, double y, double w, double h)
{
    const struct filling *f = &FILLINGS[kind];

    page_box(page, (struct draw_box){x, y, w, h, 0, 0, f->ground, DRAW_NONE, DRAW_SOLID});
    if (f->rising)
        slanted(page, f, true, x, y, w, h);
    if (f->falling)
        slanted(page, f, false, x, y, w, h);
    for (double at = f->gap; f->upright && at < w; at += f->gap)
        stroke(page, f->lines, x + at, y, x + at, y + h);
    for (double at = f->gap; f->level && at < h; at += f->gap)
        stroke(page, f->lines, x, y + at, x + w, y + at);
    page_box(page, (struct draw_box){x, y, w, h, 0, 0.7, DRAW_NONE, DRAW_BLACK, DRAW_SOLID});
}
