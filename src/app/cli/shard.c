/* shard.c - one of several runs that divide the rows of a batch among themselves.
 *
 * The variables are those of the manuals: sbatch(1) and srun(1) for SLURM_*, mpirun(1) of Open MPI for
 * OMPI_COMM_WORLD_*, MPICH's Hydra and Intel MPI for PMI_*. */
#include "app/cli/shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/cli/cli.h"

static const char columns[] = ",row,rows";

/* ---- which shard ---- */

static bool set(shard *s, uint64_t index, uint64_t count)
{
    s->index = index;
    s->count = count;
    return true;
}

/* The number before `end`. */
static bool number_before(const char *text, const char *end, unsigned long long *out)
{
    char copy[24];
    size_t n = (size_t)(end - text);
    if (n >= sizeof copy)
        return false;
    memcpy(copy, text, n);
    copy[n] = 0;
    return tacho_parse_u64(copy, out);
}

/* The number in a variable. @return 1, 0 when it is not set, -1 with a message */
static int variable(const char *name, unsigned long long *out)
{
    const char *value = getenv(name);
    if (!value || !*value)
        return 0;
    if (tacho_parse_u64(value, out) && *out <= SHARD_MAX_COUNT * 1000ull)
        return 1;
    cli_error("--shard auto: %s is '%s', which is no number", name, value);
    return -1;
}

/* A process among those that one command started. */
static const struct ranks {
    const char *rank, *size;
} ranks[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, /* before Slurm's: mpirun may stand in a job */
    {"PMI_RANK", "PMI_SIZE"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}, /* a batch script has the first, but is no step of the job */
};

/* @return 1, 0 when there is none, -1 with a message */
static int find_rank(shard *out)
{
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        unsigned long long rank, size;
        int has_rank = variable(ranks[i].rank, &rank), has_size = variable(ranks[i].size, &size);
        if (has_rank < 0 || has_size < 0)
            return -1;
        if (!has_rank || !has_size)
            continue;
        if (rank >= size || size > SHARD_MAX_COUNT) {
            cli_error("--shard auto: %s is %llu, and %s is %llu", ranks[i].rank, rank, ranks[i].size, size);
            return -1;
        }
        return set(out, rank + 1, size);
    }
    return 0;
}

/* The task of a Slurm job array. @return 1, 0 when there is none, -1 with a message */
static int find_array_task(shard *out)
{
    unsigned long long id, low, high, step, count;
    int has = variable("SLURM_ARRAY_TASK_ID", &id);
    if (has <= 0)
        return has;
    if (variable("SLURM_ARRAY_TASK_MIN", &low) <= 0 || variable("SLURM_ARRAY_TASK_MAX", &high) <= 0 ||
        variable("SLURM_ARRAY_TASK_STEP", &step) <= 0 || variable("SLURM_ARRAY_TASK_COUNT", &count) <= 0) {
        cli_error(
            "--shard auto: SLURM_ARRAY_TASK_ID is set, but not all of SLURM_ARRAY_TASK_MIN, _MAX, _STEP and "
            "_COUNT are");
        return -1;
    }
    bool regular = step && id >= low && id <= high && (id - low) % step == 0 &&
                   count == (high - low) / step + 1 && count <= SHARD_MAX_COUNT;
    if (!regular) {
        cli_error("--shard auto: the job array is no range of numbers (%llu tasks from %llu to %llu): give "
                  "--shard I/N",
                  count, low, high);
        return -1;
    }
    return set(out, (id - low) / step + 1, count);
}

static bool from_environment(shard *out)
{
    shard rank = {1, 1, false}, task = {1, 1, false};
    int has_rank = find_rank(&rank), has_task = has_rank < 0 ? -1 : find_array_task(&task);
    if (has_rank < 0 || has_task < 0)
        return false;
    if (!has_rank && !has_task)
        return cli_error(
            "--shard auto: this is no task of a Slurm array, nor started by srun or mpirun: none of these is "
            "set: "
            "SLURM_ARRAY_TASK_ID; SLURM_PROCID and SLURM_STEP_NUM_TASKS; OMPI_COMM_WORLD_RANK and _SIZE; "
            "PMI_RANK and PMI_SIZE");
    out->found = true;
    return set(out, (task.index - 1) * rank.count + rank.index, task.count * rank.count);
}

bool shard_parse(void *target, const char *option, const char *value)
{
    shard *out = target;
    unsigned long long index, count;
    const char *slash = strchr(value, '/');
    *out = (shard){0};
    if (!strcmp(value, "auto"))
        return from_environment(out);
    if (slash && number_before(value, slash, &index) && tacho_parse_u64(slash + 1, &count) && index >= 1 &&
        index <= count && count <= SHARD_MAX_COUNT)
        return set(out, index, count);
    return cli_error("--shard is I/N, shard I of N (1 <= I <= N <= %d), or auto, not '%s'", SHARD_MAX_COUNT,
                     value);
}

/* ---- files ---- */

bool shard_check_output(const shard *s, const char *output)
{
    if (!s->found || s->count == 1 || !output || strstr(output, "%s"))
        return true;
    return cli_error(
        "--shard auto: %s would be written by each of %llu shards: put %%s, the shard's number, into "
        "its name",
        output, (unsigned long long)s->count);
}

char *shard_file_name(const shard *s, const char *name)
{
    tacho_str out = {0};
    for (const char *at; s->count && (at = strstr(name, "%s")); name = at + 2) {
        tacho_str_append(&out, name, (size_t)(at - name));
        tacho_str_printf(&out, "%llu", (unsigned long long)s->index);
    }
    tacho_str_puts(&out, name);
    if (!out.failed)
        return out.data;
    tacho_str_free(&out);
    return NULL;
}

/* ---- columns ---- */

/* `out` ends with a line's end, which goes behind `text`. */
static void put_before_end(tacho_str *out, const char *text)
{
    if (out->failed || !out->length)
        return;
    out->length--;
    tacho_str_puts(out, text);
    tacho_str_putc(out, '\n');
}

void shard_end_header(const shard *s, tacho_str *out)
{
    if (s->count)
        put_before_end(out, columns);
}

void shard_end_row(const shard *s, tacho_str *out, uint64_t row)
{
    char text[32];
    if (!s->count)
        return;
    snprintf(text, sizeof text, ",%llu,", (unsigned long long)row);
    put_before_end(out, text);
}

size_t shard_header_before(const char *header, size_t length)
{
    size_t n = sizeof columns - 1;
    return length > n && !memcmp(header + length - n, columns, n) ? length - n : 0;
}

/* Digits, of which there may be none, that end at `end` and follow a comma. @return where the comma is, NULL
 * if it is not so */
static const char *number_from_end(const char *record, const char *end, bool *given, uint64_t *out)
{
    unsigned long long n = 0;
    const char *from = end;
    while (from > record && from[-1] >= '0' && from[-1] <= '9')
        from--;
    *given = from < end;
    if (from == record || from[-1] != ',' || (*given && !number_before(from, end, &n)))
        return NULL;
    *out = n;
    return from - 1;
}

bool shard_read_cells(const char *record, size_t length, shard_cells *out)
{
    bool has_row;
    const char *comma = number_from_end(record, record + length, &out->last, &out->rows);
    comma = comma ? number_from_end(record, comma, &has_row, &out->row) : NULL;
    if (!comma || !has_row || !out->row || (out->last && out->rows < out->row))
        return false;
    out->before = (size_t)(comma - record);
    return true;
}
