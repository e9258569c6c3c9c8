/* from_measured.c - makes a microarchitecture's table from what gen/measure_figures.c measured on it.
 *
 *   tacho-import-measured MEASURED.tsv > data/arch/NAME/insns.txt
 *
 * The sets of ports in the head of MEASURED.tsv have the meaning that they have on Zen 5: all ALUs, those for
 * multiplications, those for shifts; all vector pipes, those for multiplications, for additions and for
 * shuffles; those that take vector data to stores and to general registers; all address generators, those for
 * vector loads and those for stores. doc/CHARACTERISE.md says how each figure follows. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/tacho.h>
#include "gen_text.h"
#include "x86/arch/tables.h"
#include "x86/insndb/form_find.h"

enum {
    MAX_ROWS = 16384,
    MAX_FIELDS = 24,
    MAX_PAIRS = 64,
    MAX_WORDS = 512, /* of latencies, of all rows of a form */
    MAX_GROUPS = 12, /* of µops in a plan */
    LINE_SIZE = 8192,
    NAME_SIZE = 160,
    SLOTS_A_CYCLE = 8,
    DIVIDERS = 2 /* divisions under way at a time */
};

/* Columns of MEASURED.tsv. */
enum {
    F_NAME,
    F_CYCLES,
    F_SLOTS,
    F_ALU,
    F_MULTIPLY,
    F_SHIFT,
    F_VECTOR,
    F_VECTOR_MULTIPLY,
    F_VECTOR_ADD,
    F_SHUFFLE,
    F_VECTOR_OUT,
    F_ADDRESS,
    F_VECTOR_LOAD,
    F_STORE,
    F_LATENCIES,
    F_COUNT
};

/* What the head of MEASURED.tsv calls them. */
static const char *const columns[F_COUNT] = {"# form",   "cycles an instance",
                                             "slots",    "012345",
                                             "012",      "123",
                                             "abcd",     "ab",
                                             "cd",       "bc",
                                             "ef",       "6789",
                                             "67",       "89",
                                             "latencies"};

/* What the chains' link between vector and general registers takes; the loop there and back is measured, and
 * AMD's guide gives 7 cycles for a vector load, of which the loop with this link leaves this much. */
enum {
    CYCLES_VECTOR_TO_GENERAL = 2,
    CYCLES_GENERAL_TO_VECTOR = 5,
    /* KMOVQ there and back takes 9, VPMOVM2D, MOVQ and KMOVQ 11, VPCMPEQD, KMOVQ and MOVQ 13: within one
     * cycle */
    CYCLES_MASK_TO_GENERAL = 3,
    CYCLES_GENERAL_TO_MASK = 5,
    CYCLES_ASSUMED = 1 /* by gen/measure_figures.c for either */
};

typedef struct row {
    char name[NAME_SIZE];
    double use[F_LATENCIES]; /* by column; NaN not measured */
    bool at_most;            /* the throughput */
    char *latencies;
    tacho_form form;
    size_t order; /* in the file */
} row;

typedef struct latency {
    unsigned source, target;
    int cycles, address, index, same;      /* -1 none */
    bool unmeasured, no_address, no_index; /* a chain was tried, without a stable result */
} latency;

typedef struct latencies {
    latency pairs[MAX_PAIRS];
    unsigned count;
    double same; /* with one register for all operands; NaN not measured */
    bool analogy;
} latencies;

/* µops of one kind. */
typedef struct group {
    const char *ports;
    int count;
} group;

/* The µops of a form, in the order in which they are formed: computing ones, load, store. */
typedef struct plan {
    group groups[MAX_GROUPS];
    unsigned count;
    int slots;
    double bound; /* cycles an instance that ports and slots allow at best */
} plan;

/* Where the ports and slots of a row are from. */
typedef enum origin {
    MEASURED,
    BY_ANALOGY, /* a sister form's */
    PARTLY,     /* ports measured, slots not */
    UNKNOWN,
    ORIGINS
} origin;

static row *rows;
static size_t row_count;

/* ---- reading ---- */

static const char *input;
static unsigned line_number;

__attribute__((format(printf, 1, 2))) static _Noreturn void refuse(const char *format, ...)
{
    va_list args;
    fprintf(stderr, "%s:%u: ", input, line_number);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static double number(const char *text, const char *column)
{
    char *end;
    if (!strcmp(text, "."))
        return NAN;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        refuse("column %s: '%s' is not a number", column, text);
    return value;
}

static void check_head(char *line)
{
    char *fields[MAX_FIELDS];
    size_t n = split(line, '\t', fields, MAX_FIELDS);
    for (size_t i = 0; i < F_COUNT; i++)
        if (i >= n || strcmp(fields[i], columns[i]))
            refuse("column %zu of the head is '%s', not '%s'", i + 1, i < n ? fields[i] : "", columns[i]);
    if (n != F_COUNT)
        refuse("the head has %zu columns, not %d", n, F_COUNT);
}

static latencies read_latencies(const row *r);

/* @return false for what has no figures: '#' and a reason */
static bool read_row(char *line, row *r)
{
    char *fields[MAX_FIELDS];
    uint32_t id;
    tacho_error err;
    size_t n = split(line, '\t', fields, MAX_FIELDS);
    if (n == 2 && *fields[F_CYCLES] == '#')
        return false;
    if (n != F_COUNT)
        refuse("%zu columns instead of %d", n, F_COUNT);
    if (tacho_form_find(fields[F_NAME], &id, &err) || tacho_form_get(id, &r->form))
        refuse("%s", err.message);
    snprintf(r->name, sizeof r->name, "%s", fields[F_NAME]);
    r->at_most = starts_with(fields[F_CYCLES], "<=");
    r->use[F_CYCLES] = number(fields[F_CYCLES] + (r->at_most ? 2 : 0), columns[F_CYCLES]);
    if (!(r->use[F_CYCLES] > 0))
        refuse("column %s: '%s' is not positive", columns[F_CYCLES], fields[F_CYCLES]);
    for (int f = F_SLOTS; f < F_LATENCIES; f++)
        r->use[f] = number(fields[f], columns[f]);
    r->latencies = copy(fields[F_LATENCIES]);
    read_latencies(r); /* refuses what is malformed, while the line is known */
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const row *)a)->name, ((const row *)b)->name);
}

static int by_name_and_order(const void *a, const void *b)
{
    int c = by_name(a, b);
    const row *x = a, *y = b;
    return c ? c : (x->order > y->order) - (x->order < y->order);
}

/* What a later row of the form did not measure is that of the earlier one. */
static void merge(const row *earlier, row *later)
{
    size_t size = strlen(earlier->latencies) + strlen(later->latencies) + 2;
    char *both = malloc(size);
    if (!both)
        die("memory");
    snprintf(both, size, "%s %s", earlier->latencies, later->latencies);
    free(later->latencies);
    later->latencies = both;
    for (int f = F_SLOTS; f < F_LATENCIES; f++)
        if (isnan(later->use[f]))
            later->use[f] = earlier->use[f];
}

static void merge_rows(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < row_count; i++) {
        if (kept && !by_name(&rows[kept - 1], &rows[i])) {
            merge(&rows[--kept], &rows[i]);
            free(rows[kept].latencies);
        }
        rows[kept++] = rows[i];
    }
    row_count = kept;
}

static void read_rows(void)
{
    char line[LINE_SIZE];
    FILE *f = fopen(input, "r");
    rows = calloc(MAX_ROWS, sizeof *rows);
    if (!f || !rows)
        die(input);
    while (fgets(line, sizeof line, f)) {
        line_number++;
        size_t length = strcspn(line, "\n");
        if (line[length] != '\n')
            refuse("an incomplete line");
        line[length] = '\0';
        if (line_number == 1)
            check_head(line);
        if (*line == '\0' || *line == '#')
            continue;
        if (row_count == MAX_ROWS)
            refuse("more than %d rows", MAX_ROWS);
        rows[row_count].order = row_count;
        row_count += read_row(line, &rows[row_count]);
    }
    if (!line_number)
        refuse("no head");
    fclose(f);
    qsort(rows, row_count, sizeof *rows, by_name_and_order);
    merge_rows();
}

/* ---- forms ---- */

static bool accesses_memory(const row *r, unsigned access)
{
    for (unsigned i = 0; i < r->form.operand_count; i++)
        if (r->form.operands[i].kind == TACHO_OPERAND_MEM && r->form.operands[i].access & access)
            return true;
    return false;
}

static bool reads_memory(const row *r)
{
    return accesses_memory(r, TACHO_READ);
}

static bool writes_memory(const row *r)
{
    return accesses_memory(r, TACHO_WRITE);
}

/* XCHG with memory is locked without a prefix. */
static bool is_locked(const row *r)
{
    return strstr(r->name, "_LOCK") || starts_with(r->name, "XCHG (M");
}

static bool divides(const row *r)
{
    static const char *const first[] = {"DIV", "IDIV", "VDIV", "SQRT", "VSQRT", "FDIV", "FSQRT"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (starts_with(r->name, first[i]))
            return true;
    return false;
}

/* Its loops overflow the x87 stack, which takes an assist of 150 cycles: what came out is that of the assist.
 * With an FSTP after each it takes half a cycle. */
static bool is_assisted(const row *r)
{
    return starts_with(r->name, "FLD ") && r->use[F_CYCLES] > 100;
}

static bool same_operands(const char *a, const char *b)
{
    const char *p = strchr(a, '('), *q = strchr(b, '(');
    return p && q && !strcmp(p, q);
}

/* The VEX form of a legacy one with the same operands; suffixes that tell encodings apart do not count. */
static const row *vex_form(const row *r)
{
    size_t length = strcspn(r->name, "_ ");
    if (*r->name == 'V' || !strstr(r->name, "XMM"))
        return NULL;
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].name[0] == 'V' && !strncmp(rows[i].name + 1, r->name, length) &&
            strcspn(rows[i].name + 1, "_ ") == length && same_operands(rows[i].name, r->name))
            return &rows[i];
    return NULL;
}

/* The loops hold 256-bit instructions and registers whose upper halves are in use; an SSE instruction that
 * only moves has to merge with these there, which it has not in code of its own kind. Its VEX form tells what
 * it takes. */
static const row *without_merging(const row *r)
{
    bool moves = starts_with(r->name, "MOV") || starts_with(r->name, "LDDQU");
    const row *vex = moves ? vex_form(r) : NULL;
    return vex ? vex : r;
}

static bool has_uses(const row *r)
{
    for (int f = F_SLOTS; f < F_LATENCIES; f++)
        if (isnan(r->use[f]))
            return false;
    return true;
}

/* A form of the same mnemonic and operands, but for their widths, all of whose uses were measured, as fast.
 */
static const row *sister_of(const row *r)
{
    char name[NAME_SIZE], other[NAME_SIZE];
    tacho_form_without_widths(r->name, name, sizeof name);
    for (size_t i = 0; i < row_count; i++) {
        tacho_form_without_widths(rows[i].name, other, sizeof other);
        if (&rows[i] != r && !strcmp(name, other) && has_uses(&rows[i]) &&
            fabs(rows[i].use[F_CYCLES] - r->use[F_CYCLES]) <= 0.1 + 0.1 * r->use[F_CYCLES])
            return &rows[i];
    }
    return NULL;
}

/* ---- uses ---- */

static int rounded(double x)
{
    return isnan(x) || x < 0 ? 0 : (int)floor(x + 0.4);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* The fastest loop has as many slots as its cycles; the loops with NOPs also show what a microcoded
 * instruction loses at both its ends. What stops dispatch for longer than the model has slots for (MFENCE,
 * PAUSE) has its throughput as well. Not measured: as many as µops that compute. */
static int slots_of(const row *r)
{
    double most = SLOTS_A_CYCLE * r->use[F_CYCLES];
    int slots = isnan(r->use[F_SLOTS]) ? rounded(r->use[F_ALU]) + rounded(r->use[F_VECTOR])
                                       : (int)floor(fmin(r->use[F_SLOTS], most) + 0.35);
    return slots < 1 ? 1 : least(slots, GEN_MAX_DECODED);
}

/* By how many uses of a set with `ports` a loop of gen/measure_figures.c grows because its instances take
 * slots. */
static double shown_by_slots(const row *r, double ports)
{
    double instances = 8;
    while (instances > 1 && instances * r->use[F_CYCLES] > 80)
        instances /= 2;
    double alone = fmax(8, ceil(1.4 * instances * r->use[F_CYCLES]) + 1);
    double dispatched = (alone * ports + instances * r->use[F_SLOTS]) / SLOTS_A_CYCLE;
    return fmax(0, dispatched - alone) * ports / instances;
}

/* Uses of a set of ports by the instruction itself: no more than its fastest loop has cycles for, and none
 * where the slots explain what was found. */
static int uses_of(const row *r, int column)
{
    double ports = (double)strlen(columns[column]), use = r->use[column];
    if (isnan(use) || use <= 1.35 * shown_by_slots(r, ports))
        return 0;
    return rounded(fmin(use, ports * r->use[F_CYCLES]));
}

/* A part of the instances, half of them where the set has one of its two ports. */
static bool uses_partly(const row *r, int column)
{
    return r->use[column] > 0.15 && r->use[column] < 0.6;
}

/* A µop that starts only once a cycle, and by its sets could start more often, has one port. */
static bool one_a_cycle(const row *r)
{
    return !r->at_most && r->use[F_CYCLES] > 0.9;
}

/* ---- plans of µops ---- */

static void add(plan *p, const char *ports, int count)
{
    if (count > 0 && p->count < MAX_GROUPS)
        p->groups[p->count++] = (group){ports, count};
}

static void add_bound(plan *p, double cycles)
{
    p->bound = fmax(p->bound, cycles);
}

static bool has_ports(const plan *p, const char *ports)
{
    for (unsigned i = 0; i < p->count; i++)
        if (!strcmp(p->groups[i].ports, ports))
            return true;
    return false;
}

static int uops_of(const plan *p)
{
    int n = 0;
    for (unsigned i = 0; i < p->count; i++)
        n += p->groups[i].count;
    return n;
}

/* One µop, whose place the sets that it is in tell. */
static bool add_lone_integer(plan *p, const row *r)
{
    bool once = one_a_cycle(r);
    if (r->use[F_MULTIPLY] > 1.5 && r->use[F_SHIFT] < 0.5) { /* one port of three fills unevenly */
        add(p, "0", 1);
        add_bound(p, 1);
    } else if (once && r->use[F_SHIFT] > 1.5 && r->use[F_MULTIPLY] < 0.5) {
        add(p, "3", 1);
        add_bound(p, 1);
    } else {
        return false;
    }
    return true;
}

static void add_integer(plan *p, const row *r, int n)
{
    int multiplies = r->use[F_MULTIPLY] > 0.8 ? least(1, uses_of(r, F_MULTIPLY)) : 0;
    int shifts = multiplies || r->use[F_SHIFT] <= 0.8 ? 0 : least(n, uses_of(r, F_SHIFT));
    if (n <= 0 || (n == 1 && !is_locked(r) && add_lone_integer(p, r)))
        return;
    add(p, "012", multiplies);
    add(p, "123", shifts);
    add(p, "012345", n - multiplies - shifts); /* those that use each other's results take more time */
    add_bound(p, fmax((multiplies + shifts) / 3.0, n / 6.0));
}

/* The pipes of a vector µop that shares them with multiplications, additions and shuffles. */
static const char *vector_pipes(const row *r, bool follows_transfer)
{
    bool multiplies = uses_of(r, F_VECTOR_MULTIPLY), adds = uses_of(r, F_VECTOR_ADD),
         shuffles = uses_of(r, F_SHUFFLE), once = one_a_cycle(r) && !follows_transfer;
    if (multiplies && shuffles)
        return "b";
    if (adds && shuffles)
        return "c";
    if (multiplies)
        return once ? "a" : "ab";
    if (adds)
        return once ? "d" : "cd";
    if (shuffles)
        return "bc";
    if (uses_partly(r, F_VECTOR_MULTIPLY) && uses_partly(r, F_VECTOR_ADD) && r->use[F_SHUFFLE] < 0.1)
        return "ad";
    return "abcd";
}

static void add_vector(plan *p, const row *r, int n)
{
    if (n <= 0)
        return;
    if (n == 1) {
        const char *pipes = vector_pipes(r, has_ports(p, "0"));
        add(p, pipes, 1);
        add_bound(p, 1.0 / (double)strlen(pipes));
        return;
    }
    int multiplies = least(uses_of(r, F_VECTOR_MULTIPLY), n);
    int adds = least(uses_of(r, F_VECTOR_ADD), n - multiplies);
    int shuffles = least(uses_of(r, F_SHUFFLE), n - multiplies - adds);
    add(p, "ab", multiplies);
    add(p, "cd", adds);
    add(p, "bc", shuffles);
    add(p, "abcd", n - multiplies - adds - shuffles);
    add_bound(p, fmax(fmax(multiplies, fmax(adds, shuffles)) / 2.0, n / 4.0));
}

/* What takes a pipe for several cycles looks like several µops: there are no more than slots, and a divider
 * on the vector pipes is one. */
static int vector_uops(const row *r)
{
    int n = uses_of(r, F_VECTOR);
    return n > 0 && divides(r) ? 1 : least(n, slots_of(r));
}

static bool is_modified(const row *r)
{
    for (unsigned i = 0; i < r->form.operand_count; i++)
        if (r->form.operands[i].kind == TACHO_OPERAND_MEM && r->form.operands[i].access & TACHO_READ &&
            r->form.operands[i].access & TACHO_WRITE)
            return true;
    return false;
}

/* Computing µops on the ALUs. */
static int integer_uops(const row *r, int vectors, bool vector_data)
{
    int n = uses_of(r, F_ALU), most = slots_of(r) - vectors;
    if (vectors && slots_of(r) == 2 && vectors == 2)
        most = 0;
    if (n < uses_of(r, F_SHIFT) && r->use[F_SHIFT] > 0.8)
        n = uses_of(r, F_SHIFT);
    if (writes_memory(r) && !is_modified(r) && !vector_data)
        n--; /* the store's data */
    if (vectors && divides(r))
        n = 0;
    n = least(n, most < 0 ? 0 : most);
    return is_modified(r) && !vectors && n < 1 ? 1 : n < 0 ? 0 : n;
}

static bool has_vectors(const row *r)
{
    return strstr(r->name, "MM") || *r->name == 'F' || (uses_of(r, F_VECTOR) && !is_locked(r));
}

static void add_memory(plan *p, const row *r, bool vector_data, int outs)
{
    bool loads = reads_memory(r), stores = writes_memory(r);
    int vector_loads = loads && has_vectors(r) ? least(rounded(r->use[F_VECTOR_LOAD] - 0.2), slots_of(r)) : 0;
    int stored = stores ? (is_locked(r) ? 1 : least(uses_of(r, F_STORE), slots_of(r))) : 0;
    if (stores && stored < 1)
        stored = 1;
    int others = uses_of(r, F_ADDRESS) - stored;
    int general_loads = loads && !vector_loads ? (others > 1 ? least(others, slots_of(r)) : 1) : 0;
    if (is_locked(r))
        general_loads = 1;
    add(p, "67", vector_loads);
    add(p, "6789", general_loads);
    add_bound(p, fmax(vector_loads / 2.0, general_loads / 4.0));
    add(p, "89", stored);
    if (stores)
        add(p, vector_data ? "ef" : "012345", vector_data ? outs : stored);
    add_bound(p, stored / 2.0);
}

/* LFENCE and MFENCE: nothing runs beside it, whatever the loop has; all that shows is slots. */
static bool stops_all(const row *r)
{
    for (int f = F_ALU; f < F_LATENCIES; f++)
        if (!(r->use[f] > 0.5 * (double)strlen(columns[f]) * r->use[F_CYCLES]))
            return false;
    return true;
}

static plan plan_of(const row *r)
{
    plan p = {.slots = slots_of(r)};
    p.bound = (double)p.slots / SLOTS_A_CYCLE;
    if (stops_all(r)) {
        if (p.slots == GEN_MAX_DECODED) /* so it has its throughput, which is that of a µop */
            add(&p, "012345", 1);
        return p;
    }
    int vectors = vector_uops(r), outs = least(uses_of(r, F_VECTOR_OUT), p.slots);
    bool vector_data = writes_memory(r) && outs > 0;
    add_integer(&p, r, integer_uops(r, vectors, vector_data));
    add_vector(&p, r, vectors);
    if (outs && !vector_data) {
        add(&p, "ef", outs);
        add_bound(&p, outs / 2.0);
    }
    add_memory(&p, r, vector_data, outs);
    if (!p.count && r->use[F_ALU] > 0.6) /* hidden behind its slots, but there */
        add(&p, "012345", 1);
    return p;
}

static void put_groups(const plan *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        printf("%s%s", i ? "+" : "", p->groups[i].ports);
        if (p->groups[i].count > 1)
            printf("*%d", p->groups[i].count);
    }
    if (!p->count)
        putchar('-');
}

/* PORTS and what follows it in the grammar of insns.txt; throughput and divider are those of `r`. */
static void put_variant(const plan *p, const row *r)
{
    int uops = uops_of(p);
    double cycles = r->use[F_CYCLES];
    put_groups(p);
    if (p->slots != (uops ? uops : 1))
        printf(" s=%d", p->slots);
    if (divides(r))
        printf(" div=%d", (int)floor(DIVIDERS * cycles + 0.45));
    else if (!r->at_most && cycles >= 1.5 && (is_locked(r) || p->bound < 0.85 * cycles))
        printf(" tp=%d", (int)floor(cycles + 0.5));
    if (is_locked(r))
        printf(" locked");
}

/* ---- latencies ---- */

static latency *find_pair(latencies *l, unsigned source, unsigned target)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->pairs[i].source == source && l->pairs[i].target == target)
            return &l->pairs[i];
    if (l->count == MAX_PAIRS)
        return NULL;
    l->pairs[l->count] =
        (latency){.source = source, .target = target, .cycles = -1, .address = -1, .index = -1, .same = -1};
    return &l->pairs[l->count++];
}

/* XMM, YMM, ZMM and MM. */
static const char *operand_text(const char *name, unsigned operand)
{
    const char *p = strchr(name, '(');
    for (unsigned i = 0; p && i < operand; i++)
        p = strchr(p + 1, ',');
    return p ? p + 1 + (p[1] == ' ') : NULL;
}

static bool is_vector_operand(const char *name, unsigned operand)
{
    const char *p = operand_text(name, operand);
    return p &&
           (starts_with(p, "XMM") || starts_with(p, "YMM") || starts_with(p, "ZMM") || starts_with(p, "MM"));
}

/* Additions one after the other take a cycle less than what else uses their sum: the table has the latter,
 * and the core's parameter fp_add_forward_cycles the difference. */
static bool is_fp_addition(const row *r)
{
    const char *name = r->name + (*r->name == 'V');
    if (starts_with(name, "ADDSUB"))
        name += 6;
    else if (starts_with(name, "ADD") || starts_with(name, "SUB"))
        name += 3;
    else
        return false;
    return (*name == 'P' || *name == 'S') && (name[1] == 'S' || name[1] == 'D') &&
           (name[2] == ' ' || name[2] == '_');
}

static bool is_mask_operand(const char *name, unsigned operand)
{
    const char *p = operand_text(name, operand);
    return p && *p == 'K' && (p[1] == ',' || p[1] == ')');
}

typedef enum {
    FILE_GENERAL,
    FILE_VECTOR,
    FILE_MASK
} register_file;

static register_file file_of(const row *r, unsigned operand)
{
    if (operand >= r->form.visible_count)
        return FILE_GENERAL;
    return is_mask_operand(r->name, operand)     ? FILE_MASK
           : is_vector_operand(r->name, operand) ? FILE_VECTOR
                                                 : FILE_GENERAL;
}

/* Into whose result elements of the old one are merged. */
static bool is_masked(const row *r)
{
    return strstr(r->name, "MM, K, ") && !strstr(r->name, "_Z ");
}

/* An upper bound counts each link between files of registers as one cycle; from vectors to masks and back
 * there are two. */
static double tightened(const row *r, unsigned source, unsigned target, bool from_register, double cycles)
{
    static const int to_general[] = {0, CYCLES_VECTOR_TO_GENERAL - CYCLES_ASSUMED,
                                     CYCLES_MASK_TO_GENERAL - CYCLES_ASSUMED},
                     from_general[] = {0, CYCLES_GENERAL_TO_VECTOR - CYCLES_ASSUMED,
                                       CYCLES_GENERAL_TO_MASK - CYCLES_ASSUMED};
    const register_file from = from_register ? file_of(r, source) : FILE_GENERAL, to = file_of(r, target);
    return from == to ? cycles : fmax(1, cycles - to_general[to] - from_general[from]);
}

/* Where the branch predictor or a store gets into a chain, it takes tens of cycles: not the instruction. */
static bool is_plausible(const row *r, double cycles)
{
    return cycles < 25 || r->use[F_CYCLES] >= 2;
}

static void set_latency(const row *r, latency *l, latencies *all, char kind, bool bound, double cycles)
{
    if (kind == 's')
        all->same = cycles;
    if (bound)
        cycles = tightened(r, l->source, l->target, !kind, cycles);
    if (!is_plausible(r, cycles)) {
        l->unmeasured = true;
        return;
    }
    int whole = (int)floor(cycles + 0.5);
    if (!kind)
        l->cycles = whole + (is_fp_addition(r) && !(is_masked(r) && l->source == 0));
    else if (kind == 'a')
        l->address = whole;
    else if (kind == 'i')
        l->index = whole;
    else if (kind == 's')
        l->same = whole;
}

static bool is_flags(const row *r, unsigned operand)
{
    return r->form.operands[operand].kind == TACHO_OPERAND_FLAGS;
}

/* SOURCE>TARGETkind=cycles, <=cycles, =~cycles (a round trip, not taken) or =why. Flags that the result was
 * found not to wait for take no cycles. */
static void read_pair(const row *r, const char *text, latencies *all)
{
    unsigned source, target;
    int used = 0;
    char *end;
    if (sscanf(text, "%u>%u%n", &source, &target, &used) != 2 || source >= r->form.operand_count ||
        target >= r->form.operand_count)
        refuse("%s: '%s' is not a latency of one of its operands to another", r->name, text);
    const char *value = text + used;
    char kind = *value && strchr("aims", *value) ? *value++ : '\0';
    bool bound = *value == '<';
    value += bound;
    if (*value++ != '=')
        refuse("%s: '%s' is not a latency", r->name, text);
    latency *l = find_pair(all, source, target);
    if (!l)
        refuse("%s: more than %d latencies", r->name, MAX_PAIRS);
    if (!strcmp(value, "not-measured")) {
        l->unmeasured |= !kind;
        l->no_address |= kind == 'a';
        l->no_index |= kind == 'i';
    }
    if (!kind && is_flags(r, source) && !strcmp(value, "independent"))
        l->cycles = 0;
    double cycles = strtod(value, &end);
    if (end != value && !*end)
        set_latency(r, l, all, kind, bound, cycles);
}

static latencies read_latencies(const row *r)
{
    latencies all = {.same = NAN};
    char *words[MAX_WORDS], *text = copy(r->latencies);
    size_t n = split(text, ' ', words, MAX_WORDS);
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i], "-") && *words[i])
            read_pair(r, words[i], &all);
    free(text);
    return all;
}

/* Flags come with the result. */
static void complete_flags(const row *r, latencies *all)
{
    for (unsigned i = 0; i < all->count; i++) {
        latency *l = &all->pairs[i];
        for (unsigned k = 0; is_flags(r, l->target) && l->cycles < 0 && k < all->count; k++)
            if (all->pairs[k].source == l->source && all->pairs[k].target != l->target)
                l->cycles = all->pairs[k].cycles;
    }
}

/* As from another register of the same file to the same result. */
static int of_other_source(const row *r, const latencies *all, const latency *l)
{
    if (is_flags(r, l->source))
        return -1;
    for (unsigned k = 0; k < all->count; k++) {
        const latency *o = &all->pairs[k];
        if (o->target == l->target && !is_flags(r, o->source) && o->cycles >= 0 &&
            is_vector_operand(r->name, l->source) == is_vector_operand(r->name, o->source))
            return o->cycles;
    }
    return -1;
}

static latency of_sister(const latencies *others, const latency *l)
{
    for (unsigned k = 0; k < others->count; k++)
        if (others->pairs[k].source == l->source && others->pairs[k].target == l->target)
            return others->pairs[k];
    return (latency){.cycles = -1, .address = -1, .index = -1, .same = -1};
}

/* @return whether a value was missing, and is there now */
static bool complete(int *value, bool wanted, int first, int second)
{
    if (!wanted || *value >= 0)
        return false;
    *value = first >= 0 ? first : second;
    return *value >= 0;
}

/* What had no stable chain: as from another register to the same result (index and base for each other), or
 * else as in a sister form. */
static void complete_by_analogy(const row *r, latencies *all)
{
    const row *sister = sister_of(r);
    latencies others = sister ? read_latencies(sister) : (latencies){.count = 0};
    for (unsigned i = 0; i < all->count; i++) {
        latency *l = &all->pairs[i];
        latency o = of_sister(&others, l);
        all->analogy |= complete(&l->cycles, l->unmeasured, of_other_source(r, all, l), o.cycles);
        if (is_modified(r)) /* its addresses are not in the table */
            continue;
        all->analogy |= complete(&l->address, l->no_address, l->index, o.address);
        all->analogy |= complete(&l->index, l->no_index, l->address, o.index);
    }
}

/* Between the files of registers, the links of legacy chains merge with the upper half of a register. */
static void take_vex_bounds(const row *r, latencies *all)
{
    const row *vex = vex_form(r);
    if (!vex)
        return;
    latencies others = read_latencies(vex);
    for (unsigned i = 0; i < all->count; i++)
        for (unsigned k = 0; k < others.count; k++) {
            latency *l = &all->pairs[i], *o = &others.pairs[k];
            bool crosses = is_vector_operand(r->name, l->source) != is_vector_operand(r->name, l->target);
            if (crosses && o->source == l->source && o->target == l->target && o->cycles >= 0 &&
                (l->cycles < 0 || o->cycles < l->cycles))
                l->cycles = o->cycles;
        }
}

/* A loop from an address through vectors and back fills the schedulers, in which what takes one cycle takes
 * two. */
static void wait_less(const row *r, latencies *all)
{
    for (unsigned i = 0; i < all->count; i++)
        for (unsigned k = 0; k < all->count; k++) {
            latency *l = &all->pairs[i];
            const latency *o = &all->pairs[k];
            if (o->target != l->target || o->cycles != 1 || !is_vector_operand(r->name, o->source) ||
                !is_vector_operand(r->name, o->target))
                continue;
            l->address -= l->address > 1;
            l->index -= l->index > 1;
            break;
        }
}

/* A destination that is read, too, as the third source, comes through a store's port where it has just been
 * moved, as in the chains through the other sources: they take no longer than it does. */
static void take_destination(const row *r, latencies *all)
{
    const latency own = of_sister(all, &(latency){.source = 0, .target = 0});
    for (unsigned i = 0; i < all->count; i++) {
        latency *l = &all->pairs[i];
        if (own.cycles > 0 && l->cycles > own.cycles && l->target == 0 &&
            is_vector_operand(r->name, l->source))
            l->cycles = own.cycles;
    }
}

/* Subtracting a register from itself, with the carry, needs nothing but the carry (idioms in
 * bench/zen5-experiments.csv.gz); a chain of one form does not show that. */
static bool is_carry_alone(const row *r)
{
    return !strncmp(r->name, "SBB_", 4);
}

static latencies latencies_of(const row *r)
{
    latencies all = read_latencies(r);
    take_vex_bounds(r, &all);
    if (r->use[F_VECTOR_OUT] > 0.7 && r->use[F_SLOTS] < 1.5)
        take_destination(r, &all);
    complete_flags(r, &all);
    complete_by_analogy(r, &all);
    wait_less(r, &all);
    for (unsigned i = 0; i < all.count; i++) {
        latency *l = &all.pairs[i];
        if ((all.same < 0.9 || is_carry_alone(r)) && r->form.operands[l->source].kind == TACHO_OPERAND_REG)
            l->same = 0;
        if (is_modified(r)) /* through the memory that it writes */
            l->address = l->index = -1;
    }
    return all;
}

static void put_optional(const char *separator, int value)
{
    fputs(separator, stdout);
    if (value >= 0)
        printf("%d", value);
}

static void put_pair(const latency *l, bool first)
{
    printf("%s%u>%u=", first ? "" : " ", l->source, l->target);
    put_optional("", l->cycles);
    if (l->address < 0 && l->index < 0 && l->same < 0)
        return;
    put_optional(",", l->address);
    if (l->index < 0 && l->same < 0)
        return;
    put_optional(",", l->index);
    if (l->same >= 0)
        printf(",,%d", l->same);
}

static void put_latencies(const row *r, const latencies *all)
{
    bool first = true;
    for (unsigned i = 0; i < all->count; i++) {
        const latency *l = &all->pairs[i];
        if (r->form.operands[l->target].kind == TACHO_OPERAND_MEM ||
            (l->cycles < 0 && l->address < 0 && l->index < 0))
            continue;
        put_pair(l, first);
        first = false;
    }
    if (first)
        putchar('-');
}

/* ---- rows ---- */

static bool may_fuse(const row *r)
{
    static const char *const first[] = {"CMP", "TEST", "ADD", "SUB", "AND", "OR", "XOR", "INC", "DEC"};
    size_t length = strcspn(r->name, "_ ");
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (strlen(first[i]) == length && !strncmp(first[i], r->name, length))
            return !is_locked(r) && !writes_memory(r);
    return false;
}

/* All of whose µops were found to take nothing. */
static bool is_eliminated(const row *r)
{
    return !reads_memory(r) && !writes_memory(r) && !uses_of(r, F_ALU) && !uses_of(r, F_VECTOR) &&
           !uses_of(r, F_VECTOR_OUT);
}

/* With one register for all operands. Eliminated moves: what they cost where they are not. Zero idioms:
 * nothing; other instructions whose result does not depend on the register: the same, without waiting. */
static const char *with_same_register(const row *of, const latencies *l)
{
    if (is_eliminated(of))
        return !strstr(of->name, "MOV") ? "." : strstr(of->name, "MM") ? "abcd" : "012345";
    return l->same < 0.18 ? "-" : ".";
}

static unsigned source_number(bool fuses, origin ports, bool analogy)
{
    return 1 + fuses + 2 * (unsigned)ports + 2 * ORIGINS * analogy;
}

/* Two of the three figures that the others hang on: slots, ALUs, vector pipes. */
static bool has_most_uses(const row *r)
{
    return !isnan(r->use[F_SLOTS]) + !isnan(r->use[F_ALU]) + !isnan(r->use[F_VECTOR]) >= 2;
}

/* Whose uses tell a form's µops. Where some were not measured, and no sister form has them, those that
 * were; memory is accessed in any case. */
static row uses_for(const row *r, origin *from)
{
    const row *of = without_merging(r);
    const row *sister = has_uses(of) ? NULL : sister_of(of);
    row uses = sister ? *sister : *of;
    *from = has_uses(of) ? MEASURED : sister ? BY_ANALOGY : has_most_uses(of) ? PARTLY : UNKNOWN;
    for (int f = F_SLOTS; *from == UNKNOWN && f < F_LATENCIES; f++)
        uses.use[f] = NAN;
    return uses;
}

static unsigned source_of(const row *r, const latencies *l)
{
    origin from;
    uses_for(r, &from);
    return source_number(may_fuse(r), from, l->analogy);
}

static void put_row(const row *r)
{
    origin from;
    const row uses = uses_for(r, &from);
    const latencies l = latencies_of(r);
    const plan p = plan_of(&uses);
    printf("%s\t", r->name);
    put_variant(&p, r);
    printf("\t.\t%s\t", from == UNKNOWN ? "." : with_same_register(&uses, &l));
    put_latencies(r, &l);
    printf("\t%s\t%u\n", may_fuse(r) ? "G0" : "-", source_of(r, &l));
}

static void put_sources(void)
{
    static const char *const origins[ORIGINS] = {"ZEN5", "analogy", "ZEN5", "none"};
    static const char *const front_ends[ORIGINS] = {"ZEN5", "analogy", "none", "none"};
    bool used[2 * 2 * ORIGINS + 1] = {false};
    for (size_t i = 0; i < row_count; i++) {
        const latencies l = latencies_of(&rows[i]);
        used[source_of(&rows[i], &l)] = true;
    }
    for (unsigned analogy = 0; analogy < 2; analogy++)
        for (unsigned ports = 0; ports < ORIGINS; ports++)
            for (unsigned fuses = 0; fuses < 2; fuses++) {
                unsigned n = source_number(fuses, ports, analogy);
                if (used[n])
                    printf("source %u ports=%s front_end=%s same_reg=ZEN5 latency=%s divider=ZEN5 "
                           "throughput=ZEN5%s\n",
                           n, origins[ports], front_ends[ports], analogy ? "analogy" : "ZEN5",
                           fuses ? " fusion=amd-fusion" : "");
            }
}

static void drop_assisted(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < row_count; i++)
        if (is_assisted(&rows[i])) {
            fprintf(stderr, "%s: %s is left out: measured on a full x87 stack\n", input, rows[i].name);
            free(rows[i].latencies);
        } else
            rows[kept++] = rows[i];
    row_count = kept;
}

int main(int argc, char **argv)
{
    bool help = argc == 2 && !strcmp(argv[1], "--help");
    if (argc != 2 || help) {
        fprintf(help ? stdout : stderr, "usage: tacho-import-measured MEASURED.tsv > insns.txt\n");
        return help ? 0 : 2;
    }
    input = argv[1];
    read_rows();
    drop_assisted();
    printf("# Figures of Zen 5. Written by gen/from_measured.c from measured.tsv; grammar: ../../README.md\n"
           "# name<TAB>base<TAB>indexed<TAB>same registers<TAB>latencies<TAB>fusion group<TAB>source\n");
    put_sources();
    for (size_t i = 0; i < row_count; i++)
        put_row(&rows[i]);
    return ferror(stdout) || fclose(stdout) ? 1 : 0;
}
