/* Listings of modules, services and settings on made-up texts: when is something present, absent, or can't that be told? */
#include "report/mechanism.h"

#include <string.h>

#define LM   "kd> lm\nstart             end                 module name\n"
#define NT   "00000000`77ca0000 00000000`77e26000   ntdll      (export symbols)       ntdll.dll\n"
#define KRNL "fffff800`01c00000 fffff800`02100000   nt         (pdb symbols)\n"
#define PEB  "PEB at 000007fffffdf000\n    Base TimeStamp                     Module\n"
#define EXE  "        ffec0000 479191ad Jan 19 00:59:09 2008 C:\\Windows\\system32\\Robocopy.exe\n"
#define DLL  "        77ca0000 49e0421d Apr 11 03:09:17 2009 C:\\Windows\\system32\\ntdll.dll\n"
#define TASKS                                                                                                \
    "Image Name                     PID Modules                                     \n"                      \
    "========================= ======== ============================================\n"
#define IDLE "System Idle Process              0 N/A                                         \n"
#define COPY "robocopy.exe                  1304 ntdll.dll, kernel32.dll\n"

static const struct {
    const char *listing;
    enum mechanism_kind kind;
    const char *what, *process;
    enum mechanism_answer answer;
    const char *text;
} CASES[] = {
    {LM NT KRNL, MECHANISM_MODULES, "msrdc.dll", NULL, MECHANISM_ABSENT, "none of the 2 rows"},
    {LM NT KRNL, MECHANISM_MODULES, "NTDLL", NULL, MECHANISM_PRESENT, "ntdll is loaded"},
    {LM NT KRNL, MECHANISM_MODULES, "srv.sys", NULL, MECHANISM_ABSENT, ""},
    {LM NT, MECHANISM_MODULES, "srv.sys", NULL, MECHANISM_CANT_TELL, "no drivers at all"},
    {LM KRNL, MECHANISM_MODULES, "msrdc.dll", NULL, MECHANISM_CANT_TELL, "ntdll isn't in the list"},
    {"0:000> lm m ms*\n" LM NT, MECHANISM_MODULES, "msrdc.dll", NULL, MECHANISM_ABSENT,
     ""}, /* the last lm is whole */
    {"0:000> lm m ms*\nstart    end        module name\n" NT, MECHANISM_MODULES, "x", NULL,
     MECHANISM_CANT_TELL, "\"ms*\""},
    {"0:000> lmvm ntdll\nstart    end        module name\n" NT, MECHANISM_MODULES, "x", NULL,
     MECHANISM_CANT_TELL, "filtered"},
    {LM NT "...\n" KRNL, MECHANISM_MODULES, "msrdc", NULL, MECHANISM_CANT_TELL, "cut rows out"},
    {LM NT "00000000`77ca\n", MECHANISM_MODULES, "msrdc", NULL, MECHANISM_CANT_TELL, "torn"},
    {LM NT "Unloaded modules:\n7a760000 7a797000   msrdc.dll\n", MECHANISM_MODULES, "msrdc", NULL,
     MECHANISM_CANT_TELL, "had been loaded before"},
    {PEB EXE DLL "    SubSystemData:     0000000000000000\n", MECHANISM_MODULES, "msrdc.dll", "robocopy.exe",
     MECHANISM_ABSENT, "in robocopy.exe"},
    {PEB EXE DLL "    SubSystemData:     0000000000000000\n", MECHANISM_MODULES, "msrdc.dll", "explorer.exe",
     MECHANISM_CANT_TELL, "names nothing in explorer.exe"},
    {PEB EXE DLL, MECHANISM_MODULES, "msrdc.dll", NULL, MECHANISM_CANT_TELL, "SubSystemData"},
    {PEB EXE "    SubSystemData:     0000000000000000\n", MECHANISM_MODULES, "msrdc.dll", NULL,
     MECHANISM_CANT_TELL, "ntdll"},
    {PEB EXE DLL "        74200000 49e0421d Apr 11 03:09:17 2009 C:\\Windows\\system32\\wow64.dll\n    "
                 "SubSystemData: 0\n",
     MECHANISM_MODULES, "msrdc.dll", NULL, MECHANISM_CANT_TELL, "64-bit part"},
    {TASKS IDLE COPY, MECHANISM_MODULES, "msrdc.dll", "robocopy.exe", MECHANISM_ABSENT, "in robocopy.exe"},
    {TASKS IDLE COPY, MECHANISM_MODULES, "msrdc.dll", NULL, MECHANISM_CANT_TELL, "N/A"},
    {TASKS "robocopy.exe                  1304 ntdll.dll, kernel32.dll,\n", MECHANISM_MODULES, "msrdc.dll",
     "robocopy.exe", MECHANISM_CANT_TELL, "comma"},
    {TASKS "robocopy.exe                  1304 kernel32.dll\n", MECHANISM_MODULES, "msrdc.dll",
     "robocopy.exe", MECHANISM_CANT_TELL, "filtered"},
    {"C:\\>tasklist /m k*\n" TASKS COPY, MECHANISM_MODULES, "msrdc.dll", "robocopy.exe", MECHANISM_CANT_TELL,
     "the command filters it"},
    {"Base                Size      Path\n0x1 0x2 C:\\ntdll.dll\n0x3 torn\n", MECHANISM_MODULES, "x", NULL,
     MECHANISM_CANT_TELL, "torn"},
    {"7f00-7f10 r--p 00000000 fe:00 2  /usr/bin/cat (deleted)\n", MECHANISM_MODULES, "cat", NULL,
     MECHANISM_PRESENT, ""},
    {"7f00-7f10 r--p 00000000 fe:00 2  /usr/bin/cat\n", MECHANISM_MODULES, "libc", NULL, MECHANISM_CANT_TELL,
     "stack"},
    {"net.ipv4.tcp_congestion_control = cubic\n", MECHANISM_SETTINGS,
     "net.ipv4.tcp_congestion_control = cubic", NULL, MECHANISM_PRESENT, "is cubic"},
    {"net.ipv4.tcp_congestion_control = cubic\n", MECHANISM_SETTINGS, "net.ipv4.tcp_congestion_control=bbr",
     NULL, MECHANISM_ABSENT, "is cubic"},
    {"a = 1\n", MECHANISM_SETTINGS, "b", NULL, MECHANISM_CANT_TELL, "doesn't name it"},
    {"a = 0x10\n", MECHANISM_SETTINGS, "a=16", NULL, MECHANISM_PRESENT, ""},
    {"[share]\n\tread only = yes\n[other]\n\tread only = no\n", MECHANISM_SETTINGS, "read only = no", "share",
     MECHANISM_ABSENT, ""},
    {"[share]\n\tread only = yes\n[other]\n\tread only = no\n", MECHANISM_SETTINGS, "read only = no", "other",
     MECHANISM_PRESENT, ""},
};

static struct mechanism_listing *read(const char *text, enum mechanism_kind kind, GError **error)
{
    struct text_input *in = text_input_new("list", text, strlen(text), NULL);
    struct mechanism_listing *l = mechanism_read(in, kind, error);

    text_input_free(in);
    return l;
}

static void test_answers(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(CASES); i++) {
        g_autoptr(GError) error = NULL;
        struct mechanism_listing *l = read(CASES[i].listing, CASES[i].kind, &error);
        struct mechanism_finding f;

        g_assert_no_error(error);
        f = mechanism_find(l, CASES[i].what, CASES[i].process);
        g_test_message("%u: %s: %s", i, mechanism_answer_name(f.answer), f.text);
        g_assert_cmpint(f.answer, ==, CASES[i].answer);
        g_assert_nonnull(strstr(f.text, CASES[i].text));
        g_free(f.text);
        mechanism_free(l);
    }
}

static const struct {
    const char *listing;
    enum mechanism_kind kind;
    const char *message;
} REFUSALS[] = {
    {TASKS COPY, MECHANISM_SERVICES, "list: should be a list of services, and is tasklist /m"},
    {"a = 1\n", MECHANISM_MODULES, "list: should be a list of modules, and is list of settings"},
    {"nothing\n", MECHANISM_SETTINGS, "list: should be a list of settings, and is none that is known"},
    {TASKS, MECHANISM_SERVICES, "list: lists no process"},
    {"Base                Size      Path\n", MECHANISM_MODULES, "list: lists no modules"},
    {"Windows Registry Editor Version 5.00\n\n[key]\n\"name\n", MECHANISM_SETTINGS,
     "list:4: is no value of a .reg file"},
};

static void test_refusals(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(REFUSALS); i++) {
        g_autoptr(GError) error = NULL;

        g_assert_null(read(REFUSALS[i].listing, REFUSALS[i].kind, &error));
        g_assert_cmpstr(error->message, ==, REFUSALS[i].message);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/mechanism/answers", test_answers);
    g_test_add_func("/mechanism/refusals", test_refusals);
    return g_test_run();
}
