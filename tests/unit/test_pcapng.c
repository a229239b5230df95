/* The pcapng reader on files built here. */
#include "replay/capture_set.h"
#include "tests/pcapng.h"

struct reading {
    char *path;
    struct capture_set *set;
    struct capture_facts const *facts;
    GArray *frames; /* of struct set_frame; their bytes are gone */
};

static void reading_init(struct reading *r, const GByteArray *bytes)
{
    g_autoptr(GError) error = NULL;
    struct set_frame f;

    r->path = temporary_file(bytes->data, bytes->len);
    r->frames = g_array_new(FALSE, FALSE, sizeof(struct set_frame));
    r->set = capture_set_open((const char *const[]){r->path, NULL}, &error);
    g_assert_no_error(error);
    while (capture_set_next(r->set, &f)) {
        /* What a view shows is there: a sanitizer sees if not. */
        uint8_t *copy = g_memdup2(f.bytes, f.captured);

        g_free(copy);
        g_assert_cmpuint(f.captured, <=, f.wire);
        g_array_append_val(r->frames, f);
    }
    r->facts = capture_set_facts(r->set);
}

static void reading_fini(struct reading *r)
{
    capture_set_close(r->set);
    g_array_unref(r->frames);
    g_unlink(r->path);
    g_free(r->path);
}

static const struct set_frame *frame(const struct reading *r, guint i)
{
    g_assert_cmpuint(i, <, r->frames->len);
    return &g_array_index(r->frames, struct set_frame, i);
}

static const struct capture_interface *interface(const struct reading *r, guint i)
{
    g_assert_cmpuint(i, <, r->facts->interfaces->len);
    return g_ptr_array_index(r->facts->interfaces, i);
}

static void check_warning(const struct reading *r, const char *wanted)
{
    for (guint i = 0; i < r->facts->warnings->len; i++) {
        if (strstr(g_ptr_array_index(r->facts->warnings, i), wanted))
            return;
    }
    g_error("no warning says \"%s\" (of %u)", wanted, r->facts->warnings->len);
}

static GByteArray *some_frame(unsigned length)
{
    GByteArray *b = g_byte_array_new();

    put_zeros(b, length);
    return b;
}

static struct pcapng_writer writer(GByteArray *bytes, bool big_endian)
{
    struct pcapng_writer w = {bytes, big_endian};

    ng_section(&w, big_endian, 1);
    return w;
}

static const struct interface_spec ETHERNET = {
    .link_type = LINKTYPE_ETHERNET, .name = "eth0", .resolution = -1};

/* ---- time ------------------------------------------------------------------------------------------------------- */

static void test_resolutions(void)
{
    static const struct {
        int resolution;
        int64_t offset_s;
        uint64_t ticks;
        int64_t ns;
    } CASES[] = {
        {-1, 0, 1700000000000001, 1700000000000001000}, /* absent: microseconds */
        {0, 0, 1700000000, 1700000000000000000},
        {3, 0, 1700000000001, 1700000000001000000},
        {9, 0, 1700000000000000001, 1700000000000000001},
        {12, 0, 1700000000123456789, 1700000000123456}, /* picoseconds */
        {28, 0, UINT64_MAX, 1},
        {29, 0, UINT64_MAX, 0},
        {127, 0, UINT64_MAX, 0},
        {0x80, 0, 1700000000, 1700000000000000000}, /* 2^0 */
        {0x80 | 1, 0, 3, 1500000000},
        {0x80 | 10, 0, 1024 * 7 + 1, 7000976562},
        {0x80 | 20, 0, (1 << 20) * 5 + 1, 5000000953},
        {0x80 | 32, 0, ((uint64_t)9 << 32) | 0x80000000, 9500000000},
        {0x80 | 34, 0, ((uint64_t)9 << 34) | 1, 9000000000},
        {0x80 | 34, 0, ((uint64_t)9 << 34) | 18, 9000000001},
        {0x80 | 63, 0, ((uint64_t)1 << 63) | ((uint64_t)1 << 62), 1500000000},
        {0x80 | 64, 0, (uint64_t)1 << 63, 500000000},
        {0x80 | 65, 0, (uint64_t)1 << 63, 250000000},
        {0x80 | 127, 0, UINT64_MAX, 0},
        {-1, -3600, 7200000000, 3600000000000},
        {-1, 3600, 1, 3600000001000},
        {-1, -3600, 1, -3599999999000}, /* before 1970 */
        {6, 0, UINT64_MAX, INT64_MAX},
        {0, 0, UINT64_MAX, INT64_MAX},
        {0x80, 0, UINT64_MAX, INT64_MAX},
        {6, INT64_MAX, 5, INT64_MAX},
        {6, INT64_MIN, 5, INT64_MIN},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(CASES); i++) {
        struct pcapng_decoding d = {.exponent = 6, .offset_s = CASES[i].offset_s};

        if (CASES[i].resolution >= 0) {
            d.binary = (CASES[i].resolution & 0x80) != 0;
            d.exponent = CASES[i].resolution & 0x7f;
        }
        g_assert_cmpint(pcapng_time_ns(&d, CASES[i].ticks), ==, CASES[i].ns);
    }
}

/* The same wall clock, told by four interfaces with units and offsets of their own. */
static void test_interfaces(void)
{
    static const struct interface_spec SPECS[] = {{1, 262144, "us", -1, 0},
                                                  {1, 65535, "ns", 9, 0},
                                                  {101, 0, "binary", 0x80 | 30, 0},
                                                  {1, UINT32_MAX, "late", 6, -3600}};
    const uint64_t seconds = 1700000000;
    const uint64_t ticks[] = {seconds * 1000000 + 500000, seconds * 1000000000 + 500000000,
                              (seconds << 30) | 1 << 29, (seconds + 3600) * 1000000 + 500000};

    for (int big = 0; big <= 1; big++) {
        g_autoptr(GByteArray) bytes = g_byte_array_new();
        g_autoptr(GByteArray) f = some_frame(60);
        struct pcapng_writer w = writer(bytes, big);
        struct reading r;

        for (size_t i = 0; i < G_N_ELEMENTS(SPECS); i++)
            ng_interface(&w, &SPECS[i]);
        for (uint32_t i = 0; i < G_N_ELEMENTS(SPECS); i++)
            ng_packet(&w, i, ticks[i], f, 40 + i, 0);
        reading_init(&r, bytes);
        g_assert_cmpuint(r.frames->len, ==, 4);
        for (guint i = 0; i < 4; i++) {
            g_assert_cmpint(frame(&r, i)->time_ns, ==, 0);
            g_assert_cmpuint(frame(&r, i)->captured, ==, 40 + i);
            g_assert_cmpuint(frame(&r, i)->wire, ==, 60);
            g_assert_cmpint(frame(&r, i)->link, ==, i == 2 ? FRAME_LINK_RAW : FRAME_LINK_ETHERNET);
            g_assert_cmpstr(interface(&r, i)->name, ==, SPECS[i].name);
            g_assert_cmpuint(interface(&r, i)->frames, ==, 1);
            g_assert_cmpint(interface(&r, i)->dropped, ==, -1);
        }
        g_assert_cmpint(capture_set_start_unix_ns(r.set), ==, (int64_t)seconds * 1000000000 + 500000000);
        g_assert_cmpuint(r.facts->warnings->len, ==, 0);
        g_assert_cmpstr(capture_facts_link_name(r.facts), ==, "mixed");
        reading_fini(&r);
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------- */

/* Each section has its own byte order and its own interface 0. */
static void test_sections(void)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_autoptr(GByteArray) f = some_frame(61);
    struct pcapng_writer w = writer(bytes, false);
    struct interface_spec raw = {.link_type = LINKTYPE_RAW, .name = "tun0", .resolution = 9};
    struct reading r;

    ng_interface(&w, &ETHERNET);
    ng_packet(&w, 0, 1000, f, 0, 0);
    ng_section(&w, true, 1);
    ng_packet(&w, 0, 1000, f, 0, 0); /* not described yet */
    ng_interface(&w, &raw);
    ng_packet(&w, 0, 2000000, f, 0, 0);
    ng_section(&w, false, 2); /* of a version to come */
    ng_packet(&w, 0, 1000, f, 0, 0);
    ng_section(&w, false, 1);
    ng_interface(&w, &ETHERNET);
    ng_packet(&w, 0, 3000, f, 0, 0);
    reading_init(&r, bytes);
    g_assert_cmpuint(r.frames->len, ==, 4);
    g_assert_cmpint(frame(&r, 1)->link, ==, FRAME_LINK_UNSUPPORTED);
    g_assert_cmpint(frame(&r, 1)->time_ns, ==, 0);
    g_assert_cmpint(frame(&r, 2)->link, ==, FRAME_LINK_RAW);
    g_assert_cmpint(frame(&r, 2)->time_ns, ==, 1000000);
    g_assert_cmpint(frame(&r, 3)->time_ns, ==, 2000000);
    g_assert_cmpuint(r.facts->interfaces->len, ==, 2);
    g_assert_cmpuint(interface(&r, 0)->frames, ==, 2);
    g_assert_cmpuint(r.facts->warnings->len, ==, 2);
    check_warning(&r, "1 frame names an interface that the file doesn't describe");
    check_warning(&r, "1 section is of another version");
    reading_fini(&r);
}

/* Some writers call the format 1.2. */
static void test_versions(void)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_autoptr(GByteArray) f = some_frame(60);
    struct pcapng_writer w = writer(bytes, false);
    struct reading r;

    bytes->data[14] = 2;
    ng_interface(&w, &ETHERNET);
    ng_packet(&w, 0, 1, f, 0, 0);
    reading_init(&r, bytes);
    g_assert_cmpuint(r.frames->len, ==, 1);
    g_assert_cmpuint(r.facts->warnings->len, ==, 0);
    reading_fini(&r);
}

static void test_other_blocks(void)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_autoptr(GByteArray) f = some_frame(100);
    struct pcapng_writer w = writer(bytes, true);
    struct interface_spec cut = ETHERNET;
    struct reading r;

    cut.snap_length = 64;
    ng_interface(&w, &cut);
    ng_other(&w, 4, "name resolution");
    ng_other(&w, 0x0bad, "a custom block");
    ng_other(&w, 0x40000bad, "nobody's block");
    ng_packet(&w, 0, 5000, f, 0, 1);
    ng_packet(&w, 0, 5001, f, 0, 2);
    ng_packet(&w, 0, 5002, f, 0, 3);
    ng_old_packet(&w, 0, 3, 6000, f);
    ng_old_packet(&w, 0, 0xffff, 6001, f); /* not known */
    ng_simple_packet(&w, f, 64);
    ng_secrets(&w, 0x544c534b, "CLIENT_RANDOM 00 00");
    ng_secrets(&w, 0x544c534b, "CLIENT_RANDOM 01 01");
    ng_secrets(&w, 0x53414d42, "something");
    ng_packet(&w, 7, 9999, f, 0, 0);
    reading_init(&r, bytes);
    g_assert_cmpuint(r.frames->len, ==, 7);
    g_assert_cmpint(frame(&r, 0)->heading, ==, FRAME_INBOUND);
    g_assert_cmpint(frame(&r, 1)->heading, ==, FRAME_OUTBOUND);
    g_assert_cmpint(frame(&r, 2)->heading, ==, FRAME_ANYWHERE);
    g_assert_cmpint(frame(&r, 3)->time_ns, ==, 1000000);
    g_assert_cmpuint(frame(&r, 5)->captured, ==, 64);
    g_assert_cmpuint(frame(&r, 5)->wire, ==, 100);
    g_assert_cmpint(frame(&r, 5)->time_ns, ==, 1001000); /* no time of its own */
    g_assert_cmpint(frame(&r, 6)->link, ==, FRAME_LINK_UNSUPPORTED);
    g_assert_cmpuint(interface(&r, 0)->frames, ==, 6);
    g_assert_cmpuint(r.facts->secrets->len, ==, 2);
    g_assert_cmpuint(g_array_index(r.facts->secrets, struct pcapng_secrets, 0).blocks, ==, 2);
    check_warning(&r, "decryption secrets (TLS keys, kind 0x53414d42)");
    check_warning(&r, "1 frame carries no time");
    check_warning(&r, "1 frame names an interface");
    reading_fini(&r);
}

/* Counts run on from block to block and from piece to piece of a ring buffer, and start again in another capture. */
static void test_drops(void)
{
    static const struct interface_spec RADIO = {.link_type = 105, .name = "wlan\x1b[0m", .resolution = -1};
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_autoptr(GByteArray) f = some_frame(100);
    struct pcapng_writer w = writer(bytes, false);
    struct reading r;

    ng_interface(&w, &ETHERNET);
    ng_interface(&w, &RADIO);
    ng_packet(&w, 1, 0, f, 0, 0);
    ng_statistics(&w, 0, 77, 5);
    ng_statistics(&w, 0, 77, 9);
    ng_statistics(&w, 1, 0, 0);
    ng_statistics(&w, 2, 0, 1000); /* of no interface */
    ng_section(&w, true, 1);
    ng_interface(&w, &ETHERNET);
    ng_statistics(&w, 0, 77, 12);
    ng_section(&w, false, 1);
    ng_interface(&w, &ETHERNET);
    ng_statistics(&w, 0, 99, 100);
    reading_init(&r, bytes);
    g_assert_cmpint(interface(&r, 0)->dropped, ==, 112);
    g_assert_cmpint(interface(&r, 1)->dropped, ==, 0);
    check_warning(&r, "interface eth0: the capturing machine lost 112 frames");
    check_warning(&r, "interface wlan?[0m: 1 frames of link type IEEE802_11, which isn't read");
    check_warning(&r, "1 block says impossible things");
    reading_fini(&r);
}

/* ---- damage ------------------------------------------------------------------------------------------------------- */

/* Whatever byte the file ends at, the frames that are whole are there, and a warning says that it was cut. */
static void test_cut(void)
{
    for (int big = 0; big <= 1; big++) {
        g_autoptr(GByteArray) bytes = g_byte_array_new();
        g_autoptr(GByteArray) f = some_frame(61);
        struct pcapng_writer w = writer(bytes, big);
        guint ends[6];

        ng_interface(&w, &ETHERNET);
        ends[0] = bytes->len;
        for (guint i = 1; i < G_N_ELEMENTS(ends); i++) {
            ng_packet(&w, 0, i, f, 0, 0);
            ends[i] = bytes->len;
        }
        for (guint length = 28; length <= bytes->len; length++) {
            g_autoptr(GByteArray) cut = g_byte_array_new();
            struct reading r;
            guint whole = 0;

            while (whole + 1 < G_N_ELEMENTS(ends) && ends[whole + 1] <= length)
                whole++;
            g_byte_array_append(cut, bytes->data, length);
            reading_init(&r, cut);
            g_assert_cmpuint(r.frames->len, ==, whole);
            g_assert_cmpuint(r.facts->warnings->len, ==, length == 28 || ends[whole] == length ? 0 : 1);
            reading_fini(&r);
        }
    }
}

/* A length that can't be costs its own block and no other. */
static void test_bad_lengths(void)
{
    static const uint32_t LENGTHS[] = {0, 4, 11, 13, 33, 0x1000, 0x7fffffff, 0xfffffffc, 0x00fffffc};

    for (size_t i = 0; i < G_N_ELEMENTS(LENGTHS); i++) {
        for (int trailer = 0; trailer <= 1; trailer++) {
            g_autoptr(GByteArray) bytes = g_byte_array_new();
            g_autoptr(GByteArray) f = some_frame(60);
            struct pcapng_writer w = writer(bytes, false);
            struct reading r;
            guint at;

            ng_interface(&w, &ETHERNET);
            ng_packet(&w, 0, 1, f, 0, 0);
            at = bytes->len;
            ng_packet(&w, 0, 2, f, 0, 0);
            at = trailer ? bytes->len - 4 : at + 4;
            for (int k = 0; k < 4; k++)
                bytes->data[at + (guint)k] = (uint8_t)(LENGTHS[i] >> (8 * k));
            for (unsigned more = 0; more < 20; more++)
                ng_packet(&w, 0, 3 + more, f, 0, 0);
            reading_init(&r, bytes);
            g_assert_cmpuint(r.frames->len, ==, 21);
            g_assert_cmpuint(r.facts->warnings->len, ==, 1);
            check_warning(&r, "1 place is damaged");
            reading_fini(&r);
        }
    }
}

/* Frames that claim more bytes than their block has, and one of a size that only the wire can have had. */
static void test_wild_frames(void)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_autoptr(GByteArray) f = some_frame(60);
    g_autoptr(GByteArray) large = some_frame(3000000);
    struct pcapng_writer w = writer(bytes, false);
    struct reading r;
    guint at;

    ng_interface(&w, &ETHERNET);
    at = bytes->len;
    ng_packet(&w, 0, 1, f, 0, 0);
    memset(bytes->data + at + 20, 0xff, 4); /* captured */
    ng_packet(&w, 0, 2, f, 0, 0);
    at = bytes->len;
    ng_packet(&w, 0, 3, f, 0, 0);
    memset(bytes->data + at + 24, 0, 4); /* 0 bytes on the wire, 60 captured */
    ng_packet(&w, 0, 4, large, 0, 0);    /* greater than the window */
    ng_packet(&w, 0, 5, f, 0, 0);
    reading_init(&r, bytes);
    g_assert_cmpuint(r.frames->len, ==, 4);
    g_assert_cmpuint(frame(&r, 1)->wire, ==, 60);
    g_assert_cmpuint(frame(&r, 2)->captured, ==, 3000000);
    g_assert_cmpint(frame(&r, 3)->time_ns, ==, 3000);
    check_warning(&r, "1 block says impossible things");
    reading_fini(&r);
}

/* A file cut anywhere with another behind it, as cat makes of the pieces of a capture. */
static void test_cut_in_the_middle(void)
{
    g_autoptr(GByteArray) one = g_byte_array_new();
    g_autoptr(GByteArray) f = some_frame(60);
    struct pcapng_writer w = writer(one, true);

    ng_interface(&w, &ETHERNET);
    ng_packet(&w, 0, 1, f, 0, 0);
    for (guint left = 0; left < 40; left++) {
        g_autoptr(GByteArray) both = g_byte_array_new();
        struct reading r;

        g_byte_array_append(both, one->data, one->len - left);
        put_array(both, one);
        reading_init(&r, both);
        g_assert_cmpuint(r.frames->len, ==, left == 0 ? 2 : 1);
        reading_fini(&r);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pcapng/resolutions", test_resolutions);
    g_test_add_func("/pcapng/interfaces", test_interfaces);
    g_test_add_func("/pcapng/sections", test_sections);
    g_test_add_func("/pcapng/versions", test_versions);
    g_test_add_func("/pcapng/other-blocks", test_other_blocks);
    g_test_add_func("/pcapng/drops", test_drops);
    g_test_add_func("/pcapng/cut", test_cut);
    g_test_add_func("/pcapng/bad-lengths", test_bad_lengths);
    g_test_add_func("/pcapng/wild-frames", test_wild_frames);
    g_test_add_func("/pcapng/cut-in-the-middle", test_cut_in_the_middle);
    return g_test_run();
}
