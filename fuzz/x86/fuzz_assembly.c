/* fuzz_assembly.c - assembly text, with an assembler that says and makes anything, or with the library's own
 * and that for what it refuses. Two bytes of options; the
 * text and the assembler's messages, which end in a byte 0xff each; the rest is the object that it made. What
 * is said of regions must lie in them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "fuzz.h"
#include "given.h"
#include "tacho/tools.h"

enum {
    OBJECT,
    MESSAGES,
    FILES
};
static struct {
    char *text;
    size_t size;
} made[FILES];
static tacho_process_end ending;
static int opened; /* memory files of this run of the assembler: its input, the object, its messages */
static int fds[FILES + 1];

bool __wrap_tacho_process_find(const char *program, char *out, size_t size);
bool __wrap_tacho_process_find(const char *program, char *out, size_t size)
{
    snprintf(out, size, "/%s", program);
    return true;
}

int __wrap_tacho_process_run(const tacho_process *process, tacho_process_end *end);
int __wrap_tacho_process_run(const tacho_process *process, tacho_process_end *end)
{
    *end = ending;
    return 0;
}

int __wrap_tacho_file_in_memory(const char *data, size_t size);
int __wrap_tacho_file_in_memory(const char *data, size_t size)
{
    static int null = -1;
    if (null < 0)
        null = open("/dev/null", O_RDWR | O_CLOEXEC);
    return fds[opened++ % (FILES + 1)] = dup(null);
}

int __wrap_tacho_process_read(int fd, size_t limit, tacho_str *out);
int __wrap_tacho_process_read(int fd, size_t limit, tacho_str *out)
{
    int file = fd == fds[1] ? OBJECT : MESSAGES;
    if (made[file].size > limit) {
        errno = EFBIG;
        return -1;
    }
    tacho_str_append(out, made[file].text, made[file].size);
    return out->failed ? -1 : 0;
}

static void check(int ok)
{
    if (!ok)
        abort();
}

static void check_region(const tacho_region *r)
{
    volatile uint8_t sum = 0;
    for (size_t k = 0; k < r->byte_count; k++)
        sum = (uint8_t)(sum + r->bytes[k]);
    for (size_t k = 0; k < r->typed_count; k++)
        check(!k || r->typed[k].address >= r->typed[k - 1].address);
}

static void read_code(const char *text, size_t size, const tacho_code_options *o)
{
    tacho_code *code;
    tacho_error err = {.message = ""};
    if (tacho_code_from_memory(&code, text, size, "in.s", o, &err)) {
        check(err.message[0]);
        return;
    }
    for (size_t i = 0; i < code->region_count; i++)
        check_region(&code->regions[i]);
    tacho_code_free(code);
}

static void find_loops(const char *text, size_t size, const tacho_code_options *code)
{
    tacho_loops_options o = TACHO_LOOPS_OPTIONS_INIT;
    tacho_loops *loops;
    tacho_error err = {.message = ""};
    o.code = *code;
    if (tacho_loops_from_memory(&loops, text, size, "in.s", &o, &err))
        check(err.message[0]);
    else
        tacho_loops_free(loops);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int signals[] = {0, SIGXCPU, SIGXFSZ, SIGSEGV};
    tacho_code_options o = TACHO_CODE_OPTIONS_INIT;
    given in = given_start(data, size);
    uint8_t how = given_byte(&in), end = given_byte(&in);
    size_t text_size;
    char *text = given_piece(&in, &text_size);
    made[MESSAGES].text = given_piece(&in, &made[MESSAGES].size);
    made[OBJECT].text = given_rest(&in, &made[OBJECT].size);
    ending = (tacho_process_end){
        .exit_status = end & 3, .signal = signals[end >> 2 & 3], .timed_out = (end & 0xf0) == 0xf0};
    opened = 0;
    o.kind = how & 1 ? TACHO_INPUT_ASSEMBLY : TACHO_INPUT_AUTO;
    o.syntax = (tacho_syntax)(how >> 1 & 3) % 3;
    o.assembler = (how >> 1 & 3) == 3 ? TACHO_ASSEMBLER_AUTO : TACHO_ASSEMBLER_GNU;
    o.keep_source = how & 8;
    o.ignore_markers = how & 16;
    o.region = how & 32 ? "1" : NULL;
    o.symbol = how & 64 ? "f" : NULL;
    if (how & 128)
        find_loops(text, text_size, &o);
    else
        read_code(text, text_size, &o);
    tacho_mem_free(text);
    tacho_mem_free(made[MESSAGES].text);
    tacho_mem_free(made[OBJECT].text);
    return 0;
}
