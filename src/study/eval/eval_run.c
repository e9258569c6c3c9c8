/* eval_run.c - a model asked about all blocks of an evaluation, in several threads, each with a model of its
 * own. A thread takes some blocks at a time, decodes their hex, and hands the answers over under a lock. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/options_take.h"
#include "base/parallel.h"
#include "base/seconds.h"
#include "study/eval/eval_internal.h"
#include "tacho/code.h"

enum {
    BLOCKS_AT_A_TIME = 500, /* external tools are started once for so many */
    LEAST_FOR_A_THREAD = 50 /* starting a model takes as long */
};

typedef struct run {
    tacho_eval *e;
    int predictor;
    const char *model;
    const tacho_arch *arch;
    const tacho_eval_run_options *options;
    const char **bottlenecks; /* of each block; or NULL */
    size_t count, at_a_time;  /* blocks */
    pthread_mutex_t lock;     /* of what is handed over, and the following */
    size_t done;
    double seconds;
} run;

/* What a thread works on. */
typedef struct chunk {
    tacho_model *model;
    size_t blocks[BLOCKS_AT_A_TIME], count;
    tacho_model_block code[BLOCKS_AT_A_TIME];
    tacho_model_result results[BLOCKS_AT_A_TIME];
    char bad_hex[BLOCKS_AT_A_TIME][TACHO_MODEL_MESSAGE_SIZE]; /* "" where it is good */
    size_t asked[BLOCKS_AT_A_TIME], asked_count;              /* numbers in the chunk of those in code[] */
    uint8_t *bytes;
    size_t capacity;
    double seconds;
} chunk;

static void take(const run *r, size_t turn, chunk *c)
{
    c->count = 0;
    for (size_t i = turn * r->at_a_time; c->count < r->at_a_time && i < r->count; i++)
        c->blocks[c->count++] = i;
}

/* @return -1 when memory runs out */
static int decode_hex(const run *r, chunk *c)
{
    size_t total = 0, at = 0;
    for (size_t i = 0; i < c->count; i++)
        total += strlen(r->e->blocks[c->blocks[i]].hex) / 2 + 1;
    if (tacho_mem_grow(&c->bytes, &c->capacity, total, 1))
        return -1;
    c->asked_count = 0;
    for (size_t i = 0; i < c->count; i++) {
        tacho_error err;
        const char *hex = r->e->blocks[c->blocks[i]].hex;
        long n = tacho_hex_decode(c->bytes + at, hex, strlen(hex), &err);
        c->bad_hex[i][0] = '\0';
        if (n <= 0)
            snprintf(c->bad_hex[i], sizeof c->bad_hex[i], "%.*s", (int)sizeof c->bad_hex[i] - 1,
                     n < 0 ? err.message : "no code");
        else {
            c->asked[c->asked_count] = i;
            c->code[c->asked_count++] = (tacho_model_block){.code = c->bytes + at, .size = (size_t)n};
            at += (size_t)n;
        }
    }
    return 0;
}

static int hand_over_one(run *r, size_t block, const tacho_model_result *result, const char *why,
                         tacho_error *err)
{
    if (r->predictor >= 0 &&
        tacho_eval_predict(r->e, r->predictor, (int64_t)block, result ? result->cycles : NAN,
                           result ? result->message : why, err))
        return err->code;
    if (r->predictor >= 0 && result && result->lower_bound &&
        tacho_eval_mark_lower_bound(r->e, r->predictor, (int64_t)block, err))
        return err->code;
    if (r->bottlenecks && result && !(r->bottlenecks[block] = eval_text(r->e, result->bottleneck)))
        return tacho_no_memory(err);
    return 0;
}

/* Under the lock. */
static int hand_over(run *r, const chunk *c, tacho_error *err)
{
    size_t asked = 0;
    int result = 0;
    for (size_t i = 0; !result && i < c->count; i++) {
        bool was_asked = asked < c->asked_count && c->asked[asked] == i;
        result = hand_over_one(r, c->blocks[i], was_asked ? &c->results[asked] : NULL, c->bad_hex[i], err);
        asked += was_asked;
    }
    r->done += c->count;
    r->seconds += c->seconds;
    if (!result && r->options->progress)
        r->options->progress(r->options->payload, r->done, r->count);
    return result;
}

/* The first thread says it for all. */
static int note_version(run *r, const tacho_model *model, tacho_error *err)
{
    const char *version = "";
    pthread_mutex_lock(&r->lock);
    if (r->predictor >= 0 && !*r->e->predictors[r->predictor].version) {
        version = eval_text(r->e, tacho_model_version(model));
        r->e->predictors[r->predictor].version = version ? version : "";
    }
    pthread_mutex_unlock(&r->lock);
    return version ? 0 : tacho_no_memory(err);
}

static int answer(void *payload, void *state, size_t turn, tacho_error *err)
{
    run *r = payload;
    chunk *c = state;
    take(r, turn, c);
    if (decode_hex(r, c))
        return tacho_no_memory(err);
    double started = seconds_now();
    int result = tacho_model_run(c->model, c->code, c->asked_count, c->results, err);
    c->seconds = seconds_now() - started;
    if (result)
        return result;
    pthread_mutex_lock(&r->lock);
    result = hand_over(r, c, err);
    pthread_mutex_unlock(&r->lock);
    return result;
}

static bool is_cancelled(void *payload)
{
    const tacho_model_options *o = &((const run *)payload)->options->model;
    return o->stop && o->stop(o->stop_payload);
}

static void close_model(void *payload, void *state)
{
    chunk *c = state;
    if (c->model)
        tacho_model_close(c->model);
    tacho_mem_free(c->bytes);
    tacho_mem_free(c);
}

static int open_model(void *payload, void **state, tacho_error *err)
{
    run *r = payload;
    chunk *c = tacho_mem_zalloc(1, sizeof *c);
    if (!c)
        return tacho_no_memory(err);
    int result = tacho_model_open(&c->model, r->model, r->arch, &r->options->model, err)
                     ?: note_version(r, c->model, err);
    if (result)
        close_model(r, c);
    *state = c;
    return result;
}

/* Fewer blocks at a time where there are few for each thread. */
static int run_turns(run *r, tacho_error *err)
{
    size_t threads = (r->count + LEAST_FOR_A_THREAD - 1) / LEAST_FOR_A_THREAD;
    threads = threads < r->options->threads ? threads : r->options->threads;
    size_t fair = r->count / (4 * (size_t)r->options->threads) + 1;
    r->at_a_time = fair < BLOCKS_AT_A_TIME ? fair : BLOCKS_AT_A_TIME;
    parallel_loop loop = {.count = (r->count + r->at_a_time - 1) / r->at_a_time,
                          .threads = (unsigned)threads,
                          .turn = answer,
                          .open = open_model,
                          .close = close_model,
                          .cancelled = is_cancelled,
                          .payload = r};
    pthread_mutex_init(&r->lock, NULL);
    int result = parallel_run(&loop, err);
    pthread_mutex_destroy(&r->lock);
    return result == PARALLEL_CANCELLED
               ? tacho_error_set(err, TACHO_ERR_CANCELLED, "the predictions were ended")
               : result;
}

/* "ports;dependencies": a block is in both groups. */
static int group(run *r, tacho_error *err)
{
    int grouping = tacho_eval_add_grouping(r->e, r->options->bottlenecks, err);
    for (size_t block = 0; grouping >= 0 && block < r->e->result.block_count; block++)
        for (const char *at = r->bottlenecks[block]; at && *at;) {
            char name[TACHO_MODEL_BOTTLENECK_SIZE];
            size_t n = strcspn(at, ";");
            snprintf(name, sizeof name, "%.*s", (int)n, at);
            int result = tacho_eval_put(r->e, grouping, (int64_t)block, name, err);
            if (result)
                return result;
            at += n + (at[n] == ';');
        }
    return grouping < 0 ? grouping : 0;
}

OPTIONS_DEFINE(eval_run, TACHO_EVAL_RUN_OPTIONS_INIT)

static int check(const tacho_eval *e, int predictor, const tacho_eval_run_options *o, tacho_error *err)
{
    if (predictor < -1 || predictor >= (int)e->result.predictor_count)
        return tacho_error_set(err, TACHO_ERR_USAGE, "no predictor %d", predictor);
    if (!o->threads)
        return tacho_error_set(err, TACHO_ERR_USAGE, "no threads");
    for (size_t i = 0; o->bottlenecks && i < e->result.grouping_count; i++)
        if (!strcmp(e->groupings[i].name, o->bottlenecks))
            return tacho_error_set(err, TACHO_ERR_USAGE, "there is a grouping '%s' already", o->bottlenecks);
    return 0;
}

int tacho_eval_run_model(tacho_eval *e, int predictor, const char *model, const tacho_arch *arch,
                         const tacho_eval_run_options *options, tacho_error *err)
{
    size_t blocks = e->result.block_count;
    tacho_eval_run_options o;
    run r = {.e = e, .predictor = predictor, .model = model, .arch = arch, .options = &o};
    int result = OPTIONS_TAKE(eval_run, &o, options, err);
    if (result || (result = check(e, predictor, &o, err)))
        return result;
    o.model.size = sizeof o.model;
    r.count = blocks;
    if (o.bottlenecks && !(r.bottlenecks = tacho_mem_zalloc(blocks + 1, sizeof *r.bottlenecks)))
        return tacho_no_memory(err);
    result = run_turns(&r, err);
    if (!result && o.bottlenecks)
        result = group(&r, err);
    if (!result && predictor >= 0)
        tacho_eval_set_seconds(e, predictor, r.seconds);
    tacho_mem_free(r.bottlenecks);
    return result;
}
