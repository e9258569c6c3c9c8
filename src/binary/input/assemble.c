/* assemble.c - runs the GNU assembler, without a shell and without trusting its input: where --assembler asks
 * for it, and for text that the library's own refuses (own.c).
 *
 * Text, messages and the object file live in memory files, so that nothing is left behind. The assembler
 * may open exactly one file, its output: whatever directive a macro composes, it cannot read another. It has
 * limits on CPU time, memory and what it writes, so that ".rept 1000000000" ends in an error. */
#include <signal.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "binary/input/input.h"

enum {
    CPU_SECONDS = 20,
    WALL_SECONDS = 60,
    MAX_OUTPUT_BYTES = 64 << 20,
    MAX_MEMORY_MB = 2048,
    MAX_MESSAGE_BYTES = 64 << 10,
    OPEN_FILES = 5, /* those open from the start, and the output file, which it opens by name */
};

#define OUTPUT_NAME "/proc/self/fd/3" /* the object file's descriptor there */

/* The next message of that kind ("Error: ") from `text` on: its text and line. */
static const char *next_message(const char *text, const char *kind, uint64_t *line, size_t *length)
{
    const char *hit = strstr(text, kind);
    if (!hit)
        return NULL;
    *line = 0;
    if (hit - text >= 3 && hit[-1] == ' ' && hit[-2] == ':') {
        const char *digits = hit - 2;
        while (digits > text && digits[-1] >= '0' && digits[-1] <= '9')
            digits--;
        *line = strtoull(digits, NULL, 10);
    }
    hit += strlen(kind);
    *length = strcspn(hit, "\n");
    return hit;
}

static bool contains(const char *text, size_t length, const char *part)
{
    return memmem(text, length, part, strlen(part)) != NULL;
}

/* Whether the message is one that text in the other syntax typically ends in. */
static bool about_operands(const char *message, size_t length)
{
    static const char *const parts[] = {
        "operand", "no such instruction", "memory reference", "ambiguous", "register", "junk", "expression"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (contains(message, length, parts[i]))
            return true;
    return false;
}

const char *input_assembly_hint(const input *in, const char *text, size_t size, bool both_tried)
{
    bool percent = memchr(text, '%', size) != NULL, hex = true;
    size_t digits = 0;
    for (size_t i = 0; i < size && hex; i++) {
        hex = strchr("0123456789abcdefABCDEF \t\r\n", text[i]) != NULL;
        digits += text[i] > ' ';
    }
    if (hex && digits >= 2)
        return " (the text looks like machine code in hex: use --hex)";
    if (!both_tried && in->options->syntax == TACHO_SYNTAX_AUTO && !percent &&
        !memmem(text, size, ".intel_syntax", 13))
        return " (AT&T syntax is assumed; for Intel syntax use --syntax intel or begin with "
               "'.intel_syntax noprefix')";
    if (in->options->syntax == TACHO_SYNTAX_INTEL && percent)
        return " (Intel syntax was asked for, but the text has '%' registers as in AT&T syntax)";
    return "";
}

static const char *hint(const input *in, const char *text, size_t size, const char *message, size_t length)
{
    return about_operands(message, length) ? input_assembly_hint(in, text, size, false) : "";
}

static int report_failure(const input *in, const tacho_process_end *end, const char *messages,
                          const char *text, size_t size)
{
    uint64_t line = 0;
    size_t length = 0;
    const char *m = next_message(messages, "Error: ", &line, &length);
    const char *fatal = next_message(messages, "Fatal error: ", &line, &length);
    if (!m)
        m = fatal;
    else
        next_message(messages, "Error: ", &line, &length);
    if (m && (contains(m, length, "Too many open files") || contains(m, length, "file not found")))
        return input_fail(in, TACHO_ERR_INPUT, line, -1,
                          "refused: an input may not read other files (.include, .incbin)");
    if (m && contains(m, length, OUTPUT_NAME))
        return input_fail(in, TACHO_ERR_SYSTEM, 0, -1, "the assembler needs /proc for its output: %.*s",
                          (int)(length < 250 ? length : 250), m);
    if (m && contains(m, length, INPUT_LABEL))
        return input_fail(in, TACHO_ERR_INPUT, line, -1,
                          "a region marker inside a macro or a repeated block; put it outside");
    bool memory = strstr(messages, "out of memory") || strstr(messages, "memory exhausted");
    char source[300];
    if (m && !memory && input_describe_source(in, in->out->data, in->out->size, source, sizeof source))
        return input_fail(in, TACHO_ERR_INPUT, 0, -1, "%s", source);
    if (m && !memory)
        return input_fail(in, TACHO_ERR_INPUT, line, -1, "%.*s%s", (int)(length < 250 ? length : 250), m,
                          hint(in, text, size, m, length));
    if (end->timed_out || end->signal == SIGXCPU || end->signal == SIGKILL)
        return input_fail(in, TACHO_ERR_LIMIT, 0, -1, "the assembler took more than %d seconds", CPU_SECONDS);
    if (memory)
        return input_fail(in, TACHO_ERR_LIMIT, 0, -1, "the assembler needed more than %d MB of memory",
                          MAX_MEMORY_MB);
    if (end->signal == SIGXFSZ || strstr(messages, "File too large"))
        return input_fail(in, TACHO_ERR_LIMIT, 0, -1, "the assembled code is larger than %d MB",
                          MAX_OUTPUT_BYTES >> 20);
    if (end->signal)
        return input_fail(in, TACHO_ERR_SYSTEM, 0, -1, "the assembler died of signal %d", end->signal);
    return input_fail(in, TACHO_ERR_SYSTEM, 0, -1, "the assembler failed: %.*s",
                      (int)(strcspn(messages, "\n") < 250 ? strcspn(messages, "\n") : 250), messages);
}

static int pass_warnings(const input *in, const char *messages)
{
    uint64_t line;
    size_t length;
    for (const char *m = messages; (m = next_message(m, "Warning: ", &line, &length)); m += length)
        if (input_warn(in, "line %llu: %.*s", (unsigned long long)line, (int)(length < 200 ? length : 200),
                       m))
            return TACHO_ERR_MEMORY;
    return 0;
}

/* Descriptors of files in memory. */
typedef struct job {
    char program[4096];
    int text, object, messages;
} job;

static int run_assembler(const input *in, const job *j, bool lines, tacho_process_end *end)
{
    static const char *const env[] = {"LC_ALL=C", NULL};
    const char *argv[] = {"as", "--64", "-o", OUTPUT_NAME, NULL, NULL, NULL};
    int n = 4;
    if (lines)
        argv[n++] = "--gdwarf-4";
    argv[n++] = "--";
    const tacho_process process = {.path = j->program,
                                   .argv = argv,
                                   .env = env,
                                   .input = j->text,
                                   .output = j->messages,
                                   .errors = j->messages,
                                   .file = j->object,
                                   .seconds = WALL_SECONDS,
                                   .cpu_seconds = CPU_SECONDS,
                                   .open_files = OPEN_FILES,
                                   .memory_bytes = (size_t)MAX_MEMORY_MB << 20,
                                   .file_bytes = MAX_OUTPUT_BYTES};
    if (tacho_process_run(&process, end))
        return input_fail(in, TACHO_ERR_SYSTEM, 0, -1, "cannot start the assembler: %s", strerror(errno));
    return 0;
}

static int run(const input *in, const job *j, const char *text, size_t size, bool lines, char **object,
               size_t *object_size)
{
    tacho_process_end end;
    tacho_str messages = {0}, made = {0};
    int result = run_assembler(in, j, lines, &end);
    if (!result && tacho_process_read(j->messages, MAX_MESSAGE_BYTES, &messages))
        result = tacho_no_memory(in->err);
    if (!result && end.exit_status)
        result = report_failure(in, &end, messages.data, text, size);
    else if (!result)
        result = pass_warnings(in, messages.data);
    tacho_str_free(&messages);
    if (!result && tacho_process_read(j->object, MAX_OUTPUT_BYTES, &made))
        result = tacho_no_memory(in->err);
    if (result) {
        tacho_str_free(&made);
        return result;
    }
    *object = made.data;
    *object_size = made.length;
    return 0;
}

/* The text as the assembler gets it. The directive stands in the first line, so that lines keep their
 * numbers; the options that mean the same (-msyntax=intel -mnaked-reg) take no segment registers before an
 * address. */
static int text_file(const input *in, const char *text, size_t size)
{
    if (in->options->syntax != TACHO_SYNTAX_INTEL)
        return tacho_file_in_memory(text, size);
    tacho_str whole = {0};
    tacho_str_puts(&whole, ".intel_syntax noprefix; ");
    tacho_str_append(&whole, text, size);
    int fd = whole.failed ? -1 : tacho_file_in_memory(whole.data, whole.length);
    int error = whole.failed ? ENOMEM : errno;
    tacho_str_free(&whole);
    errno = error;
    return fd;
}

static bool find_assembler(job *j)
{
    return tacho_process_find("x86_64-linux-gnu-as", j->program, sizeof j->program) ||
           tacho_process_find("as", j->program, sizeof j->program);
}

bool input_has_assembler(void)
{
    job j;
    return find_assembler(&j);
}

int input_run_assembler(const input *in, const char *text, size_t size, bool lines, char **object,
                        size_t *object_size)
{
    job j;
    if (!find_assembler(&j))
        return input_fail(in, TACHO_ERR_SYSTEM, 0, -1,
                          "assembly text needs the GNU assembler 'as' (Debian: apt-get install binutils)");
    j.text = text_file(in, text, size);
    j.object = tacho_file_in_memory(NULL, 0);
    j.messages = tacho_file_in_memory(NULL, 0);
    int result;
    if (j.text < 0 || j.object < 0 || j.messages < 0)
        result = errno == ENOMEM ? tacho_no_memory(in->err)
                                 : input_fail(in, TACHO_ERR_SYSTEM, 0, -1, "cannot make a memory file: %s",
                                              strerror(errno));
    else
        result = run(in, &j, text, size, lines, object, object_size);
    const int fds[] = {j.text, j.object, j.messages};
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    return result;
}
