/* main.c - the program: finds the subcommand (commands.c) and runs it. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/cli/running.h"
#include "app/report/report.h"

/* The title of the kind of commands that begins with the one of that name; NULL: none does. */
static const char *title_of(const char *name)
{
    static const char *const titles[][2] = {{"predict", "Blocks and loops"},
                                            {"extract", "Blocks by the thousand"},
                                            {"hot", "Programs that run"},
                                            {"arch", "Processors"},
                                            {"completion", "Besides"}};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (!strcmp(titles[i][0], name))
            return titles[i][1];
    return NULL;
}

static int overview(void)
{
    printf("tacho: how many cycles a block of x86-64 machine code takes, and why\n\n"
           "Usage: tacho COMMAND ...\n");
    for (size_t i = 0; cli_commands[i]; i++) {
        const char *title = title_of(cli_commands[i]->name);
        if (title)
            printf("\n%s:\n", title);
        printf("  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    }
    printf("  %-10s this text, or the help of a command: tacho help COMMAND\n\n", "help");
    printf(
        "  --version  the version of this program\n\n"
        "For instance:\n"
        "  echo 'l: add rax, rbx; add rbx, rax; dec r15; jnz l' | tacho predict --syntax intel -a SKL -\n");
    return CLI_OK;
}

/* tacho help suite dedup is tacho suite dedup --help. */
static int help_of(int argc, char **argv)
{
    char help[] = "--help";
    char *args[] = {argv[0], argc > 1 ? argv[1] : help, help};
    const cli_command *c = cli_find_command(cli_commands, "", argv[0]);
    return c ? cli_run(c, argc > 1 ? 3 : 2, args) : CLI_USAGE;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        return cli_usage_error("no command; 'tacho help' lists them");
    const char *name = argv[1];
    if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h")) {
        if (argc < 3)
            return overview();
        return help_of(argc - 2, argv + 2);
    }
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        printf("tacho %s\n", tacho_version());
        return CLI_OK;
    }
    const cli_command *c = cli_find_command(cli_commands, "", name);
    return c ? cli_run(c, argc - 1, argv + 1) : CLI_USAGE;
}

/* Where standard output or error is closed, no file that is opened may take its place: messages would go into
 * results. A descriptor of the wrong direction stands there, with which writing fails as with a closed one.
 */
static void keep_places(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return;
}

static void do_nothing(int number)
{
    (void)number;
}

/* A file that may not grow any more is a write that fails, with its reason, and no reason to die. A handler,
 * unlike a signal that is ignored, ends where another program begins. */
static void survive_large_files(void)
{
    const struct sigaction act = {.sa_handler = do_nothing, .sa_flags = SA_RESTART};
    struct sigaction now;
    if (!sigaction(SIGXFSZ, NULL, &now) && now.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &act, NULL);
}

/* Lines of text are as long as the terminal's; of other outputs, the same everywhere. COLUMNS goes before
 * what the terminal says, as with other programs. */
static void find_line_columns(void)
{
    struct winsize size;
    const char *given = getenv("COLUMNS");
    unsigned long long columns = 0;
    if (!isatty(STDOUT_FILENO))
        return;
    if (!given || !tacho_parse_u64(given, &columns) || columns > USHRT_MAX)
        columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
    if (columns)
        report_set_line_columns((size_t)columns);
}

/* The parts of a JSON value for which there is no memory are left out of it. */
static atomic_bool json_lacks;

static void *allocate_json(size_t size)
{
    void *p = malloc(size);
    if (!p)
        json_lacks = true;
    return p;
}

int main(int argc, char **argv)
{
    keep_places();
    json_set_alloc_funcs(allocate_json, free);
    survive_large_files();
    find_line_columns();
    int status = dispatch(argc, argv);
    cli_forget_cores();
    /* A result that did not arrive must not look like one that did. */
    bool lost = fflush(stdout) || ferror(stdout);
    cli_signals_end_of_pipe();
    if (lost)
        return cli_input_error("cannot write to standard output: %s", strerror(errno));
    if (json_lacks && (status == CLI_OK || status == CLI_PARTIAL))
        return cli_input_error("out of memory: the result is not whole");
    return status;
}
