#include "replay/sim_stream.h"

static struct sim_stream_message *message(const struct sim_stream *s, size_t i)
{
    return ring_at(&s->messages, i);
}

void sim_stream_init(struct sim_stream *s)
{
    ring_init(&s->messages, sizeof(struct sim_stream_message));
    s->acked = 0;
}

void sim_stream_fini(struct sim_stream *s)
{
    for (size_t i = 0; i < s->messages.count; i++)
        encoded_clear(&message(s, i)->encoded);
    ring_fini(&s->messages);
}

void sim_stream_push(struct sim_stream *s, uint64_t start, const struct encoded *m)
{
    *(struct sim_stream_message *)ring_push(&s->messages) = (struct sim_stream_message){
        .start = start,
        .end = start + encoded_bytes(m),
        .encoded = *m,
    };
}

/* The first message that ends after `offset`. */
static size_t find(const struct sim_stream *s, uint64_t offset)
{
    size_t low = 0, high = s->messages.count;

    while (low < high) {
        size_t mid = (low + high) / 2;

        if (message(s, mid)->end > offset)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

bool sim_stream_copy(const struct sim_stream *s, uint64_t from, uint8_t *to, uint32_t count)
{
    uint64_t end = from + count, message_end = 0;

    for (size_t i = find(s, from); from < end; i++) {
        const struct sim_stream_message *m;
        uint32_t n;

        g_assert(i < s->messages.count);
        m = message(s, i);
        message_end = m->end;
        g_assert(m->start <= from);
        n = (uint32_t)(MIN(end, m->end) - from);
        encoded_copy(&m->encoded, (uint32_t)(from - m->start), to, n);
        to += n;
        from += n;
    }
    return message_end == end;
}

void sim_stream_acked(struct sim_stream *s, uint64_t ack, int64_t now_ns)
{
    while (s->acked < s->messages.count && message(s, s->acked)->end <= ack)
        message(s, s->acked++)->acked_ns = now_ns;
}

void sim_stream_forget(struct sim_stream *s, int64_t sent_ns)
{
    while (s->acked && message(s, 0)->acked_ns < sent_ns) {
        encoded_clear(&message(s, 0)->encoded);
        ring_pop(&s->messages);
        s->acked--;
    }
}
