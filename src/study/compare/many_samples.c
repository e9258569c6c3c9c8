/* many_samples.c - samples of many commands, by command and by pieces of evidence. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "study/compare/many_internal.h"

ORDER_NUMBERS(by_number, uint32_t);
ORDER_AS(by_command_and_value, tacho_sided_value,
         ORDER(a->side, b->side) ?: ORDER(a->value, b->value) ?: ORDER(a->unit, b->unit));

static int check(const tacho_sample *samples, size_t count, size_t commands, tacho_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const tacho_sample *s = &samples[i];
        if (s->side >= commands)
            return tacho_error_set(err, TACHO_ERR_USAGE, "sample %zu: command %u", i + 1, s->side + 1);
        if (!isnan(s->value) && !(s->value >= JUDGE_LEAST && s->value <= JUDGE_MOST))
            return tacho_error_set(err, TACHO_ERR_INPUT,
                                   "sample %zu (of command %u) is %g: ratios need values %s", i + 1,
                                   s->side + 1, s->value, s->value > 0 ? "from 1e-100 to 1e100" : "above 0");
    }
    return 0;
}

static void by_command(many *m, const tacho_sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        m->first[samples[i].side + 1]++;
    for (size_t c = 0; c < m->commands; c++)
        m->first[c + 1] += m->first[c];
    size_t at[TACHO_COMPARE_MAX_COMMANDS];
    memcpy(at, m->first, m->commands * sizeof *at);
    for (size_t i = 0; i < count; i++)
        m->of[at[samples[i].side]++] = &samples[i];
}

static bool counts(const many *m, const tacho_sample *s)
{
    return !isnan(s->value) && (!m->paired || s->block != TACHO_NO_BLOCK);
}

static uint32_t evidence_of(const many *m, const tacho_sample *s)
{
    return m->layouts ? s->layout : s->block;
}

/* Units are numbered as their blocks or layouts come in ascending order. `room`: of all samples. */
static void take_values(many *m, size_t count, uint32_t *room)
{
    size_t n = 0, different = 0, values = 0;
    for (size_t i = 0; i < count; i++)
        if (counts(m, m->of[i]))
            room[n++] = evidence_of(m, m->of[i]);
    tacho_sort(room, n, sizeof *room, by_number);
    for (size_t i = 0; i < n; i++)
        if (!i || room[i] != room[different - 1])
            room[different++] = room[i];
    for (size_t c = 0; c < m->commands; c++) {
        m->first_value[c] = values;
        for (size_t i = m->first[c]; i < m->first[c + 1]; i++) {
            const tacho_sample *s = m->of[i];
            if (!counts(m, s))
                continue;
            uint32_t number = evidence_of(m, s), unit = (uint32_t)(values - m->first_value[c]);
            if (m->paired)
                unit = (uint32_t)((uint32_t *)tacho_find_sorted(&number, room, different, sizeof *room,
                                                                by_number) -
                                  room);
            m->values[values++] = (tacho_sided_value){s->value, (uint32_t)c, unit};
        }
        m->units[c] = m->paired ? different : values - m->first_value[c];
    }
    m->first_value[m->commands] = values;
    tacho_sort(m->values, values, sizeof *m->values, by_command_and_value);
}

int many_make(many *m, const tacho_sample *samples, size_t count, size_t commands, bool layouts,
              tacho_error *err)
{
    size_t n = count ? count : 1;
    *m = (many){.commands = commands, .layouts = layouts};
    int rc = check(samples, count, commands, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < count; i++)
        m->paired |= samples[i].block != TACHO_NO_BLOCK;
    if (!m->paired && layouts)
        return tacho_error_set(err, TACHO_ERR_INPUT,
                               "samples with layouts need blocks, too: which runs belong together");
    uint32_t *room = tacho_mem_zalloc(n, sizeof *room);
    m->of = tacho_mem_zalloc(n, sizeof *m->of);
    m->first = tacho_mem_zalloc(commands + 1, sizeof *m->first);
    m->values = tacho_mem_zalloc(n, sizeof *m->values);
    m->first_value = tacho_mem_zalloc(commands + 1, sizeof *m->first_value);
    m->units = tacho_mem_zalloc(commands, sizeof *m->units);
    m->pair = tacho_mem_zalloc(n, sizeof *m->pair);
    if (!room || !m->of || !m->first || !m->values || !m->first_value || !m->units || !m->pair) {
        many_free(m);
        rc = tacho_no_memory(err);
    } else {
        by_command(m, samples, count);
        take_values(m, count, room);
    }
    tacho_mem_free(room);
    return rc;
}

void many_free(many *m)
{
    TACHO_MEM_FREE(m->of, m->first, m->values, m->first_value, m->units, m->pair);
    *m = (many){0};
}

int many_pair(const many *m, size_t a, size_t b, judging *out, tacho_error *err)
{
    size_t n = 0;
    for (uint32_t side = 0; side < 2; side++) {
        size_t c = side ? b : a;
        for (size_t i = m->first[c]; i < m->first[c + 1]; i++) {
            m->pair[n] = *m->of[i];
            m->pair[n++].side = side;
        }
    }
    return judging_make(out, m->pair, n, m->layouts && m->paired, err);
}

typedef struct of_block {
    uint32_t block, command;
} of_block;
ORDER_BY_TWO(by_block_and_command, of_block, block, command);

int many_whole_blocks(const many *m, uint32_t *out)
{
    size_t n = 0, count = m->first[m->commands];
    of_block *list = tacho_mem_zalloc(count + 1, sizeof *list);
    *out = 0;
    if (!list)
        return -1;
    for (size_t i = 0; m->paired && i < count; i++)
        if (counts(m, m->of[i]))
            list[n++] = (of_block){m->of[i]->block, m->of[i]->side};
    tacho_sort(list, n, sizeof *list, by_block_and_command);
    for (size_t i = 0, seen = 0; i < n; i++) {
        bool same = i && list[i].block == list[i - 1].block;
        seen = !same ? 1 : seen + (list[i].command != list[i - 1].command);
        *out += seen == m->commands && !(same && list[i].command == list[i - 1].command);
    }
    tacho_mem_free(list);
    return 0;
}

double many_confidence(const tacho_judge_options *o, size_t comparisons)
{
    return 1 - (1 - o->confidence) / (double)comparisons;
}

uint32_t many_units_needed(const tacho_judge_options *o, size_t commands)
{
    return judging_units_needed(many_confidence(o, commands - 1));
}

uint32_t many_units_needed_for_ranks(const tacho_judge_options *o, size_t commands)
{
    return judging_units_needed(many_confidence(o, commands * (commands - 1) / 2));
}

size_t many_fewest_units(const many *m)
{
    size_t fewest = m->units[0];
    for (size_t c = 1; c < m->commands; c++)
        fewest = m->units[c] < fewest ? m->units[c] : fewest;
    return fewest;
}
