/* import_amd.c - completes uops.info's rows of AMD's cores. They have the pipes of vectors as the counters
 * name them (FP0 to FP45), the macro-ops, and latencies between registers. What they lack comes from classes
 * of instructions (gen/amd_classes.txt):
 *
 * - the pipes of integer instructions: of a class, one µop for each macro-op, without that of a store;
 * - loads and stores: one µop for each memory operand that is read, two for each that is written;
 * - decoding: up to two macro-ops come from the decoders, more from microcode;
 * - idioms that need no operand, moves that the renamer does, what a division holds its unit for.
 *
 * Latencies from general registers to vectors and back are, as published, those of a chain with another move
 * less one cycle. What that move takes is known from chains of moves alone. */
#include "import_amd.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen_text.h"
#include "import_row.h"

enum {
    MAX_CLASSES = 256,
    MAX_NAMES = 64,
    MAX_PARTS = 32,
    MOST_UOPS = 200,
    MOST_CYCLES = 30000, /* random numbers take longer, and no table would hold it */
    TEXT = 4096
};

typedef struct class_ {
    char *names[MAX_NAMES];
    size_t name_count;
    char *operands, *value, *source;
} class_;

struct amd_core {
    const char *name;
    class_ classes[MAX_CLASSES];
    size_t count;
    char **sibling_names, **sibling_ports; /* of a later core, in its file's order, sorted by name */
    size_t siblings;
};

/* ---- classes ---- */

static int column_of(const char *core)
{
    static const char *const CORES[] = {"ZEN2", "ZEN3", "ZEN4", "ZEN5"};
    for (int i = 0; i < 4; i++)
        if (strcmp(CORES[i], core) == 0)
            return 2 + i;
    return -1;
}

static void add_class(amd_core *c, char **f, int column)
{
    while (column > 2 && strcmp(f[column], "=") == 0)
        column--;
    if (strcmp(f[column], ".") == 0)
        return;
    if (c->count == MAX_CLASSES) {
        fprintf(stderr, "tacho-import-uops: more than %d classes\n", MAX_CLASSES);
        exit(1);
    }
    class_ *k = &c->classes[c->count++];
    k->name_count = split(copy(f[0]), ' ', k->names, MAX_NAMES);
    k->operands = copy(f[1]);
    k->value = copy(f[column]);
    k->source = copy(f[6]);
}

/* The ports of all forms of another core. */
static void read_siblings(amd_core *c, const char *dir, const char *core)
{
    char path[TEXT], *line = NULL, *f[F_COUNT];
    size_t size = 0, capacity = 0;
    snprintf(path, sizeof path, "%s/%s.tsv", dir, core);
    FILE *in = fopen(path, "r");
    if (!in)
        die(path);
    while (getline(&line, &size, in) > 0) {
        if (line[0] == '#' || split(line, '\t', f, F_COUNT) != F_COUNT || strcmp(f[F_PORTS], "-") == 0)
            continue;
        if (c->siblings == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            c->sibling_names = realloc(c->sibling_names, capacity * sizeof *c->sibling_names);
            c->sibling_ports = realloc(c->sibling_ports, capacity * sizeof *c->sibling_ports);
            if (!c->sibling_names || !c->sibling_ports)
                die("memory");
        }
        c->sibling_names[c->siblings] = copy(f[F_STRING]);
        c->sibling_ports[c->siblings++] = copy(f[F_PORTS]);
    }
    free(line);
    fclose(in);
}

static const char *sibling_of(const amd_core *c, const char *string)
{
    for (size_t i = 0; i < c->siblings; i++)
        if (strcmp(c->sibling_names[i], string) == 0)
            return c->sibling_ports[i];
    return NULL;
}

static const class_ *find_of_core(const amd_core *c, const char *group, const char *what)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->classes[i].names[0], group) == 0 && strcmp(c->classes[i].operands, what) == 0)
            return &c->classes[i];
    return NULL;
}

const char *amd_sibling(const amd_core *c)
{
    const class_ *other = find_of_core(c, "(pipes)", "of");
    return other ? other->value : NULL;
}

amd_core *amd_core_read(const char *path, const char *core, const char *dir)
{
    char *line = NULL, *f[8];
    size_t size = 0;
    int column = column_of(core);
    FILE *in = fopen(path, "r");
    amd_core *c = calloc(1, sizeof *c);
    if (!in || !c)
        die(path);
    if (column < 0) {
        fprintf(stderr, "tacho-import-uops: %s has no column for %s\n", path, core);
        exit(1);
    }
    c->name = core;
    while (getline(&line, &size, in) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0')
            continue;
        if (split(line, '\t', f, 8) != 7) {
            fprintf(stderr, "tacho-import-uops: %s: a class has seven fields: %s\n", path, f[0]);
            exit(1);
        }
        add_class(c, f, column);
    }
    free(line);
    fclose(in);
    if (amd_sibling(c))
        read_siblings(c, dir, amd_sibling(c));
    return c;
}

/* The mnemonic of a form's name, and what follows it. */
static const char *cut_name(const char *string, char mnemonic[64])
{
    size_t n = strcspn(string, "_ ");
    snprintf(mnemonic, 64, "%.*s", (int)n, string);
    while (string[n] == ' ')
        n++;
    return string + n;
}

static bool has_name(const class_ *k, const char *mnemonic)
{
    for (size_t i = 0; i < k->name_count; i++)
        if (fnmatch(k->names[i], mnemonic, 0) == 0)
            return true;
    return false;
}

/* The first class of a form; `kind`: "(zeroing)" and the like, NULL: of ports. */
static const class_ *find_class(const amd_core *c, const char *string, const char *kind)
{
    char mnemonic[64];
    const char *rest = cut_name(string, mnemonic);
    for (size_t i = 0; i < c->count; i++) {
        const class_ *k = &c->classes[i];
        const char *operands = k->operands;
        bool of_kind = operands[0] == '(' && islower((unsigned char)operands[1]);
        if (kind ? strncmp(operands, kind, strlen(kind)) != 0 : of_kind)
            continue;
        if (kind) {
            operands += strlen(kind);
            operands = *operands == ' ' ? operands + 1 : "*";
        }
        if (has_name(k, mnemonic) && fnmatch(operands, rest, 0) == 0)
            return k;
    }
    return NULL;
}

/* A row of the core itself: "(memory)" "load". */
static const char *of_core(const amd_core *c, const char *group, const char *what)
{
    const class_ *k = find_of_core(c, group, what);
    if (k)
        return k->value;
    fprintf(stderr, "tacho-import-uops: no class %s %s of %s\n", group, what, c->name);
    exit(1);
}

static int cycles_of(const amd_core *c, const char *what)
{
    return atoi(of_core(c, "(memory)", what));
}

/* ---- operands ---- */

typedef struct shape {
    int loads, stores;
    bool vector; /* names a vector or mask register */
    bool from_general;
} shape;

/* One of a row's operands: NAME:type:rw:how:width:xtype:detail. */
typedef struct amd_operand {
    char *name, *type, *rw, *detail;
} amd_operand;

static size_t read_operands(char *text, amd_operand *ops)
{
    char *parts[MAX_PARTS], *f[OPERAND_FIELDS];
    if (strcmp(text, "-") == 0)
        return 0;
    size_t n = split(text, ';', parts, MAX_PARTS);
    for (size_t i = 0; i < n; i++) {
        cut_operand(parts[i], f);
        ops[i] = (amd_operand){f[0], f[1], f[2], f[6] ? f[6] : f[0]};
    }
    return n;
}

static bool is_vector(const amd_operand *o)
{
    return strncmp(o->detail, "XMM", 3) == 0 || strncmp(o->detail, "YMM", 3) == 0 ||
           strncmp(o->detail, "ZMM", 3) == 0 || strncmp(o->detail, "MM", 2) == 0;
}

static bool is_mask(const amd_operand *o)
{
    return strcmp(o->detail, "K") == 0 || strncmp(o->detail, "K1-7", 4) == 0;
}

static bool is_general(const amd_operand *o)
{
    return strcmp(o->type, "reg") == 0 && !is_vector(o) && !is_mask(o);
}

/* Gathers and scatters: elements of the index register and of the data, whichever are fewer. */
static int elements_of(const char *string)
{
    const char *at = strstr(string, "GATHER"), *vsib = strstr(string, "VSIB_");
    at = at ? at + strlen("GATHER") : strstr(string, "SCATTER");
    if (!at || !vsib)
        return 1;
    at += strncmp(at, "SCATTER", 7) == 0 ? 7 : 0;
    int bits = vsib[5] == 'X' ? 128 : vsib[5] == 'Y' ? 256 : 512;
    /* DPS, DPD, QPS, QPD: floats, doubles; DD, DQ, QD, QQ: integers */
    bool floats = at[1] == 'P';
    int index = at[0] == 'D' ? 32 : 64, element = at[1 + floats] == (floats ? 'S' : 'D') ? 32 : 64;
    int data = strstr(string, "ZMM") ? 512 : strstr(string, "YMM") ? 256 : 128;
    return bits / index < data / element ? bits / index : data / element;
}

static shape shape_of(const char *string, const amd_operand *ops, size_t n)
{
    shape s = {0};
    bool vector_written = false, general_read = false;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(ops[i].type, "mem") == 0) {
            s.loads += strchr(ops[i].rw, 'r') != NULL;
            s.stores += strchr(ops[i].rw, 'w') != NULL;
        }
        if (strcmp(ops[i].type, "reg") != 0)
            continue;
        bool vector = is_vector(&ops[i]) || is_mask(&ops[i]);
        s.vector |= vector;
        vector_written |= vector && strchr(ops[i].rw, 'w');
        general_read |= !vector && strchr(ops[i].rw, 'r');
    }
    s.from_general = vector_written && general_read;
    if (strstr(string, "VSIB_")) {
        s.loads *= elements_of(string);
        s.stores *= elements_of(string);
    }
    return s;
}

/* ---- ports ---- */

/* Sets of ports with their numbers, in the order in which µops are formed. */
typedef struct port_list {
    char sets[MAX_PARTS][20];
    int counts[MAX_PARTS];
    size_t n;
} port_list;

static void add_ports(port_list *p, const char *set, int count)
{
    if (count < 1)
        return;
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->sets[i], set) == 0 && i + 1 == p->n) {
            p->counts[i] += count;
            return;
        }
    if (p->n == MAX_PARTS)
        return;
    snprintf(p->sets[p->n], sizeof p->sets[0], "%s", set);
    p->counts[p->n++] = count;
}

static int port_sum(const port_list *p)
{
    int sum = 0;
    for (size_t i = 0; i < p->n; i++)
        sum += p->counts[i];
    return sum;
}

/* "FP0123" as the core's letters. */
static void translate(const amd_core *c, const char *pipes, char out[20])
{
    char all[40] = "";
    for (const char *p = pipes; *p; p++) {
        char one[3] = {*p, '\0', '\0'};
        if (*p == '4' || *p == '5') {
            if (strchr(all, of_core(c, "(pipes)", "45")[0]))
                continue;
            strncat(all, of_core(c, "(pipes)", "45"), 8);
        } else {
            strncat(all, of_core(c, "(pipes)", one), 2);
        }
    }
    snprintf(out, 20, "%.19s", all);
}

/* "FP01*1+FP45*2" */
static void add_pipes(const amd_core *c, port_list *p, const char *text)
{
    char *parts[MAX_PARTS], set[20];
    size_t n = split(copy(text), '+', parts, MAX_PARTS);
    for (size_t i = 0; i < n; i++) {
        char *star = strchr(parts[i], '*');
        if (star)
            *star++ = '\0';
        translate(c, parts[i] + 2, set);
        add_ports(p, set, star ? atoi(star) : 1);
    }
}

/* "0123", "12*3+0123", "-": as many µops as the class says, or else `count`. */
static void add_class_ports(port_list *p, const char *value, int count)
{
    char *text = copy(value), *parts[MAX_PARTS];
    text[strcspn(text, " ")] = '\0';
    if (strcmp(text, "-") == 0)
        return;
    bool exact = strpbrk(text, "*+") != NULL;
    size_t n = split(text, '+', parts, MAX_PARTS);
    for (size_t i = 0; i < n; i++) {
        char *star = strchr(parts[i], '*');
        if (star)
            *star++ = '\0';
        add_ports(p, parts[i], star ? atoi(star) : exact ? 1 : count);
    }
}

/* The number after "div=" or "tp=" of a class; 0 without. */
static int number_of(const class_ *k, const char *what)
{
    const char *at = k ? strstr(k->value, what) : NULL;
    return at ? atoi(at + strlen(what)) : 0;
}

/* A store's data are among the pipes of its row already. */
static void take_store_data(const amd_core *c, port_list *p, int stores)
{
    char set[20];
    translate(c, "45", set);
    for (size_t i = p->n; i-- > 0 && stores;)
        while (stores && strcmp(p->sets[i], set) == 0 && p->counts[i]) {
            p->counts[i]--;
            stores--;
        }
}

static void add_memory(const amd_core *c, port_list *p, const shape *s)
{
    add_ports(p, of_core(c, "(memory)", s->vector ? "vector-load" : "load"), s->loads);
    add_ports(p, of_core(c, "(memory)", "store"), s->stores);
    add_ports(p, of_core(c, "(memory)", s->vector ? "vector-store-data" : "store-data"), s->stores);
}

static void write_ports(char out[TEXT], const port_list *p)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < p->n; i++)
        if (p->counts[i])
            at += (size_t)snprintf(out + at, TEXT - at, "%s%s*%d", at ? "+" : "", p->sets[i], p->counts[i]);
    if (!at)
        snprintf(out, TEXT, "-");
}

/* Integer instructions: a µop a macro-op, but one is a load or store alone where there are several. */
static int macro_ops_that_compute(int uops, const shape *s)
{
    int count = uops - ((s->loads || s->stores) && uops > 1 ? 1 : 0);
    return count < 1 ? 1 : count > MOST_UOPS ? MOST_UOPS : count;
}

/* ---- latencies ---- */

static const amd_operand *operand_named(const amd_operand *ops, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    return NULL;
}

/* By how much the published figure is too large: the rest of the loop it was measured in. */
static int excess(const amd_core *c, const char *form, const amd_operand *from, const amd_operand *to,
                  bool address)
{
    bool general = address || is_general(from) || strcmp(from->type, "flags") == 0;
    bool vector_target = is_vector(to) && strcmp(to->type, "reg") == 0;
    bool general_target = strcmp(to->type, "flags") == 0 || is_general(to);
    if (general && vector_target)
        return cycles_of(c, "to-general-cycles") - 1;
    if (!general && is_vector(from) && general_target)
        return cycles_of(c, form[0] == 'V' ? "from-general-cycles" : "from-general-legacy-cycles") - 1;
    return 0;
}

/* The least cycles from a register of the same kind to the target; 0 without. Where the memory operand has a
 * figure as if it were a register, the two may be the wrong way round. */
static int least_from_register(char *const *pairs, size_t n, const amd_operand *to, const amd_operand *ops,
                               size_t op_count)
{
    int least = 0;
    for (size_t i = 0; i < n; i++) {
        char from[32] = "", target[32] = "";
        int cycles = 0;
        if (sscanf(pairs[i], "%31[^>]>%31[^=]=%d", from, target, &cycles) != 3 ||
            strcmp(target, to->name) != 0)
            continue;
        const amd_operand *o = operand_named(ops, op_count, from);
        bool memory = o && strcmp(o->type, "mem") == 0;
        if (o && (memory ? cycles > 1 : is_vector(o) == is_vector(to) && cycles > 0) &&
            (!least || cycles < least))
            least = cycles;
    }
    return least;
}

static int less(int cycles, int by)
{
    return cycles > by ? cycles - by : cycles > 0 ? 1 : cycles;
}

/* A memory operand without figures of its own: what it takes from a register, and the load. */
static void right_pair(char *const *values, char out[5][16], int least, int load)
{
    if (strcmp(values[0], ".") == 0 || strcmp(values[1], ".") != 0)
        return;
    snprintf(out[0], 16, ".");
    snprintf(out[1], 16, "%d", least + load);
    snprintf(out[2], 16, "%d", least + load);
}

/* A figure of the way from an address to a register is the load and, at the least, the quickest way from a
 * register; where stores are renamed to loads, and where figures are upper bounds, it is published otherwise.
 */
static void correct_pair(const amd_core *c, const char *form, char *const *values, char out[5][16],
                         const amd_operand *from, const amd_operand *to, int least, bool plain_memory,
                         bool computes)
{
    bool load = strcmp(from->type, "mem") == 0 && strcmp(to->type, "mem") != 0;
    int cycles_of_load = cycles_of(c, is_vector(to) ? "vector-load-cycles" : "load-cycles");
    int shortest = cycles_of_load + (least ? least : computes);
    for (int k = 0; k < 5; k++) {
        snprintf(out[k], 16, "%.15s", values[k]);
        if (strcmp(values[k], ".") == 0 || k > 2)
            continue;
        int cycles = less(atoi(values[k]), excess(c, form, from, to, k > 0));
        if (k == 0 && cycles > least && plain_memory)
            cycles = least;
        if (k > 0 && load && (cycles < shortest || (is_vector(to) && least)))
            cycles = shortest;
        snprintf(out[k], 16, cycles > MOST_CYCLES ? "." : "%d", cycles);
    }
    if (load)
        right_pair(values, out, least, cycles_of_load);
}

/* What is known better of the way to the flags: from a register, or a load before it. */
static void put_flags(const amd_core *c, char out[5][16], int cycles, bool memory)
{
    for (int k = 0; k < 3; k++)
        if (memory == (k > 0))
            snprintf(out[k], 16, "%d", cycles + (memory ? cycles_of(c, "load-cycles") : 0));
}

/* *better: the class that some of the pairs are of instead; NULL: none are. @return whether a figure changed
 */
static bool correct_latencies(const amd_core *c, char **f, const amd_operand *ops, size_t n, bool computes,
                              bool one_register, const class_ **better)
{
    char out[TEXT] = "", *pairs[128], *again[128], *values[5];
    *better = NULL;
    if (strcmp(f[F_LATENCIES], "-") == 0)
        return false;
    size_t count = split(copy(f[F_LATENCIES]), ';', pairs, 128), at = 0;
    const class_ *latency = find_class(c, f[F_STRING], "(latency)"),
                 *flags = find_class(c, f[F_STRING], "(flags)");
    const char *quick = latency ? latency->value : NULL;
    bool plain_memory = false;
    for (size_t i = 0; i < count; i++) {
        again[i] = copy(pairs[i]);
        plain_memory |=
            strncmp(pairs[i], "MEM", 3) == 0 && !strstr(pairs[i], "=.") && !strstr(pairs[i], "=1,");
    }
    for (size_t i = 0; i < count; i++) {
        char *target = strchr(pairs[i], '>'), *equal = strchr(pairs[i], '='), figures[5][16];
        *target++ = '\0';
        *equal++ = '\0';
        const amd_operand *from = operand_named(ops, n, pairs[i]), *to = operand_named(ops, n, target);
        if (!from || !to || split(equal, ',', values, 5) != 5)
            continue;
        if (quick && is_vector(from) && is_vector(to) && strcmp(from->type, "reg") == 0) {
            values[0] = (char *)quick;
            *better = latency;
        }
        correct_pair(c, f[F_STRING], values, figures, from, to,
                     quick && is_vector(to) ? atoi(quick) : least_from_register(again, count, to, ops, n),
                     plain_memory, computes);
        if (flags && strcmp(to->type, "flags") == 0 && strcmp(from->type, "flags") != 0) {
            put_flags(c, figures, atoi(flags->value), strcmp(from->type, "mem") == 0);
            *better = flags;
        }
        if (one_register && strcmp(from->type, "reg") == 0)
            snprintf(figures[4], sizeof figures[4], "0");
        if (strspn(figures[0], ".") && strspn(figures[1], ".") && strspn(figures[2], "."))
            continue;
        at += (size_t)snprintf(out + at, at < TEXT ? TEXT - at : 0, "%s%s>%s=%s,%s,%s,%s,%s", at ? ";" : "",
                               pairs[i], target, figures[0], figures[1], figures[2], figures[3], figures[4]);
    }
    bool changed = strcmp(out, f[F_LATENCIES]) != 0 && !one_register;
    f[F_LATENCIES] = copy(at ? out : "-");
    return changed;
}

/* ---- a row ---- */

/* The origin of a field of a row, which becomes an id of data/sources.txt in import.c. */
static void origin_of(const char *source, const char *field, char out[64])
{
    const char *at = source;
    size_t n = strlen(field);
    snprintf(out, 64, "%s", strcmp(source, "measured") == 0 ? "csv" : "none");
    for (; (at = strstr(at, field)) != NULL; at += n)
        if ((at == source || at[-1] == ';') && at[n] == '=') {
            snprintf(out, 64, "%.*s", (int)strcspn(at + n + 1, ";"), at + n + 1);
            break;
        }
    if (strcmp(out, "Zen5.tsv") == 0)
        memcpy(out, "ZEN5-uops", sizeof "ZEN5-uops");
    char *rule = strstr(out, "+rule");
    if (rule)
        memcpy(rule, ":rule", 5);
}

static char *number_text(int n)
{
    char out[16];
    snprintf(out, sizeof out, "%d", n);
    return copy(out);
}

static void fill_decoding(char **f, int slots)
{
    bool microcode = slots > 2;
    f[F_SLOTS] = number_text(slots);
    f[F_MITE] = number_text(microcode ? 1 : slots);
    f[F_MS] = number_text(microcode ? slots : 0);
    f[F_COMPLEX] = copy(microcode ? "1" : "0");
    f[F_SIMPLE] = copy(microcode ? "0" : "4");
}

typedef struct origins {
    char ports[64], latency[64], divider[64], throughput[64], same[64];
} origins;

static void put_sources(char **f, const origins *o)
{
    char out[512], fusion[64];
    origin_of(f[F_SOURCE], "macro_fusible", fusion);
    snprintf(out, sizeof out, "ports=%s;front_end=rule;lat=%s;same_reg=%s;div=%s;tp=%s", o->ports, o->latency,
             o->same, o->divider, o->throughput);
    if (strcmp(f[F_FUSION], "-") != 0)
        strncat(out, ";macro_fusible=amd-sog", sizeof out - strlen(out) - 1);
    f[F_SOURCE] = copy(out);
}

static void find_ports(const amd_core *c, char **f, port_list *p, const shape *s, const class_ *k, origins *o)
{
    int uops = atoi(f[F_UOPS]);
    const char *sibling = sibling_of(c, f[F_STRING]), *pipes = strcmp(f[F_PORTS], "-") != 0 ? f[F_PORTS]
                                                               : s->vector                  ? sibling
                                                                                            : NULL;
    snprintf(o->ports, sizeof o->ports, "amd-classes");
    if (k) {
        add_class_ports(p, k->value, macro_ops_that_compute(uops, s));
        snprintf(o->ports, sizeof o->ports, "%s", k->source);
        return;
    }
    if (pipes && strcmp(pipes, "-") != 0) {
        add_pipes(c, p, pipes);
        origin_of(f[F_SOURCE], "ports", o->ports);
        if (pipes == sibling)
            snprintf(o->ports, sizeof o->ports, "adj:ZEN3");
        take_store_data(c, p, s->stores);
        if (s->from_general && uops > port_sum(p) + s->stores)
            add_ports(p, of_core(c, "(memory)", "from-general"), 1);
        return;
    }
    if (s->vector && s->from_general)
        add_ports(p, of_core(c, "(memory)", "from-general"), 1);
    else if (!s->vector || !(s->loads || s->stores))
        add_ports(p, s->vector ? "abcd" : of_core(c, "(memory)", "alu"), macro_ops_that_compute(uops, s));
}

static void fill_same_registers(const amd_core *c, char **f, const char *ports, int slots, origins *o,
                                bool *one_register)
{
    const class_ *zeroing = find_class(c, f[F_STRING], "(zeroing)"),
                 *move = find_class(c, f[F_STRING], "(move)");
    char out[TEXT];
    f[F_SAME] = copy("-");
    snprintf(o->same, sizeof o->same, "amd-classes");
    if (strstr(f[F_STRING], "LOCK") || !strstr(f[F_STRING], "(") || strstr(f[F_OPERANDS], ":mem:"))
        return;
    if (move && !strstr(f[F_STRING], " K,")) {
        snprintf(out, sizeof out, "1/1/1/0/0/4/0/0/%s*1", move->value);
        f[F_SAME] = copy(out);
        f[F_UOPS] = copy("0");
        f[F_PORTS] = copy("-");
        *one_register = true;
    } else if (zeroing) {
        if (strcmp(zeroing->value, "nothing") == 0)
            snprintf(out, sizeof out, "0/%d/%d/0/0/4/0/0/-", slots, slots);
        else if (strcmp(zeroing->value, "executed") == 0)
            snprintf(out, sizeof out, "%s/%d/%d/0/0/4/0/0/%s", f[F_UOPS], slots, slots, ports);
        else
            snprintf(out, sizeof out, "%s/%d/%d/0/0/4/0/0/%s*1", f[F_UOPS], slots, slots, zeroing->value);
        f[F_SAME] = copy(out);
        *one_register = true;
        snprintf(o->same, sizeof o->same, "%s", zeroing->source);
    }
}

void amd_complete(const amd_core *c, char **f)
{
    amd_operand ops[MAX_PARTS];
    port_list p = {.n = 0};
    char ports[TEXT];
    origins o;
    size_t n = read_operands(copy(f[F_OPERANDS]), ops);
    shape s = shape_of(f[F_STRING], ops, n);
    const class_ *k = find_class(c, f[F_STRING], NULL);
    int slots = atoi(f[F_UOPS]);
    bool one_register = false;
    origin_of(f[F_SOURCE], "lat", o.latency);
    origin_of(f[F_SOURCE], "div", o.divider);
    origin_of(f[F_SOURCE], "tp", o.throughput);
    slots = slots < 1 ? 1 : slots;
    find_ports(c, f, &p, &s, k, &o);
    bool computes = port_sum(&p) > 0;
    if (s.from_general)
        add_class_ports(&p, of_core(c, "(memory)", "from-general-alu"), 1);
    if (!k || strcmp(k->value, "nothing") != 0)
        add_memory(c, &p, &s);
    else
        p.n = 0;
    write_ports(ports, &p);
    f[F_PORTS] = copy(ports);
    f[F_UOPS] = number_text(port_sum(&p));
    f[F_INDEXED] = copy("-");
    fill_same_registers(c, f, ports, slots, &o, &one_register);
    if (s.loads && s.stores && !s.vector && slots < cycles_of(c, "read-write-slots"))
        slots = cycles_of(c, "read-write-slots");
    slots = number_of(k, "s=") ? number_of(k, "s=") : slots;
    fill_decoding(f, slots);
    if (f[F_DIV][0] != '.')
        f[F_DIV] = number_text(atoi(f[F_DIV]) * cycles_of(c, "dividers"));
    if (number_of(k, "div=")) {
        f[F_DIV] = number_text(number_of(k, "div="));
        snprintf(o.divider, sizeof o.divider, "%s", k->source);
    }
    if (number_of(k, "tp=")) {
        f[F_TP] = number_text(number_of(k, "tp="));
        snprintf(o.throughput, sizeof o.throughput, "%s", k->source);
    }
    const class_ *better;
    if (correct_latencies(c, f, ops, n, computes, one_register, &better) && strcmp(o.latency, "csv") == 0)
        snprintf(o.latency, sizeof o.latency, "adj:%s", c->name);
    if (better)
        snprintf(o.latency + strlen(o.latency), sizeof o.latency - strlen(o.latency), "&%s", better->source);
    const class_ *fusion = find_class(c, f[F_STRING], "(fusion)");
    f[F_FUSION] =
        copy(fusion && strcmp(fusion->value, "-") != 0 && !strstr(f[F_STRING], "LOCK") ? fusion->value : "-");
    put_sources(f, &o);
}
