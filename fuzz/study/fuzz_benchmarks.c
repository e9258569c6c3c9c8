/* fuzz_benchmarks.c - any bytes as two results of benchmarks, the first of which ends in a byte 0xff: what is
 * read are times, what is said of them are numbers in order, and a saved baseline is read again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "fuzz.h"
#include "given.h"
#include "tacho/benchmarks.h"

enum {
    MAX_BYTES = 20000,
    FILES = 3
};

static const char *files[FILES];
static size_t sizes[FILES];

int __wrap_tacho_file_read_regular(const char *path, size_t limit, char **data, size_t *size);
int __wrap_tacho_file_read_regular(const char *path, size_t limit, char **data, size_t *size)
{
    int which = *path - '0'; /* beside them there is none, which is said as of an empty one */
    (void)limit;
    bool is_one = which >= 0 && which < FILES && !path[1];
    *size = is_one ? sizes[which] : 0;
    *data = tacho_mem_strndup(is_one ? files[which] : "", *size);
    if (!*data)
        abort();
    return 0;
}

static void check(bool ok)
{
    if (!ok)
        abort();
}

static void check_side(const tacho_benchmarks *b)
{
    check(b->count && b->tool);
    for (size_t i = 0; i < b->count; i++) {
        const tacho_benchmark *x = &b->list[i];
        check(x->name && (!i || strcmp(b->list[i - 1].name, x->name) < 0));
        check(x->count ? x->run_count && x->runs[x->count - 1] == x->run_count - 1 : !x->run_count);
        for (size_t k = 0; k < x->count; k++)
            check(x->seconds[k] > 0 && isfinite(x->seconds[k]) && (!k || x->runs[k] >= x->runs[k - 1]));
    }
}

static void check_result(const tacho_benchmarks_result *r)
{
    check(r->slower + r->faster + r->same + r->unknown + r->gone + r->fresh == r->count);
    check(!(r->run_spread < 0));
    for (size_t i = 0; i < r->count; i++) {
        const tacho_benchmark_change *c = &r->list[i];
        check(isnan(c->p_value) || (c->p_value >= 0 && c->p_value <= 1));
        check(isnan(c->q_value) || (c->q_value >= c->p_value && c->q_value <= 1));
        check(c->verdict == TACHO_VERDICT_NONE || (c->low <= c->ratio && c->ratio <= c->high));
    }
}

static tacho_benchmarks *read_file(const char *name)
{
    tacho_benchmarks *b = NULL;
    tacho_error err = {.message = ""};
    int rc = tacho_benchmarks_read(&b, name, TACHO_BENCHMARK_AUTO, &err);
    check(rc ? rc == TACHO_ERR_INPUT && err.message[0] && !b : b != NULL);
    if (b)
        check_side(b);
    return b;
}

static void compare(const tacho_benchmarks *a, const tacho_benchmarks *b)
{
    tacho_judge_options o = TACHO_JUDGE_OPTIONS_INIT;
    tacho_benchmarks_result *r;
    tacho_error err;
    o.resamples = 100;
    check(!tacho_benchmarks_judge(a, b, &o, 1, &r, &err));
    check_result(r);
    tacho_benchmarks_result_free(r);
}

static void save(const tacho_benchmarks *b)
{
    tacho_error err;
    char *text;
    check(!tacho_benchmarks_write(b, &text, &err));
    files[2] = text;
    sizes[2] = strlen(text);
    tacho_benchmarks *again = read_file("2");
    check(again && again->count == b->count);
    for (size_t i = 0; i < b->count; i++)
        check(again->list[i].count == b->list[i].count && again->list[i].run_count == b->list[i].run_count);
    tacho_benchmarks_free(again);
    tacho_benchmarks_text_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    given in = given_start(data, size);
    if (size > MAX_BYTES)
        return 0;
    char *first = given_piece(&in, &sizes[0]), *second = given_rest(&in, &sizes[1]);
    files[0] = first;
    files[1] = second;
    tacho_benchmarks *a = read_file("0"), *b = read_file("1");
    if (a)
        save(a);
    if (a && b)
        compare(a, b);
    tacho_benchmarks_free(a);
    tacho_benchmarks_free(b);
    TACHO_MEM_FREE(first, second);
    return 0;
}
