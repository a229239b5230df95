#include "replay/capture_facts.h"
#include "replay/link_type.h"
#include "replay/pcap_file.h"

#include <string.h>

static void interface_free(gpointer data)
{
    struct capture_interface *i = data;

    g_free(i->name);
    g_free(i);
}

void capture_facts_init(struct capture_facts *f)
{
    f->interfaces = g_ptr_array_new_with_free_func(interface_free);
    f->secrets = g_array_new(FALSE, FALSE, sizeof(struct pcapng_secrets));
    f->warnings = g_ptr_array_new_with_free_func(g_free);
}

void capture_facts_fini(struct capture_facts *f)
{
    g_clear_pointer(&f->interfaces, g_ptr_array_unref);
    g_clear_pointer(&f->secrets, g_array_unref);
    g_clear_pointer(&f->warnings, g_ptr_array_unref);
}

static struct capture_interface *known(const struct capture_facts *f, const struct capture_interface *fresh)
{
    for (guint i = 0; i < f->interfaces->len; i++) {
        struct capture_interface *old = g_ptr_array_index(f->interfaces, i);

        if (g_strcmp0(old->name, fresh->name) == 0 && strcmp(old->link_name, fresh->link_name) == 0)
            return old;
    }
    return NULL;
}

static void merge_drops(struct capture_interface *old, const struct capture_interface *fresh)
{
    if (fresh->dropped < 0)
        return;
    if (old->dropped < 0)
        old->dropped = fresh->dropped;
    else if (fresh->since != 0 && fresh->since == old->since) /* the later count includes the earlier */
        old->dropped = MAX(old->dropped, fresh->dropped);
    else
        old->dropped += MIN(fresh->dropped, INT64_MAX - old->dropped);
    old->since = fresh->since;
}

void capture_facts_interface(struct capture_facts *f, struct capture_interface fresh)
{
    struct capture_interface *old = known(f, &fresh);

    if (!old) {
        g_ptr_array_add(f->interfaces, g_memdup2(&fresh, sizeof fresh));
        return;
    }
    old->frames += fresh.frames;
    merge_drops(old, &fresh);
    g_free(fresh.name);
}

static void add_secrets(struct capture_facts *f, const struct pcapng_secrets *fresh)
{
    for (guint i = 0; i < f->secrets->len; i++) {
        struct pcapng_secrets *old = &g_array_index(f->secrets, struct pcapng_secrets, i);

        if (old->kind == fresh->kind) {
            old->blocks += fresh->blocks;
            return;
        }
    }
    g_array_append_val(f->secrets, *fresh);
}

void capture_facts_pcapng(struct capture_facts *f, const struct pcapng *p, const char *path)
{
    const GPtrArray *interfaces = pcapng_interfaces(p);
    const GArray *secrets = pcapng_secrets(p);

    for (guint i = 0; i < interfaces->len; i++) {
        const struct pcapng_interface *one = g_ptr_array_index(interfaces, i);
        const char *link_name = pcap_file_link_name(one->link_type);
        uint64_t dropped = MIN(MAX(one->dropped, one->missing), (uint64_t)INT64_MAX);

        capture_facts_interface(f, (struct capture_interface){
                                       .name = g_strdup(one->name),
                                       .link_name = link_name ? link_name : "unknown",
                                       .readable = link_type_of(one->link_type) != FRAME_LINK_UNSUPPORTED,
                                       .frames = one->frames,
                                       .dropped = one->counts_drops ? (int64_t)dropped : -1,
                                       .since = one->since,
                                   });
    }
    for (guint i = 0; i < secrets->len; i++)
        add_secrets(f, &g_array_index(secrets, struct pcapng_secrets, i));
    pcapng_warnings(p, path, f->warnings);
}

static void conclude_interface(struct capture_facts *f, const struct capture_interface *i)
{
    g_autofree char *of =
        i->name ? g_strdup_printf("interface %s: ", i->name) : g_strdup("an interface without a name: ");

    if (i->frames > 0 && !i->readable)
        g_ptr_array_add(f->warnings,
                        g_strdup_printf("%s%" G_GUINT64_FORMAT " frames of link type %s, which isn't read",
                                        of, i->frames, i->link_name));
    if (i->dropped > 0)
        g_ptr_array_add(f->warnings, g_strdup_printf("%sthe capturing machine lost %" G_GINT64_FORMAT
                                                     " frames: what looks like loss may be the capture's own",
                                                     of, i->dropped));
}

static void conclude_secrets(struct capture_facts *f)
{
    g_autoptr(GString) text = g_string_new("the capture holds decryption secrets (");

    for (guint i = 0; i < f->secrets->len; i++) {
        const struct pcapng_secrets *s = &g_array_index(f->secrets, struct pcapng_secrets, i);
        const char *name = pcapng_secrets_name(s->kind);

        g_string_append(text, i > 0 ? ", " : "");
        if (name)
            g_string_append(text, name);
        else
            g_string_append_printf(text, "kind 0x%08x", s->kind);
    }
    g_string_append(text, "), but such blocks have no kind for SMB: they decrypt nothing here");
    if (f->secrets->len > 0)
        g_ptr_array_add(f->warnings, g_string_free(g_steal_pointer(&text), FALSE));
}

void capture_facts_conclude(struct capture_facts *f)
{
    for (guint i = 0; i < f->interfaces->len; i++)
        conclude_interface(f, g_ptr_array_index(f->interfaces, i));
    conclude_secrets(f);
}

const char *capture_facts_link_name(const struct capture_facts *f)
{
    const char *shared = NULL;

    for (guint i = 0; i < f->interfaces->len; i++) {
        const struct capture_interface *one = g_ptr_array_index(f->interfaces, i);

        if (one->frames == 0)
            continue;
        if (shared && strcmp(shared, one->link_name) != 0)
            return "mixed";
        shared = one->link_name;
    }
    if (!shared && f->interfaces->len > 0)
        shared = ((const struct capture_interface *)g_ptr_array_index(f->interfaces, 0))->link_name;
    return shared ? shared : "unknown";
}
