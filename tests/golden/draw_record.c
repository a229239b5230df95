#include "tests/golden/draw_record.h"

#include <math.h>

struct draw_record {
    struct draw base;
    GString *lines;
    int page;
};

static const char *const INKS[] = {"black", "grey", "rule", "blue", "orange", "band", "white", "none"};
static const char *const WEIGHTS[] = {"regular", "semibold", "bold"};
static const char *const ALIGNS[] = {"start", "left", "centre", "right"};
static const char *const DASHES[] = {"solid", "dotted", "dashed"};
static const char *const SHAPES[] = {"disc", "square", "diamond", "tick", "cross"};

static GString *record_of(struct draw *d)
{
    return ((struct draw_record *)d)->lines;
}

static double length(const char *word, const struct draw_text *text)
{
    return (double)g_utf8_strlen(word, -1) * (0.55 * text->style.size + text->style.tracking);
}

static struct draw_extent measure(struct draw *d, const struct draw_text *text)
{
    g_auto(GStrv) words = g_strsplit(text->text, " ", -1);
    struct draw_extent extent = {1, 0};
    double at = 0, space = 0.55 * text->style.size;

    (void)d;
    if (text->style.one_line)
        return (struct draw_extent){1, fmin(length(text->text, text), text->width)};
    for (char **w = words; *w; w++) {
        double width = length(*w, text);

        if (at > 0 && at + space + width > text->width) {
            extent.lines++;
            at = 0;
        }
        at += (at > 0 ? space : 0) + width;
        extent.width = fmax(extent.width, at);
    }
    return extent;
}

static void begin_page(struct draw *d)
{
    g_string_append_printf(record_of(d), "page %d\n", ++((struct draw_record *)d)->page);
}

static void line(struct draw *d, const struct draw_line *l)
{
    g_string_append_printf(record_of(d), "line %.1f %.1f %.1f %.1f width %.1f %s %s\n", l->x1, l->y1, l->x2,
                           l->y2, l->width, INKS[l->ink], DASHES[l->dash]);
}

static void box(struct draw *d, const struct draw_box *b)
{
    g_string_append_printf(
        record_of(d), "box %.1f %.1f %.1f %.1f radius %.1f fill %s stroke %s width %.1f %s\n", b->x, b->y,
        b->w, b->h, b->radius, INKS[b->fill], INKS[b->stroke], b->line_width, DASHES[b->dash]);
}

static void mark(struct draw *d, const struct draw_mark *m)
{
    g_string_append_printf(record_of(d), "%s %.1f %.1f radius %.1f fill %s stroke %s width %.1f\n",
                           SHAPES[m->shape], m->x, m->y, m->radius, INKS[m->fill], INKS[m->stroke],
                           m->line_width);
}

static void text(struct draw *d, const struct draw_text *t)
{
    g_string_append_printf(record_of(d), "text %.1f %.1f width %.1f lines %d+%d %s %.1f %s %s \"%s\"%s%s\n",
                           t->x, t->y, t->width, t->first, t->count, WEIGHTS[t->style.weight], t->style.size,
                           INKS[t->style.ink], ALIGNS[t->style.align], t->text, t->link ? " link " : "",
                           t->link ? t->link : "");
}

static void outline(struct draw *d, const char *entry, double y)
{
    g_string_append_printf(record_of(d), "outline %.1f \"%s\"\n", y, entry);
}

static void target(struct draw *d, const char *name, double y)
{
    g_string_append_printf(record_of(d), "target %.1f %s\n", y, name);
}

static void end_page(struct draw *d)
{
    g_string_append(record_of(d), "end\n");
}

static bool finish(struct draw *d, GByteArray *out, GError **error)
{
    (void)error;
    g_byte_array_append(out, (const guint8 *)record_of(d)->str, (guint)record_of(d)->len);
    return true;
}

static void record_free(struct draw *d)
{
    g_string_free(record_of(d), TRUE);
    g_free(d);
}

static const struct draw_ops OPS = {measure, begin_page, line,     box,    mark,       text,
                                    outline, target,     end_page, finish, record_free};

struct draw *draw_record_new(void)
{
    struct draw_record *r = g_new0(struct draw_record, 1);

    r->base.ops = &OPS;
    r->lines = g_string_new(NULL);
    return &r->base;
}
