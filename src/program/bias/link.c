/* link.c - variants of the program itself: its object files linked in another order, or with padding before
 * their code.
 *
 * All variants have names of the same length, as the path lies on the stack. */
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/file.h"
#include "base/process.h"
#include "program/bias/bias_internal.h"

/* ---- programs linked by a command ---- */

enum {
    LINK_SECONDS = 600,
    MESSAGE_BYTES = 300
};

/* A word for the shell. */
static void put_quoted(tacho_str *out, const char *word)
{
    tacho_str_putc(out, '\'');
    for (const char *c = word; *c; c++)
        if (*c == '\'')
            tacho_str_puts(out, "'\\''");
        else
            tacho_str_putc(out, *c);
    tacho_str_putc(out, '\'');
}

static void fill_in(tacho_str *out, const char *command, const char *path, const char *const *objects,
                    uint32_t count)
{
    static const char out_word[] = "{out}", objects_word[] = "{objects}";
    while (*command) {
        if (tacho_starts_with(command, out_word)) {
            put_quoted(out, path);
            command += sizeof out_word - 1;
        } else if (tacho_starts_with(command, objects_word)) {
            for (uint32_t i = 0; i < count; i++) {
                tacho_str_putc(out, ' ');
                put_quoted(out, objects[i]);
            }
            command += sizeof objects_word - 1;
        } else {
            tacho_str_putc(out, *command++);
        }
    }
}

/* Runs a tool, whose temporary files go to our directory. @return 0, also where b->stopped; or as in *b->err
 */
static int run_tool(bias *b, const char *const *argv, const char *what)
{
    char path[4096];
    const char *folder = bias_directory(b), *temporary = folder ? bias_text(b, "TMPDIR=%s", folder) : NULL;
    char **environment = temporary ? variants_environment(b, b->environment, &temporary, 1) : NULL;
    tacho_str said = {0};
    tacho_process_end end = {0};
    tacho_process p = {.path = path,
                       .argv = argv,
                       .directory = b->command.directory,
                       .file = -1,
                       .env = (const char *const *)environment,
                       .seconds = LINK_SECONDS,
                       .stop = b->options.stop,
                       .payload = b->options.payload,
                       .file_bytes = (size_t)1 << 32};
    if (!environment)
        return b->err->code;
    if (!tacho_process_find(argv[0], path, sizeof path))
        return tacho_error_set(b->err, TACHO_ERR_INPUT, "%s: %s is not installed (Debian: binutils)", what,
                               argv[0]);
    int rc = 0;
    if (tacho_process_run_text(&p, "", 0, &said, &said, &end))
        rc = tacho_error_set(b->err, TACHO_ERR_SYSTEM, "%s: %s", what, strerror(errno));
    else if (end.stopped)
        b->stopped = true;
    else if (end.exit_status)
        rc = tacho_error_set(b->err, TACHO_ERR_INPUT, "%s failed: %.*s", what, MESSAGE_BYTES,
                             said.length     ? said.data
                             : end.timed_out ? "it took too long"
                                             : "without a message");
    tacho_str_free(&said);
    return rc;
}

static int run_link(bias *b, const char *command, const char *path)
{
    const char *const shell[] = {"/bin/sh", "-c", command, NULL};
    int rc = run_tool(b, shell, "the link command");
    if (!rc && !b->stopped && access(path, X_OK))
        rc =
            tacho_error_set(b->err, TACHO_ERR_INPUT, "the link command has not made {out}, or not a program");
    return rc;
}

/* ---- orders of objects ---- */

enum {
    MOST_ORDERS = 24, /* all of four files */
    CODE_SPAN =
        64 /* by default: what a fetch line, and the loop buffer's and the µop cache's windows, divide */
};

/* Links the program of a place, which stays as it was where b->stopped. */
static int link_variant(bias *b, bias_place *place, uint32_t number, const char *const *objects,
                        uint32_t count)
{
    const char *folder = bias_directory(b), *name = tacho_base_name(b->name);
    const char *path = folder ? bias_text(b, "%s/%c%05u-%s", folder, b->linked, number, name) : NULL;
    if (!path)
        return b->err->code;
    if (!bias_next(b))
        return 0;
    tacho_str command = {0};
    fill_in(&command, b->options.link, path, objects, count);
    int rc = command.failed ? tacho_no_memory(b->err) : run_link(b, command.data, path);
    tacho_str_free(&command);
    if (!rc && b->stopped)
        return 0;
    char **argv = rc ? NULL : bias_with_program(b, path);
    if (!argv)
        return rc ? rc : TACHO_ERR_MEMORY;
    place->command.argv = argv;
    return 0;
}

int link_base(bias *b)
{
    const char *objects[TACHO_BIAS_MAX_OBJECTS];
    bias_place place = {.command = b->command};
    for (uint32_t i = 0; i < b->options.object_count; i++)
        objects[i] = b->options.objects[i];
    b->linked = 'b';
    bias_begin(b, TACHO_BIAS_LINK_ORDER, TACHO_BIAS_LINKING, 1);
    int rc = link_variant(b, &place, 0, objects, b->options.object_count);
    b->command = place.command;
    return rc;
}

/* ---- orders ---- */

static uint32_t factorial(uint32_t n, uint32_t most)
{
    uint32_t all = 1;
    for (uint32_t i = 2; i <= n && all <= most; i++)
        all *= i;
    return all;
}

/* The next order in the order of the alphabet; after the last one the first. */
static void next_order(uint32_t *order, uint32_t n)
{
    uint32_t i = n - 1, j = n - 1;
    while (i > 0 && order[i - 1] > order[i])
        i--;
    if (i > 0) {
        while (order[j] < order[i - 1])
            j--;
        uint32_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
    for (j = n - 1; i < j; i++, j--) {
        uint32_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

/* In the order of the alphabet, from that given. */
static void list_orders(bias *b, uint32_t orders[][TACHO_BIAS_MAX_OBJECTS], uint32_t count)
{
    uint32_t n = b->options.object_count;
    for (uint32_t k = 0; k < n; k++)
        orders[0][k] = k;
    for (uint32_t i = 1; i < count; i++) {
        memcpy(orders[i], orders[i - 1], n * sizeof **orders);
        next_order(orders[i], n);
    }
}

/* Chooses this many orders by chance, where there are more; all differ, and the first is the given one. */
static void draw_orders(bias *b, uint32_t orders[][TACHO_BIAS_MAX_OBJECTS], uint32_t count)
{
    uint32_t n = b->options.object_count;
    list_orders(b, orders, 1);
    for (uint32_t i = 1; i < count; i++) {
        bool drawn_before;
        do {
            drawn_before = false;
            hash_draw_order(&b->random, orders[i], n);
            for (uint32_t k = 0; k < i && !drawn_before; k++)
                drawn_before = !memcmp(orders[i], orders[k], n * sizeof **orders);
        } while (drawn_before);
    }
}

static int make_order(bias *b, bias_place *place, uint32_t number, const uint32_t *order)
{
    const char *objects[TACHO_BIAS_MAX_OBJECTS];
    tacho_str label = {0};
    uint32_t n = b->options.object_count;
    for (uint32_t i = 0; i < n; i++) {
        objects[i] = b->options.objects[order[i]];
        tacho_str_printf(&label, "%s%s", i ? " " : "", tacho_base_name(objects[i]));
    }
    place->label = label.failed ? NULL : bias_text(b, "%s", label.data);
    tacho_str_free(&label);
    return place->label ? link_variant(b, place, number, objects, n) : tacho_no_memory(b->err);
}

int link_orders(bias *b, bias_series *s)
{
    uint32_t orders[MOST_ORDERS][TACHO_BIAS_MAX_OBJECTS], n = b->options.object_count;
    uint32_t all = factorial(n, MOST_ORDERS), count = all < MOST_ORDERS ? all : MOST_ORDERS;
    if (n < 2) {
        s->out->missing = "there is one object file only";
        return 0;
    }
    if (all <= MOST_ORDERS)
        list_orders(b, orders, count);
    else
        draw_orders(b, orders, count);
    b->linked = 'o';
    s->step_bytes = 0;
    int rc = series_reserve(b, s, count);
    bias_begin(b, s->kind, TACHO_BIAS_LINKING, count);
    for (uint32_t i = 0; i < count && !rc && !b->stopped; i++)
        rc = make_order(b, &s->places[i], i, orders[i]);
    return rc;
}

/* ---- padding ---- */

/* An object file whose code is this many NOPs. GNU ld puts the section before all others of the objects'
 * code. For other linkers it is in .text, too, where it comes first as the first object does. */
static const char *make_padding(bias *b, uint32_t bytes)
{
    const char *folder = bias_directory(b);
    const char *source = folder ? bias_text(b, "%s/pad%05u.s", folder, bytes) : NULL;
    const char *object = folder ? bias_text(b, "%s/pad%05u.o", folder, bytes) : NULL;
    const char *text =
        bias_text(b,
                  "\t.section .text.unlikely,\"ax\",@progbits\n\t.balign 64\n\t.skip %u, 0x90\n"
                  "\t.section .note.GNU-stack,\"\",@progbits\n",
                  bytes);
    const char *const as[] = {"as", "--64", "-o", object, source, NULL};
    if (!source || !object || !text)
        return NULL;
    if (tacho_scratch_write(folder, tacho_base_name(source), text, strlen(text))) {
        tacho_error_set(b->err, TACHO_ERR_SYSTEM, "%s: %s", source, strerror(errno));
        return NULL;
    }
    return run_tool(b, as, "the assembler") ? NULL : object;
}

int link_code(bias *b, bias_series *s)
{
    const char *objects[TACHO_BIAS_MAX_OBJECTS + 1];
    uint32_t n = b->options.object_count;
    uint32_t span = b->span_given ? b->options.span_bytes : CODE_SPAN;
    for (uint32_t i = 0; i < n; i++)
        objects[i + 1] = b->options.objects[i];
    b->linked = 'c';
    int rc = series_reserve_steps(b, s, span);
    bias_begin(b, s->kind, TACHO_BIAS_LINKING, s->count);
    for (uint32_t i = 0; i < s->count && !rc && !b->stopped; i++) {
        objects[0] = make_padding(b, i * s->step_bytes);
        rc = objects[0] ? link_variant(b, &s->places[i], i, objects, n + 1) : b->err->code;
    }
    return rc;
}
