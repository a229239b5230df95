/* Transcripts of WinDbg and kd: lm (with its list of unloaded modules) and !peb. A transcript may hold several of them.
 *
 * "(deferred)" modules are loaded: only their symbols aren't read yet. lm shows the current process, so that a list without ntdll shows
 * no user modules; lm with a pattern, and lmvm, are filtered. */
#include "report/mechanism_reader.h"
#include "report/evidence_reader.h"

#include <string.h>

enum section { SECTION_NONE, SECTION_LOADED, SECTION_UNLOADED, SECTION_PEB };

struct transcript {
    struct mechanism_listing *l;
    enum section section;
    int start_line;
    bool has_ntdll, has_wow64, ended; /* of the section */
    guint rows;
    char *process; /* of a !peb: the image, which is its first row */
    char *filter;  /* of the next lm */
    int filter_line;
    int peb_line; /* of a !peb that hasn't shown a row yet */
    GRegex *command, *prompt, *header, *row, *torn, *peb, *peb_header, *peb_row;
};

static const char LM_HEADER[] = "^\\s*start\\s+end\\s+module name";
static const char PEB[] = "^\\s*PEB at [0-9a-f`]+";

bool mechanism_debugger_recognise(const struct text_input *in)
{
    return evidence_matches(in, G_MAXUINT, LM_HEADER) || evidence_matches(in, G_MAXUINT, PEB);
}

static const char *where(const struct transcript *t)
{
    return t->section == SECTION_PEB && t->process ? t->process : "";
}

static void unreadable(struct transcript *t, int line, const char *why)
{
    mechanism_add(t->l, MECHANISM_UNREADABLE, where(t), "", why, line);
}

static void close_peb(struct transcript *t)
{
    if (!t->ended)
        unreadable(t, t->start_line, "the list stops before SubSystemData, so it may be cut");
    else if (!t->has_ntdll)
        unreadable(t, t->start_line, "ntdll isn't in the list");
    else if (t->has_wow64)
        unreadable(t, t->start_line, "only the 64-bit part of a 32-bit process is listed");
}

static void close_section(struct transcript *t)
{
    if (t->section == SECTION_PEB)
        close_peb(t);
    else if (t->section != SECTION_NONE && t->filter)
        mechanism_set_incomplete(t->l, t->filter_line, "it is filtered by \"%s\"", t->filter);
    else if (t->section != SECTION_NONE && !t->has_ntdll)
        unreadable(t, t->start_line, "ntdll isn't in the list, so it is filtered or shows the kernel only");
    g_clear_pointer(&t->process, g_free);
    if (t->section != SECTION_NONE)
        g_clear_pointer(&t->filter, g_free);
    t->section = SECTION_NONE;
    t->has_ntdll = t->has_wow64 = t->ended = false;
    t->rows = 0;
}

static void open_section(struct transcript *t, enum section section, int line)
{
    close_section(t);
    t->section = section;
    t->start_line = line;
    t->peb_line = 0;
}

static void see(struct transcript *t, const char *name)
{
    t->has_ntdll =
        t->has_ntdll || g_ascii_strcasecmp(name, "ntdll") == 0 || g_ascii_strcasecmp(name, "ntdll.dll") == 0;
    t->has_wow64 = t->has_wow64 || g_ascii_strcasecmp(name, "wow64.dll") == 0;
    t->rows++;
}

/* "lm m *rdc*", "lmvm atikmpag": the options end with m or M when a pattern follows. */
static void take_command(struct transcript *t, const GMatchInfo *match, int line)
{
    g_autofree char *options = g_match_info_fetch(match, 1), *rest = g_match_info_fetch(match, 2);
    g_auto(GStrv) words = g_strsplit(g_strstrip(rest), " ", 3);
    size_t length = strlen(options);
    bool attached = length > 0 && g_ascii_tolower(options[length - 1]) == 'm';
    const char *pattern = NULL;

    close_section(t);
    g_clear_pointer(&t->filter, g_free);
    if (attached)
        pattern = words[0];
    else if (words[0] && g_ascii_strcasecmp(words[0], "m") == 0)
        pattern = words[1];
    if (pattern && *pattern) {
        t->filter = g_strdup(pattern);
        t->filter_line = line;
    }
}

static void read_lm_row(struct transcript *t, const struct text_line *line)
{
    g_autoptr(GMatchInfo) match = NULL;

    if (g_regex_match(t->row, line->text, 0, &match)) {
        g_autofree char *name = g_match_info_fetch(match, 1);

        see(t, name);
        mechanism_add(t->l, t->section == SECTION_LOADED ? MECHANISM_LOADED : MECHANISM_UNLOADED, "", name,
                      "", line->number);
    } else if (g_regex_match(t->torn, line->text, 0, NULL)) {
        unreadable(t, line->number, "a row is torn");
    } else if (mechanism_is_cut_mark(line->text)) {
        unreadable(t, line->number, "somebody cut rows out");
    } else if (g_str_has_prefix(text_input_skip_blanks(line->text), "Unloaded modules:")) {
        t->section = SECTION_UNLOADED;
    }
}

static void read_peb_row(struct transcript *t, const struct text_line *line)
{
    g_autoptr(GMatchInfo) match = NULL;

    if (g_regex_match(t->peb_row, line->text, 0, &match)) {
        g_autofree char *path = g_strchomp(g_match_info_fetch(match, 1));
        const char *name = mechanism_basename(path);

        if (t->rows == 0)
            t->process = g_strdup(name);
        see(t, name);
        mechanism_add(t->l, MECHANISM_LOADED, where(t), name, "", line->number);
    } else if (strstr(line->text, "SubSystemData:")) {
        t->ended = true;
        close_section(t);
    } else if (!text_input_is_blank(line->text)) {
        unreadable(t, line->number,
                   mechanism_is_cut_mark(line->text) ? "somebody cut rows out" : "a row is torn");
    }
}

static void read_line(struct transcript *t, const struct text_line *line)
{
    g_autoptr(GMatchInfo) command = NULL;

    if (g_regex_match(t->command, line->text, 0, &command)) {
        take_command(t, command, line->number);
    } else if (g_regex_match(t->header, line->text, 0, NULL)) {
        open_section(t, SECTION_LOADED, line->number);
    } else if (g_regex_match(t->peb_header, line->text, 0, NULL)) {
        open_section(t, SECTION_PEB, line->number);
    } else if (g_regex_match(t->peb, line->text, 0, NULL)) {
        close_section(t);
        t->peb_line = line->number;
    } else if (g_regex_match(t->prompt, line->text, 0, NULL)) {
        close_section(t);
    } else if (t->section == SECTION_LOADED || t->section == SECTION_UNLOADED) {
        read_lm_row(t, line);
    } else if (t->section == SECTION_PEB) {
        read_peb_row(t, line);
    }
}

bool mechanism_debugger_read(const struct text_input *in, struct mechanism_listing *l, GError **error)
{
    struct transcript t = {
        .l = l,
        .command = evidence_pattern("^\\s*(?:.*> ?)?lm([a-z0-9]*)((?: .*)?)$"),
        .prompt = evidence_pattern("^\\s*([0-9]+: )?(kd|[0-9]+:[0-9]+(:\\w+)?)> "),
        .header = evidence_pattern(LM_HEADER),
        .peb = evidence_pattern(PEB),
        .row = evidence_pattern(
            "^\\s*[0-9a-f]{8}(?:`?[0-9a-f]{8})?\\s+[0-9a-f]{8}(?:`?[0-9a-f]{8})?\\s+([^\\s(]\\S*)"),
        .torn = evidence_pattern("^\\s*(?:[0-9a-f]{1,8}`[0-9a-f]+|[0-9a-f]{8,16})(?:\\s|$)"),
        .peb_header = evidence_pattern("^\\s*Base\\s+TimeStamp\\s+Module"),
        .peb_row = evidence_pattern(
            "^\\s*[0-9a-f`]{4,17} [0-9a-f]{8} [a-z]{3} [ 0-9]?[0-9] [0-9:]{8} [0-9]{4} (\\S.*)$"),
    };

    (void)error;
    for (guint i = 0; i < text_input_count(in); i++)
        read_line(&t, text_input_line(in, i));
    close_section(&t);
    if (t.peb_line)
        mechanism_set_incomplete(l, t.peb_line, "!peb shows no module rows: the list was paged out");
    else if (l->entries->len == 0)
        mechanism_set_incomplete(l, 0, "it shows no module rows");
    g_free(t.filter);
    g_regex_unref(t.command);
    g_regex_unref(t.prompt);
    g_regex_unref(t.header);
    g_regex_unref(t.peb);
    g_regex_unref(t.row);
    g_regex_unref(t.torn);
    g_regex_unref(t.peb_header);
    g_regex_unref(t.peb_row);
    return true;
}
