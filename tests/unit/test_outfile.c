#include "base/error.h"
#include "base/outfile.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Each test has a folder of its own, and says at the end what may be left in it. */
struct folder {
    char *path;
};

static void folder_set_up(struct folder *f, gconstpointer unused)
{
    (void)unused;
    f->path = g_dir_make_tmp("copytrial-outfile-XXXXXX", NULL);
    g_assert_nonnull(f->path);
}

static char *in(const struct folder *f, const char *name)
{
    return g_build_filename(f->path, name, NULL);
}

static void folder_tear_down(struct folder *f, gconstpointer unused)
{
    g_autoptr(GDir) dir = g_dir_open(f->path, 0, NULL);
    const char *name;

    (void)unused;
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = in(f, name);

        g_remove(path);
    }
    g_assert_cmpint(g_rmdir(f->path), ==, 0);
    g_free(f->path);
}

static guint entries(const struct folder *f)
{
    g_autoptr(GDir) dir = g_dir_open(f->path, 0, NULL);
    guint n = 0;

    while (g_dir_read_name(dir))
        n++;
    return n;
}

static void assert_holds_bytes(const char *path, const char *expected, gsize expected_length)
{
    g_autofree char *text = NULL;
    gsize length;

    g_assert_true(g_file_get_contents(path, &text, &length, NULL));
    g_assert_cmpuint(length, ==, expected_length);
    g_assert_true(memcmp(text, expected, length) == 0);
}

static void assert_holds(const char *path, const char *expected)
{
    assert_holds_bytes(path, expected, strlen(expected));
}

static void write_text(const char *path, const char *text)
{
    g_autoptr(GError) error = NULL;

    g_assert_true(outfile_write(path, text, strlen(text), &error));
    g_assert_no_error(error);
}

static mode_t mode_of(const char *path)
{
    struct stat st;

    g_assert_cmpint(stat(path, &st), ==, 0);
    return st.st_mode & 07777;
}

static void test_write(struct folder *f, gconstpointer unused)
{
    g_autofree char *path = in(f, "a result.json");
    g_autofree char *large = g_malloc(3 << 20);

    (void)unused;
    write_text(path, "first");
    assert_holds(path, "first");
    write_text(path, "2nd");
    assert_holds(path, "2nd");
    write_text(path, "");
    assert_holds(path, "");
    for (size_t i = 0; i < 3 << 20; i++)
        large[i] = (char)(i * 31 >> 3);
    g_assert_true(outfile_write(path, large, 3 << 20, NULL));
    assert_holds_bytes(path, large, 3 << 20);
    g_assert_cmpuint(entries(f), ==, 1);
}

static void test_permissions(struct folder *f, gconstpointer unused)
{
    g_autofree char *fresh = in(f, "fresh"), *strict = in(f, "strict"), *kept = in(f, "kept");
    mode_t old;

    (void)unused;
    old = umask(022);
    write_text(fresh, "x");
    umask(077);
    write_text(strict, "x");
    g_assert_cmpuint(umask(old), ==, 077); /* and the mask is as it was */
    g_assert_cmpuint(mode_of(fresh), ==, 0644);
    g_assert_cmpuint(mode_of(strict), ==, 0600);
    write_text(kept, "x");
    g_assert_cmpint(g_chmod(kept, 0640), ==, 0);
    write_text(kept, "y");
    g_assert_cmpuint(mode_of(kept), ==, 0640);
    assert_holds(kept, "y");
}

/* A link stays a link: /dev/stdout of a redirected program is one. */
static void test_link(struct folder *f, gconstpointer unused)
{
    g_autofree char *file = in(f, "file"), *link = in(f, "link");
    struct stat st;

    (void)unused;
    write_text(file, "old");
    g_assert_cmpint(symlink(file, link), ==, 0);
    write_text(link, "new");
    assert_holds(file, "new");
    g_assert_cmpint(lstat(link, &st), ==, 0);
    g_assert_true(S_ISLNK(st.st_mode));
}

static void assert_refused(const char *path, const char *why)
{
    g_autoptr(GError) early = NULL, late = NULL;

    g_test_message("%s", path);
    g_assert_false(outfile_probe(path, &early));
    g_assert_error(early, COPYTRIAL_ERROR, COPYTRIAL_ERROR_OUTPUT);
    g_assert_true(g_str_has_prefix(early->message, path));
    g_assert_nonnull(strstr(early->message, why));
    g_assert_false(outfile_write(path, "x", 1, &late));
    g_assert_error(late, COPYTRIAL_ERROR, COPYTRIAL_ERROR_OUTPUT);
    g_assert_cmpstr(late->message, ==, early->message);
}

static void test_refusals(struct folder *f, gconstpointer unused)
{
    g_autofree char *file = in(f, "file"), *below = in(f, "file/below"), *missing = in(f, "missing/result");
    g_autofree char *good = in(f, "good");

    (void)unused;
    write_text(file, "x");
    assert_refused(f->path, g_strerror(EISDIR));
    assert_refused(below, g_strerror(ENOTDIR));
    assert_refused(missing, g_strerror(ENOENT));
    g_assert_true(outfile_probe(good, NULL));
    g_assert_true(outfile_probe(file, NULL));
    g_assert_true(outfile_probe("-", NULL));
    g_assert_true(outfile_probe("/dev/null", NULL));
    g_assert_cmpuint(entries(f), ==, 1); /* probing leaves nothing behind */
    assert_holds(file, "x");
}

/* Root may write anywhere, so under root a child that has become an ordinary user does this. */
static void check_protected(const struct folder *f)
{
    g_autofree char *file = in(f, "file"), *fresh = in(f, "fresh");

    write_text(file, "x");
    g_assert_cmpint(g_chmod(file, 0444), ==, 0);
    assert_refused(file, g_strerror(EACCES));
    g_assert_cmpint(g_chmod(f->path, 0555), ==, 0);
    assert_refused(fresh, g_strerror(EACCES));
    g_assert_cmpint(g_chmod(f->path, 0755), ==, 0);
    assert_holds(file, "x");
    g_assert_cmpuint(entries(f), ==, 1);
}

static void test_protected(struct folder *f, gconstpointer unused)
{
    enum { ORDINARY = 65534 };
    pid_t child;
    int status;

    (void)unused;
    if (geteuid() != 0) {
        check_protected(f);
        return;
    }
    g_assert_cmpint(chown(f->path, ORDINARY, ORDINARY), ==, 0);
    child = fork();
    if (child == 0) {
        g_assert_true(setgid(ORDINARY) == 0 && setuid(ORDINARY) == 0);
        check_protected(f);
        _exit(0);
    }
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_cmpint(status, ==, 0);
}

/* The disk is full half-way: a limit on the size of files makes write() stop after some bytes, as a full disk does. What
 * stood there still stands, and no temporary file is left. */
static void test_nothing_half_written(struct folder *f, gconstpointer unused)
{
    g_autofree char *path = in(f, "result"), *fresh = in(f, "fresh");
    g_autofree char *large = g_malloc0(1 << 20);
    g_autoptr(GError) error = NULL, second = NULL;
    struct rlimit before, small;
    bool replaced, created;

    (void)unused;
    write_text(path, "the last good result");
    signal(SIGXFSZ, SIG_IGN);
    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &before), ==, 0);
    small = before;
    small.rlim_cur = 4096;
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &small), ==, 0);
    replaced = outfile_write(path, large, 1 << 20, &error);
    created = outfile_write(fresh, large, 1 << 20, &second);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &before), ==, 0);
    signal(SIGXFSZ, SIG_DFL);

    g_assert_false(replaced);
    g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_OUTPUT);
    g_assert_nonnull(strstr(error->message, g_strerror(EFBIG)));
    g_assert_false(created);
    g_assert_error(second, COPYTRIAL_ERROR, COPYTRIAL_ERROR_OUTPUT);
    assert_holds(path, "the last good result");
    g_assert_cmpuint(entries(f), ==, 1);
}

static gpointer read_fifo(gpointer path)
{
    char *text = NULL;

    g_file_get_contents(path, &text, NULL, NULL);
    return text;
}

/* Devices and pipes are written, not replaced. */
static void test_special(struct folder *f, gconstpointer unused)
{
    g_autofree char *fifo = in(f, "pipe");
    g_autofree char *read_back = NULL;
    GThread *reader;
    struct stat st;

    (void)unused;
    g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
    reader = g_thread_new("reader", read_fifo, fifo);
    write_text(fifo, "through the pipe");
    read_back = g_thread_join(reader);
    g_assert_cmpstr(read_back, ==, "through the pipe");
    g_assert_cmpint(stat(fifo, &st), ==, 0);
    g_assert_true(S_ISFIFO(st.st_mode));
    write_text("/dev/null", "gone");
    g_assert_cmpint(stat("/dev/null", &st), ==, 0);
    g_assert_true(S_ISCHR(st.st_mode));
}

static void test_full_device(struct folder *f, gconstpointer unused)
{
    g_autoptr(GError) error = NULL;

    (void)f;
    (void)unused;
    if (access("/dev/full", W_OK) != 0) {
        g_test_skip("this system has no /dev/full");
        return;
    }
    g_assert_false(outfile_write("/dev/full", "x", 1, &error));
    g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_OUTPUT);
    g_assert_nonnull(strstr(error->message, g_strerror(ENOSPC)));
}

static void test_standard_output(struct folder *f, gconstpointer unused)
{
    (void)f;
    (void)unused;
    if (g_test_subprocess()) {
        write_text("-", "to standard output\n");
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
    g_test_trap_assert_stdout("*to standard output\n*");
}

/* Nothing stands under the name before the commit, and nothing at all after a discard. */
static void test_pieces(struct folder *f, gconstpointer unused)
{
    g_autofree char *path = in(f, "result");
    g_autoptr(GError) error = NULL;
    struct outfile *o;

    (void)unused;
    for (int commit = 0; commit < 2; commit++) {
        o = outfile_open(path, &error);
        g_assert_no_error(error);
        g_assert_true(outfile_append(o, "one ", 4, &error));
        g_assert_true(outfile_append(o, "two", 3, &error));
        g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
        if (commit) {
            g_assert_true(outfile_commit(o, &error));
            assert_holds(path, "one two");
        } else {
            outfile_discard(o);
        }
        g_assert_cmpuint(entries(f), ==, (guint)commit);
    }
    g_assert_no_error(error);
}

/* A disk that fills up while pieces are written: the failure names the file. */
static void test_pieces_on_a_full_device(struct folder *f, gconstpointer unused)
{
    g_autoptr(GError) error = NULL;
    struct outfile *o;

    (void)f;
    (void)unused;
    if (!g_file_test("/dev/full", G_FILE_TEST_EXISTS)) {
        g_test_skip("no /dev/full here");
        return;
    }
    o = outfile_open("/dev/full", &error);
    g_assert_nonnull(o);
    g_assert_true(outfile_append(o, "x", 1, &error));
    g_assert_false(outfile_commit(o, &error));
    g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_OUTPUT);
    g_assert_true(g_str_has_prefix(error->message, "/dev/full: "));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(struct folder *, gconstpointer);
    } tests[] = {
        {"/outfile/write", test_write},
        {"/outfile/permissions", test_permissions},
        {"/outfile/link", test_link},
        {"/outfile/refusals", test_refusals},
        {"/outfile/protected", test_protected},
        {"/outfile/nothing-half-written", test_nothing_half_written},
        {"/outfile/special", test_special},
        {"/outfile/full-device", test_full_device},
        {"/outfile/standard-output", test_standard_output},
        {"/outfile/pieces", test_pieces},
        {"/outfile/pieces-on-a-full-device", test_pieces_on_a_full_device},
    };

    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].name, struct folder, NULL, folder_set_up, tests[i].run, folder_tear_down);
    return g_test_run();
}
