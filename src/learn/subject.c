/* subject.c - how long code takes on the processor that is learnt, and what it has answered already. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "learn/subject.h"
#include "tacho/assemble.h"

/* ---- answers and their journal ---- */

#define HEAD "# answers of a processor to tacho learn, 1: "

enum {
    MOST_BYTES = 1 << 29
};

void answers_free(answers *a)
{
    if (a->journal)
        fclose(a->journal);
    hash_index_free(&a->index);
    tacho_mem_free(a->items);
    *a = (answers){0};
}

const answer *answers_find(const answers *a, const uint64_t key[2])
{
    hash_probe p = hash_find(&a->index, key[0]);
    while (hash_next(&p))
        if (!memcmp(a->items[p.item].key, key, sizeof a->items[p.item].key))
            return &a->items[p.item];
    return NULL;
}

static int cannot_write(const answers *a, tacho_error *err)
{
    return tacho_error_set(err, TACHO_ERR_SYSTEM, "%.400s: cannot be written: %s", a->path, strerror(errno));
}

int answers_add(answers *a, const answer *item, tacho_error *err)
{
    answer *known = (answer *)(uintptr_t)answers_find(a, item->key);
    if (known) {
        *known = *item;
        return 0;
    }
    if (tacho_mem_grow(&a->items, &a->capacity, a->count + 1, sizeof *a->items) ||
        hash_add_item(&a->index, item->key[0], (uint32_t)a->count))
        return tacho_no_memory(err);
    a->items[a->count++] = *item;
    return 0;
}

/* Adds or replaces, and writes it to the journal, unless a later process may find out more: of loops that
 *  were not stable. @return 0; TACHO_ERR_MEMORY, TACHO_ERR_SYSTEM */
static int answers_keep(answers *a, const answer *item, tacho_error *err)
{
    int failed = answers_add(a, item, err);
    const bool final = item->status != TACHO_MEASURED_UNSTABLE && item->status != TACHO_MEASURED_TIMEOUT;
    if (failed || !a->journal || !final)
        return failed;
    if (fprintf(a->journal, "%016" PRIx64 "%016" PRIx64 " %s %.9g %.3g .\n", item->key[0], item->key[1],
                tacho_measure_status_name(item->status), item->cycles, item->uncertainty) < 0 ||
        fflush(a->journal))
        return cannot_write(a, err);
    return 0;
}

/* A remark, which is not read again. @return 0; TACHO_ERR_SYSTEM */
static int answers_note(answers *a, const char *text, tacho_error *err)
{
    if (a->journal && (fprintf(a->journal, "# %s\n", text) < 0 || fflush(a->journal)))
        return cannot_write(a, err);
    return 0;
}

/* ---- reading ---- */

static bool take_key(const char *text, uint64_t *out)
{
    char digits[17];
    memcpy(digits, text, 16);
    digits[16] = '\0';
    *out = strtoull(digits, NULL, 16);
    return strspn(digits, "0123456789abcdef") == 16;
}

static bool take_status(const char *word, tacho_measure_status *out)
{
    for (int s = TACHO_MEASURED_OK; s <= TACHO_MEASURED_REJECTED; s++)
        if (!strcmp(word, tacho_measure_status_name((tacho_measure_status)s))) {
            *out = (tacho_measure_status)s;
            return true;
        }
    return false;
}

/* What was measured is a number above 0; the rest has none. */
static bool is_sound(const answer *a)
{
    return a->status == TACHO_MEASURED_OK ? isfinite(a->cycles) && a->cycles > 0 && a->uncertainty >= 0
                                          : isnan(a->cycles);
}

/* KEY STATUS CYCLES UNCERTAINTY . ; in a model that was submitted behind "# " */
static bool parse_line(char *line, answer *out)
{
    char *words[5], *rest, *end;
    *out = (answer){.recorded = false};
    rest = line += 2 * tacho_starts_with(line, "# ");
    for (size_t i = 0; i < 5; i++)
        if (!(words[i] = strtok_r(i ? NULL : line, " ", &rest)))
            return false;
    if (strlen(words[0]) != 32 || strcmp(words[4], ".") || strtok_r(NULL, " ", &rest) ||
        !take_key(words[0], &out->key[0]) || !take_key(words[0] + 16, &out->key[1]) ||
        !take_status(words[1], &out->status))
        return false;
    out->cycles = strtod(words[2], &end);
    if (*end)
        return false;
    out->uncertainty = strtod(words[3], &end);
    return !*end && is_sound(out);
}

char *answers_head(char *text, char *who, size_t size)
{
    char *head = strstr(text, HEAD);
    while (head && head > text && head[-1] != '\n')
        head = strstr(head + 1, HEAD);
    if (head)
        tacho_format_fit(who, size, "%.*s", (int)strcspn(head + strlen(HEAD), "\n"), head + strlen(HEAD));
    return head;
}

static int check_head(const char *line, const char *who, const char *name, tacho_error *err)
{
    if (!tacho_starts_with(line, HEAD))
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.300s: no journal of tacho learn", name);
    if (strcmp(line + strlen(HEAD), who))
        return tacho_error_set(err, TACHO_ERR_INPUT,
                               "%.200s: has answers of another processor: %.120s; not %.120s", name,
                               line + strlen(HEAD), who);
    return 0;
}

int answers_parse(answers *a, char *text, const char *who, const char *name, tacho_error *err)
{
    answer item;
    bool head = true;
    int failed = 0;
    for (char *next; *text && !failed; text = next) {
        size_t length = strcspn(text, "\n");
        next = text + length + (text[length] == '\n');
        text[length] = '\0';
        if (head)
            failed = check_head(text, who, name, err);
        else if (*text && parse_line(text, &item))
            failed = answers_add(a, &item, err);
        head = false;
    }
    return failed;
}

/* ---- opening ---- */

/* What is in the file; NULL and 0: nothing yet. */
static int read_all(const answers *a, char **text, tacho_error *err)
{
    size_t size;
    struct stat st;
    *text = NULL;
    if (stat(a->path, &st) || !st.st_size)
        return 0;
    if (tacho_file_read_regular(a->path, MOST_BYTES, text, &size))
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.400s: cannot be read: %s", a->path, strerror(errno));
    return 0;
}

static int lock(answers *a, tacho_error *err)
{
    char why[TACHO_LOCK_WHY_SIZE];
    if (tacho_lock_take(fileno(a->journal), why) == TACHO_LOCK_THEIRS)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.400s: %s", a->path, why);
    return 0;
}

/* A line that was cut off ends here. */
static int begin(answers *a, const char *who, const char *text, tacho_error *err)
{
    size_t size = text ? strlen(text) : 0;
    if (!size)
        fprintf(a->journal, HEAD "%s\n", who);
    else if (text[size - 1] != '\n')
        fputc('\n', a->journal);
    return fflush(a->journal) ? cannot_write(a, err) : 0;
}

/* From now on what is kept goes to this file, too. With `resume` what it holds is taken over; else there
 *  must be nothing in it. `who`: whose answers, a line.
 *  @return 0; TACHO_ERR_INPUT (it is another processor's, no journal, or not empty), TACHO_ERR_SYSTEM,
 *  TACHO_ERR_MEMORY */
static int answers_open(answers *a, const char *path, const char *who, bool resume, tacho_error *err)
{
    char *text = NULL;
    if (strlen(path) >= sizeof a->path)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.100s...: a longer path than a journal can have",
                               path);
    snprintf(a->path, sizeof a->path, "%s", path);
    a->journal = fopen(path, "ae");
    if (!a->journal)
        return cannot_write(a, err);
    int failed = lock(a, err);
    if (!failed)
        failed = read_all(a, &text, err);
    if (!failed && text && !resume)
        failed = tacho_error_set(err, TACHO_ERR_INPUT, "%.400s: there are answers in it already", path);
    if (!failed)
        failed = begin(a, who, text, err);
    if (!failed && text)
        failed = answers_parse(a, text, who, path, err);
    tacho_mem_free(text);
    return failed;
}

/* ---- loops ---- */

/* ---- loops ---- */

int subject_add_bytes(subject_loop *loop, const uint8_t *bytes, size_t size, unsigned count, tacho_error *err)
{
    if (!size || !count)
        return 0;
    if (size > LOOP_BYTES || count > LOOP_BYTES || loop->size + size * count > LOOP_BYTES)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "a loop of more than %d bytes", LOOP_BYTES);
    if (tacho_mem_grow(&loop->code, &loop->capacity, loop->size + size * count, 1))
        return tacho_no_memory(err);
    for (; count; count--, loop->size += size)
        memcpy(loop->code + loop->size, bytes, size);
    return 0;
}

int subject_add(subject_loop *loop, const char *text, unsigned count, tacho_error *err)
{
    tacho_assembly *assembly = NULL;
    tacho_assemble_options options = TACHO_ASSEMBLE_OPTIONS_INIT;
    options.syntax = TACHO_SYNTAX_INTEL;
    options.dialect = TACHO_DIALECT_GNU;
    int failed = tacho_assemble(&assembly, text, strlen(text), &options, err);
    if (!failed && assembly->section_count)
        failed = subject_add_bytes(loop, assembly->sections[0].bytes, assembly->sections[0].byte_count, count,
                                   err);
    tacho_assembly_free(assembly);
    return failed;
}

void subject_loop_free(subject_loop *loop)
{
    tacho_mem_free(loop->code);
    *loop = (subject_loop){0};
}

static void clear(loop_list *list, hash_index *index)
{
    for (size_t i = 0; i < list->count; i++)
        subject_loop_free(&list->items[i]);
    list->count = 0;
    if (index)
        hash_index_clear(index);
}

int loop_list_add(loop_list *list, const subject_loop *loop, tacho_error *err)
{
    if (tacho_mem_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
        return tacho_no_memory(err);
    subject_loop *to = &list->items[list->count++];
    *to = *loop;
    to->code = NULL;
    to->size = to->capacity = 0;
    return subject_add_bytes(to, loop->code, loop->size, 1, err);
}

int loop_list_add_once(loop_list *list, hash_index *index, const subject_loop *loop, tacho_error *err)
{
    uint64_t key[2], other[2];
    subject_key(loop, key);
    hash_probe p = hash_find(index, key[0]);
    while (hash_next(&p)) {
        subject_key(&list->items[p.item], other);
        if (other[1] == key[1])
            return 0;
    }
    int failed = loop_list_add(list, loop, err);
    if (!failed && hash_add_item(index, key[0], (uint32_t)list->count - 1))
        failed = tacho_no_memory(err);
    return failed;
}

void loop_list_free(loop_list *list)
{
    clear(list, NULL);
    tacho_mem_free(list->items);
    *list = (loop_list){0};
}

/* ---- subjects ---- */

subject *subject_new(tacho_error *err)
{
    subject *s = tacho_mem_zalloc(1, sizeof *s);
    if (!s)
        tacho_no_memory(err);
    return s;
}

void subject_free(subject *s)
{
    if (!s)
        return;
    tacho_measurer_free(s->measurer);
    tacho_predictor_free(s->predictor);
    answers_free(&s->known);
    hash_index_free(&s->in_queue);
    hash_index_free(&s->in_kept);
    loop_list *const lists[] = {&s->open, &s->blocks, &s->records, &s->queue, &s->kept};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        loop_list_free(lists[i]);
    tacho_mem_free(s);
}

int subject_journal(subject *s, const char *path, bool resume, tacho_error *err)
{
    return answers_open(&s->known, path, s->identity, resume, err);
}

int subject_check_stop(const subject *s, tacho_error *err)
{
    return s->stop && s->stop(s->payload) ? tacho_error_set(err, TACHO_ERR_CANCELLED, "cancelled") : 0;
}

int subject_note(subject *s, const char *text, tacho_error *err)
{
    return answers_note(&s->known, text, err);
}

bool subject_has(const subject *s, tacho_extension extension)
{
    if (extension == TACHO_EXTENSION_NONE)
        return true;
    return s->core          ? tacho_arch_has_extension(s->core, extension)
           : s->only_record ? true /* an instruction that it has not, has no answer */
                            : host_has(extension);
}

/* ---- what was answered ---- */

void subject_key(const subject_loop *loop, uint64_t key[2])
{
    uint64_t head = hash_add(hash_add(loop->size, loop->mode), loop->known);
    for (unsigned r = 0; r < 16; r++)
        if (loop->known >> r & 1)
            head = hash_add(head, loop->values[r]);
    key[0] = hash_add(head, hash_bytes(loop->code, loop->size));
    key[1] = hash_mix(head);
    for (size_t i = 0; i < loop->size; i++)
        key[1] = hash_add(key[1], loop->code[i] + HASH_STEP);
}

int subject_keep_answer(subject *s, const subject_loop *loop, tacho_error *err)
{
    answer a = {{0}, loop->cycles, loop->uncertainty, loop->status, false};
    if (a.status != TACHO_MEASURED_OK)
        a.cycles = NAN;
    subject_key(loop, a.key);
    s->timed++;
    if (s->tick)
        s->tick(s->payload);
    return answers_keep(&s->known, &a, err);
}

/* ---- what can wait ---- */

void subject_record(subject *s, bool record)
{
    clear(&s->records, NULL);
    s->recording = record;
}

static int put_off(subject *s, subject_loop **loops, size_t count, tacho_error *err)
{
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++)
        failed = loop_list_add_once(&s->queue, &s->in_queue, loops[i], err);
    return failed ? failed : tacho_error_set(err, SUBJECT_DEFERRED, "put off");
}

/* What was answered, for those who look at it later. */
static int keep_loops(subject *s, const subject_loop *loops, size_t count, tacho_error *err)
{
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        if (s->recording)
            failed = loop_list_add(&s->records, &loops[i], err);
        if (!failed && s->keeping && loops[i].status == TACHO_MEASURED_OK && loops[i].size <= KEPT_BYTES)
            failed = loop_list_add_once(&s->kept, &s->in_kept, &loops[i], err);
    }
    return failed;
}

int subject_time(subject *s, subject_loop *loops, size_t count, tacho_error *err)
{
    subject_loop **open = tacho_mem_zalloc(count + 1, sizeof *open);
    size_t n = 0;
    int failed = 0;
    if (!open)
        return tacho_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        uint64_t key[2];
        if (!loops[i].size) {
            loops[i].cycles = NAN;
            loops[i].status = TACHO_MEASURED_UNSUPPORTED;
            continue;
        }
        subject_key(&loops[i], key);
        const answer *known = answers_find(&s->known, key),
                     *there = s->other ? answers_find(&s->other->known, key) : NULL;
        if (there && isnan(there->cycles))
            known = there;
        if (known) {
            if (known != there && known->recorded) { /* counted once */
                s->answered++;
                s->known.items[known - s->known.items].recorded = false;
            }
            loops[i].cycles = known->cycles;
            loops[i].uncertainty = known->uncertainty;
            loops[i].status = known->status;
        } else {
            open[n++] = &loops[i];
        }
    }
    failed = !n ? 0 : s->deferring ? put_off(s, open, n, err) : s->ask(s, open, n, err);
    tacho_mem_free(open);
    return failed ? failed : keep_loops(s, loops, count, err);
}

int subject_answer(subject *s, tacho_error *err)
{
    const bool deferring = s->deferring;
    s->deferring = false;
    int failed = subject_time(s, s->queue.items, s->queue.count, err);
    s->deferring = deferring;
    clear(&s->queue, &s->in_queue);
    return failed;
}

/* ---- forms ---- */

static int time_jobs(void *payload, tacho_measure_job *jobs, size_t count,
                     const tacho_measure_options *options, tacho_error *err)
{
    subject_loop *loops = tacho_mem_zalloc(count, sizeof *loops);
    int failed = loops ? 0 : tacho_no_memory(err);
    for (size_t i = 0; i < count && !failed; i++) {
        loops[i].mode = options->mode;
        loops[i].known = options->known_mask;
        memcpy(loops[i].values, options->known_values, sizeof loops[i].values);
        failed = subject_add_bytes(&loops[i], jobs[i].code, jobs[i].code_size, 1, err);
    }
    if (!failed)
        failed = subject_time(payload, loops, count, err);
    for (size_t i = 0; i < count && loops; i++) {
        jobs[i].result = (tacho_measurement){.status = loops[i].status,
                                             .cycles = loops[i].cycles,
                                             .uncertainty = loops[i].uncertainty,
                                             .low = loops[i].cycles,
                                             .high = loops[i].cycles,
                                             .mode = options->mode,
                                             .offset = -1};
        subject_loop_free(&loops[i]);
    }
    tacho_mem_free(loops);
    return failed;
}

int subject_characterise(subject *s, uint32_t form, tacho_characterisation *out, tacho_error *err)
{
    tacho_characterise_options o = TACHO_CHARACTERISE_OPTIONS_INIT;
    o.attempts = 1; /* subject_time has its own */
    return tacho_characterise_by(time_jobs, s, form, &o, out, err);
}
