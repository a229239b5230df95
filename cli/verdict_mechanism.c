#include "cli/verdict_mechanism.h"
#include "base/error.h"
#include "base/units.h"
#include "base/yaml.h"
#include "report/mechanism.h"

#include <string.h>

/* What one connection says. */
struct answer {
    enum mechanism_answer is;
    char *text;     /* owned */
    uint64_t frame; /* 0: none */
};

struct question_of {
    const char *value; /* behind "="; NULL: none */
    int64_t bytes;     /* of blocks */
};

static struct answer say(enum mechanism_answer is, uint64_t frame, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static struct answer say(enum mechanism_answer is, uint64_t frame, const char *format, ...)
{
    struct answer a = {is, NULL, frame};
    va_list args;

    va_start(args, format);
    a.text = g_strdup_vprintf(format, args);
    va_end(args);
    return a;
}

/* Something that isn't seen in the messages isn't there, if they could be seen. */
static struct answer unseen(const struct replay_connection *c, uint64_t frame, const char *what)
{
    double coverage = 100 * replay_coverage(c);

    if (c->opaque_messages > 0)
        return say(MECHANISM_CANT_TELL, frame,
                   "%s, but %" G_GUINT64_FORMAT " messages are encrypted and may hide it", what,
                   c->opaque_messages);
    if (!replay_is_trusted(c))
        return say(MECHANISM_CANT_TELL, frame, "%s, but only %.0f %% of the bytes could be decoded", what,
                   coverage);
    return say(MECHANISM_ABSENT, frame, "%s (%.4g %% of the bytes were decoded)", what, coverage);
}

static struct answer no_negotiation(void)
{
    return say(MECHANISM_CANT_TELL, 0, "the capture lacks the negotiation");
}

static struct answer find_negotiated(const struct replay_connection *c, const struct verdict_frames *f,
                                     const struct question_of *q)
{
    g_autofree char *names = NULL;

    (void)q;
    if (c->smb2.compression[0]) {
        const char *list[REPLAY_COMPRESSIONS + 1] = {NULL};

        memcpy(list, c->smb2.compression, sizeof c->smb2.compression);
        names = g_strjoinv(", ", (char **)list);
        return say(MECHANISM_PRESENT, f->negotiate, "both ends agreed on %s", names);
    }
    if (!f->negotiate || !c->dialect)
        return no_negotiation();
    if (strcmp(c->dialect, "3.1.1") != 0)
        return say(MECHANISM_ABSENT, f->negotiate, "the dialect is %s, which has no compression", c->dialect);
    return say(MECHANISM_ABSENT, f->negotiate, "the server\u2019s answer to NEGOTIATE names no compression");
}

static struct answer find_compression(const struct replay_connection *c, const struct verdict_frames *f,
                                      const struct question_of *q)
{
    struct answer a = find_negotiated(c, f, q);

    if (c->compressed_messages > 0) {
        g_free(a.text);
        return say(MECHANISM_PRESENT, a.frame,
                   "%" G_GUINT64_FORMAT " messages were compressed, to %.1f %% of their size",
                   c->compressed_messages,
                   100 * (double)c->compressed_bytes / (double)MAX(c->original_bytes, 1));
    }
    if (a.is == MECHANISM_ABSENT)
        return a;
    g_free(a.text);
    return unseen(c, a.frame,
                  a.is == MECHANISM_PRESENT ? "it was negotiated, and no message is compressed"
                                            : "no message is compressed");
}

static struct answer find_signing(const struct replay_connection *c, const struct verdict_frames *f,
                                  const struct question_of *q)
{
    (void)q;
    if (c->signed_ == REPLAY_YES)
        return say(MECHANISM_PRESENT, f->negotiate, "messages carry signatures%s%s",
                   c->smb2.signing ? ", " : "", c->smb2.signing ? c->smb2.signing : "");
    if (c->signed_ == REPLAY_UNKNOWN)
        return say(MECHANISM_CANT_TELL, f->negotiate,
                   "no message after the session\u2019s set-up can be read");
    return unseen(c, f->negotiate, "messages carry no signatures");
}

static struct answer find_encryption(const struct replay_connection *c, const struct verdict_frames *f,
                                     const struct question_of *q)
{
    (void)q;
    if (c->encrypted)
        return say(MECHANISM_PRESENT, f->negotiate, "messages are encrypted%s%s", c->smb2.cipher ? ", " : "",
                   c->smb2.cipher ? c->smb2.cipher : "");
    return unseen(c, f->negotiate, "no message is encrypted");
}

static struct answer find_multichannel(const struct replay_connection *c, const struct verdict_frames *f,
                                       const struct question_of *q)
{
    (void)q;
    if (c->smb2.multichannel)
        return say(MECHANISM_PRESENT, f->negotiate, "both ends announce it");
    if (!f->negotiate)
        return no_negotiation();
    return say(MECHANISM_ABSENT, f->negotiate, "not both ends announce it");
}

static struct answer find_dialect(const struct replay_connection *c, const struct verdict_frames *f,
                                  const struct question_of *q)
{
    const char *wanted = g_str_has_prefix(q->value, "SMB ") ? q->value + strlen("SMB ") : q->value;

    if (!c->dialect)
        return no_negotiation();
    return say(g_ascii_strcasecmp(c->dialect, wanted) == 0 ? MECHANISM_PRESENT : MECHANISM_ABSENT,
               f->negotiate, "the dialect is %s", c->dialect);
}

/* The size that moved most bytes. */
static struct answer find_block(const struct replay_connection *c, const struct replay_blocks *blocks,
                                GHashTable *frames, const char *verb, int64_t wanted)
{
    const struct replay_block *most =
        blocks->sizes && blocks->sizes->len ? &g_array_index(blocks->sizes, struct replay_block, 0) : NULL;
    const uint64_t *frame = most ? g_hash_table_lookup(frames, &most->bytes) : NULL;
    g_autofree char *size = NULL, *what = NULL;
    double share;

    if (!most || blocks->bytes == 0) {
        what = g_strdup_printf("nothing was %s", verb);
        return unseen(c, 0, what);
    }
    share = 100 * (double)most->bytes * (double)most->count / (double)blocks->bytes;
    size = units_format_size((int64_t)most->bytes, 6);
    what = g_strdup_printf("blocks of %s moved %.3g %% of what was %s", size, share, verb);
    if ((int64_t)most->bytes == wanted)
        return say(MECHANISM_PRESENT, frame ? *frame : 0, "%s", what);
    return unseen(c, frame ? *frame : 0, what);
}

static struct answer find_read_block(const struct replay_connection *c, const struct verdict_frames *f,
                                     const struct question_of *q)
{
    return find_block(c, &c->usage.reads, f->read, "read", q->bytes);
}

static struct answer find_write_block(const struct replay_connection *c, const struct verdict_frames *f,
                                      const struct question_of *q)
{
    return find_block(c, &c->usage.writes, f->write, "written", q->bytes);
}

static struct answer find_several(const struct replay_connection *c, const struct verdict_frames *f,
                                  const struct question_of *q)
{
    (void)f;
    (void)q;
    if (c->max_pending > 1)
        return say(MECHANISM_PRESENT, 0, "up to %" G_GUINT64_FORMAT " requests were outstanding at once",
                   c->max_pending);
    return unseen(c, 0, "never more than one request was outstanding");
}

static struct answer find_server_copy(const struct replay_connection *c, const struct verdict_frames *f,
                                      const struct question_of *q)
{
    (void)f;
    (void)q;
    if (c->smb2.copied_bytes > 0)
        return say(MECHANISM_PRESENT, 0, "the server copied %" G_GUINT64_FORMAT " B by itself",
                   c->smb2.copied_bytes);
    return unseen(c, 0, "the server copied nothing by itself");
}

static struct answer find_scaling(const struct replay_connection *c, const struct verdict_frames *f,
                                  const struct question_of *q)
{
    const struct replay_tcp_side *side = c->tcp.side;
    bool both = side[REPLAY_UP].window_scale >= 0 && side[REPLAY_DOWN].window_scale >= 0;

    (void)f;
    (void)q;
    if (!c->tcp.window_scale_known)
        return say(MECHANISM_CANT_TELL, 0, "the capture lacks the handshake");
    return say(both ? MECHANISM_PRESENT : MECHANISM_ABSENT, c->first_frame,
               both ? "both ends offer it" : "not both ends offer it");
}

static struct answer find_sack(const struct replay_connection *c, const struct verdict_frames *f,
                               const struct question_of *q)
{
    (void)f;
    (void)q;
    if (c->tcp.sack)
        return say(MECHANISM_PRESENT, c->first_frame, "both ends use them");
    if (!c->tcp.handshake)
        return say(MECHANISM_CANT_TELL, 0, "the capture lacks the handshake");
    return say(MECHANISM_ABSENT, c->first_frame, "not both ends offer them");
}

enum value { VALUE_NONE, VALUE_TEXT, VALUE_SIZE };

struct feature {
    const char *name;
    enum value value;
    struct answer (*find)(const struct replay_connection *c, const struct verdict_frames *f,
                          const struct question_of *q);
};

static const struct feature FEATURES[] = {
    {"compression", VALUE_NONE, find_compression},
    {"negotiated compression", VALUE_NONE, find_negotiated},
    {"signing", VALUE_NONE, find_signing},
    {"encryption", VALUE_NONE, find_encryption},
    {"multichannel", VALUE_NONE, find_multichannel},
    {"dialect", VALUE_TEXT, find_dialect},
    {"read block", VALUE_SIZE, find_read_block},
    {"write block", VALUE_SIZE, find_write_block},
    {"several requests at once", VALUE_NONE, find_several},
    {"server-side copy", VALUE_NONE, find_server_copy},
    {"window scaling", VALUE_NONE, find_scaling},
    {"selective acknowledgements", VALUE_NONE, find_sack},
};

static bool fail(const char *required, GError **error, const char *format, const char *what)
{
    g_autofree char *why = g_strdup_printf(format, what);

    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "required_by_claim: \"%s\": %s", required,
                why);
    return false;
}

static const struct feature *feature_named(const char *required, const char *name, GError **error)
{
    const char *names[G_N_ELEMENTS(FEATURES) + 1] = {NULL};
    g_autofree char *known = NULL;
    const char *nearest;

    for (guint i = 0; i < G_N_ELEMENTS(FEATURES); i++) {
        if (g_ascii_strcasecmp(FEATURES[i].name, name) == 0)
            return &FEATURES[i];
        names[i] = FEATURES[i].name;
    }
    nearest = yaml_nearest(name, names);
    known = g_strjoinv(", ", (char **)names);
    if (nearest)
        fail(required, error, "did you mean \"%s\"?", nearest);
    else
        fail(required, error, "a capture can be asked for %s", known);
    return NULL;
}

struct wanted {
    const struct feature *feature;
    struct question_of question;
    bool off;
    char *name, *value;
};

static bool take_value(const char *required, struct wanted *w, GError **error)
{
    w->question.value = w->value;
    switch (w->feature->value) {
    case VALUE_NONE:
        w->off = w->value && g_ascii_strcasecmp(w->value, "off") == 0;
        return !w->value || w->off || g_ascii_strcasecmp(w->value, "on") == 0 ||
               fail(required, error, "%s is on or off", w->feature->name);
    case VALUE_SIZE:
        if (!w->value || !units_parse_size(w->value, &w->question.bytes, NULL))
            return fail(required, error, "%s needs a size, as in \"read block = 60 KiB\"", w->feature->name);
        return true;
    default:
        return w->value ||
               fail(required, error, "%s needs a value, as in \"dialect = 3.1.1\"", w->feature->name);
    }
}

static bool parse(const char *required, struct wanted *w, GError **error)
{
    const char *equals = strchr(required, '=');

    w->name = g_strstrip(equals ? g_strndup(required, (gsize)(equals - required)) : g_strdup(required));
    w->value = equals ? g_strstrip(g_strdup(equals + 1)) : NULL;
    w->feature = feature_named(required, w->name, error);
    return w->feature && take_value(required, w, error);
}

static struct answer ask(const struct wanted *w, const struct replay_connection *c,
                         const struct verdict_frames *f)
{
    struct answer a = w->feature->find(c, f, &w->question);

    if (w->off && a.is != MECHANISM_CANT_TELL)
        a.is = a.is == MECHANISM_PRESENT ? MECHANISM_ABSENT : MECHANISM_PRESENT;
    return a;
}

/* Presence beats doubt, and doubt beats absence. */
static int weight(enum mechanism_answer is)
{
    return is == MECHANISM_PRESENT ? 2 : is == MECHANISM_CANT_TELL ? 1 : 0;
}

static bool moved_data(const struct replay_connection *c)
{
    return c->bytes_read + c->bytes_written > 0;
}

bool verdict_mechanism_find(const struct verdict_capture *v, const char *path, const char *required,
                            struct claim_finding *found, GError **error)
{
    const GPtrArray *connections = v->replay->connections;
    bool data = moved_data(replay_main_connection(v->replay));
    struct wanted w = {.feature = NULL};
    struct answer best = {.is = MECHANISM_ABSENT};
    bool ok = parse(required, &w, error);

    for (guint i = 0; ok && i < connections->len; i++) {
        const struct replay_connection *c = g_ptr_array_index(connections, i);
        struct answer a;

        if (data && !moved_data(c))
            continue;
        a = ask(&w, c, verdict_capture_frames(v, c));
        if (!best.text || weight(a.is) > weight(best.is)) {
            g_free(best.text);
            best = a;
        } else {
            g_free(a.text);
        }
    }
    found->answer = (int)best.is;
    found->text = best.text;
    found->source =
        best.frame ? g_strdup_printf("%s, frame %" G_GUINT64_FORMAT, path, best.frame) : g_strdup(path);
    g_free(w.name);
    g_free(w.value);
    return ok;
}
