/* Messages made for exchanges of every length, as the program's own decoders see them. */
#include "replay/encode.h"
#include "replay/encode_parts.h"
#include "replay/smb1.h"
#include "replay/smb2.h"
#include "base/error.h"

#include <glib.h>

static const enum encode_dialect DIALECTS[] = {ENCODE_SMB1,    ENCODE_SMB_2_0_2, ENCODE_SMB_2_1,
                                               ENCODE_SMB_3_0, ENCODE_SMB_3_0_2, ENCODE_SMB_3_1_1};

static int64_t file_size(void *self, uint32_t file)
{
    (void)self;
    return 1000 + file;
}

static struct encoder *new_encoder(enum encode_dialect dialect)
{
    struct encode_setup setup = {
        .dialect = dialect, .session_legs = 2, .credits = 512, .credit_step = 64, .file_size = file_size};

    return encoder_new(&setup);
}

/* The whole message in a heap block of just its size. Returns owned. */
static uint8_t *bytes_of(const struct encoded *m)
{
    uint8_t *bytes = g_malloc(encoded_bytes(m));

    encoded_copy(m, 0, bytes, encoded_bytes(m));
    return bytes;
}

static struct smb_element decode(const struct encoded *m)
{
    g_autofree uint8_t *bytes = bytes_of(m);
    uint32_t length = encoded_bytes(m) - 4;
    struct smb_element e;
    enum smb_outcome outcome;

    g_assert_cmpuint(bytes[0], ==, 0);
    g_assert_cmpuint((uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3], ==, length);
    outcome =
        bytes[4] == 0xff ? smb1_decode(bytes + 4, length, &e) : smb2_decode(bytes + 4, length, length, &e);
    g_assert_cmpint(outcome, ==, SMB_OK);
    g_assert_cmpuint(e.next, ==, 0);
    return e;
}

/* A request and its response: the right lengths, equal ids, the data that the exchange has. Returns the response. */
static struct smb_element exchange_both(struct encoder *e, uint64_t index, const struct exchange *x)
{
    struct encoded request, response;
    struct smb_element asked, answered;
    g_autoptr(GError) error = NULL;

    if (!encoder_request(e, index, x, &request, &error) || !encoder_response(e, index, x, &response, &error))
        g_error("%s", error->message);
    g_assert_cmpuint(encoded_bytes(&request), ==, x->request_bytes);
    g_assert_cmpuint(encoded_bytes(&response), ==, x->response_bytes);
    asked = decode(&request);
    answered = decode(&response);
    g_assert_false(asked.response);
    g_assert_true(answered.response);
    g_assert_cmpuint(asked.command, ==, x->command);
    if (asked.command == answered.command)
        g_assert_cmpuint(asked.id, ==, answered.id);
    g_assert_cmpuint(asked.data_bytes + answered.data_bytes, ==, x->data_bytes);
    encoded_clear(&request);
    encoded_clear(&response);
    return answered;
}

/* The least request that is accepted with a long answer, or 0: the command isn't encoded. */
static uint32_t least_request(uint16_t command)
{
    for (uint32_t bytes = 1; bytes < 400; bytes++) {
        struct exchange x = {.request_bytes = bytes, .response_bytes = 2000, .command = command};

        if (encode_check(&x, NULL))
            return bytes;
    }
    return 0;
}

static uint32_t least_response(uint16_t command)
{
    struct exchange x = {.request_bytes = 2000, .command = command};

    while (x.response_bytes++ < 400) {
        if (encode_check(&x, NULL))
            return x.response_bytes;
    }
    return 0;
}

static unsigned check_command(struct encoder *e, uint16_t command, uint64_t *index)
{
    uint32_t request = least_request(command), response = least_response(command);

    if (!request)
        return 0;
    for (uint32_t more = 0; more < 300; more++) {
        struct exchange x = {.request_bytes = request + more,
                             .response_bytes = response + more * 7 % 300,
                             .command = command,
                             .file = more};

        exchange_both(e, (*index)++, &x);
    }
    return 1;
}

static void test_every_length(void)
{
    for (size_t d = 0; d < G_N_ELEMENTS(DIALECTS); d++) {
        struct encoder *e = new_encoder(DIALECTS[d]);
        unsigned protocol = DIALECTS[d] == ENCODE_SMB1 ? 1 : 2, commands = 0;
        uint64_t index = 0;

        for (unsigned code = 1; code < 255; code++)
            commands += check_command(e, (uint16_t)COMMAND(protocol, code), &index);
        /* SMB2: all but NEGOTIATE, whose least length depends on the dialect. */
        g_assert_cmpuint(commands, ==, protocol == 1 ? 12 : 18);
        encoder_free(e);
    }
}

static void test_negotiate(void)
{
    for (size_t d = 1; d < G_N_ELEMENTS(DIALECTS); d++) {
        for (uint32_t more = 0; more < 300; more++) {
            struct encoder *e = new_encoder(DIALECTS[d]);
            struct exchange multi = {
                .request_bytes = 300 + more, .response_bytes = 200 + more, .command = COMMAND(1, 0x72)};
            struct exchange x = {
                .request_bytes = 122 + more, .response_bytes = 154 + more, .command = SMB2_NEGOTIATE};
            struct smb_element first = exchange_both(e, 0, &multi), second = exchange_both(e, 1, &x);

            g_assert_cmpuint(first.command, ==, SMB2_NEGOTIATE);
            g_assert_cmpuint(first.dialect, ==,
                             DIALECTS[d] == ENCODE_SMB_2_0_2 ? 0x0202 : SMB_DIALECT_WILDCARD);
            g_assert_cmpuint(second.dialect, ==, DIALECTS[d]);
            encoder_free(e);
        }
    }
}

static void test_too_short(void)
{
    static const struct {
        struct exchange x;
        const char *message;
    } rows[] = {
        {{.request_bytes = 124, .response_bytes = 156, .command = SMB2_CREATE},
         "SMB2 CREATE: a request of 124 B can't be made: the shortest has 125 B"},
        {{.request_bytes = 200, .response_bytes = 70, .command = SMB2_CREATE},
         "SMB2 CREATE: a response of 70 B can't be made: the shortest has 76 B"},
        {{.request_bytes = 117, .response_bytes = 1083, .data_bytes = 1000, .command = SMB2_READ},
         "SMB2 READ: a response of 1083 B can't be made: the shortest has 1084 B"},
        {{.request_bytes = 117, .response_bytes = 1260, .data_bytes = 1000, .command = SMB2_READ},
         "SMB2 READ: a response of 1260 B can't be made: before its file data there are at most 259 B"},
        {{.request_bytes = 116 + (16 << 20),
          .response_bytes = 84,
          .data_bytes = 16 << 20,
          .command = SMB2_WRITE},
         "SMB2 WRITE: a request of 16777332 B can't be made: the framing's length ends at 16 MiB"},
        {{.request_bytes = 100, .response_bytes = 100, .command = COMMAND(1, 0x1a)},
         "SMB1 READ_RAW: a request of 100 B can't be made: this command isn't encoded"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct encoder *e = new_encoder(ENCODE_SMB_3_0);
        g_autoptr(GError) error = NULL;
        struct encoded m;

        g_assert_false(encoder_request(e, 0, &rows[i].x, &m, &error));
        g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
        g_assert_cmpstr(error->message, ==, rows[i].message);
        encoder_free(e);
    }
}

/* What a response that is too short for success says. */
static void test_errors(void)
{
    static const struct {
        uint16_t command;
        uint32_t bytes, status;
    } rows[] = {
        {SMB2_CREATE, 77, 0xc0000034},
        {SMB2_READ, 77, 0xc0000011},
        {COMMAND(2, 14), 77, 0x80000006},
        {COMMAND(2, 11), 77, 0xc0000225},
        {COMMAND(1, 0xa2), 39, 0xc0000034},
        {SMB2_CLOSE, 128, 0},
        {SMB1_CLOSE, 39, 0},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        bool smb1 = COMMAND_PROTOCOL(rows[i].command) == 1;
        struct encoder *e = new_encoder(smb1 ? ENCODE_SMB1 : ENCODE_SMB_2_1);
        struct exchange x = {
            .request_bytes = 150, .response_bytes = rows[i].bytes, .command = rows[i].command};

        g_assert_cmphex(exchange_both(e, 0, &x).status, ==, rows[i].status);
        encoder_free(e);
    }
}

/* Blocks of a file one behind the other: offsets go on, the data are the file's. */
static void test_data(void)
{
    struct encoder *e = new_encoder(ENCODE_SMB_2_1);
    uint8_t *whole = g_malloc(30000);

    for (uint32_t i = 0; i < 3; i++) {
        struct exchange x = {.request_bytes = 117,
                             .response_bytes = 84 + 10000,
                             .data_bytes = 10000,
                             .command = SMB2_READ,
                             .file = 5};
        struct encoded m;

        g_assert_true(encoder_request(e, i, &x, &m, NULL));
        encoded_clear(&m);
        g_assert_true(encoder_response(e, i, &x, &m, NULL));
        g_assert_cmpuint(m.data_offset, ==, 10000 * i);
        for (uint32_t at = 0; at < 10000; at += 999) /* in pieces, as packets are */
            encoded_copy(&m, 84 + at, whole + 10000 * i + at, MIN(999, 10000 - at));
        encoded_clear(&m);
    }
    for (uint32_t i = 0; i < 30000; i++)
        g_assert_cmpuint(whole[i], ==, (i + 5 * 7) % 251);
    g_free(whole);
    encoder_free(e);
}

/* Signed, encrypted and compressed messages are seen as such. */
static void test_protection(void)
{
    struct encoder *e = new_encoder(ENCODE_SMB_3_1_1);
    struct exchange is_signed = {
        .request_bytes = 92, .response_bytes = 128, .command = SMB2_CLOSE, .flags = EXCHANGE_SIGNED};
    struct exchange encrypted = {
        .request_bytes = 144, .response_bytes = 180, .command = SMB2_CLOSE, .flags = EXCHANGE_ENCRYPTED};
    struct encoded m;

    g_assert_true(exchange_both(e, 0, &is_signed).signature);
    g_assert_true(encoder_request(e, 1, &encrypted, &m, NULL));
    g_assert_true(decode(&m).opaque);
    g_assert_cmpuint(encoded_bytes(&m), ==, 144);
    encoded_clear(&m);
    g_assert_true(encoder_response(e, 1, &encrypted, &m, NULL));
    g_assert_cmpuint(encoded_bytes(&m), ==, 180);
    encoded_clear(&m);
    for (uint32_t packed = 32; packed < 4000; packed += 31) {
        struct exchange x = {.request_bytes = 117,
                             .response_bytes = 84 + packed,
                             .data_bytes = 4096,
                             .command = SMB2_READ,
                             .flags = EXCHANGE_COMPRESSED};

        g_assert_true(exchange_both(e, 2 + packed, &x).compressed);
    }
    encoder_free(e);
}

/* ---- tokens ----------------------------------------------------------------------------------------------------------- */

/* Every TLV lies inside the one around it, and constructed ones are filled by their parts. */
static void walk(const uint8_t *p, size_t size)
{
    while (size) {
        bool constructed = p[0] & 0x20;
        size_t header = 2, length;

        g_assert_cmpuint(size, >=, 2);
        length = p[1];
        if (length & 0x80) {
            header += length & 0x7f;
            g_assert_cmpuint(size, >=, header);
            length = header == 3 ? p[2] : (size_t)p[2] << 8 | p[3];
        }
        g_assert_cmpuint(header + length, <=, size);
        if (constructed && p[0] != 0x60)
            walk(p + header, length);
        p += header + length;
        size -= header + length;
    }
}

static void test_tokens(void)
{
    for (int k = TOKEN_HINTS; k <= TOKEN_ACCEPTED; k++) {
        enum encode_token kind = (enum encode_token)k;

        g_assert_cmpuint(encode_token_size(kind, encode_token_least(kind) - 1), ==, 0);
        for (size_t room = encode_token_least(kind); room < 1000; room++) {
            size_t size = encode_token_size(kind, room);
            g_autofree uint8_t *bytes = g_malloc0(size);
            struct pdu p = pdu_over(bytes, size);

            encode_token(&p, kind, size);
            g_assert_false(p.overflow);
            g_assert_cmpuint(p.at, ==, size);
            walk(bytes, size);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/encode/every-length", test_every_length);
    g_test_add_func("/encode/negotiate", test_negotiate);
    g_test_add_func("/encode/too-short", test_too_short);
    g_test_add_func("/encode/errors", test_errors);
    g_test_add_func("/encode/data", test_data);
    g_test_add_func("/encode/protection", test_protection);
    g_test_add_func("/encode/tokens", test_tokens);
    return g_test_run();
}
