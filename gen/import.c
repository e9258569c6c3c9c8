/* import.c - writes our tables from the neutral text form of uops.info's figures.
 *
 *   tacho-import-uops UOPS_DIR DATA_DIR NAME=FILE[,OPTION ...] ...
 *
 * UOPS_DIR holds FILE.tsv and macrofusion.tsv; its README explains the columns. NAME is our
 * microarchitecture. Written are DATA_DIR/forms.txt and, for each NAME, DATA_DIR/arch/NAME/{insns,fusion}.txt
 * (no fusion.txt where it would be PARENT's); data/README.md has their grammar. Not written: params.txt,
 * extra.txt, sources.txt, which are edited by hand. Options; PARENT and OTHER are earlier NAMEs:
 *
 * - zmm: the ports of 512-bit forms are those of icl_server_zmm_ports.tsv
 * - sums: FILE has of a floating-point addition what it takes from one to the next, a cycle less than to
 *   anything else (fp_add_forward_cycles)
 * - inherit:PARENT: only rows are written that differ from PARENT's
 * - own:PARENT: the same; NAME's core was measured itself, and who was measured makes no difference
 * - made:PARENT: the same; FILE was made from PARENT's, and only other figures make a difference
 * - carry: forms with EVEX that FILE lacks are PARENT's, with latencies as much less as those of the forms
 *   with VEX are
 * - as:OTHER: rows that OTHER has of its own are taken from there
 * - amd:CLASSES: rows of AMD's cores, completed by that file (import_amd.c)
 * - beside: the core has a table of its own, and these rows are for forms that it lacks: they are written to
 *   published.txt, and no fusion.txt */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen_text.h"
#include "import_amd.h"
#include "import_row.h"
#include "x86/decode/decode_names.h"
#include "x86/insndb/key.h"

enum {
    MAX_FIELDS = 24,
    MAX_OPERANDS = 16
};

typedef struct row {
    uint64_t key;
    char *name, *encoding_operands, *figures;
    char *source;
    char *pattern; /* the same with @ for the own core */
} row;

typedef struct rows {
    row *items;
    size_t count, capacity;
} rows;

static int problems;

static void problem(const char *file, size_t line, const char *format, ...) TACHO_PRINTF(3, 4);
static void problem(const char *file, size_t line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%zu: ", file, line);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    problems++;
}

static FILE *open_in(const char *dir, const char *name, const char *extension, const char *mode)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s%s", dir, name, extension) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        die(dir);
    }
    FILE *f = fopen(path, mode);
    if (!f)
        die(path);
    return f;
}

static void append(char *out, size_t size, const char *format, ...) TACHO_PRINTF(3, 4);
static void append(char *out, size_t size, const char *format, ...)
{
    size_t length = strlen(out);
    va_list args;
    va_start(args, format);
    if (vsnprintf(out + length, size - length, format, args) >= (int)(size - length)) {
        fprintf(stderr, "tacho-import-uops: a row is too long: %s\n", out);
        exit(1);
    }
    va_end(args);
}

/* ---- forms ---- */

static bool is_evex(char **f)
{
    return strcmp(f[F_EXTENSION], "AVX512EVEX") == 0;
}

static char encoding_of(char **f)
{
    static const char *const BMI[] = {"ANDN", "BEXTR", "BLSI", "BLSMSK", "BLSR", "BZHI", "MULX",
                                      "PDEP", "PEXT",  "RORX", "SARX",   "SHLX", "SHRX"};
    if (is_evex(f))
        return 'E';
    if (strcmp(f[F_EXTENSION], "AVX512VEX") == 0 || strcmp(f[F_EXTENSION], "AMX_TILE") == 0)
        return 'V';
    size_t length = strcspn(f[F_STRING], "_ ");
    for (size_t i = 0; i < sizeof BMI / sizeof *BMI; i++)
        if (strlen(BMI[i]) == length && strncmp(BMI[i], f[F_STRING], length) == 0)
            return 'V';
    return f[F_STRING][0] == 'V' && strncmp(f[F_STRING], "VER", 3) != 0 ? 'V' : 'L';
}

/* XED and Zydis do not agree on how wide these accesses are, and nothing depends on it. */
static bool width_is_moot(const char *mnemonic)
{
    static const char *const PREFIXES[] = {"PREFETCH", "CLFLUSH", "CLWB",    "INVLPG", "FXSAVE", "FXRSTOR",
                                           "XSAVE",    "XRSTOR",  "LGDT",    "LIDT",   "SGDT",   "SIDT",
                                           "BNDLDX",   "BNDSTX",  "LDMXCSR", "STMXCSR"};
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
        if (strncmp(mnemonic, PREFIXES[i], strlen(PREFIXES[i])) == 0)
            return true;
    return false;
}

/* Names that say R64 for a pair of mask registers, or R for a register as wide as addresses are, or VEX where
 * the EVEX form has another name. */
static void correct_name(char *name)
{
    char *k = strncmp(name, "VP2INTERSECT", 12) == 0 ? strstr(name, "(R64,") : NULL;
    char *r = strncmp(name, "MOVDIR64B", 9) == 0 ? strstr(name, "(R,") : NULL;
    char *vex = strstr(name, "_VEX (");
    if (vex)
        memmove(vex, vex + 4, strlen(vex + 4) + 1);
    if (k)
        memmove(k + 2, k + 4, strlen(k + 4) + 1);
    if (k)
        k[1] = 'K';
    if (r) {
        memmove(r + 4, r + 2, strlen(r + 2) + 1);
        memcpy(r + 2, "64", 2);
    }
}

static bool read_key(form_key *key, const char *given, const char *file, size_t line)
{
    char why[256], string[256];
    snprintf(string, sizeof string, "%.250s", given);
    correct_name(string);
    if (!tacho_key_parse(key, string, why, sizeof why)) {
        problem(file, line, "%s: %s", string, why);
        return false;
    }
    if (width_is_moot(tacho_mnemonic_name(key->mnemonic)))
        for (unsigned i = 0; i < KEY_MAX_KINDS; i++)
            if (tacho_kind_is_memory(key->kinds[i]))
                key->kinds[i] = KIND_M;
    return true;
}

typedef struct operand {
    char *name, *type, *rw, *how, *width, *detail;
} operand;

static size_t read_operands(char *text, operand *ops, const char *file, size_t line)
{
    char *parts[MAX_OPERANDS], *f[OPERAND_FIELDS];
    if (strcmp(text, "-") == 0)
        return 0;
    size_t n = split(text, ';', parts, MAX_OPERANDS);
    for (size_t i = 0; i < n; i++) {
        cut_operand(parts[i], f);
        if (!f[6]) {
            problem(file, line, "operand %zu has too few fields", i);
            return 0;
        }
        ops[i] = (operand){f[0], f[1], f[2], f[3], f[4], f[6]};
    }
    return n;
}

static void put_flags(char *out, size_t size, const operand *op)
{
    const char *read = strstr(op->detail, "|R:"), *write = strstr(op->detail, "|W:");
    append(out, size, " flags=%s:", op->rw);
    if (!read || !write)
        return;
    const char *r = read + 3, *w = write + 3;
    bool rc = *r == 'C', rs = strncmp(r, "SPAZO", 5) == 0 || strncmp(r, "C+SPAZO", 7) == 0;
    bool wc = *w == 'C', ws = strncmp(w, "SPAZO", 5) == 0 || strncmp(w, "C+SPAZO", 7) == 0;
    append(out, size, "%s%s%s:%s%s%s", rc ? "C" : "", rs ? "S" : "", rc || rs ? "" : "-", wc ? "C" : "",
           ws ? "S" : "", wc || ws ? "" : "-");
}

static void lower(char *out, const char *in)
{
    for (; *in && *in != ','; in++)
        *out++ = (char)(*in >= 'A' && *in <= 'Z' ? *in + 32 : *in);
    *out = '\0';
}

static void put_suppressed(char *out, size_t size, const operand *op)
{
    char base[32] = "", index[32] = "";
    const char *b = strstr(op->detail, "base="), *i = strstr(op->detail, "index=");
    if (strcmp(op->type, "flags") == 0) {
        put_flags(out, size, op);
        return;
    }
    if (strcmp(op->type, "mem") == 0) {
        if (b)
            lower(base, b + 5);
        if (i)
            lower(index, i + 6);
        append(out, size, " [%s%s%s]=%s", base, i ? "+" : "", index, op->rw);
    } else {
        lower(base, op->detail);
        append(out, size, " %s=%s", base, op->rw);
    }
    if (strcmp(op->width, ".") != 0)
        append(out, size, ":%s", op->width);
}

/* "ENC<TAB>operands": visible ones as ACCESS[:WIDTH], their kinds are in the name. */
static char *form_text(char **f, const form_key *key, operand *ops, size_t n, const char *file, size_t line)
{
    char out[1024];
    unsigned visible = 0;
    snprintf(out, sizeof out, "%c\t", encoding_of(f));
    for (size_t i = 0; i < n; i++) {
        if (ops[i].how[0] == 's') {
            put_suppressed(out, sizeof out, &ops[i]);
            continue;
        }
        if (visible == key->kind_count) {
            problem(file, line, "%s: more visible operands than the name says", f[F_STRING]);
            break;
        }
        uint16_t width = tacho_kind_width(key->kinds[visible++]);
        append(out, sizeof out, " %s", ops[i].rw);
        if (ops[i].width[0] != '.' && atoi(ops[i].width) != width)
            append(out, sizeof out, ":%s", ops[i].width);
    }
    if (visible != key->kind_count)
        problem(file, line, "%s: fewer visible operands than the name says", f[F_STRING]);
    /* "L\t a b" -> "L\ta b" */
    char *tab = strchr(out, '\t');
    if (tab[1] == ' ')
        memmove(tab + 1, tab + 2, strlen(tab + 2) + 1);
    return copy(out);
}

/* ---- figures ---- */

typedef struct variant {
    const char *ports;
    int uops, slots, mite, ms, complex_, simple, div, tp;
} variant;

static int number(const char *s)
{
    return strcmp(s, ".") == 0 ? 0 : atoi(s);
}

static int port_uops(const char *ports)
{
    int sum = 0;
    for (const char *p = ports; (p = strchr(p, '*')) != NULL; p++)
        sum += atoi(p + 1);
    return sum;
}

/* "0156B*1+23A*2" -> "0156b+23a*2": ports 10 and 11 are a and b here. */
static void put_ports(char *out, size_t size, const char *ports)
{
    for (const char *p = ports; *p; p++) {
        if (p[0] == '*' && p[1] == '1' && (p[2] == '+' || p[2] == '\0'))
            p++;
        else
            append(out, size, "%c", *p == 'A' || *p == 'B' ? *p + 'a' - 'A' : *p);
    }
}

static void put_variant(char *out, size_t size, const variant *v, bool locked)
{
    put_ports(out, size, v->ports);
    int sum = port_uops(v->ports);
    int slots = v->uops > 0 ? v->uops : 1;
    if (v->uops != sum)
        append(out, size, " u=%d", v->uops);
    if (v->slots != slots)
        append(out, size, " s=%d", v->slots);
    if (v->mite != v->slots)
        append(out, size, " d=%d", v->mite);
    if (v->ms)
        append(out, size, " ms=%d", v->ms);
    if (v->complex_)
        append(out, size, " complex");
    if (v->simple != 4)
        append(out, size, " simple=%d", v->simple);
    if (v->div)
        append(out, size, " div=%d", v->div);
    if (v->tp)
        append(out, size, " tp=%d", v->tp);
    if (locked)
        append(out, size, " locked");
}

static variant read_variant(char *text, const variant *base)
{
    char *f[9];
    variant v = *base;
    int *const numbers[] = {&v.uops, &v.slots, &v.mite, &v.ms, &v.complex_, &v.simple, &v.div, &v.tp};
    size_t n = split(text, '/', f, 9);
    for (size_t i = 0; i < n && i < 8; i++)
        if (strcmp(f[i], ".") != 0)
            *numbers[i] = atoi(f[i]);
    if (n == 9 && strcmp(f[8], ".") != 0)
        v.ports = f[8];
    return v;
}

static int operand_index(const operand *ops, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(ops[i].name, name) == 0)
            return (int)i;
    return -1;
}

static void put_latencies(char *out, size_t size, char *text, const operand *ops, size_t n, const char *file,
                          size_t line)
{
    char *pairs[128], *values[5];
    if (strcmp(text, "-") == 0) {
        append(out, size, "-");
        return;
    }
    size_t count = split(text, ';', pairs, 128);
    for (size_t i = 0; i < count; i++) {
        char *target = strchr(pairs[i], '>'), *equal = strchr(pairs[i], '=');
        *target++ = '\0';
        *equal++ = '\0';
        int from = operand_index(ops, n, pairs[i]), to = operand_index(ops, n, target);
        if (from < 0 || to < 0) {
            problem(file, line, "latency %s>%s names an operand that is not there", pairs[i], target);
            continue;
        }
        size_t k = split(equal, ',', values, 5);
        while (k > 0 && strcmp(values[k - 1], ".") == 0)
            k--;
        if (k == 0)
            continue;
        append(out, size, "%s%d>%d=", i ? " " : "", from, to);
        for (size_t j = 0; j < k; j++)
            append(out, size, "%s%s", j ? "," : "", strcmp(values[j], ".") == 0 ? "" : values[j]);
    }
}

/* ---- sources ---- */

/* A source's id in data/sources.txt for an origin of the input: form names are dropped. "csv&other": some are
 * the other's. */
static void source_id(char *out, size_t size, const char *origin, const char *table)
{
    char arch[32];
    const char *other_source = strchr(origin, '&');
    if (other_source) {
        char most[64];
        snprintf(most, sizeof most, "%.*s", (int)(other_source - origin), origin);
        source_id(out, size, most, table);
        append(out, size, "-and-%s", other_source + 1);
        return;
    }
    bool adjusted = strncmp(origin, "adj:", 4) == 0;
    if (strcmp(origin, "csv") == 0) {
        snprintf(out, size, "%s", table);
        return;
    }
    if (strncmp(origin, "csv+", 4) == 0) {
        snprintf(out, size, "%s-ratio", table);
        return;
    }
    if (strncmp(origin, "rule", 4) == 0 || strcmp(origin, "range") == 0 || strcmp(origin, "none") == 0) {
        snprintf(out, size, "%.*s", (int)strcspn(origin, ":"), origin);
        return;
    }
    if (strstr(origin, "+CLX") || strstr(origin, "+analogy")) {
        snprintf(out, size, "inferred-zmm");
        return;
    }
    if (adjusted)
        origin += 4;
    snprintf(arch, sizeof arch, "%.*s", (int)strcspn(origin, ":+"), origin);
    bool other = strchr(origin, ':') != NULL, moved = strstr(origin, "+rmw") != NULL;
    snprintf(out, size, "%s%s", arch, adjusted || moved ? "-adjusted" : other ? "-sibling" : "");
}

static char *source_text(const char *origin, const char *table, bool zmm)
{
    static const char *const FIELDS[][2] = {
        {"ports", "ports"}, {"front_end", "front_end"}, {"indexed", "indexed"}, {"same_reg", "same_reg"},
        {"lat", "latency"}, {"div", "divider"},         {"tp", "throughput"},   {"macro_fusible", "fusion"}};
    char out[512] = "", id[64];
    if (strcmp(origin, "measured") == 0) {
        append(out, sizeof out, "all=%s", table);
        return copy(out);
    }
    char *text = copy(origin), *parts[16];
    size_t n = split(text, ';', parts, 16);
    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++) {
        for (size_t j = 0; j < n; j++) {
            size_t length = strlen(FIELDS[i][0]);
            if (strncmp(parts[j], FIELDS[i][0], length) != 0 || parts[j][length] != '=')
                continue;
            source_id(id, sizeof id, parts[j] + length + 1, table);
            if (i == 0 && zmm)
                snprintf(id, sizeof id, "inferred-zmm");
            append(out, sizeof out, "%s%s=%s", *out ? " " : "", FIELDS[i][1], id);
        }
    }
    free(text);
    return copy(out);
}

/* ---- files ---- */

typedef struct zmm_ports {
    char *string, *ports;
} zmm_ports;

static zmm_ports *zmm;
static size_t zmm_count;

static void read_zmm(const char *dir)
{
    char *line = NULL, *f[4];
    size_t size = 0;
    FILE *in = open_in(dir, "icl_server_zmm_ports", ".tsv", "r");
    while (getline(&line, &size, in) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || split(line, '\t', f, 4) != 4)
            continue;
        zmm = realloc(zmm, (zmm_count + 1) * sizeof *zmm);
        if (!zmm)
            die("memory");
        zmm[zmm_count++] = (zmm_ports){copy(f[0]), copy(f[3])};
    }
    free(line);
    fclose(in);
}

static const char *zmm_find(const char *string)
{
    for (size_t i = 0; i < zmm_count; i++)
        if (strcmp(zmm[i].string, string) == 0)
            return zmm[i].ports;
    return NULL;
}

static void add(rows *list, row r)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 1024;
        list->items = realloc(list->items, list->capacity * sizeof *list->items);
        if (!list->items)
            die("memory");
    }
    list->items[list->count++] = r;
}

/* ADDPS, VSUBSD, ADDSUBPD ...: a cycle more than from one to the next. */
static void lengthen_sum(char *latencies, const char *string)
{
    static const char *const SUMS[] = {"ADDP", "ADDS", "SUBP", "SUBS", "ADDSUBP"};
    string += *string == 'V';
    size_t length = strcspn(string, "_ ");
    for (size_t i = 0; i < sizeof SUMS / sizeof *SUMS; i++) {
        size_t stem = strlen(SUMS[i]);
        if (length != stem + 1 || strncmp(string, SUMS[i], stem) != 0)
            continue;
        for (char *p = latencies; (p = strstr(p, "=2,")) != NULL;)
            p[1] = '3';
    }
}

/* A move that is not eliminated takes a port that computes for such registers; where the figures do not say
 * so, those of the cores with twelve ports. */
static const char *ports_of_move(const char *string)
{
    return strstr(string, "ZMM") ? "05*1" : strstr(string, "MM") ? "015*1" : "0156B*1";
}

static row import_row(char **f, const form_key *key, const char *table, bool use_zmm, const char *file,
                      size_t line)
{
    char out[8192] = "", name[256];
    operand ops[MAX_OPERANDS];
    size_t n = read_operands(f[F_OPERANDS], ops, file, line);
    row r = {.key = tacho_key_pack(key)};
    tacho_key_name(key, name, sizeof name);
    r.name = copy(name);
    r.encoding_operands = form_text(f, key, ops, n, file, line);

    const char *ports = use_zmm ? zmm_find(f[F_STRING]) : NULL;
    bool inferred = ports != NULL && strcmp(ports, f[F_PORTS]) != 0;
    variant base = {inferred ? ports : f[F_PORTS],
                    number(f[F_UOPS]),
                    number(f[F_SLOTS]),
                    number(f[F_MITE]),
                    number(f[F_MS]),
                    number(f[F_COMPLEX]),
                    number(f[F_SIMPLE]),
                    number(f[F_DIV]),
                    number(f[F_TP])};
    bool locked = f[F_LOCKED][0] == '1';
    put_variant(out, sizeof out, &base, locked);
    append(out, sizeof out, "\t");
    bool moves = false;
    for (int i = F_INDEXED; i <= F_SAME; i++) {
        if (strcmp(f[i], "-") == 0) {
            append(out, sizeof out, ".");
        } else {
            variant v = read_variant(f[i], &base);
            if (inferred && i == F_INDEXED)
                v.ports = ports;
            moves |= i == F_SAME && v.uops == 1 && base.uops == 0 && port_uops(v.ports) == 0;
            if (moves)
                v.ports = ports_of_move(f[F_STRING]);
            put_variant(out, sizeof out, &v, false);
        }
        append(out, sizeof out, "\t");
    }
    put_latencies(out, sizeof out, f[F_LATENCIES], ops, n, file, line);
    if (moves && strcmp(strrchr(out, '\t'), "\t1>0=0") == 0) /* to itself it takes a cycle */
        append(out, sizeof out, ",,,,1");
    append(out, sizeof out, "\t%s", f[F_FUSION]);
    r.figures = copy(out);
    r.source = source_text(f[F_SOURCE], table, inferred);
    r.pattern = source_text(f[F_SOURCE], "@", inferred);
    return r;
}

static void read_table(rows *out, const char *dir, const char *table, bool use_zmm, bool sums,
                       const amd_core *amd)
{
    char *line = NULL, *f[MAX_FIELDS];
    size_t size = 0, number_ = 0;
    FILE *in = open_in(dir, table, ".tsv", "r");
    while (getline(&line, &size, in) > 0) {
        number_++;
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#')
            continue;
        if (split(line, '\t', f, MAX_FIELDS) != F_COUNT) {
            problem(table, number_, "a row has %d fields", F_COUNT);
            continue;
        }
        /* The same instruction with a REX.W that does nothing. */
        if (strstr(f[F_STRING], "_REX64"))
            continue;
        /* WBINVD: a million µops, which depend on what the caches hold; no figure for a simulator. */
        if (atol(f[F_UOPS]) > 65534)
            continue;
        /* CLZERO: to the decoder its address is an operand. */
        if (strcmp(f[F_STRING], "CLZERO") == 0)
            continue;
        if (sums)
            lengthen_sum(f[F_LATENCIES], f[F_STRING]);
        if (amd)
            amd_complete(amd, f);
        form_key key;
        if (read_key(&key, f[F_STRING], table, number_))
            add(out, import_row(f, &key, table, use_zmm, table, number_));
    }
    free(line);
    fclose(in);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const row *)a)->name, ((const row *)b)->name);
}

static void write_forms(const char *data, rows *all)
{
    FILE *out = open_in(data, "forms", ".txt", "w");
    fprintf(
        out,
        "# Instruction forms. Written by gen/import.c from uops.info's operand lists; grammar: README.md\n"
        "# name<TAB>encoding<TAB>operands\n");
    qsort(all->items, all->count, sizeof *all->items, by_name);
    for (size_t i = 0; i < all->count; i++) {
        const row *r = &all->items[i];
        if (i && strcmp(r->name, r[-1].name) == 0) {
            if (strcmp(r->encoding_operands, r[-1].encoding_operands) != 0)
                problem("forms.txt", i, "%s: two different operand lists", r->name);
            continue;
        }
        fprintf(out, "%s\t%s\n", r->name, r->encoding_operands);
    }
    if (fclose(out))
        die("forms.txt");
}

static size_t source_number(char ***sources, size_t *count, const char *text)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*sources)[i], text) == 0)
            return i;
    *sources = realloc(*sources, (*count + 1) * sizeof **sources);
    if (!*sources)
        die("memory");
    (*sources)[*count] = copy(text);
    return (*count)++;
}

/* One microarchitecture to import. */
typedef struct table {
    const char *name, *file;
    bool zmm, sums, own, made, carry, beside;
    amd_core *amd;
    struct table *parent, *as;
    rows list;
} table;

static const row *find_row(const rows *list, const char *name)
{
    row key = {.name = (char *)name};
    return bsearch(&key, list->items, list->count, sizeof *list->items, by_name);
}

static bool is_inherited(const table *t, const row *r)
{
    const row *p = t->parent ? find_row(&t->parent->list, r->name) : NULL;
    return p && strcmp(p->figures, r->figures) == 0 &&
           (t->made || (t->own ? strcmp(p->pattern, r->pattern) : strcmp(p->source, r->source)) == 0);
}

/* Whether another file has the row. */
static bool is_elsewhere(const table *t, const row *r)
{
    const row *other = t->as ? find_row(&t->as->list, r->name) : NULL;
    return is_inherited(t, r) ||
           (other && !is_inherited(t->as, other) && strcmp(other->figures, r->figures) == 0 &&
            strcmp(other->source, r->source) == 0);
}

static size_t mnemonic_length(const char *name)
{
    return strcspn(name, "_ ");
}

static bool has_mnemonic(const row *r, const char *mnemonic)
{
    return strlen(mnemonic) == mnemonic_length(r->name) && strncmp(r->name, mnemonic, strlen(mnemonic)) == 0;
}

/* The latencies among a row's figures, copied. */
static char *latencies_of(const row *r)
{
    char *text = copy(r->figures), *f[6];
    split(text, '\t', f, 6);
    memmove(text, f[3], strlen(f[3]) + 1);
    return text;
}

/* Cycles by which the latencies of `ours` are less than those of `theirs`, if that is the same for all. */
static bool are_less(const row *ours, const row *theirs, long *by)
{
    char *a = latencies_of(ours), *b = latencies_of(theirs), *p = a, *q = b;
    bool same = true, any = false;
    while (same && (p = strchr(p, '=')) != NULL && (q = strchr(q, '=')) != NULL) {
        long less = strtol(++q, &q, 10) - strtol(++p, &p, 10);
        same = !any || less == *by;
        *by = less;
        any = true;
    }
    free(a);
    free(b);
    return same && any;
}

/* The same of all forms of the mnemonic that take registers only; 0 where they do not agree. */
static long less_than_parent(const table *t, const char *mnemonic)
{
    long by = 0, found = 0;
    bool any = false;
    for (size_t i = 0; i < t->list.count; i++) {
        const row *r = &t->list.items[i], *p = find_row(&t->parent->list, r->name);
        if (!has_mnemonic(r, mnemonic) || !p || strstr(r->name, ", M"))
            continue;
        if (!are_less(r, p, &by) || (any && by != found))
            return 0;
        found = by;
        any = true;
    }
    return found;
}

/* "... latency=X ..." with another origin of the latencies. */
static char *other_latency_source(const char *source, const char *id)
{
    const char *at = strstr(source, "latency="), *end = at + strcspn(at, " ");
    char out[512] = "";
    append(out, sizeof out, "%.*slatency=%s%s", (int)(at - source), source, id, end);
    return copy(out);
}

/* A row of the parent with all its latencies so many cycles less. */
static row moved_row(const row *r, long less, const char *id)
{
    char out[8192] = "", *text = copy(r->figures), *f[6];
    row moved = *r;
    split(text, '\t', f, 6);
    append(out, sizeof out, "%s\t%s\t%s\t", f[0], f[1], f[2]);
    for (const char *p = f[3]; *p;) {
        bool cycles = p > f[3] && (p[-1] == '=' || p[-1] == ',') && *p >= '0' && *p <= '9';
        char *end = (char *)p + 1;
        if (cycles)
            append(out, sizeof out, "%ld", strtol(p, &end, 10) - less);
        else
            append(out, sizeof out, "%c", *p);
        p = end;
    }
    append(out, sizeof out, "\t%s", f[4]);
    free(text);
    moved.figures = copy(out);
    moved.source = other_latency_source(r->source, id);
    moved.pattern = moved.source;
    return moved;
}

/* The parent's EVEX forms of mnemonics whose VEX forms are faster here by the same number of cycles each. Of
 * the forms for half precision nothing is known but those for single precision. */
static void carry_over(table *t)
{
    char mnemonic[32], last[32] = "", id[64];
    size_t count = t->list.count;
    long less = 0;
    rows carried = {0};
    snprintf(id, sizeof id, "%s-sibling", t->file);
    for (size_t i = 0; i < t->parent->list.count; i++) {
        const row *r = &t->parent->list.items[i];
        size_t length = mnemonic_length(r->name);
        if (find_row(&t->list, r->name) || r->encoding_operands[0] != 'E' || !strstr(r->source, "latency="))
            continue;
        snprintf(mnemonic, sizeof mnemonic, "%.*s", (int)length, r->name);
        if (length > 2 && mnemonic[length - 1] == 'H')
            mnemonic[length - 1] = 'S';
        if (strcmp(mnemonic, last) != 0)
            less = less_than_parent(t, mnemonic);
        snprintf(last, sizeof last, "%s", mnemonic);
        if (less)
            add(&carried, moved_row(r, less, id));
    }
    for (size_t i = 0; i < carried.count; i++)
        add(&t->list, carried.items[i]);
    if (t->list.count > count)
        qsort(t->list.items, t->list.count, sizeof *t->list.items, by_name);
}

static void write_insns(const char *data, const table *t)
{
    char dir[4096], **sources = NULL;
    size_t count = 0;
    const rows *list = &t->list;
    const char *name = t->name;
    snprintf(dir, sizeof dir, "%s/arch/%s", data, name);
    FILE *out = open_in(dir, t->beside ? "published" : "insns", ".txt", "w");
    for (size_t i = 0; i < list->count; i++)
        if (!is_elsewhere(t, &list->items[i]))
            source_number(&sources, &count, list->items[i].source);
    for (size_t i = 0; t->own && i < t->parent->list.count; i++)
        if (!find_row(list, t->parent->list.items[i].name))
            problem(name, i, "%s of %s is not there: it would be inherited", t->parent->list.items[i].name,
                    t->parent->name);
    fprintf(out,
            "# Figures of %s. Written by gen/import.c from uops.info's %s; grammar: ../../README.md\n"
            "# name<TAB>base<TAB>indexed<TAB>same registers<TAB>latencies<TAB>fusion group<TAB>source\n",
            name, t->file);
    if (t->as)
        fprintf(out, "inherit %s alone\n", t->as->name);
    if (t->parent)
        fprintf(out, "inherit %s%s\n", t->parent->name, t->own ? " own" : "");
    for (size_t i = 0; i < count; i++)
        fprintf(out, "source %zu %s\n", i + 1, sources[i]);
    for (size_t i = 0; i < list->count; i++) {
        const row *r = &list->items[i];
        if (i && r->key == r[-1].key) {
            if (strcmp(r->figures, r[-1].figures) != 0)
                problem(name, i, "%s: two different records of one form", r->name);
            continue;
        }
        if (is_elsewhere(t, r))
            continue;
        fprintf(out, "%s\t%s\t%zu\n", r->name, r->figures, source_number(&sources, &count, r->source) + 1);
    }
    if (fclose(out))
        die("insns.txt");
}

/* A group as a row of fusion.txt: conditions, as a branch form fuses with both displacement sizes or not at
 * all. */
static char *fusion_row(char **f)
{
    char out[512], *branches[64];
    snprintf(out, sizeof out, "%s\t", f[1]);
    size_t n = split(f[2], ';', branches, 64);
    for (size_t i = 0, written = 0; i < n; i++) {
        char *space = strchr(branches[i], ' ');
        if (branches[i][0] != 'J' || !space || strcmp(space, " (Rel8)") != 0)
            continue;
        *space = '\0';
        append(out, sizeof out, "%s%s", written++ ? " " : "", branches[i] + 1);
    }
    append(out, sizeof out, "\n");
    return copy(out);
}

/* The rows of a table, one after the other. */
static char *fusion_text(const char *dir, const char *table_)
{
    char *line = NULL, *f[3], out[4096] = "";
    size_t size = 0;
    FILE *in = open_in(dir, "macrofusion", ".tsv", "r");
    while (getline(&line, &size, in) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || split(line, '\t', f, 3) != 3 || strcmp(f[0], table_) != 0)
            continue;
        char *text = fusion_row(f);
        append(out, sizeof out, "%s", text);
        free(text);
    }
    free(line);
    fclose(in);
    return copy(out);
}

static void write_fusion(const char *dir, const char *data, const table *t)
{
    if (t->beside)
        return;
    char path[4096], *text = fusion_text(dir, t->file);
    if (t->amd && !*text && amd_sibling(t->amd))
        text = fusion_text(dir, amd_sibling(t->amd));
    char *inherited = t->parent ? fusion_text(dir, t->parent->file) : NULL;
    bool same = inherited && strcmp(text, inherited) == 0;
    free(inherited);
    if (!same) {
        snprintf(path, sizeof path, "%s/arch/%s", data, t->name);
        FILE *out = open_in(path, "fusion", ".txt", "w");
        fprintf(out,
                "# Macro-fusion on %s: group, then the conditions of the branches that may follow.\n"
                "# Written by gen/import.c from uops.info's %s; grammar: ../../README.md\n%s",
                t->name, t->file, text);
        if (fclose(out))
            die("fusion.txt");
    }
    free(text);
}

static table *find_table(table *all, size_t count, const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(all[k].name, name) == 0)
            return &all[k];
    return NULL;
}

/* NAME=FILE[,OPTION ...] */
static bool read_argument(char *text, table *all, size_t count, const char *dir)
{
    char *words[6], *file = strchr(text, '=');
    table *t = &all[count];
    if (!file)
        return false;
    *file++ = '\0';
    size_t n = split(file, ',', words, 6);
    *t = (table){.name = text, .file = words[0]};
    for (size_t i = 1; i < n; i++) {
        char *parent = strchr(words[i], ':');
        bool *flag = strcmp(words[i], "zmm") == 0      ? &t->zmm
                     : strcmp(words[i], "sums") == 0   ? &t->sums
                     : strcmp(words[i], "carry") == 0  ? &t->carry
                     : strcmp(words[i], "beside") == 0 ? &t->beside
                                                       : NULL;
        if (flag) {
            *flag = true;
            continue;
        }
        if (!parent)
            return false;
        *parent++ = '\0';
        if (strcmp(words[i], "amd") == 0) {
            t->amd = amd_core_read(parent, t->file, dir);
            continue;
        }
        table *named = find_table(all, count, parent);
        if (named && strcmp(words[i], "as") == 0) {
            t->as = named;
            continue;
        }
        t->own = strcmp(words[i], "own") == 0;
        t->made = strcmp(words[i], "made") == 0;
        t->parent = named;
        if (!t->parent || (!t->own && !t->made && strcmp(words[i], "inherit") != 0))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    rows all = {0};
    if (argc < 4) {
        fprintf(stderr, "usage: tacho-import-uops UOPS_DIR DATA_DIR "
                        "NAME=FILE[,OPTION ...] ...\n");
        return 2;
    }
    size_t count = 0;
    table *tables = calloc((size_t)argc, sizeof *tables);
    if (!tables)
        die("memory");
    read_zmm(argv[1]);
    for (int i = 3; i < argc; i++) {
        if (!read_argument(argv[i], tables, count, argv[1])) {
            fprintf(stderr,
                    "tacho-import-uops: %s: expected NAME=FILE, options zmm, sums, carry, as:OTHER, "
                    "inherit:PARENT, own:PARENT, made:PARENT, amd:CLASSES, beside\n",
                    argv[i]);
            return 2;
        }
        table *t = &tables[count++];
        read_table(&t->list, argv[1], t->file, t->zmm, t->sums, t->amd);
        qsort(t->list.items, t->list.count, sizeof *t->list.items, by_name);
        if (t->carry && t->parent)
            carry_over(t);
        write_insns(argv[2], t);
        write_fusion(argv[1], argv[2], t);
        for (size_t j = 0; j < t->list.count; j++)
            add(&all, t->list.items[j]);
    }
    write_forms(argv[2], &all);
    if (problems)
        fprintf(stderr, "tacho-import-uops: %d problems\n", problems);
    return problems ? 1 : 0;
}
