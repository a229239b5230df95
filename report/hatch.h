/* Fillings that differ without colour: solid ones, and lines in four directions and two densities. */
#ifndef REPORT_HATCH_H
#define REPORT_HATCH_H

#include "report/page.h"

enum hatch {
    HATCH_BLUE,
    HATCH_ORANGE,
    HATCH_RISING,
    HATCH_FALLING,
    HATCH_CROSSED,
    HATCH_UPRIGHT,
    HATCH_LEVEL,
    HATCH_EMPTY,
};

/* A filled rectangle with a thin outline. */
void hatch_box(struct page *page, enum hatch kind, double x, double y, double w, double h);
/* What text can be read on it without a ground of its own. */
enum draw_ink hatch_text(enum hatch kind);

#endif
