/* measure_figures.c - measures what instructions cost on the machine at hand, for the table of a core that
 * nobody has published one of.
 *
 * FORMS: names of forms, one a line. BLOCKING: sets of ports, each with an instruction that can go nowhere
 * else: `PORTS<TAB>NUMBER<TAB>INSTRUCTION` in Intel syntax, NUMBER a cycle; a line of `slots` has a NOP. OUT
 * gets a row a form; it can be interrupted and started again. data/README.md has its columns.
 *
 * Latencies and throughput are those of tacho_characterise. Ports are found as uops.info finds them (A. Abel,
 * J. Reineke, ASPLOS 2019, section 5.1), but from times, as there may be no counters: so many instructions of
 * one set that they alone bound the loop, with instances of the form among them. By as many cycles as the
 * loop takes longer, times the number of ports, the instances have used that set. The same with NOPs gives
 * the slots at dispatch. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tacho/tools.h>
#include "machine/characterise/chain.h"

enum {
    MAX_BLOCKING = 24,
    MAX_CODE = 14 << 10,
    INSTANCES_FOR_PORTS = 8,
    INSTANCES_FOR_SLOTS = 16,
    FORMS_A_MEASURER = 32,
    MOST_CYCLES = 80, /* of the instances alone, in a loop */
    MOST_CYCLES_BLOCKED = 400,
    LINE_SIZE = 8192,
    NAME_SIZE = 128
};

/* By how much, beside a cycle, a loop of blocking instructions alone may differ from what BLOCKING says: by
 * more where something else runs on the same core. */
#define MOST_DEVIATION 0.15

/* Slots by which a row contradicts its throughput: its loops were disturbed. */
#define MOST_SLOTS_TOO_MANY 1.25

static const char usage[] =
    "usage: tacho-measure-figures [--cpu N] [--quick] [--again] BLOCKING OUT < FORMS\n"
    "Measures the instruction forms named in FORMS, one a line, and appends a row of each to OUT.\n"
    "Forms that OUT has already are passed over; interrupted, it goes on from there when started again.\n"
    "BLOCKING has sets of ports and instructions that go nowhere else (data/README.md).\n"
    "  --cpu N   measure on this CPU\n"
    "  --quick   fewer repetitions\n"
    "  --again   pass over only forms of which everything was measured, without contradictions\n"
    "  --help    this text\n";

/* An instruction that only certain ports execute, or the NOP. */
typedef struct blocking {
    char name[24];
    uint8_t code[32];
    size_t size;
    unsigned per_cycle; /* that a core executes, or dispatches */
} blocking;

typedef struct loop {
    uint8_t code[MAX_CODE];
    size_t size;
} loop;

typedef struct setup {
    tacho_measurer *m;
    tacho_quality quality;
    blocking sets[MAX_BLOCKING];
    unsigned count;
    FILE *out;
} setup;

static void fail(const char *what, const tacho_error *err)
{
    fprintf(stderr, "tacho-measure-figures: %s%s%s\n", what, err ? ": " : "", err ? err->message : "");
    exit(1);
}

static void fail_at(const char *path, unsigned line, const char *what)
{
    fprintf(stderr, "tacho-measure-figures: %s:%u: %s\n", path, line, what);
    exit(1);
}

static void fail_with_errno(const char *path)
{
    fprintf(stderr, "tacho-measure-figures: %s: %s\n", path, strerror(errno));
    exit(1);
}

/* ---- what blocks ---- */

static void assemble(blocking *b, const char *text)
{
    char source[256];
    tacho_error err = {0};
    tacho_code *code;
    tacho_code_options options = TACHO_CODE_OPTIONS_INIT;
    options.kind = TACHO_INPUT_ASSEMBLY;
    int length = snprintf(source, sizeof source, ".intel_syntax noprefix\n%s\n", text);
    if (tacho_code_from_memory(&code, source, (size_t)length, text, &options, &err))
        fail(text, &err);
    b->size = code->regions[0].byte_count;
    if (b->size > sizeof b->code)
        fail("a blocking instruction is too long", NULL);
    memcpy(b->code, code->regions[0].bytes, b->size);
    tacho_code_free(code);
}

/* NAME<TAB>NUMBER<TAB>INSTRUCTION */
static void read_set(blocking *b, char *line, const char *path, unsigned number)
{
    char *end, *tab = strchr(line, '\t'), *second = tab ? strchr(tab + 1, '\t') : NULL;
    if (!second)
        fail_at(path, number, "not a set, a number and an instruction, separated by tabs");
    *tab = *second = '\0';
    if (!*line || strlen(line) >= sizeof b->name)
        fail_at(path, number, "no name of a set, or too long a one");
    snprintf(b->name, sizeof b->name, "%s", line);
    unsigned long a_cycle = strtoul(tab + 1, &end, 10);
    if (end == tab + 1 || *end || a_cycle < 1 || a_cycle > 64)
        fail_at(path, number, "the number a cycle is not one from 1 to 64");
    b->per_cycle = (unsigned)a_cycle;
    assemble(b, second + 1);
}

static void read_blocking(setup *s, const char *path)
{
    char line[256];
    unsigned number = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        fail_with_errno(path);
    while (fgets(line, sizeof line, f)) {
        number++;
        line[strcspn(line, "\n")] = '\0';
        if (*line == '#' || *line == '\0')
            continue;
        if (s->count == MAX_BLOCKING)
            fail_at(path, number, "too many sets");
        read_set(&s->sets[s->count++], line, path, number);
    }
    fclose(f);
    if (!s->count)
        fail_at(path, number, "no sets");
}

static bool is_slots(const blocking *b)
{
    return !strcmp(b->name, "slots");
}

/* ---- loops ---- */

/* The steps of the first `count` instances, and how many bytes they have. */
static size_t instances_code(const chain *c, unsigned count, uint8_t *out)
{
    size_t size = 0;
    unsigned seen = 0;
    while (seen < count)
        for (unsigned i = 0; i < c->count && seen < count; i++) {
            if (size + TACHO_MAX_INSN_BYTES > MAX_CODE)
                return 0;
            memcpy(out + size, c->steps[i].insn.bytes, c->steps[i].insn.length);
            size += c->steps[i].insn.length;
            seen += c->steps[i].role == STEP_INSTANCE;
        }
    return size;
}

/* `count` instances, evenly among `blocks` blocking instructions. @return false where they do not fit */
static bool mix(loop *l, const chain *c, unsigned count, const blocking *b, unsigned blocks)
{
    unsigned seen = 0, put = 0, at = 0;
    l->size = 0;
    while (put < blocks || seen < count) {
        bool blocking_next =
            put < blocks && (seen >= count || put * (count + 1) <= seen * blocks + blocks / 2);
        if (l->size + 2 * TACHO_MAX_INSN_BYTES > MAX_CODE)
            return false;
        if (blocking_next) {
            memcpy(l->code + l->size, b->code, b->size);
            l->size += b->size;
            put++;
            continue;
        }
        const walk_step *step = &c->steps[at++ % c->count];
        memcpy(l->code + l->size, step->insn.bytes, step->insn.length);
        l->size += step->insn.length;
        seen += step->role == STEP_INSTANCE;
    }
    return true;
}

/* ---- measuring ---- */

/* Cycles of each loop; NaN where it is empty or was not stable. */
static void measure_loops(const setup *s, uint32_t form, loop *loops, unsigned count, double *cycles)
{
    tacho_measure_job jobs[2 * MAX_BLOCKING + 1];
    unsigned owner[2 * MAX_BLOCKING + 1];
    tacho_measure_options options = TACHO_MEASURE_OPTIONS_INIT;
    tacho_error err = {0};
    uint64_t values[16] = {0};
    chain_values(form, values, &options.known_mask);
    options.known_values = values;
    options.mode = TACHO_MODE_LOOP;
    options.quality = s->quality;
    for (unsigned i = 0; i < count; i++)
        cycles[i] = NAN;
    for (unsigned attempt = 0; attempt < 4; attempt++) {
        unsigned left = 0;
        for (unsigned i = 0; i < count; i++)
            if (isnan(cycles[i]) && loops[i].size) {
                owner[left] = i;
                jobs[left++] = (tacho_measure_job){.code = loops[i].code, .code_size = loops[i].size};
            }
        if (left && tacho_measure_many(s->m, jobs, left, &options, &err))
            fail("measuring", &err);
        for (unsigned i = 0; i < left; i++)
            if (jobs[i].result.status == TACHO_MEASURED_OK)
                cycles[owner[i]] = jobs[i].result.cycles;
    }
}

/* Loops for one set: with instances among blocking instructions, and of these alone. */
typedef struct mixture {
    unsigned instances, blocks;
    bool fits;
} mixture;

static mixture build_mixture(loop *with, loop *alone, const chain *c, const blocking *b, double each)
{
    mixture m = {.instances = is_slots(b) ? INSTANCES_FOR_SLOTS : INSTANCES_FOR_PORTS};
    while (m.instances > 1 && m.instances * each > MOST_CYCLES)
        m.instances /= 2;
    double least = fmax(8, ceil(1.4 * m.instances * each) + 1);
    if (least > MOST_CYCLES_BLOCKED)
        return m;
    m.blocks = (unsigned)least * b->per_cycle;
    if (is_slots(b)) /* room for the loop's branch and the instances, so that cycles are full */
        m.blocks -= 1 + (m.instances <= m.blocks / 2 ? m.instances : 0);
    m.fits = mix(with, c, m.instances, b, m.blocks) && mix(alone, c, 0, b, m.blocks);
    if (!m.fits)
        with->size = alone->size = 0;
    return m;
}

/* NaN where the blocking instructions alone do not take the time that they should: then something else runs
 * on the core, and takes from the instances, too. */
static double use_of_set(const mixture *m, const blocking *b, const double cycles[2])
{
    unsigned branch = is_slots(b);
    double alone = (double)(m->blocks + branch) / b->per_cycle;
    if (!m->fits || isnan(cycles[1]) || fabs(cycles[1] - alone) > 1 + MOST_DEVIATION * alone)
        return NAN;
    return is_slots(b) ? (cycles[0] * b->per_cycle - m->blocks - branch) / m->instances
                       : (cycles[0] - cycles[1]) * b->per_cycle / m->instances;
}

/* Cycles of an instance between others of its kind: what depends on itself takes longer than independent
 * instances do. */
static double cycles_of_each(const setup *s, uint32_t form, const chain *c, double throughput)
{
    static loop l;
    double cycles;
    l.size = instances_code(c, 4, l.code);
    measure_loops(s, form, &l, 1, &cycles);
    return isnan(cycles) ? throughput : fmax(throughput, cycles / 4);
}

/* Uses of each set by an instance; NaN where not measured. */
static void measure_uses(const setup *s, uint32_t form, double throughput, double *uses)
{
    static loop loops[2 * MAX_BLOCKING];
    double cycles[2 * MAX_BLOCKING];
    mixture mixtures[MAX_BLOCKING];
    chain c;
    for (unsigned i = 0; i < s->count; i++)
        uses[i] = NAN;
    if (!chain_for_throughput(&c, form, 0))
        return;
    double each = cycles_of_each(s, form, &c, throughput);
    memset(loops, 0, sizeof loops);
    for (unsigned i = 0; i < s->count; i++)
        mixtures[i] = build_mixture(&loops[2 * i], &loops[2 * i + 1], &c, &s->sets[i], each);
    measure_loops(s, form, loops, 2 * s->count, cycles);
    for (unsigned i = 0; i < s->count; i++)
        uses[i] = use_of_set(&mixtures[i], &s->sets[i], &cycles[2 * i]);
}

/* ---- rows ---- */

static void put_number(FILE *f, double value)
{
    if (isnan(value))
        fputs("\t.", f);
    else
        fprintf(f, "\t%.2f", value);
}

static void put_latencies(FILE *f, const tacho_characterisation *c)
{
    static const char *const paths[] = {"", "a", "i", "m", "s"};
    fputc('\t', f);
    for (unsigned i = 0; i < c->latency_count; i++) {
        const tacho_measured_latency *l = &c->latencies[i];
        fprintf(f, "%s%u>%u%s", i ? " " : "", l->source, l->target, paths[l->path]);
        if (isnan(l->cycles))
            fprintf(f, "=%s", tacho_latency_status_name(l->status));
        else
            fprintf(f, "%s%.2f",
                    l->status == TACHO_LATENCY_OK           ? "="
                    : l->status == TACHO_LATENCY_ROUND_TRIP ? "=~"
                                                            : "<=",
                    l->cycles);
    }
    if (!c->latency_count)
        fputc('-', f);
}

static void put_row(FILE *f, const setup *s, const char *name, uint32_t form, const tacho_characterisation *c)
{
    double uses[MAX_BLOCKING];
    fputs(name, f);
    if (!c->runs || isnan(c->throughput.cycles)) {
        fprintf(f, "\t# %s\n", c->runs ? c->throughput.why : c->why);
        return;
    }
    measure_uses(s, form, c->throughput.cycles, uses);
    fprintf(f, "\t%s%.3f", c->throughput.at_most ? "<=" : "", c->throughput.cycles);
    for (unsigned i = 0; i < s->count; i++)
        put_number(f, uses[i]);
    put_latencies(f, c);
    fputc('\n', f);
}

/* The row is written at once when it is complete, so that an interruption does not leave a part of it. */
static void measure_form(const setup *s, const char *name, uint32_t form)
{
    static tacho_characterisation c;
    char *text = NULL;
    size_t size = 0;
    tacho_characterise_options options = TACHO_CHARACTERISE_OPTIONS_INIT;
    tacho_error err = {0};
    FILE *f = open_memstream(&text, &size);
    if (!f)
        fail_with_errno(name);
    options.quality = s->quality;
    options.attempts = 3;
    if (tacho_characterise(s->m, form, &options, &c, &err))
        fail(name, &err);
    put_row(f, s, name, form, &c);
    if (fclose(f) || fwrite(text, 1, size, s->out) != size || fflush(s->out))
        fail_with_errno("writing");
    free(text);
}

/* ---- the rows that are there ---- */

typedef struct names {
    char (*items)[NAME_SIZE];
    size_t count, capacity;
} names;

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* More slots than the cycles of the fastest loop have. */
static bool is_contradictory(const setup *s, const char *line)
{
    const char *p = strchr(line, '\t');
    if (!p)
        return false;
    double cycles = strtod(p + 1 + (p[1] == '<' ? 2 : 0), NULL);
    for (unsigned i = 0; i < s->count && (p = strchr(p + 1, '\t')); i++)
        if (is_slots(&s->sets[i]))
            return strtod(p + 1, NULL) > MOST_SLOTS_TOO_MANY * s->sets[i].per_cycle * cycles;
    return false;
}

static bool is_complete(const setup *s, const char *line)
{
    return !strstr(line, "not-measured") && !strstr(line, "\t.\t") && !strstr(line, "# unstable") &&
           !is_contradictory(s, line);
}

static void add_name(names *n, const char *line)
{
    if (n->count == n->capacity) {
        n->capacity = n->capacity ? 2 * n->capacity : 1024;
        n->items = realloc(n->items, n->capacity * sizeof *n->items);
        if (!n->items)
            fail("out of memory", NULL);
    }
    snprintf(n->items[n->count++], NAME_SIZE, "%.*s", (int)strcspn(line, "\t\n"), line);
}

static void head(const setup *s, char *out, size_t size)
{
    int n = snprintf(out, size, "# form\tcycles an instance");
    for (unsigned i = 0; i < s->count; i++)
        n += snprintf(out + n, size - (size_t)n, "\t%s", s->sets[i].name);
    snprintf(out + n, size - (size_t)n, "\tlatencies\n");
}

/* The forms that OUT has. A last line that was interrupted is cut off. */
static void read_names(names *out, const setup *s, FILE *f, const char *path, bool again)
{
    char line[LINE_SIZE], expected[LINE_SIZE];
    unsigned number = 0;
    long complete = 0;
    head(s, expected, sizeof expected);
    while (fgets(line, sizeof line, f) && strchr(line, '\n')) {
        if (!number++ && strcmp(line, expected))
            fail_at(path, number, "its columns are not those of the sets in BLOCKING");
        complete = ftell(f);
        if (*line != '#' && !(again && !is_complete(s, line)))
            add_name(out, line);
    }
    if (ferror(f) || ftruncate(fileno(f), complete) || fseek(f, complete, SEEK_SET))
        fail_with_errno(path);
    if (!number && (fputs(expected, f) < 0 || fflush(f)))
        fail_with_errno(path);
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, by_text);
}

static bool has_name(const names *n, const char *name)
{
    return n->count && bsearch(name, n->items, n->count, sizeof *n->items, by_text);
}

/* ---- the program ---- */

typedef struct arguments {
    const char *blocking, *out;
    tacho_measurer_options measurer;
    tacho_quality quality;
    bool again;
} arguments;

static void refuse_usage(const char *what, const char *which)
{
    fprintf(stderr, "tacho-measure-figures: %s%s\n%s", what, which, usage);
    exit(2);
}

static int cpu_number(const char *text)
{
    char *end;
    errno = 0;
    long n = text ? strtol(text, &end, 10) : -1;
    if (n < 0 || n > 65535 || errno || *end)
        refuse_usage("--cpu needs the number of a CPU", "");
    return (int)n;
}

static arguments parse(int argc, char **argv)
{
    arguments a = {.measurer = TACHO_MEASURER_OPTIONS_INIT, .quality = TACHO_QUALITY_DEFAULT};
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (!strcmp(argv[at], "--help")) {
            fputs(usage, stdout);
            exit(0);
        } else if (!strcmp(argv[at], "--quick")) {
            a.quality = TACHO_QUALITY_QUICK;
        } else if (!strcmp(argv[at], "--again")) {
            a.again = true;
        } else if (!strcmp(argv[at], "--cpu")) {
            at++;
            a.measurer.cpu = cpu_number(at < argc ? argv[at] : NULL);
        } else {
            refuse_usage("unknown option ", argv[at]);
        }
    }
    if (argc - at != 2)
        refuse_usage("BLOCKING and OUT are needed", "");
    a.blocking = argv[at];
    a.out = argv[at + 1];
    return a;
}

static void measure_all(setup *s, const arguments *a, const names *done)
{
    char line[256];
    tacho_error err = {0};
    unsigned measured = 0, number = 0;
    while (fgets(line, sizeof line, stdin)) {
        uint32_t form;
        number++;
        line[strcspn(line, "\t\n")] = '\0';
        if (!*line || *line == '#' || has_name(done, line))
            continue;
        if (tacho_form_find(line, &form, &err))
            fail_at("FORMS", number, err.message);
        /* What a measurer takes for an undisturbed machine gets old. */
        if (measured++ % FORMS_A_MEASURER == 0) {
            tacho_measurer_free(s->m);
            s->m = tacho_measurer_new(&a->measurer, &err);
        }
        if (!s->m)
            fail("measuring", &err);
        measure_form(s, line, form);
    }
    tacho_measurer_free(s->m);
}

int main(int argc, char **argv)
{
    static setup s;
    names done = {0};
    const arguments a = parse(argc, argv);
    s.quality = a.quality;
    read_blocking(&s, a.blocking);
    s.out = fopen(a.out, "a+");
    if (!s.out)
        fail_with_errno(a.out);
    rewind(s.out);
    read_names(&done, &s, s.out, a.out, a.again);
    measure_all(&s, &a, &done);
    free(done.items);
    return fclose(s.out) ? 1 : 0;
}
