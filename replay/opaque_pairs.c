#include "replay/opaque_pairs.h"
#include "replay/smb2_encryption.h"

/* A header, and the 8 bytes of an error response with the one that stands for its empty data ([MS-SMB2] 2.2.2). */
enum { ERROR_BYTES = SMB2_ENCRYPTION_HEADER + 64 + 9, TIDY_FROM = 1024 };

void opaque_pairs_init(struct opaque_pairs *p)
{
    *p = (struct opaque_pairs){.waiting = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                               .held = g_array_new(FALSE, FALSE, sizeof(struct nbss_message))};
}

void opaque_pairs_fini(struct opaque_pairs *p)
{
    g_clear_pointer(&p->waiting, g_array_unref);
    g_clear_pointer(&p->held, g_array_unref);
}

void opaque_pairs_clear(struct opaque_pairs *p)
{
    g_array_set_size(p->waiting, 0);
    g_array_set_size(p->held, 0);
    p->head = 0;
    p->short_last = false;
}

static guint count(const struct opaque_pairs *p)
{
    return p->waiting->len - p->head;
}

static uint32_t pop(struct opaque_pairs *p)
{
    uint32_t request = g_array_index(p->waiting, uint32_t, p->head++);

    if (p->head == p->waiting->len) {
        g_array_set_size(p->waiting, 0);
        p->head = 0;
    } else if (p->head >= TIDY_FROM && p->head * 2 >= p->waiting->len) {
        g_array_remove_range(p->waiting, 0, p->head);
        p->head = 0;
    }
    return request;
}

void opaque_pairs_request(struct opaque_pairs *p, uint32_t request)
{
    g_array_append_val(p->waiting, request);
    p->short_last = false;
}

enum opaque_response opaque_pairs_response(struct opaque_pairs *p, const struct nbss_message *response,
                                           uint32_t *request)
{
    bool is_short = response->length == ERROR_BYTES;

    if (!count(p)) {
        p->unasked_bytes += response->length;
        return OPAQUE_UNASKED;
    }
    p->short_last = is_short;
    if (is_short && p->held->len < count(p)) {
        g_array_append_vals(p->held, response, 1);
        return OPAQUE_HELD;
    }
    *request = pop(p);
    if (!p->held->len)
        return OPAQUE_ANSWER;
    g_array_remove_index(p->held, 0);
    return OPAQUE_ANSWER_AFTER_INTERIM;
}

bool opaque_pairs_settle(struct opaque_pairs *p, bool end, uint32_t *request, struct nbss_message *response)
{
    bool all_held = p->short_last && p->held->len == count(p);

    if (!p->held->len || (!end && !all_held))
        return false;
    *request = pop(p);
    *response = g_array_index(p->held, struct nbss_message, 0);
    g_array_remove_index(p->held, 0);
    return true;
}
