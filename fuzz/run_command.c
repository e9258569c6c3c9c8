/* run_command.c - commands of the program, run within a fuzz target. Files are in memory, under names of
 * /proc. The streams are replaced, not the descriptors, which libFuzzer and sanitizers write to; what
 * commands write to descriptor 1 itself is dropped by libFuzzer's -close_fd_mask=1. */
#include "run_command.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/cli/cli.h"
#include "base/str.h"

/* As in main.c, which has the program's main function. */
const cli_command *const cli_commands[] = {
    &cli_predict, &cli_measure, &cli_deps,   &cli_extract, &cli_suite,   &cli_eval, &cli_kernels,    &cli_hot,
    &cli_arch,    &cli_insn,    &cli_doctor, &cli_learn,   &cli_compare, &cli_bias, &cli_completion, NULL};

static int files[PROGRAM_FILES];
static size_t errors; /* bytes of messages of this run */

static ssize_t drop(void *cookie, const char *text, size_t size)
{
    if (cookie)
        *(size_t *)cookie += size;
    return (ssize_t)size;
}

static FILE *sink(size_t *count, int mode)
{
    FILE *f = fopencookie(count, "w", (cookie_io_functions_t){.write = drop});
    if (!f || setvbuf(f, NULL, mode, BUFSIZ))
        abort();
    return f;
}

static void start(void)
{
    if (files[0])
        return;
    for (int i = 0; i < PROGRAM_FILES; i++)
        if ((files[i] = memfd_create("fuzz", 0)) < 0)
            abort();
    stdout = sink(NULL, _IOFBF);
    stderr = sink(&errors, _IONBF);
}

static void fill(int number, given *in)
{
    size_t size;
    char *text = given_piece(in, &size);
    if (ftruncate(files[number], 0) || pwrite(files[number], text, size, 0) != (ssize_t)size)
        abort();
    tacho_mem_free(text);
}

/* A word of the line with what its places stand for. @return how many files it names at most */
static int put_word(tacho_str *out, const char *word, const char *value)
{
    int last = 0;
    for (; *word; word++)
        if (*word == '@' && word[1] >= '1' && word[1] <= '0' + PROGRAM_FILES) {
            int number = *++word - '0';
            tacho_str_printf(out, "/proc/self/fd/%d", files[number - 1]);
            last = number > last ? number : last;
        } else if (*word == '%')
            tacho_str_puts(out, value);
        else
            tacho_str_putc(out, *word);
    return last;
}

/* The fuzzer's own alarms are no signals to a command. */
void __wrap_cli_signals_ask(void);
void __wrap_cli_signals_ask(void)
{
}

void __wrap_cli_signals_leave(void);
void __wrap_cli_signals_leave(void)
{
}

void program_run(const program_line line, given *in)
{
    tacho_str words[PROGRAM_WORDS] = {{0}};
    char *argv[PROGRAM_WORDS + 1] = {NULL}, *value = NULL;
    int argc = 0, count = 0;
    size_t size;
    start();
    for (; line[argc]; argc++)
        if (!value && strchr(line[argc], '%'))
            value = given_piece(in, &size);
    for (int i = 0; i < argc; i++) {
        tacho_str_puts(&words[i], "");
        int last = put_word(&words[i], line[i], value);
        count = last > count ? last : count;
        argv[i] = words[i].data;
    }
    for (int i = 0; i < count; i++)
        fill(i, in);
    errors = 0;
    int status = cli_run(cli_find_command(cli_commands, "", argv[0]), argc, argv);
    fflush(stdout);
    if (status < CLI_OK || status > CLI_PARTIAL || (status != CLI_OK && !errors))
        abort();
    for (int i = 0; i < argc; i++)
        tacho_str_free(&words[i]);
    tacho_mem_free(value);
}
