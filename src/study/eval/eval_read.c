/* eval_read.c - see eval_read.h. */

#include "base/mem.h"
#include "base/str.h"
#include "base/table.h"
#include "study/eval/eval_read.h"
#include "tacho/suite.h"

static bool no_memory(tacho_error *err)
{
    return !tacho_no_memory(err);
}

static void note(const eval_input *in, const char *format, ...) TACHO_PRINTF(2, 3);

static void note(const eval_input *in, const char *format, ...)
{
    char text[TACHO_ERROR_MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    tacho_vformat_fit(text, sizeof text, format, args);
    va_end(args);
    if (in->note)
        in->note(text);
}

void tacho_eval_left_out_free(eval_left_out *l)
{
    for (size_t i = 0; i < l->count; i++)
        tacho_mem_free(l->reasons[i].words);
    tacho_mem_free(l->reasons);
    *l = (eval_left_out){0};
}

bool tacho_eval_leave_out(eval_left_out *l, const char *words, size_t rows, tacho_error *err)
{
    size_t i = 0;
    while (i < l->count && strcmp(l->reasons[i].words, words))
        i++;
    if (i == l->count) {
        char *copy = tacho_mem_strndup(words, strlen(words));
        if (!copy || tacho_mem_grow(&l->reasons, &l->capacity, l->count + 1, sizeof *l->reasons)) {
            tacho_mem_free(copy);
            return no_memory(err);
        }
        l->reasons[l->count++] = (eval_reason){copy, 0};
    }
    l->reasons[i].count += rows;
    return true;
}

/* ---- columns ---- */

static void list_columns(const tacho_table *t, char *out, size_t size)
{
    size_t at = 0;
    *out = '\0';
    for (size_t c = 0; c < t->column_count && at < size; c++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", c ? ", " : "", tacho_table_column_name(t, c));
}

/* The column of this name. @return false with a message */
static bool need_column(const tacho_table *t, const char *name, int *column, tacho_error *err)
{
    char names[200];
    *column = tacho_table_column(t, name);
    if (*column != TACHO_TABLE_NONE)
        return true;
    list_columns(t, names, sizeof names);
    return !tacho_error_set(err, TACHO_ERR_INPUT, "%s: no column '%s'; there are: %s", t->name, name, names);
}

/* A field as a number. @return 1, 0 where there is none, -1 with a message */
static int number(const tacho_table *t, size_t row, int column, double *out, tacho_error *err)
{
    int got = tacho_table_number(t, row, column, out);
    if (got < 0)
        tacho_error_set(err, TACHO_ERR_INPUT, "%s: line %zu: %s: '%.40s' is no number%s", t->name,
                        t->lines[row], tacho_table_column_name(t, (size_t)column),
                        tacho_table_cell(t, row, column),
                        t->lines[row] == 1 ? "; a first line that names columns has hex among them" : "");
    return got;
}

/* ---- measurements ---- */

typedef struct measured {
    const eval_input *in;
    tacho_eval *e;
    eval_left_out *left_out;
    tacho_table table;
    int hex, cycles, app, category, flags, notes, status;
    int conditions[EVAL_MAX];
    bool status_chosen; /* by a condition; else only what is ok counts */
    int by_app, by_category;
} measured;

static bool find_columns(measured *m, tacho_error *err)
{
    const tacho_table *t = &m->table;
    if (!need_column(t, "hex", &m->hex, err) || !need_column(t, "cycles", &m->cycles, err))
        return false;
    m->app = tacho_table_column(t, "app");
    if (m->app < 0)
        m->app = tacho_table_column(t, "apps");
    m->category = tacho_table_column(t, "category");
    m->flags = tacho_table_column(t, "flags");
    m->notes = tacho_table_column(t, "notes");
    m->status = tacho_table_column(t, "status");
    for (size_t i = 0; i < m->in->condition_count; i++) {
        if (!need_column(t, m->in->conditions[i].is.name, &m->conditions[i], err))
            return false;
        m->status_chosen |= m->conditions[i] == m->status;
    }
    return true;
}

static bool add_groupings(measured *m, tacho_error *err)
{
    m->by_app = m->by_category = -1;
    if (m->app >= 0 && m->in->by & EVAL_BY_APPLICATION &&
        (m->by_app = tacho_eval_add_grouping(m->e, "application", err)) < 0)
        return false;
    if (m->category >= 0 && !m->in->categories && m->in->by & EVAL_BY_CATEGORY &&
        (m->by_category = tacho_eval_add_grouping(m->e, "category", err)) < 0)
        return false;
    if (m->in->by_given && m->in->by & EVAL_BY_APPLICATION && m->app < 0)
        return !tacho_error_set(err, TACHO_ERR_INPUT, "%s: no column 'app' to divide the blocks by",
                                m->table.name);
    if (m->in->by_given && m->in->by & EVAL_BY_CATEGORY && m->category < 0 && !m->in->categories)
        return !tacho_error_set(
            err, TACHO_ERR_INPUT,
            "%s: no column 'category' to divide the blocks by; 'tacho suite cluster' makes one, or "
            "--categories FILE has them",
            m->table.name);
    return true;
}

/* Why a row does not count: NULL if it does. */
static const char *why_not(const measured *m, size_t row, char *words, size_t size)
{
    const tacho_table *t = &m->table;
    for (size_t i = 0; i < m->in->condition_count; i++) {
        const eval_condition *c = &m->in->conditions[i];
        bool same = tacho_str_same(tacho_table_cell(t, row, m->conditions[i]), c->is.value);
        if (same != c->without)
            continue;
        snprintf(words, size, *c->is.value ? "%s %s %s" : "%s %s empty", c->is.name,
                 c->without ? "is" : "is not", c->is.value);
        return words;
    }
    const char *status = tacho_table_cell(t, row, m->status);
    if (m->status >= 0 && !m->status_chosen && strcmp(status, "ok")) {
        snprintf(words, size, "status %s", *status ? status : "missing");
        return words;
    }
    return *tacho_table_cell(t, row, m->cycles) ? NULL : "not measured";
}

static bool put_in_apps(const measured *m, int64_t block, const char *apps, tacho_error *err)
{
    const char *name;
    size_t length;
    while (tacho_suite_next_app(&apps, &name, &length)) {
        char *copy = tacho_mem_strndup(name, length);
        int result = copy ? tacho_eval_put(m->e, m->by_app, block, copy, err) : tacho_no_memory(err);
        tacho_mem_free(copy);
        if (result)
            return false;
    }
    return true;
}

/* "flags; notes": what the measurement says of the block. */
static bool note_of(const measured *m, size_t row, tacho_str *note, tacho_error *err)
{
    const char *flags = tacho_table_cell(&m->table, row, m->flags);
    const char *notes = tacho_table_cell(&m->table, row, m->notes);
    tacho_str_clear(note);
    if (*flags || *notes)
        tacho_str_printf(note, "measured: %s%s%s", flags, *flags && *notes ? "; " : "", notes);
    return !note->failed || no_memory(err);
}

static bool add_row(const measured *m, size_t row, tacho_str *note, tacho_error *err)
{
    const tacho_table *t = &m->table;
    double cycles;
    char words[200];
    const char *hex = tacho_table_cell(t, row, m->hex), *why = why_not(m, row, words, sizeof words);
    if (why)
        return tacho_eval_leave_out(m->left_out, why, 1, err);
    if (number(t, row, m->cycles, &cycles, err) < 0 || !note_of(m, row, note, err))
        return false;
    if (!(cycles > 0) || !*hex)
        return !tacho_error_set(err, TACHO_ERR_INPUT, "%s: line %zu: %s", t->name, t->lines[row],
                                *hex ? "cycles must be more than 0" : "there is no code");
    int64_t block = tacho_eval_add_block(m->e, hex, cycles, note->length ? note->data : NULL, err);
    const char *category = tacho_table_cell(t, row, m->category);
    if (block < 0 ||
        (m->by_category >= 0 && *category && tacho_eval_put(m->e, m->by_category, block, category, err)))
        return false;
    return m->by_app < 0 || put_in_apps(m, block, tacho_table_cell(t, row, m->app), err);
}

/* Categories from a file of their own. */
static bool read_categories(const eval_input *in, tacho_eval *e, tacho_error *err)
{
    tacho_table t;
    int hex, category, grouping;
    size_t found = 0;
    if (tacho_table_read(&t, in->categories, NULL, err))
        return false;
    bool good = need_column(&t, "hex", &hex, err) && need_column(&t, "category", &category, err);
    size_t count = tacho_eval_view(e)->block_count;
    TACHO_MEM_FREED const char **of_first =
        tacho_mem_zalloc(count + 1, sizeof *of_first); /* of the first block of a code */
    if (good && !of_first)
        good = no_memory(err);
    if (good && (grouping = tacho_eval_add_grouping(e, "category", err)) < 0)
        good = false;
    for (size_t row = 0; good && row < t.row_count; row++) {
        int64_t first = tacho_eval_find_block(e, tacho_table_cell(&t, row, hex));
        if (first >= 0)
            of_first[first] = tacho_table_cell(&t, row, category);
    }
    for (size_t b = 0; good && b < count; b++) {
        const char *of = of_first[tacho_eval_find_block(e, tacho_eval_view(e)->blocks[b].hex)];
        if (!of || !*of)
            continue;
        found++;
        if (tacho_eval_put(e, grouping, (int64_t)b, of, err))
            good = false;
    }
    if (good && found < count)
        note(in, "%s: no category for %zu of %zu blocks", in->categories, count - found, count);
    tacho_table_free(&t);
    return good;
}

bool tacho_eval_read_measured(const eval_input *in, tacho_eval *e, eval_left_out *left_out, bool *predicted,
                              tacho_error *err)
{
    measured m = {.in = in, .e = e, .left_out = left_out};
    TACHO_FREED tacho_str text = {0};
    if (tacho_table_read(&m.table, in->measured, "hex,cycles,app", err))
        return false;
    bool good = find_columns(&m, err) && add_groupings(&m, err);
    *predicted = tacho_table_column(&m.table, "cycles_exact") != TACHO_TABLE_NONE;
    for (size_t row = 0; good && row < m.table.row_count; row++)
        good = add_row(&m, row, &text, err);
    tacho_table_free(&m.table);
    return good && (!in->categories || !(in->by & EVAL_BY_CATEGORY) || read_categories(in, e, err));
}

/* ---- predictions ---- */

/* Which rows of predictions count: *wanted is what their column `column` (-1: all rows) must be, NULL: all.
 * @return false with a message where that is not clear */
static bool choose_arch(const tacho_arch *of, const tacho_table *t, int column, const char **wanted,
                        tacho_error *err)
{
    *wanted = NULL;
    for (size_t row = 0; column >= 0 && row < t->row_count; row++) {
        const char *arch = tacho_table_cell(t, row, column);
        if (of)
            *wanted = tacho_arch_name(of);
        else if (!*wanted)
            *wanted = arch;
        else if (strcmp(*wanted, arch))
            return !tacho_error_set(err, TACHO_ERR_INPUT,
                                    "%s: predictions for %s and %s; -a says which are to be compared",
                                    t->name, *wanted, arch);
    }
    return true;
}

typedef struct predicted {
    const eval_input *in;
    tacho_table table;
    int predictor, hex, cycles, error, arch, lower_bound;
    const char *wanted;
    uint8_t *seen;              /* of each block: a prediction was there */
    size_t matched, other_arch; /* rows */
    size_t again;               /* rows for blocks that had another number already */
} predicted;

/* What the row's column lower_bound says, where there is one. @return -1 with a message */
static int is_lower_bound(const predicted *p, size_t row, tacho_error *err)
{
    const tacho_table *t = &p->table;
    const char *cell = p->lower_bound < 0 ? "" : tacho_table_cell(t, row, p->lower_bound);
    if (tacho_str_same(cell, "true"))
        return 1;
    if (!*cell || tacho_str_same(cell, "false"))
        return 0;
    tacho_error_set(err, TACHO_ERR_INPUT, "%s: line %zu: lower_bound: '%.40s' is neither true nor false",
                    t->name, t->lines[row], cell);
    return -1;
}

static bool predict_row(predicted *p, tacho_eval *e, size_t row, tacho_error *err)
{
    const tacho_table *t = &p->table;
    double cycles = NAN;
    if (p->wanted && strcmp(tacho_table_cell(t, row, p->arch), p->wanted)) {
        p->other_arch++;
        return true;
    }
    if (number(t, row, p->cycles, &cycles, err) < 0)
        return false;
    int lower_bound = is_lower_bound(p, row, err);
    if (lower_bound < 0)
        return false;
    int64_t first = tacho_eval_find_block(e, tacho_table_cell(t, row, p->hex));
    p->matched += first >= 0;
    if (first >= 0 && p->seen[first]) { /* and so are the others with this code */
        double before = tacho_eval_view(e)->predictors[p->predictor].predictions[first].cycles;
        p->again += isnan(cycles) ? !isnan(before) : cycles != before;
        return true;
    }
    for (int64_t b = first; b >= 0; b = tacho_eval_next_block(e, b)) {
        p->seen[b] = 1;
        if (tacho_eval_predict(e, p->predictor, b, cycles, tacho_table_cell(t, row, p->error), err) ||
            (lower_bound && tacho_eval_mark_lower_bound(e, p->predictor, b, err)))
            return false;
    }
    return true;
}

/* What was not there, and what was twice. */
static bool check_predicted(const predicted *p, tacho_eval *e, tacho_error *err)
{
    size_t count = tacho_eval_view(e)->block_count, missing = 0;
    char message[300];
    if (!p->matched)
        return !tacho_error_set(err, TACHO_ERR_INPUT, "%s: none of its blocks is among the measured ones%s%s",
                                p->table.name, p->other_arch ? ", or none is for " : "",
                                p->other_arch ? p->wanted : "");
    if (p->again)
        note(p->in, "%s: %zu row%s about blocks that had another prediction before; the first one counts",
             p->table.name, p->again, p->again == 1 ? " is" : "s are");
    snprintf(message, sizeof message, "not in %s", p->table.name);
    for (size_t b = 0; b < count; b++) {
        missing += !p->seen[b];
        if (!p->seen[b] && tacho_eval_predict(e, p->predictor, (int64_t)b, NAN, message, err))
            return false;
    }
    if (missing)
        note(p->in, "%s: nothing for %zu of %zu blocks; they count as failures", p->table.name, missing,
             count);
    return true;
}

/* The rows of one model; NULL: all rows. */
static bool take_rows(predicted *p, const char *name, const char *model, int column, tacho_eval *e,
                      tacho_error *err)
{
    p->matched = p->other_arch = p->again = 0;
    if ((p->predictor = tacho_eval_add_predictor(e, name, err)) < 0)
        return false;
    size_t count = tacho_eval_view(e)->block_count;
    tacho_mem_free(p->seen);
    if (!(p->seen = tacho_mem_zalloc(count + 1, 1)))
        return no_memory(err);
    for (size_t row = 0; row < p->table.row_count; row++)
        if ((!model || !strcmp(tacho_table_cell(&p->table, row, column), model)) &&
            !predict_row(p, e, row, err))
            return false;
    return check_predicted(p, e, err);
}

/* One predictor; without a name the file's, without folders and ".csv". */
static bool take_all(predicted *p, const eval_named *file, tacho_eval *e, tacho_error *err)
{
    char name[200];
    const char *base = tacho_base_name(file->value);
    size_t n = strlen(base);
    if (n > 4 && tacho_str_same(base + n - 4, ".csv"))
        n -= 4;
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), base);
    return take_rows(p, *file->name ? file->name : name, NULL, -1, e, err);
}

/* A file of several models, as --save writes it: each becomes a predictor. */
static bool take_models(predicted *p, int column, tacho_eval *e, tacho_error *err)
{
    const char *models[EVAL_MAX];
    size_t count = 0;
    for (size_t row = 0; row < p->table.row_count; row++) {
        const char *model = tacho_table_cell(&p->table, row, column);
        size_t i = 0;
        while (i < count && strcmp(models[i], model))
            i++;
        if (i == EVAL_MAX)
            return !tacho_error_set(err, TACHO_ERR_INPUT, "%s: more than %d models", p->table.name, EVAL_MAX);
        models[i] = model;
        count += i == count;
    }
    for (size_t i = 0; i < count; i++)
        if (!take_rows(p, models[i], models[i], column, e, err))
            return false;
    return true;
}

/* One of its models. */
static bool take_model(predicted *p, const char *name, int column, tacho_eval *e, tacho_error *err)
{
    for (size_t row = 0; row < p->table.row_count; row++)
        if (!strcmp(tacho_table_cell(&p->table, row, column), name))
            return take_rows(p, name, name, column, e, err);
    return !tacho_error_set(err, TACHO_ERR_INPUT, "%s: nothing of a model '%s'", p->table.name, name);
}

static bool read_predicted(const eval_input *in, const eval_named *file, tacho_eval *e, tacho_error *err)
{
    predicted p = {.in = in};
    if (tacho_table_read(&p.table, file->value, "hex,cycles", err))
        return false;
    bool good = need_column(&p.table, "hex", &p.hex, err) && need_column(&p.table, "cycles", &p.cycles, err);
    int model = tacho_table_column(&p.table, "model");
    p.error = tacho_table_column(&p.table, "error");
    p.arch = tacho_table_column(&p.table, "arch");
    p.lower_bound = tacho_table_column(&p.table, "lower_bound");
    good = good && choose_arch(in->arch, &p.table, p.arch, &p.wanted, err);
    if (good)
        good = model < 0     ? take_all(&p, file, e, err)
               : *file->name ? take_model(&p, file->name, model, e, err)
                             : take_models(&p, model, e, err);
    tacho_mem_free(p.seen);
    tacho_table_free(&p.table);
    return good;
}

bool tacho_eval_read_predicted(const eval_input *in, tacho_eval *e, tacho_error *err)
{
    for (size_t i = 0; i < in->predicted_count; i++)
        if (!read_predicted(in, &in->predicted[i], e, err))
            return false;
    return true;
}
