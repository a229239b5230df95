/* The drawing interface: measure text, then draw pages with lines, boxes, marks and text, and finish.
 *
 * Units: points (1/72 inch), origin at the page's top left, y downwards. A text is one paragraph in one style, broken
 * into lines of at most `width`; line i stands `draw_leading(size)` below line i - 1, so a text can be drawn in parts on
 * several pages. Coordinates are those of the top left of its box.
 * Ownership: calls borrow their arguments. Errors: sticky; calls after one do nothing, and draw_finish() reports it.
 * Implementations: draw_cairo.c for pages, the tests' recorder for golden files. */
#ifndef REPORT_DRAW_H
#define REPORT_DRAW_H

#include <glib.h>
#include <stdbool.h>

enum draw_ink { DRAW_BLACK, DRAW_GREY, DRAW_RULE, DRAW_BLUE, DRAW_ORANGE, DRAW_BAND, DRAW_WHITE, DRAW_NONE };
enum draw_weight { DRAW_REGULAR, DRAW_SEMIBOLD, DRAW_BOLD };
/* START is left, or right where the text reads from right to left. */
enum draw_align { DRAW_START, DRAW_LEFT, DRAW_CENTRE, DRAW_RIGHT };
enum draw_dash { DRAW_SOLID, DRAW_DOTTED, DRAW_DASHED };
enum draw_shape { DRAW_DISC, DRAW_SQUARE, DRAW_DIAMOND, DRAW_TICK, DRAW_CROSS };

struct draw_style {
    double size;
    enum draw_weight weight;
    enum draw_ink ink;
    enum draw_align align;
    bool one_line;   /* cut with an ellipsis instead of broken */
    double tracking; /* extra space between letters */
};

struct draw_text {
    char *text; /* UTF-8 */
    struct draw_style style;
    double x, y, width;
    int first, count; /* lines to draw */
    const char *link; /* static: the target that a click on it leads to, or NULL */
};

struct draw_extent {
    int lines;
    double width; /* of the widest line */
};

struct draw_line {
    double x1, y1, x2, y2, width;
    enum draw_ink ink;
    enum draw_dash dash;
};

struct draw_box {
    double x, y, w, h, radius, line_width;
    enum draw_ink fill, stroke;
    enum draw_dash dash;
};

struct draw_mark {
    enum draw_shape shape;
    double x, y, radius, line_width; /* centre */
    enum draw_ink fill, stroke;
};

struct draw;

struct draw_ops {
    struct draw_extent (*measure)(struct draw *d, const struct draw_text *text);
    void (*begin_page)(struct draw *d);
    void (*line)(struct draw *d, const struct draw_line *line);
    void (*box)(struct draw *d, const struct draw_box *box);
    void (*mark)(struct draw *d, const struct draw_mark *mark);
    void (*text)(struct draw *d, const struct draw_text *text);
    /* An entry of the document's outline: `text` stands on the current page at y. */
    void (*outline)(struct draw *d, const char *text, double y);
    /* Links to `name` (static) lead to the current page at y. Every link needs its target. */
    void (*target)(struct draw *d, const char *name, double y);
    void (*end_page)(struct draw *d);
    bool (*finish)(struct draw *d, GByteArray *out, GError **error);
    void (*free)(struct draw *d);
};

struct draw {
    const struct draw_ops *ops;
};

double draw_leading(double size);

#endif
