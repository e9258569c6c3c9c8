/* thread_stacks.c - unwinding without stopping: where a waiting thread is, the kernel tells (instruction and
 * stack pointer, proc_pid_syscall(5)); its frames follow by the tables that exceptions use (.eh_frame;
 * elfutils' libdw behind it). How a frame is left depends on the address alone, so that this is looked up
 * once for each. Frames are followed until one is not of a runtime library; where that needs a register that
 * nobody knows (RBP before a frame has saved it), they end. No debug information of other files is looked
 * for. */
#include <dwarf.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/seconds.h"
#include "base/str.h"
#include "binary/loops/finder.h"
#include "program/threads/thread_modules.h"

enum {
    STACK_BYTES = 4096,
    MOST_FRAMES = 24,
    MOST_NAME = 512, /* of a function */
    DWARF_RBP = 6,   /* System V ABI, AMD64: figure 3.36 */
    DWARF_RSP = 7,
    SMALL_VARIABLE = 64 /* bytes: offsets in it say nothing */
};

/* How the caller of a frame is found. */
typedef struct frame_rule {
    uint64_t address;
    bool known;            /* its caller can be found */
    bool runtime;          /* a runtime library's */
    bool by_frame;         /* the canonical frame address is of RBP, else of RSP */
    bool saves_frame;      /* it has saved the caller's RBP, at ... */
    int64_t cfa, frame_at; /* ... that from the canonical frame address */
    const char *name;
} frame_rule;

struct thread_stacks {
    pid_t pid;                /* or a thread's that is there */
    Dwfl_Callbacks callbacks; /* of: */
    Dwfl *dwfl;
    double reported;  /* when its mappings were read last */
    bool has_runtime; /* among them is the C library, or what loads it: else it may be in the program */
    frame_rule *rules;
    size_t rule_count, rule_capacity;
    hash_index by_address;
    arena texts;
};

/* What functions wait for; those that end in '_' stand for all that begin so. */
static const struct {
    const char *name;
    tacho_wait_kind kind;
} waiting[] = {
    {"pthread_mutex_", TACHO_WAIT_LOCK},
    {"__pthread_mutex_", TACHO_WAIT_LOCK},
    {"pthread_rwlock_", TACHO_WAIT_LOCK},
    {"__pthread_rwlock_", TACHO_WAIT_LOCK},
    {"mtx_", TACHO_WAIT_LOCK},
    {"pthread_once", TACHO_WAIT_LOCK},
    {"__pthread_once", TACHO_WAIT_LOCK},
    {"call_once", TACHO_WAIT_LOCK},
    {"pthread_cond_", TACHO_WAIT_CONDITION},
    {"__pthread_cond_", TACHO_WAIT_CONDITION},
    {"cnd_", TACHO_WAIT_CONDITION},
    {"pthread_barrier_wait", TACHO_WAIT_BARRIER},
    {"sem_wait", TACHO_WAIT_SEMAPHORE},
    {"sem_timedwait", TACHO_WAIT_SEMAPHORE},
    {"sem_clockwait", TACHO_WAIT_SEMAPHORE},
    {"pthread_join", TACHO_WAIT_JOIN},
    {"pthread_timedjoin_np", TACHO_WAIT_JOIN},
    {"pthread_clockjoin_np", TACHO_WAIT_JOIN},
    {"thrd_join", TACHO_WAIT_JOIN},
    {"malloc", TACHO_WAIT_ALLOCATOR},
    {"free", TACHO_WAIT_ALLOCATOR},
    {"cfree", TACHO_WAIT_ALLOCATOR},
    {"calloc", TACHO_WAIT_ALLOCATOR},
    {"realloc", TACHO_WAIT_ALLOCATOR},
    {"memalign", TACHO_WAIT_ALLOCATOR},
    {"aligned_alloc", TACHO_WAIT_ALLOCATOR},
    {"posix_memalign", TACHO_WAIT_ALLOCATOR},
    {"__libc_malloc", TACHO_WAIT_ALLOCATOR},
    {"__libc_free", TACHO_WAIT_ALLOCATOR},
    {"__libc_calloc", TACHO_WAIT_ALLOCATOR},
    {"__libc_realloc", TACHO_WAIT_ALLOCATOR},
    {"GOMP_critical_start", TACHO_WAIT_LOCK},
    {"GOMP_critical_name_start", TACHO_WAIT_LOCK},
    {"omp_set_lock", TACHO_WAIT_LOCK},
    {"GOMP_barrier", TACHO_WAIT_BARRIER},
};

/* Libraries that the program's waiting goes through. */
static const char *const runtimes[] = {"libc.so",   "libc-",      "libpthread", "libstdc++.so",
                                       "libgcc_s",  "ld-linux",   "ld-musl",    "libm.so",
                                       "libc++.so", "libgomp.so", "librt.so",   "[vdso"};

static bool is_runtime(const char *path)
{
    const char *name = tacho_base_name(path);
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        if (tacho_starts_with(name, runtimes[i]))
            return true;
    return false;
}

static tacho_wait_kind kind_of(const char *call)
{
    for (size_t i = 0; call && i < sizeof waiting / sizeof *waiting; i++) {
        const char *name = waiting[i].name;
        if (name[strlen(name) - 1] == '_' ? tacho_starts_with(call, name) : !strcmp(call, name))
            return waiting[i].kind;
    }
    return TACHO_WAIT_FUTEX;
}

/* Of a program that has the C library in it. */
static bool is_of_runtime(const char *function)
{
    return kind_of(function) != TACHO_WAIT_FUTEX || tacho_starts_with(function, "__lll_lock_wait") ||
           tacho_starts_with(function, "__futex_") || tacho_starts_with(function, "futex_wait") ||
           tacho_starts_with(function, "__syscall_cp") || tacho_starts_with(function, "__timedwait") ||
           tacho_starts_with(function, "__wait");
}

/* ---- the process ---- */

static int find_no_debug(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                         const char *file, const char *link, GElf_Word crc, char **out)
{
    return -1;
}

thread_stacks *stacks_new(pid_t pid)
{
    thread_stacks *s = libdw() ? tacho_mem_zalloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->pid = pid;
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
    hash_index_free(&s->by_address);
    tacho_mem_free(s->rules);
    arena_free(&s->texts);
    tacho_mem_free(s);
}

static const char *path_of(Dwfl_Module *m)
{
    const char *file = NULL;
    const char *name = libdw()->dwfl_module_info(m, NULL, NULL, NULL, NULL, NULL, &file, NULL);
    return name && *name ? name : file ? file : "";
}

static int find_runtime(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr start, void *has)
{
    *(bool *)has |= is_runtime(path_of(m)) && *path_of(m) == '/';
    return DWARF_CB_OK;
}

/* Reads the mappings (again): libraries are loaded later, and programs executed. */
static void report(thread_stacks *s)
{
    s->reported = seconds_now();
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
}

Dwfl_Module *stacks_module(thread_stacks *s, uint64_t address)
{
    const double again = 0.2;
    Dwfl_Module *m = s->dwfl ? libdw()->dwfl_addrmodule(s->dwfl, address) : NULL;
    if (m || (s->dwfl && seconds_now() - s->reported < again))
        return m;
    report(s);
    return s->dwfl ? libdw()->dwfl_addrmodule(s->dwfl, address) : NULL;
}

Dwfl *stacks_modules(thread_stacks *s)
{
    report(s);
    return s->dwfl;
}

/* ---- how frames are left ---- */

/* The canonical frame address: a register and a number. */
static bool read_cfa(Dwarf_Frame *f, frame_rule *rule)
{
    Dwarf_Op *ops;
    size_t count;
    if (libdw()->dwarf_frame_cfa(f, &ops, &count) || count != 1)
        return false;
    const bool other = ops[0].atom == DW_OP_bregx;
    const int number = other ? (int)ops[0].number : ops[0].atom - DW_OP_breg0;
    rule->cfa = (int64_t)(other ? ops[0].number2 : ops[0].number);
    rule->by_frame = number == DWARF_RBP;
    return number == DWARF_RBP || number == DWARF_RSP;
}

static void read_saved(Dwarf_Frame *f, frame_rule *rule)
{
    Dwarf_Op memory[3], *ops;
    size_t count;
    if (libdw()->dwarf_frame_register(f, DWARF_RBP, memory, &ops, &count) || !count || !ops ||
        ops[0].atom != DW_OP_call_frame_cfa || ops[count - 1].atom == DW_OP_stack_value)
        return;
    rule->saves_frame = count == 1 || ops[1].atom == DW_OP_plus_uconst;
    rule->frame_at = count > 1 ? (int64_t)ops[1].number : 0;
}

static bool read_rule(Dwarf_CFI *cfi, Dwarf_Addr address, frame_rule *rule)
{
    Dwarf_Frame *f = NULL;
    if (!cfi || libdw()->dwarf_cfi_addrframe(cfi, address, &f))
        return false;
    bool known = read_cfa(f, rule);
    if (known)
        read_saved(f, rule);
    free(f);
    return known;
}

static void fill_rule(thread_stacks *s, frame_rule *rule)
{
    Dwarf_Addr bias = 0;
    Dwfl_Module *m = stacks_module(s, rule->address);
    if (!m)
        return;
    rule->runtime = is_runtime(path_of(m));
    if (rule->runtime || !s->has_runtime) { /* all symbols are gone through for that */
        const char *name = libdw()->dwfl_module_addrname(m, rule->address);
        rule->name = name ? arena_text(&s->texts, name) : NULL;
        rule->runtime |= name && is_of_runtime(name);
    }
    Dwarf_CFI *cfi = libdw()->dwfl_module_eh_cfi(m, &bias);
    rule->known = read_rule(cfi, rule->address - bias, rule);
}

/* NULL: memory ran out */
static const frame_rule *rule_of(thread_stacks *s, uint64_t address)
{
    const uint64_t hash = hash_mix(address);
    hash_probe p;
    for (p = hash_find(&s->by_address, hash); hash_next(&p) && s->rules[p.item].address != address;)
        ;
    if (p.item != HASH_INDEX_NONE)
        return &s->rules[p.item];
    if (tacho_mem_grow(&s->rules, &s->rule_capacity, s->rule_count + 1, sizeof *s->rules) ||
        hash_add_item(&s->by_address, hash, (uint32_t)s->rule_count))
        return NULL;
    frame_rule *rule = &s->rules[s->rule_count++];
    *rule = (frame_rule){.address = address};
    fill_rule(s, rule);
    return rule;
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
static bool step(const stack_copy *c, const frame_rule *rule, stack_start *at)
{
    if (!rule->known || (rule->by_frame && !at->frame))
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
        const frame_rule *rule = rule_of(s, address);
        if (!rule)
            return;
        if (!rule->runtime) {
            const uint64_t known = stacks_module(s, address) ? address : 0;
            if (!known && out->place)
                return;
            out->place = out->place ? out->place : known;
            if (!at.whole || !known)
                return;
            last = known;
            out->start = 0;
        } else if (out->place) {
            out->start = last;
        } else {
            const tacho_wait_kind kind = kind_of(rule->name);
            out->in_runtime |= !i;
            if (out->kind == TACHO_WAIT_FUTEX && (rule->name || !out->call)) {
                out->call = rule->name;
                out->kind = kind;
            }
        }
        if (!step(c, rule, &at))
            return;
    }
}

void stacks_find(thread_stacks *s, const stack_start *start, stack_found *out)
{
    uint8_t room[STACK_BYTES];
    stack_copy copy = {start->sp, start->bytes, start->count};
    *out = (stack_found){.kind = TACHO_WAIT_FUTEX};
    s->pid = start->thread;
    const frame_rule *innermost = rule_of(s, start->pc);
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
    out->object = arena_text(texts, path_of(m));
    out->address = address - bias;
}

void stacks_name(thread_stacks *s, uint64_t address, arena *texts, log_place *out)
{
    Dwfl_Module *m = s->dwfl ? libdw()->dwfl_addrmodule(s->dwfl, address) : NULL;
    const char *name = m ? libdw()->dwfl_module_addrname(m, address) : NULL;
    Dwfl_Line *line = m ? libdw()->dwfl_module_getsrc(m, address) : NULL;
    int number = 0;
    char readable[MOST_NAME];
    const char *file = line ? libdw()->dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (name && symbol_read(name, readable, sizeof readable))
        name = readable;
    out->function = name ? arena_text(texts, name) : NULL;
    out->source_file = file ? arena_text(texts, file) : NULL;
    out->source_line = file && number > 0 ? (uint32_t)number : 0;
}

const char *stacks_variable(thread_stacks *s, uint64_t address, uint64_t *offset)
{
    GElf_Sym symbol;
    GElf_Off off = 0;
    Dwfl_Module *m = stacks_module(s, address);
    const char *name = m ? libdw()->dwfl_module_addrinfo(m, address, &off, &symbol, NULL, NULL, NULL) : NULL;
    *offset = 0;
    if (!name || off >= symbol.st_size)
        return NULL;
    *offset = symbol.st_size > SMALL_VARIABLE ? off : 0;
    return name;
}
