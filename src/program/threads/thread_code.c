/* thread_code.c - symbols are sorted when the first of them is asked for: libdwfl goes through all of them
 * for each address. How a frame is left is told by the tables that exceptions use (.eh_frame; elfutils' libdw
 * behind it), and depends on the address alone. No debug information of other files is looked for. */
#include "program/threads/thread_code.h"

#include <dwarf.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/str.h"

enum {
    MOST_AROUND = 64, /* symbols that are looked at */
    DWARF_RBP = 6,    /* System V ABI, AMD64: figure 3.36 */
    DWARF_RSP = 7
};

/* Of a file; addresses are from where it is mapped. */
typedef struct sorted_symbol {
    uint64_t start, size;
    int number; /* libdwfl's */
    int rank;   /* of several that begin there, the highest is meant */
} sorted_symbol;

typedef struct code_file {
    const char *path;
    sorted_symbol *symbols;
    size_t count, capacity;
    bool sorted;
} code_file;

typedef struct placed_rule {
    uint64_t at;
    uint32_t file;
    frame_rule rule;
} placed_rule;

struct thread_code {
    code_file *files;
    size_t file_count, file_capacity;
    placed_rule *rules;
    size_t rule_count, rule_capacity;
    hash_index by_place;
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

/* ---- files ---- */

thread_code *code_new(void)
{
    return tacho_mem_zalloc(1, sizeof(thread_code));
}

void code_free(thread_code *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->file_count; i++)
        tacho_mem_free(c->files[i].symbols);
    TACHO_MEM_FREE(c->files, c->rules);
    hash_index_free(&c->by_place);
    arena_free(&c->texts);
    tacho_mem_free(c);
}

const char *code_path(Dwfl_Module *m)
{
    const char *file = NULL;
    const char *name = libdw()->dwfl_module_info(m, NULL, NULL, NULL, NULL, NULL, &file, NULL);
    return name && *name ? name : file ? file : "";
}

bool code_is_runtime(Dwfl_Module *m)
{
    return is_runtime(code_path(m));
}

/* Its number is kept with the module. @return NULL: memory ran out */
static code_file *file_of(thread_code *c, Dwfl_Module *m, uint64_t *start)
{
    void **kept;
    Dwarf_Addr from;
    libdw()->dwfl_module_info(m, &kept, &from, NULL, NULL, NULL, NULL, NULL);
    *start = from;
    size_t i = (uintptr_t)*kept;
    if (i)
        return &c->files[i - 1];
    const char *path = code_path(m);
    while (i < c->file_count && strcmp(c->files[i].path, path) != 0)
        i++;
    if (i == c->file_count) {
        const char *copy = arena_text(&c->texts, path);
        if (!copy || tacho_mem_grow(&c->files, &c->file_capacity, i + 1, sizeof *c->files))
            return NULL;
        c->files[c->file_count++] = (code_file){.path = copy};
    }
    *kept = (void *)(uintptr_t)(i + 1);
    return &c->files[i];
}

/* ---- symbols ---- */

static bool is_place(const GElf_Sym *s)
{
    const int type = GELF_ST_TYPE(s->st_info);
    return s->st_shndx != SHN_UNDEF && type != STT_SECTION && type != STT_FILE && type != STT_TLS;
}

/* Of several names the one that people use: read, not __read, and free, not cfree. */
static int rank_of(const GElf_Sym *s, const char *name)
{
    const size_t length = strlen(name);
    const bool is_local = GELF_ST_BIND(s->st_info) == STB_LOCAL;
    return (s->st_size ? 1 << 10 : 0) + (*name != '_' ? 1 << 9 : 0) + (is_local ? 0 : 1 << 8) -
           (int)(length < UINT8_MAX ? length : UINT8_MAX);
}

ORDER_BY_TWO(by_start, sorted_symbol, start, rank);

static void sort_symbols(code_file *f, Dwfl_Module *m, uint64_t start)
{
    const int count = libdw()->dwfl_module_getsymtab(m);
    f->sorted = true;
    for (int i = 1; i < count; i++) {
        GElf_Sym s;
        GElf_Addr at;
        const char *name = libdw()->dwfl_module_getsym_info(m, i, &s, &at, NULL, NULL, NULL);
        if (!name || !*name || !is_place(&s) || at < start)
            continue;
        if (tacho_mem_grow(&f->symbols, &f->capacity, f->count + 1, sizeof *f->symbols))
            break;
        f->symbols[f->count++] = (sorted_symbol){at - start, s.st_size, i, rank_of(&s, name)};
    }
    tacho_sort(f->symbols, f->count, sizeof *f->symbols, by_start);
}

/* One without a size reaches to the next. */
static const sorted_symbol *symbol_at(const code_file *f, uint64_t at)
{
    size_t after;
    const sorted_symbol *label = NULL;
    COUNT_BEFORE(after, f->count, f->symbols[after].start <= at);
    for (size_t i = after; i-- > 0 && i + MOST_AROUND >= after;) {
        const sorted_symbol *s = &f->symbols[i];
        if (at - s->start < s->size)
            return s;
        label = !s->size && i + 1 == after ? s : label;
    }
    return label;
}

bool code_symbol_at(thread_code *c, Dwfl_Module *m, uint64_t address, code_symbol *out)
{
    uint64_t start;
    GElf_Sym symbol;
    GElf_Addr at;
    code_file *f = file_of(c, m, &start);
    if (f && !f->sorted)
        sort_symbols(f, m, start);
    const sorted_symbol *s = f ? symbol_at(f, address - start) : NULL;
    if (!s || libdw()->dwfl_module_getsymtab(m) <= s->number)
        return false;
    out->name = libdw()->dwfl_module_getsym_info(m, s->number, &symbol, &at, NULL, NULL, NULL);
    out->start = s->start + start;
    out->size = s->size;
    return out->name != NULL;
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

static void fill_rule(thread_code *c, Dwfl_Module *m, uint64_t address, bool whole, frame_rule *rule)
{
    code_symbol symbol;
    rule->runtime = code_is_runtime(m);
    if ((rule->runtime || whole) && code_symbol_at(c, m, address, &symbol)) {
        rule->name = arena_text(&c->texts, symbol.name);
        rule->kind = kind_of(symbol.name);
        rule->runtime |= is_of_runtime(symbol.name);
    }
}

/* NULL: memory ran out */
static frame_rule *rule_of(thread_code *c, Dwfl_Module *m, uint64_t address, bool whole)
{
    uint64_t start;
    const code_file *f = file_of(c, m, &start);
    const uint64_t at = address - start;
    const uint32_t file = f ? (uint32_t)(f - c->files) : 0;
    const uint64_t hash = hash_add(hash_mix(at), file);
    hash_probe p;
    for (p = hash_find(&c->by_place, hash);
         hash_next(&p) && !(c->rules[p.item].at == at && c->rules[p.item].file == file);)
        ;
    if (p.item != HASH_INDEX_NONE)
        return &c->rules[p.item].rule;
    if (!f || tacho_mem_grow(&c->rules, &c->rule_capacity, c->rule_count + 1, sizeof *c->rules) ||
        hash_add_item(&c->by_place, hash, (uint32_t)c->rule_count))
        return NULL;
    placed_rule *new = &c->rules[c->rule_count++];
    *new = (placed_rule){.at = at, .file = file, .rule = {.kind = TACHO_WAIT_FUTEX}};
    fill_rule(c, m, address, whole, &new->rule);
    return &new->rule;
}

const frame_rule *code_rule(thread_code *c, Dwfl_Module *m, uint64_t address, bool whole, bool caller)
{
    Dwarf_Addr bias = 0;
    frame_rule *rule = rule_of(c, m, address, whole);
    if (rule && caller && !rule->asked) {
        Dwarf_CFI *cfi = libdw()->dwfl_module_eh_cfi(m, &bias);
        rule->known = read_rule(cfi, address - bias, rule);
        rule->asked = true;
    }
    return rule;
}
