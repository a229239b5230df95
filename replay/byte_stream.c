#include "replay/byte_stream.h"

#include <errno.h>
#include <sys/types.h>

#if defined(HAVE_FOPENCOOKIE)
static ssize_t cookie_read(void *cookie, char *buffer, size_t size)
{
    return (ssize_t)byte_window_read(cookie, (uint8_t *)buffer, size);
}

FILE *byte_stream_open(struct byte_window *window)
{
    return fopencookie(window, "r", (cookie_io_functions_t){.read = cookie_read});
}
#elif defined(HAVE_FUNOPEN)
static int cookie_read(void *cookie, char *buffer, int size)
{
    return (int)byte_window_read(cookie, (uint8_t *)buffer, (size_t)size);
}

FILE *byte_stream_open(struct byte_window *window)
{
    return funopen(window, cookie_read, NULL, NULL, NULL);
}
#else
FILE *byte_stream_open(struct byte_window *window)
{
    (void)window;
    errno = ENOTSUP;
    return NULL;
}
#endif
