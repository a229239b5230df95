/* Module listings of running systems: tasklist /m and /svc, listdlls, /proc/PID/maps, lsmod. */
#include "report/mechanism_reader.h"
#include "report/evidence_reader.h"

#include <string.h>

/* What a process must have for its list to be whole: every Windows process has ntdll, and a 64-bit view of a 32-bit process shows
 * wow64 instead of what it loaded. */
struct process {
    char *where; /* "spoolsv.exe 1304", NULL outside any */
    int line;
    bool has_ntdll, has_wow64;
    guint modules;
};

static void close_process(struct mechanism_listing *l, struct process *p)
{
    bool of_modules = l->kind == MECHANISM_MODULES;

    if (of_modules && p->where && p->modules > 0 && !p->has_ntdll)
        mechanism_add(l, MECHANISM_UNREADABLE, p->where, "",
                      "ntdll isn't in its list, so the list was filtered", p->line);
    else if (of_modules && p->where && p->has_wow64)
        mechanism_add(l, MECHANISM_UNREADABLE, p->where, "",
                      "only the 64-bit part of a 32-bit process is listed", p->line);
    g_free(p->where);
    *p = (struct process){0};
}

static void open_process(struct mechanism_listing *l, struct process *p, const char *name, const char *id,
                         int line)
{
    close_process(l, p);
    p->where = g_strdup_printf("%s %s", name, id);
    p->line = line;
}

static void add_module(struct mechanism_listing *l, struct process *p, const char *name, int line)
{
    mechanism_add(l, MECHANISM_LOADED, p->where ? p->where : "", name, "", line);
    p->has_ntdll = p->has_ntdll || g_ascii_strcasecmp(name, "ntdll.dll") == 0;
    p->has_wow64 = p->has_wow64 || g_ascii_strcasecmp(name, "wow64.dll") == 0;
    p->modules++;
}

/* tasklist: columns as wide as the groups of "=" under the title, which is localised. */
static const char RULE[] = "^(=+) (=+) (=+)\\s*$";

struct tasklist {
    struct mechanism_listing *l;
    glong name_end, id_end; /* in characters */
    struct process process;
    bool all, open_list; /* process 0 was seen; the last list ended in a comma */
    int last_line;
};

static bool shows_modules(const struct text_input *in)
{
    return evidence_matches(in, G_MAXUINT, "\\.dll\\b");
}

bool mechanism_tasklist_recognise(const struct text_input *in)
{
    return evidence_matches(in, 100, RULE) && shows_modules(in);
}

bool mechanism_services_recognise(const struct text_input *in)
{
    return evidence_matches(in, 100, RULE) && !shows_modules(in);
}

static char *slice(const char *text, glong from, glong to)
{
    glong length = g_utf8_strlen(text, -1);

    if (from >= length)
        return g_strdup("");
    return g_strstrip(g_utf8_substring(text, from, to < 0 || to > length ? length : to));
}

static void add_list(struct tasklist *t, const char *list, int line)
{
    g_auto(GStrv) names = g_strsplit(list, ",", -1);

    t->open_list = g_str_has_suffix(list, ",");
    for (guint i = 0; names[i]; i++) {
        const char *name = g_strstrip(names[i]);

        if (!*name)
            continue;
        if (strcmp(name, "N/A") != 0)
            add_module(t->l, &t->process, name, line);
        else if (t->l->kind == MECHANISM_MODULES)
            mechanism_add(t->l, MECHANISM_UNREADABLE, t->process.where, "",
                          "its modules couldn't be read (N/A)", line);
    }
}

static void check_open_list(struct tasklist *t)
{
    if (t->open_list && t->process.where)
        mechanism_add(t->l, MECHANISM_UNREADABLE, t->process.where, "",
                      "its list ends in a comma, so it was cut", t->last_line);
    t->open_list = false;
}

static void read_task(struct tasklist *t, const struct text_line *line)
{
    g_autofree char *name = slice(line->text, 0, t->name_end),
                    *id = slice(line->text, t->name_end + 1, t->id_end),
                    *list = slice(line->text, t->id_end + 1, -1);

    if (text_input_is_blank(line->text))
        return;
    if (mechanism_is_cut_mark(line->text)) {
        mechanism_set_incomplete(t->l, line->number, "it was cut here");
        return;
    }
    if (*name || *id) {
        check_open_list(t);
        open_process(t->l, &t->process, name, id, line->number);
        t->all = t->all || strcmp(id, "0") == 0;
    }
    if (t->process.where)
        add_list(t, list, line->number);
    t->last_line = line->number;
}

bool mechanism_tasklist_read(const struct text_input *in, struct mechanism_listing *l, GError **error)
{
    g_autoptr(GRegex) rule = evidence_pattern(RULE);
    g_autoptr(GRegex) filter = evidence_pattern("tasklist.*/m\\s+[^/\\s]");
    struct tasklist t = {.l = l};

    for (guint i = 0; i < text_input_count(in); i++) {
        const struct text_line *line = text_input_line(in, i);
        g_autoptr(GMatchInfo) match = NULL;

        if (g_regex_match(filter, line->text, 0, NULL)) {
            mechanism_set_incomplete(l, line->number, "the command filters it");
        } else if (g_regex_match(rule, line->text, 0, &match)) {
            int end = 0;

            g_match_info_fetch_pos(match, 1, NULL, &end);
            t.name_end = end;
            g_match_info_fetch_pos(match, 2, NULL, &end);
            t.id_end = end;
        } else if (t.id_end > 0) {
            read_task(&t, line);
        }
    }
    check_open_list(&t);
    close_process(l, &t.process);
    if (!t.all)
        l->why_not_all = "it doesn't list all processes (process 0 is missing)";
    return l->entries->len > 0 || text_input_fail(in, 0, error, "lists no process");
}

bool mechanism_listdlls_recognise(const struct text_input *in)
{
    return evidence_matches(in, 1000, "^\\s*Base\\s+Size\\s+Path\\s*$");
}

bool mechanism_listdlls_read(const struct text_input *in, struct mechanism_listing *l, GError **error)
{
    g_autoptr(GRegex) head = evidence_pattern("^(\\S.*) pid: ([0-9]+)\\s*$");
    g_autoptr(GRegex) row = evidence_pattern("^\\s*0x[0-9a-f]+\\s+0x[0-9a-f]+\\s+(\\S.*)$");
    g_autoptr(GRegex) filter = evidence_pattern("listdlls.*\\s-(u|d)\\b");
    struct process process = {0};

    for (guint i = 0; i < text_input_count(in); i++) {
        const struct text_line *line = text_input_line(in, i);
        g_autoptr(GMatchInfo) match = NULL, module = NULL;

        if (g_regex_match(filter, line->text, 0, NULL)) {
            mechanism_set_incomplete(l, line->number, "the command filters it");
        } else if (g_regex_match(head, line->text, 0, &match)) {
            g_autofree char *name = g_match_info_fetch(match, 1), *id = g_match_info_fetch(match, 2);

            open_process(l, &process, name, id, line->number);
        } else if (g_regex_match(row, line->text, 0, &module)) {
            g_autofree char *path = g_strchomp(g_match_info_fetch(module, 1));

            add_module(l, &process, mechanism_basename(path), line->number);
        } else if (g_str_has_prefix(text_input_skip_blanks(line->text), "0x")) {
            mechanism_add(l, MECHANISM_UNREADABLE, process.where ? process.where : "", "", "a row is torn",
                          line->number);
        } else if (g_str_has_prefix(line->text, "Error opening") || mechanism_is_cut_mark(line->text)) {
            mechanism_set_incomplete(l, line->number, "a process couldn't be read, or the listing was cut");
        }
    }
    close_process(l, &process);
    return l->entries->len > 0 || text_input_fail(in, 0, error, "lists no modules");
}

static const char MAPPING[] =
    "^[0-9a-f]{4,16}-[0-9a-f]{4,16} [r-][w-][x-][sp] [0-9a-f]+ [0-9a-f]+:[0-9a-f]+ [0-9]+\\s*(.*)$";

bool mechanism_maps_recognise(const struct text_input *in)
{
    return evidence_matches(in, 3, MAPPING);
}

bool mechanism_maps_read(const struct text_input *in, struct mechanism_listing *l, GError **error)
{
    g_autoptr(GRegex) mapping = evidence_pattern(MAPPING);
    bool has_stack = false;

    (void)error;
    for (guint i = 0; i < text_input_count(in); i++) {
        const struct text_line *line = text_input_line(in, i);
        g_autoptr(GMatchInfo) match = NULL;
        g_autofree char *path = NULL;

        if (text_input_is_blank(line->text))
            continue;
        if (!g_regex_match(mapping, line->text, 0, &match)) {
            mechanism_add(l, MECHANISM_UNREADABLE, "", "", "a row is torn", line->number);
            continue;
        }
        path = g_match_info_fetch(match, 1);
        has_stack = has_stack || strcmp(path, "[stack]") == 0;
        if (g_str_has_suffix(path, " (deleted)"))
            path[strlen(path) - strlen(" (deleted)")] = '\0';
        if (*path == '/')
            mechanism_add(l, MECHANISM_LOADED, "", mechanism_basename(path), "", line->number);
    }
    if (!has_stack)
        mechanism_set_incomplete(l, 0, "it ends before the stack, which every process has");
    return true;
}

bool mechanism_lsmod_recognise(const struct text_input *in)
{
    return evidence_matches(in, 10, "^Module\\s+Size\\s+Used by");
}

bool mechanism_lsmod_read(const struct text_input *in, struct mechanism_listing *l, GError **error)
{
    g_autoptr(GRegex) row =
        evidence_pattern("^([A-Za-z0-9_.-]+)\\s+([0-9]+)\\s+(-?[0-9]+|-)(\\s+\\S*)?\\s*$");

    (void)error;
    for (guint i = 0; i < text_input_count(in); i++) {
        const struct text_line *line = text_input_line(in, i);
        g_autoptr(GMatchInfo) match = NULL;

        if (g_regex_match(row, line->text, 0, &match)) {
            g_autofree char *name = g_match_info_fetch(match, 1), *size = g_match_info_fetch(match, 2),
                            *users = g_match_info_fetch(match, 3),
                            *value = g_strdup_printf("%s bytes, used by %s", size, users);

            mechanism_add(l, MECHANISM_LOADED, "", name, value, line->number);
        }
    }
    mechanism_set_incomplete(l, 0, "code that is built into the kernel never stands in lsmod");
    return true;
}
