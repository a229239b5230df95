#include "replay/rdc_filter.h"

/* [MS-RDC] 3.1.5.1.1: the constants of H3, one for each value of a byte. */
static const uint32_t H3_TABLE[256] = {
    0x5e3f7c48, 0x796a0d2b, 0xbecd4e32, 0x6f16159c, 0x687312bc, 0x12a6f30a, 0x8fca2662, 0x79b83d14,
    0x3fab3f30, 0x984d6ca2, 0x4df5fe6c, 0x4acd3196, 0x6245ad21, 0x3a15e5ba, 0x90db6499, 0x05aacb6b,
    0x791cf724, 0x504cd910, 0x98093570, 0x090392df, 0xf193e5b8, 0x42023c5b, 0x80a95c6a, 0x11e676be,
    0xc70f2117, 0xeed4587f, 0x6479e9bd, 0x1b0c427c, 0x410486ba, 0x30f5b837, 0xf957d307, 0x1535f121,
    0xabe45e90, 0x7a1ab8f0, 0x1c6887e4, 0x4170b7ba, 0x8b491bed, 0x5c920e73, 0x1b1ed791, 0x7a0ed482,
    0xcce86619, 0x45dc7290, 0x57e71362, 0x2e24f01c, 0x0a0637f3, 0x0e8c5565, 0x15944012, 0x34f7eeea,
    0xbc628141, 0x1e200874, 0xe9244379, 0x3e63aeca, 0x7a3b3cce, 0x73f8a245, 0xd734e215, 0x834fa434,
    0xf96a0904, 0xfb39a424, 0x0bfa963a, 0x9b236ee2, 0xa2131005, 0x3eb70acf, 0x2907bcd8, 0x3f685f3a,
    0x3765fd37, 0x1c1c34d2, 0x03a95179, 0x024be6c3, 0x06128960, 0x844e7490, 0xe2b371a3, 0x3382909c,
    0x3d519a77, 0x90971ec9, 0x6ea745e5, 0x490b3a5c, 0x7f3916f7, 0xbc150351, 0x241a7ba0, 0xec93c2bb,
    0x6c7083aa, 0xf3937751, 0xe6aa1df1, 0x129fc001, 0xb90709b9, 0x7e59a4fc, 0x4509e58a, 0x8a93ed43,
    0x6934ce62, 0x8ec6af1a, 0xf36581a9, 0x53d01d93, 0xb34eef69, 0x08494a84, 0x0f6dff34, 0x74729aa3,
    0x48b5475f, 0xb986dc84, 0xd0424c8d, 0xb72ad089, 0x0adbbdb8, 0x824fdbe8, 0x99ad1058, 0x98faec38,
    0xe746242b, 0x2b7ee7fc, 0x2e151fa7, 0x6413270f, 0x68ed7239, 0x7729e2d3, 0x5697b3a5, 0x0b90a6c3,
    0xdf7cefcf, 0xded46a48, 0x46956888, 0xb3bb6dc4, 0xe987578f, 0xf82e74b7, 0xc8eeeba4, 0xdd960ff9,
    0x482ed28d, 0x4f343078, 0x563ab8a4, 0x3ec7aa0d, 0x2481d448, 0x5fe98704, 0x5aafc580, 0x841d81ec,
    0xae7fe8fd, 0x6b31ccb6, 0x911ebdd4, 0x75f4703d, 0xe6855a0f, 0x6184b42e, 0x147a4a95, 0x39528e48,
    0xe975b416, 0x3cba13d3, 0x1e23e544, 0xf7955286, 0xa5f96b7f, 0xaaa697aa, 0x29e794e3, 0x87628c09,
    0xfeebf5f1, 0xf8b070cd, 0xe361b627, 0x8c7a8682, 0x69cab331, 0xca867ad1, 0xd0151a96, 0xfc19a6b9,
    0x6d7439e7, 0x64cd62ac, 0x4a650747, 0x9ddbfa28, 0x337c8bed, 0xf12a6860, 0x3767ffd3, 0x13559ced,
    0x71ac2011, 0xc11dc687, 0x260b7105, 0xc13bca0c, 0xcd0af893, 0x793b54e6, 0x89d27fc3, 0xc6bd1c88,
    0xe3337313, 0x387bc671, 0x61280de4, 0x76941a36, 0xaa52a2b9, 0x6d7cb52c, 0x18ff4d70, 0x8987cf38,
    0x306e47ed, 0xf7df8135, 0x18a8e024, 0xc9eb085f, 0xc1a7c769, 0xd5667a12, 0x9c8be93a, 0x028781b1,
    0x6213dada, 0x07fef4f5, 0x5e6bf91d, 0x469ea798, 0xb9654a37, 0x1cb5e74e, 0x525d502d, 0xe805ec68,
    0xdd8c4320, 0x7890848f, 0x61e59c8e, 0x1d99f9ef, 0x25b60b20, 0x2f198088, 0xe01b6926, 0xffa4917f,
    0xb2fa0f22, 0xee8ac924, 0x18a1c5a7, 0xb76d8d7f, 0x88ad5e0d, 0x7b3fb12b, 0xc8a91add, 0x762a6f4e,
    0x056fad31, 0xebecfab8, 0xea54cd17, 0x71f5af9f, 0xfaececa1, 0x08a52f4d, 0xbb5efebe, 0x5bcb04c2,
    0xcb2530b0, 0x01bb862b, 0xbb5d54f0, 0x404deb4b, 0x038658bd, 0x09399005, 0xddd862c8, 0x8985776f,
    0xcfcfd717, 0xbec756cb, 0x52aecc5a, 0x09ac3f62, 0x62c1c6fb, 0x76cc3221, 0xcde6d028, 0x844d9291,
    0xc143eeac, 0x0ea5e772, 0x8855456e, 0xeb03a426, 0x3398475d, 0x73dc8107, 0x681605d0, 0xd18b6264,
    0x934e43eb, 0x59e76d21, 0xd3ce2b77, 0x4ccfee1c, 0x2f4af76d, 0x8b12a309, 0x849bb415, 0xf45ad809,
    0xc7bccae7, 0xac891c35, 0x59db2274, 0xbcd71393, 0x2c9b1705, 0xcb536a69, 0xb2800f00, 0x111313fc};

const struct rdc_filter RDC_FILTER_FILES = {48, 1024}, RDC_FILTER_SIGNATURES = {2, 128};

/* window times shift is a multiple of 32, so that a byte's constant is where it was put when it leaves the window. */
static unsigned shift_of(uint32_t window)
{
    unsigned shift = 1;

    for (uint32_t i = 32; i > 0 && window % i != 0; i /= 2)
        shift *= 2;
    return shift % 32;
}

/* Hashes of bytes from `from` to `to`, `hash` being the byte's before. */
static uint32_t hash_on(uint32_t window, uint32_t hash, const uint8_t *data, size_t from, size_t to,
                        uint32_t *hashes)
{
    unsigned shift = shift_of(window);

    for (size_t i = from; i < to; i++) {
        hash ^= H3_TABLE[i >= window ? data[i - window] : 0] ^ H3_TABLE[data[i]];
        if (shift > 0)
            hash = hash << shift | hash >> (32 - shift);
        hashes[i - from] = hash;
    }
    return hash;
}

void rdc_filter_hash(uint32_t window, const uint8_t *data, size_t length, uint32_t *hashes)
{
    hash_on(window, 0, data, 0, length, hashes);
}

/* A stretch of the file, as long as the horizon: at most one byte of it is larger than all within the horizon, its largest. */
struct stretch {
    uint32_t *hashes;    /* once the stretch is behind: the largest from each byte to the stretch's end */
    size_t start, count; /* bytes */
};

struct search {
    struct rdc_filter f;
    GArray *cuts;
};

static uint64_t last_cut(const struct search *s)
{
    return g_array_index(s->cuts, uint64_t, s->cuts->len - 1);
}

/* Cuts that the length of chunks asks for, up to the next beginning or the end. */
static void cut_long_chunks(struct search *s, uint64_t up_to)
{
    while (up_to - last_cut(s) > RDC_CHUNK_MOST) {
        uint64_t at = last_cut(s) + RDC_CHUNK_MOST;

        g_array_append_val(s->cuts, at);
    }
}

static void cut(struct search *s, uint64_t at)
{
    cut_long_chunks(s, at);
    g_array_append_val(s->cuts, at);
}

static uint32_t largest(const uint32_t *hashes, size_t count)
{
    uint32_t most = 0;

    for (size_t i = 0; i < count; i++)
        most = MAX(most, hashes[i]);
    return most;
}

/* The place of the largest hash, or `count` where it stands twice. */
static size_t only_largest(const struct stretch *s)
{
    uint32_t most = largest(s->hashes, s->count);
    size_t at = s->count, times = 0;

    for (size_t i = 0; i < s->count; i++) {
        if (s->hashes[i] == most) {
            at = i;
            times++;
        }
    }
    return times == 1 ? at : s->count;
}

/* Cuts at the stretch's largest hash if it is larger than all within the horizon in the stretches before and behind as well. */
static void look(struct search *s, const struct stretch *before, const struct stretch *here,
                 const struct stretch *behind)
{
    size_t at = only_largest(here);

    if (at >= here->count || here->start + at <= s->f.horizon)
        return;
    if (before->hashes[at] >= here->hashes[at] ||
        (behind->count > 0 && largest(behind->hashes, MIN(at + 1, behind->count)) >= here->hashes[at]))
        return;
    cut(s, here->start + at);
}

static void put_behind(struct stretch *s)
{
    for (size_t i = s->count; i-- > 1;)
        s->hashes[i - 1] = MAX(s->hashes[i - 1], s->hashes[i]);
}

GArray *rdc_filter_cuts(const struct rdc_filter *f, const uint8_t *data, size_t length)
{
    struct search s = {*f, g_array_new(FALSE, FALSE, sizeof(uint64_t))};
    struct stretch stretches[3] = {0}, *before = &stretches[0], *here = &stretches[1],
                   *behind = &stretches[2];
    uint64_t first = 0;
    uint32_t hash = 0;

    if (length == 0)
        return s.cuts;
    g_array_append_val(s.cuts, first);
    for (int i = 0; i < 3; i++)
        stretches[i].hashes = g_new(uint32_t, f->horizon);
    for (size_t start = 0; here->count > 0 || start < length; start += here->count) {
        struct stretch *free_now = before;

        *behind = (struct stretch){behind->hashes, start, MIN(f->horizon, length - start)};
        hash = hash_on(f->window, hash, data, start, start + behind->count, behind->hashes);
        look(&s, before, here, behind);
        put_behind(here);
        before = here;
        here = behind;
        behind = free_now;
    }
    for (int i = 0; i < 3; i++)
        g_free(stretches[i].hashes);
    cut_long_chunks(&s, length);
    return s.cuts;
}
