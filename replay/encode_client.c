#include "replay/encode_parts.h"

static enum encode_dialect dialect_of(const char *name)
{
    static const struct {
        const char *name;
        enum encode_dialect dialect;
    } NAMES[] = {
        {"2.0.2", ENCODE_SMB_2_0_2}, {"2.1", ENCODE_SMB_2_1},     {"3.0", ENCODE_SMB_3_0},
        {"3.0.2", ENCODE_SMB_3_0_2}, {"3.1.1", ENCODE_SMB_3_1_1},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(NAMES); i++) {
        if (strcmp(NAMES[i].name, name) == 0)
            return NAMES[i].dialect;
    }
    return ENCODE_SMB1;
}

struct encode_setup encode_setup_of(const struct client_profile *client, const struct server_profile *server)
{
    enum { PLENTY = 8192 }; /* where credits aren't counted */
    struct encode_setup setup = {
        .dialect = dialect_of(client->dialect), .credits = PLENTY, .credit_step = PLENTY};

    if (client->credits) {
        setup.credits = MIN(client->credits, server->max_credits);
        setup.credit_step = server->credit_step;
    }
    for (guint i = 0; client->connect && i < client->connect->len; i++) {
        const struct client_step *s = &g_array_index(client->connect, struct client_step, i);

        if (s->command == SMB2_SESSION_SETUP || s->command == SMB1_SESSION_SETUP_ANDX)
            setup.session_legs += (unsigned)s->repeat;
    }
    return setup;
}

static bool check_steps(const GArray *steps, GError **error)
{
    for (guint i = 0; steps && i < steps->len; i++) {
        const struct client_step *s = &g_array_index(steps, struct client_step, i);
        struct exchange x = {
            .request_bytes = (uint32_t)(s->request_bytes + (s->data == CLIENT_DATA_WRITE)),
            .response_bytes = (uint32_t)(s->response_bytes + (s->data == CLIENT_DATA_READ)),
            .data_bytes = s->data != CLIENT_DATA_NONE,
            .command = s->command,
        };

        if (!encode_check(&x, error)) {
            g_prefix_error(error, "line %d: ", s->line);
            return false;
        }
    }
    return true;
}

bool encode_check_client(const struct client_profile *client, bool upload, GError **error)
{
    if (!check_steps(client->connect, error))
        return false;
    if (client->protection == CLIENT_PROTECTION_ENCRYPT)
        return true; /* nobody sees the rest */
    return check_steps(upload ? client->upload : client->download, error) &&
           check_steps(client->disconnect, error);
}
