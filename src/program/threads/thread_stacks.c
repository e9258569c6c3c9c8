/* thread_stacks.c - unwinding without stopping: where a waiting thread is, the kernel tells (instruction and
 * stack pointer, proc_pid_syscall(5)). Frames are followed until one is not of a runtime library; where that
 * needs a register that nobody knows (RBP before a frame has saved it), they end. */
#include <math.h>

#include "base/mem.h"
#include "base/proc.h"
#include "base/seconds.h"
#include "base/str.h"
#include "binary/loops/finder.h"
#include "program/threads/thread_modules.h"

enum {
    STACK_BYTES = 4096,
    MOST_FRAMES = 24,
    MOST_NAME = 512 /* of a function */
};

struct thread_stacks {
    pid_t pid;                /* or a thread's that is there */
    Dwfl_Callbacks callbacks; /* of: */
    Dwfl *dwfl;
    double report_next; /* its mappings are not read again before */
    bool has_runtime;   /* among them is the C library, or what loads it: else it may be in the program */
    thread_code *code;
};

/* ---- the process ---- */

static int find_no_debug(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                         const char *file, const char *link, GElf_Word crc, char **out)
{
    return -1;
}

thread_stacks *stacks_new(pid_t pid, thread_code *code)
{
    thread_stacks *s = code && libdw() ? tacho_mem_zalloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->pid = pid;
    s->code = code;
    s->callbacks =
        (Dwfl_Callbacks){.find_elf = libdw()->dwfl_linux_proc_find_elf, .find_debuginfo = find_no_debug};
    return s;
}

void stacks_free(thread_stacks *s)
{
    if (!s)
        return;
    if (s->dwfl)
        libdw()->dwfl_end(s->dwfl);
    tacho_mem_free(s);
}

static int find_runtime(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr start, void *has)
{
    *(bool *)has |= code_is_runtime(m) && *code_path(m) == '/';
    return DWARF_CB_OK;
}

/* Reads the mappings (again): libraries are loaded later, and programs executed. Code of no file is asked for
 * again and again. */
static void report(thread_stacks *s)
{
    const double soon = 0.2, share = 0.01, began = seconds_now();
    if (!s->dwfl)
        s->dwfl = libdw()->dwfl_begin(&s->callbacks);
    else
        libdw()->dwfl_report_begin(s->dwfl);
    if (!s->dwfl)
        return;
    libdw()->dwfl_linux_proc_report(s->dwfl, s->pid);
    libdw()->dwfl_report_end(s->dwfl, NULL, NULL);
    s->has_runtime = false;
    libdw()->dwfl_getmodules(s->dwfl, find_runtime, &s->has_runtime, 0);
    s->report_next = seconds_now() + fmax(soon, (seconds_now() - began) / share);
}

Dwfl_Module *stacks_module(thread_stacks *s, uint64_t address)
{
    Dwfl_Module *m = s->dwfl ? libdw()->dwfl_addrmodule(s->dwfl, address) : NULL;
    if (m || (s->dwfl && seconds_now() < s->report_next))
        return m;
    report(s);
    return s->dwfl ? libdw()->dwfl_addrmodule(s->dwfl, address) : NULL;
}

Dwfl *stacks_modules(thread_stacks *s)
{
    report(s);
    return s->dwfl;
}

/* NULL: memory ran out */
static const frame_rule *rule_of(thread_stacks *s, uint64_t address, bool caller)
{
    static const frame_rule none = {.kind = TACHO_WAIT_FUTEX};
    Dwfl_Module *m = stacks_module(s, address);
    return m ? code_rule(s->code, m, address, !s->has_runtime, caller) : &none;
}

/* ---- following frames ---- */

typedef struct stack_copy {
    uint64_t from;
    const uint8_t *bytes;
    size_t count;
} stack_copy;

static bool read_word(const stack_copy *c, uint64_t at, uint64_t *out)
{
    if (at < c->from || at - c->from + sizeof *out > c->count)
        return false;
    memcpy(out, c->bytes + (at - c->from), sizeof *out);
    return true;
}

/* From a frame to its caller. */
static bool step(thread_stacks *s, const stack_copy *c, uint64_t address, stack_start *at)
{
    const frame_rule *rule = rule_of(s, address, true);
    if (!rule || !rule->known || (rule->by_frame && !at->frame))
        return false;
    const uint64_t cfa = (rule->by_frame ? at->frame : at->sp) + (uint64_t)rule->cfa;
    if (rule->saves_frame && !read_word(c, cfa + (uint64_t)rule->frame_at, &at->frame))
        return false;
    at->sp = cfa;
    return read_word(c, cfa - 8, &at->pc) && at->pc;
}

/* Those of runtime libraries above the program's first frame say what it waits for; behind its last one they
 * say that the thread began there. */
static void follow(thread_stacks *s, const stack_copy *c, stack_start at, stack_found *out)
{
    uint64_t last = 0; /* of the program's, with a library's behind it */
    for (int i = 0; i < MOST_FRAMES; i++) {
        const uint64_t address = at.pc - (i > 0); /* in the call, not behind it */
        const frame_rule *rule = rule_of(s, address, false);
        if (!rule)
            return;
        if (!rule->runtime) {
            const uint64_t known = stacks_module(s, address) ? address : 0;
            if (!known && out->place)
                return;
            if (out->place && !out->caller)
                out->caller = known;
            out->place = out->place ? out->place : known;
            if (!at.whole || !known)
                return;
            last = known;
            out->start = 0;
        } else if (out->place) {
            out->start = last;
        } else {
            out->in_runtime |= !i;
            if (out->kind == TACHO_WAIT_FUTEX && (rule->name || !out->call)) {
                out->call = rule->name;
                out->kind = rule->kind;
            }
        }
        if (!step(s, c, address, &at))
            return;
    }
}

void stacks_find(thread_stacks *s, const stack_start *start, stack_found *out)
{
    uint8_t room[STACK_BYTES];
    stack_copy copy = {start->sp, start->bytes, start->count};
    *out = (stack_found){.kind = TACHO_WAIT_FUTEX};
    s->pid = start->thread;
    const frame_rule *innermost = rule_of(s, start->pc, false);
    if (!copy.bytes && innermost && (innermost->runtime || start->whole)) {
        ssize_t got = -1; /* a stack may end before that many bytes */
        for (size_t size = sizeof room; got <= 0 && size >= 256; size /= 2)
            got = proc_read_memory(s->pid, start->sp, room, size);
        copy = (stack_copy){start->sp, room, got > 0 ? (size_t)got : 0};
    }
    follow(s, &copy, *start, out);
}

/* ---- names ---- */

void stacks_place(thread_stacks *s, uint64_t address, arena *texts, log_place *out)
{
    Dwarf_Addr bias = 0;
    GElf_Addr base;
    Dwfl_Module *m = stacks_module(s, address);
    *out = (log_place){.address = address};
    if (!m || !libdw()->dwfl_module_getelf(m, &base))
        return;
    bias = base;
    out->object = texts ? arena_text(texts, code_path(m)) : code_path(m);
    out->address = address - bias;
}

void stacks_name(thread_stacks *s, uint64_t address, arena *texts, log_place *out)
{
    Dwfl_Module *m = s->dwfl ? libdw()->dwfl_addrmodule(s->dwfl, address) : NULL;
    Dwfl_Line *line = m ? libdw()->dwfl_module_getsrc(m, address) : NULL;
    code_symbol symbol = {0};
    int number = 0;
    char readable[MOST_NAME];
    const char *file = line ? libdw()->dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (m && code_symbol_at(s->code, m, address, &symbol) &&
        symbol_read(symbol.name, readable, sizeof readable))
        symbol.name = readable;
    out->function = symbol.name ? arena_text(texts, symbol.name) : NULL;
    out->source_file = file ? arena_text(texts, file) : NULL;
    out->source_line = file && number > 0 ? (uint32_t)number : 0;
}

bool stacks_symbol(thread_stacks *s, uint64_t address, code_symbol *out)
{
    Dwfl_Module *m = stacks_module(s, address);
    return m && code_symbol_at(s->code, m, address, out);
}
