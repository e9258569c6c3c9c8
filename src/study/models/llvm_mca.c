/* llvm_mca.c - LLVM's machine code analyzer, each version that is installed, in batches.
 *
 * Its input is assembly: llvm-mc of the same version makes it from the bytes, so that both agree on what it
 * says. Hundreds of blocks go to one process as named regions, since starting it takes longer than a block
 * does. What it complains of is put down to its block by the line number or by the instruction, and the
 * others run again without it; after a crash or a hang the batch is halved until the culprit is alone. What
 * is scored:
 *
 *   llvm-mca              cycles of 100 iterations by 100, with filling the pipeline, as the papers have it
 *   llvm-mca:steady       cycles that iterations 101 to 200 add, by 100
 *   llvm-mca:rthroughput  its "Block RThroughput": resources alone, no dependencies
 *
 * Branches are not simulated, so loop and unrolled mode are the same to it. */
#include <ctype.h>

#include "base/arena.h"
#include "base/mem.h"
#include "study/models/models_internal.h"

enum {
    BATCH = 500,
    ITERATIONS = 100,
    MAX_VERSION = 64 /* versions below are looked for */
};

#define TRIPLE "x86_64-pc-linux-gnu"

typedef enum score {
    SCORE_CYCLES,
    SCORE_STEADY,
    SCORE_RTHROUGHPUT,
    SCORE_COUNT
} score;
static const char *const score_suffix[] = {"", ":steady", ":rthroughput"};
static const char *const score_summary[] = {"cycles of 100 iterations by 100",
                                            "cycles of iterations 101 to 200 by 100",
                                            "Block RThroughput: resources alone"};

typedef struct state {
    char mca[EXTERNAL_PATH_SIZE], mc[EXTERNAL_PATH_SIZE];
    char mcpu[40];
    score score;
    external_run run;
    tacho_str input;
} state;

/* ---- names and installed versions ---- */

/* Splits "llvm-mca-19@znver4:steady" into version ("", "-19"), processor ("": that of the microarchitecture)
 * and score. */
static bool split_name(const char *name, char version[16], char processor[24], score *which)
{
    if (!tacho_starts_with(name, "llvm-mca"))
        return false;
    const char *at = name + 8;
    size_t n = strcspn(at, "@:");
    if (n >= 16 || (n && (at[0] != '-' || n < 2 || strspn(at + 1, "0123456789") != n - 1)))
        return false;
    snprintf(version, 16, "%.*s", (int)n, at);
    *processor = '\0';
    if (at[n] == '@') {
        at += n + 1;
        n = strcspn(at, ":");
        if (!n || n >= 24)
            return false;
        snprintf(processor, 24, "%.*s", (int)n, at);
    }
    for (int s = 0; s < SCORE_COUNT; s++)
        if (!strcmp(at + n, score_suffix[s])) {
            *which = (score)s;
            return true;
        }
    return false;
}

static bool knows(const char *name)
{
    char version[16], processor[24];
    score which;
    return split_name(name, version, processor, &which);
}

/* `tool` ("llvm-mca", "llvm-mc") of a version, in PATH or where Debian keeps each version's. */
static bool find_tool(const char *tool, const char *version, char out[EXTERNAL_PATH_SIZE])
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", tool, version);
    if (tacho_process_find(name, out, EXTERNAL_PATH_SIZE))
        return true;
    snprintf(name, sizeof name, "/usr/lib/llvm%s/bin/%s", version, tool);
    return *version && tacho_process_find(name, out, EXTERNAL_PATH_SIZE);
}

static void add_names(model_names *names, const char *version, const tacho_arch *arch)
{
    char tool[EXTERNAL_PATH_SIZE], missing[200] = "";
    if (!find_tool("llvm-mca", version, tool) || !find_tool("llvm-mc", version, tool))
        snprintf(missing, sizeof missing, "not installed (on Debian: apt-get install llvm%s)", version);
    else if (arch && !external_arch(NAMES_LLVM, arch))
        snprintf(missing, sizeof missing, "no name for the microarchitecture %s", arch->name);
    for (int s = 0; s < SCORE_COUNT; s++) {
        char name[TACHO_MODEL_NAME_SIZE], summary[128];
        snprintf(name, sizeof name, "llvm-mca%s%s", version, score_suffix[s]);
        snprintf(summary, sizeof summary, "LLVM's machine code analyzer: %s", score_summary[s]);
        model_names_add(names, name, summary, *missing ? missing : NULL);
    }
}

static void list(model_names *names, const tacho_arch *arch)
{
    add_names(names, "", arch);
    for (int v = 0; v < MAX_VERSION; v++) {
        char version[16], tool[EXTERNAL_PATH_SIZE];
        snprintf(version, sizeof version, "-%d", v);
        if (find_tool("llvm-mca", version, tool))
            add_names(names, version, arch);
    }
}

/* ---- a batch ---- */

typedef struct batch {
    tacho_model *m;
    state *s;
    const tacho_model_block *blocks;
    tacho_model_result *results;
    size_t count;
    arena memory;
    tacho_str text; /* assembly of all blocks */
    size_t *start;  /* where each one's begins there; [count] is the end */
    size_t *line;   /* of the tool's input, where each one begins; 0: not in it */
    bool *done;     /* has its result */
    double *cycles; /* what the tool said; NaN: nothing */
    bool undecided; /* the tool did not get through, and it is not known which block is to blame */
} batch;

/* Stands between blocks: no block has this. */
#define SEPARATOR_BYTES "[0x49 0xbb 0xf1 0x5e 0x33 0xd7 0x0a 0xc4 0x6d 0x51]\n"
#define SEPARATOR_TEXT  "movabsq\t$5867561440372809457, %r11"

static void fail_block(batch *b, size_t i, tacho_model_status status, const char *message, size_t length)
{
    model_result_fail(&b->results[i], status, "%s: %.*s", b->m->name, (int)(length < 120 ? length : 120),
                      message);
    b->done[i] = true;
}

/* The next "...:LINE:COLUMN: KIND: message" in the tool's complaints, from *at on. */
static bool next_complaint(const char **at, const char *kind, size_t *line, const char **message,
                           size_t *length)
{
    for (const char *p = *at; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        size_t n = strcspn(p, "\n");
        const char *hit = memmem(p, n, kind, strlen(kind)), *colon = memchr(p, ':', n);
        if (!hit || !colon || colon > hit || !isdigit((unsigned char)colon[1]))
            continue;
        *line = strtoul(colon + 1, NULL, 10);
        *message = hit + strlen(kind);
        *length = (size_t)(p + n - *message);
        *at = p + n;
        return true;
    }
    return false;
}

static void write_bytes(batch *b)
{
    tacho_str *in = &b->s->input;
    tacho_str_clear(in);
    for (size_t i = 0; i < b->count; i++) {
        for (size_t k = 0; k < b->blocks[i].size; k++)
            tacho_str_printf(in, "%s0x%02x", k ? " " : "[", b->blocks[i].code[k]);
        tacho_str_puts(in, b->blocks[i].size ? "]\n" SEPARATOR_BYTES : "\n" SEPARATOR_BYTES);
    }
}

/* Keeps the lines of one block. A prefix on a line of its own belongs to the next one. @return where the text
 * goes on, NULL when the separator does not come */
static const char *take_block(batch *b, const char *p)
{
    for (; *p; p += *p == '\n') {
        size_t n = strcspn(p, "\n");
        const char *line = p;
        p += n;
        tacho_str_trim(&line, &n);
        if (n >= strlen(SEPARATOR_TEXT) && tacho_starts_with(line, SEPARATOR_TEXT))
            return p + (*p == '\n');
        if (!n || *line == '.')
            continue;
        tacho_str_append(&b->text, line, n);
        tacho_str_putc(&b->text, n == 4 && tacho_starts_with(line, "lock") ? ' ' : '\n');
    }
    return NULL;
}

/* Makes assembly of the bytes. @return 0 (b->undecided: not all came back), or an error */
static int disassemble(batch *b, tacho_error *err)
{
    state *s = b->s;
    const char *argv[] = {"llvm-mc", "-disassemble", "-triple=" TRIPLE, s->mcpu, "-", NULL};
    write_bytes(b);
    int rc =
        external_start(&s->run, b->m, s->mc, argv, NULL, &s->input, external_seconds(b->m, b->count), err);
    if (rc)
        return rc;
    size_t line, length;
    const char *at = s->run.errors.data, *message, *p = s->run.out.data;
    while (next_complaint(&at, "warning: ", &line, &message, &length))
        if (line % 2 && line / 2 < b->count)
            fail_block(b, line / 2, TACHO_MODEL_UNSUPPORTED, message, length);
    tacho_str_clear(&b->text);
    for (size_t i = 0; i < b->count && p; i++) {
        b->start[i] = b->text.length;
        p = take_block(b, p);
    }
    b->start[b->count] = b->text.length;
    for (size_t i = 0; i < b->count && p; i++)
        if (!b->done[i] && b->start[i] == b->start[i + 1])
            fail_block(b, i, TACHO_MODEL_FAILED, "llvm-mc says nothing", 20);
    b->undecided = !p;
    return b->text.failed ? tacho_no_memory(err) : 0;
}

static size_t write_regions(batch *b)
{
    tacho_str *in = &b->s->input;
    size_t line = 1, regions = 0;
    tacho_str_clear(in);
    for (size_t i = 0; i < b->count; i++) {
        b->line[i] = b->done[i] ? 0 : line;
        if (b->done[i])
            continue;
        const char *text = b->text.data + b->start[i];
        size_t size = b->start[i + 1] - b->start[i];
        tacho_str_printf(in, "# LLVM-MCA-BEGIN r%zu\n", i);
        tacho_str_append(in, text, size);
        tacho_str_printf(in, "# LLVM-MCA-END r%zu\n", i);
        line += 2;
        for (size_t k = 0; k < size; k++)
            line += text[k] == '\n';
        regions++;
    }
    return regions;
}

/* The block that a line of the input belongs to; b->count where none does. */
static size_t block_at(const batch *b, size_t line)
{
    size_t i = b->count;
    while (i-- > 0)
        if (b->line[i] && b->line[i] <= line)
            return i;
    return b->count;
}

/* Whether a block has this line. */
static bool has_line(const batch *b, size_t i, const char *line, size_t n)
{
    const char *end = b->text.data + b->start[i + 1];
    for (const char *p = b->text.data + b->start[i]; p < end;) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        size_t length = newline ? (size_t)(newline - p) : (size_t)(end - p);
        if (length == n && !memcmp(p, line, n))
            return true;
        p += length + 1;
    }
    return false;
}

/* Blocks with the instruction that "note: instruction: ..." names. */
static size_t blame_instruction(batch *b, const char *errors)
{
    static const char says[] = "error: ", names[] = "instruction: ";
    const char *why = strstr(errors, says), *insn = why ? strstr(why, names) : NULL;
    if (!insn)
        return 0;
    insn += strlen(names);
    size_t n = strcspn(insn, "\n"), blamed = 0;
    tacho_str_trim(&insn, &n);
    for (size_t i = 0; i < b->count && n; i++)
        if (!b->done[i] && has_line(b, i, insn, n)) {
            model_result_fail(&b->results[i], TACHO_MODEL_UNSUPPORTED, "%s: no figures for %.*s", b->m->name,
                              (int)(n < 80 ? n : 80), insn);
            b->done[i] = true;
            blamed++;
        }
    return blamed;
}

/* Takes those out that the tool complains of. @return how many */
static size_t blame(batch *b)
{
    size_t line, length, blamed = 0;
    const char *at = b->s->run.errors.data, *message;
    while (next_complaint(&at, "error: ", &line, &message, &length)) {
        size_t i = block_at(b, line);
        if (i == b->count || b->done[i])
            continue;
        fail_block(b, i, TACHO_MODEL_UNSUPPORTED, message, length);
        blamed++;
    }
    return blamed ? blamed : blame_instruction(b, b->s->run.errors.data);
}

/* Adds `sign` times what the report says of each region. */
static void take_report(batch *b, double sign)
{
    const char *label = b->s->score == SCORE_RTHROUGHPUT ? "Block RThroughput:" : "Total Cycles:";
    static const char header[] = "Code Region - r";
    for (const char *p = b->s->run.out.data; (p = strstr(p, header));) {
        size_t i = strtoul(p + strlen(header), NULL, 10);
        const char *next = strstr(++p, header), *value = strstr(p, label);
        char *end;
        if (i >= b->count || !value || (next && value > next))
            continue;
        double x = strtod(value + strlen(label), &end);
        if (end > value + strlen(label))
            b->cycles[i] += sign * x;
    }
}

/* Runs the tool until it has nothing to complain of. */
static int analyse(batch *b, int iterations, double sign, tacho_error *err)
{
    state *s = b->s;
    char count[32];
    snprintf(count, sizeof count, "-iterations=%d", iterations);
    const char *argv[] = {
        "llvm-mca", "-mtriple=" TRIPLE, s->mcpu, count, "-instruction-info=0", "-resource-pressure=0", "-",
        NULL};
    for (;;) {
        size_t regions = write_regions(b);
        if (!regions)
            return 0;
        int rc = external_start(&s->run, b->m, s->mca, argv, NULL, &s->input, external_seconds(b->m, regions),
                                err);
        if (rc)
            return rc;
        if (!s->run.end.timed_out && !s->run.end.signal && blame(b))
            continue;
        b->undecided = s->run.end.exit_status || strstr(s->run.errors.data, "error: ");
        if (!b->undecided)
            take_report(b, sign);
        return 0;
    }
}

static int predict(batch *b, tacho_error *err)
{
    const score which = b->s->score;
    const int n = which == SCORE_RTHROUGHPUT ? 1 : ITERATIONS; /* which no iteration changes */
    for (size_t i = 0; i < b->count; i++) {
        b->done[i] = !b->blocks[i].size;
        b->cycles[i] = 0;
        if (b->done[i])
            model_result_fail(&b->results[i], TACHO_MODEL_UNSUPPORTED, "the block is empty");
    }
    int rc = disassemble(b, err);
    if (rc || b->undecided)
        return rc;
    rc = analyse(b, which == SCORE_STEADY ? 2 * n : n, 1, err);
    if (!rc && !b->undecided && which == SCORE_STEADY)
        rc = analyse(b, n, -1, err);
    for (size_t i = 0; i < b->count && !rc && !b->undecided; i++)
        if (!b->done[i] && b->cycles[i] > 0)
            model_result_cycles(&b->results[i], b->cycles[i] / n);
        else if (!b->done[i])
            external_blame(&b->results[i], &b->s->run, b->m->name);
    return rc;
}

/* Predicts `count` blocks; halves them where the tool does not get through. */
static int run_batch(tacho_model *m, const tacho_model_block *blocks, size_t count,
                     tacho_model_result *results, tacho_error *err)
{
    batch b = {.m = m, .s = m->state, .blocks = blocks, .results = results, .count = count};
    b.start = arena_alloc(&b.memory, (count + 1) * sizeof *b.start);
    b.line = arena_alloc(&b.memory, count * sizeof *b.line);
    b.done = arena_alloc(&b.memory, count * sizeof *b.done);
    b.cycles = arena_alloc(&b.memory, count * sizeof *b.cycles);
    int rc = b.start && b.line && b.done && b.cycles ? predict(&b, err) : tacho_no_memory(err);
    if (!rc && b.undecided && count == 1)
        external_blame(&results[0], &b.s->run, m->name);
    arena_free(&b.memory);
    tacho_str_free(&b.text);
    if (rc || !b.undecided || count == 1)
        return rc;
    rc = run_batch(m, blocks, count / 2, results, err);
    return rc ? rc : run_batch(m, blocks + count / 2, count - count / 2, results + count / 2, err);
}

/* ---- the model ---- */

/* Asks for the version, and with an instruction whether the tools work and know the microarchitecture. */
static int try_out(tacho_model *m, tacho_error *err)
{
    state *s = m->state;
    const char *version[] = {"llvm-mca", "--version", NULL};
    const tacho_model_block nop = {.code = (const uint8_t *)"\x90", .size = 1};
    tacho_model_result r;
    int rc = external_start(&s->run, m, s->mca, version, NULL, NULL, m->options.timeout_seconds, err);
    if (rc)
        return rc;
    external_version(m, s->run.out.data, "LLVM version", s->mcpu);
    rc = run_batch(m, &nop, 1, &r, err);
    if (rc)
        return rc;
    if (strstr(s->run.errors.data, "not a recognized processor") ||
        strstr(s->run.errors.data, "unable to find instruction-level scheduling"))
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "%s does not know %s", m->name, s->mcpu);
    if (r.status == TACHO_MODEL_OK)
        return 0;
    return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "%s does not work: %s", m->name, r.message);
}

static void close_state(state *s)
{
    external_free(&s->run);
    tacho_str_free(&s->input);
    tacho_mem_free(s);
}

static int open_model(tacho_model *m, tacho_error *err)
{
    char version[16] = "", processor[24] = "";
    score which = SCORE_CYCLES;
    const char *mcpu = external_arch(NAMES_LLVM, m->arch);
    bool named = split_name(m->name, version, processor, &which);
    mcpu = *processor ? processor : mcpu;
    if (!mcpu)
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "%s has no name for the microarchitecture %s",
                               m->name, m->arch->name);
    state *s = tacho_mem_zalloc(1, sizeof *s);
    if (!s)
        return tacho_no_memory(err);
    int rc;
    m->state = s;
    s->score = which;
    snprintf(s->mcpu, sizeof s->mcpu, "-mcpu=%s", mcpu);
    if (!named || !find_tool("llvm-mca", version, s->mca) || !find_tool("llvm-mc", version, s->mc))
        rc = tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                             "%s needs llvm-mca%s and llvm-mc%s (on Debian: apt-get install llvm%s)", m->name,
                             version, version, version);
    else
        rc = try_out(m, err);
    if (rc)
        close_state(s);
    return rc;
}

static void close_model(tacho_model *m)
{
    close_state(m->state);
}

static int run(tacho_model *m, const tacho_model_block *blocks, size_t count, tacho_model_result *results,
               tacho_error *err)
{
    int rc = 0;
    for (size_t at = 0; at < count && !rc; at += BATCH)
        rc = run_batch(m, blocks + at, count - at < BATCH ? count - at : BATCH, results + at, err);
    return rc;
}

const model_kind model_llvm_mca = {
    .external = true, .knows = knows, .list = list, .open = open_model, .run = run, .close = close_model};
