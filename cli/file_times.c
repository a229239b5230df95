#include "cli/file_times.h"
#include "base/units.h"

void file_times_init(struct file_times *t, const GArray *groups)
{
    *t = (struct file_times){.count = groups->len};
    t->first_file = g_new(int64_t, groups->len + 1);
    t->end_ns = g_new(int64_t, groups->len);
    t->first_file[0] = 0;
    for (guint i = 0; i < groups->len; i++) {
        t->first_file[i + 1] = t->first_file[i] + g_array_index(groups, struct file_group, i).count;
        t->end_ns[i] = -1;
    }
}

void file_times_clear(struct file_times *t)
{
    g_clear_pointer(&t->first_file, g_free);
    g_clear_pointer(&t->end_ns, g_free);
}

/* Files near each other follow each other, so the search begins at the last one's group. */
static guint group_of(struct file_times *t, int64_t file)
{
    while (file < t->first_file[t->last])
        t->last--;
    while (file >= t->first_file[t->last + 1])
        t->last++;
    return t->last;
}

void file_times_note(void *self, const struct exchange *e, int64_t issued_ns, int64_t done_ns)
{
    struct file_times *t = self;
    guint group;

    (void)issued_ns;
    if (e->file >= t->first_file[t->count])
        return; /* for no file */
    group = group_of(t, e->file);
    t->newest = MAX(t->newest, group);
    t->end_ns[group] = done_ns;
}

GArray *file_times_seconds(const struct file_times *t, bool failed)
{
    GArray *seconds = g_array_new(FALSE, FALSE, sizeof(double));
    int64_t before_ns = 0;

    for (guint i = 0; i < (failed ? t->newest : t->count); i++) {
        int64_t end_ns = MAX(t->end_ns[i], before_ns);
        double s = units_seconds(end_ns - before_ns);

        g_array_append_val(seconds, s);
        before_ns = end_ns;
    }
    return seconds;
}
