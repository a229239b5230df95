/* Compressed copies of bytes, for tests. Header only; each test program includes it once. */
#ifndef TESTS_COMPRESS_H
#define TESTS_COMPRESS_H

#include <glib.h>
#include <zlib.h>
#include <zstd.h>

/* Returns owned: one gzip member. */
G_GNUC_UNUSED static inline GByteArray *compress_gzip(const GByteArray *plain)
{
    GByteArray *b = g_byte_array_new();
    z_stream z = {.next_in = plain->data, .avail_in = plain->len};

    g_assert_cmpint(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), ==, Z_OK);
    g_byte_array_set_size(b, plain->len + 1000);
    z.next_out = b->data;
    z.avail_out = b->len;
    g_assert_cmpint(deflate(&z, Z_FINISH), ==, Z_STREAM_END);
    g_byte_array_set_size(b, (guint)z.total_out);
    deflateEnd(&z);
    return b;
}

/* Returns owned: one zstd frame, with a checksum as the zstd program writes it. */
G_GNUC_UNUSED static inline GByteArray *compress_zstd(const GByteArray *plain)
{
    GByteArray *b = g_byte_array_new();
    ZSTD_CCtx *context = ZSTD_createCCtx();
    size_t size;

    g_assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)));
    g_byte_array_set_size(b, (guint)ZSTD_compressBound(plain->len));
    size = ZSTD_compress2(context, b->data, b->len, plain->data, plain->len);
    g_assert_false(ZSTD_isError(size));
    g_byte_array_set_size(b, (guint)size);
    ZSTD_freeCCtx(context);
    return b;
}

#endif
