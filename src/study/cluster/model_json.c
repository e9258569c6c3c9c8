/* model_json.c - models as JSON text, and back. What is read may come from anywhere. */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "study/cluster/model.h"
#include "x86/arch/port_digits.h"

static const char schema[] = "tacho-cluster-1";
static const char *const methods[] = {"batch", "online"};
static const char *const kinds[] = {"load", "store_address", "store_data", "scalar", "vector"};

/* ---- writing ---- */

static json_t *numbers(const double *values, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, json_real(values[i]));
    return list;
}

static json_t *topic_json(const tacho_cluster_model *m, uint32_t k)
{
    const tacho_cluster_topic *t = &m->topics[k];
    json_t *uops = json_object();
    for (int i = 0; i < TACHO_UOP_KIND_COUNT; i++)
        json_object_set_new(uops, kinds[i], json_real(t->training.uops[i]));
    return json_pack("{s:s, s:s, s:I, s:f, s:o, s:o}", "name", t->name, "description", t->description,
                     "blocks", (json_int_t)t->training.blocks, "weight", t->training.weight, "uops", uops,
                     "lambda", numbers(m->lambda + (size_t)k * m->word_count, m->word_count));
}

static json_t *model_json(const tacho_cluster_model *m)
{
    json_t *words = json_array(), *topics = json_array();
    char name[20], seed[24];
    for (uint32_t w = 0; w < m->word_count; w++)
        json_array_append_new(words, json_string(tacho_ports_text(m->words[w], name, sizeof name)));
    for (uint32_t k = 0; k < m->topic_count; k++)
        json_array_append_new(topics, topic_json(m, k));
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)m->seed); /* may be too large for JSON readers */
    return json_pack("{s:s, s:s, s:f, s:f, s:s, s:s, s:i, s:i, s:I, s:I, s:f, s:f, s:f, s:o, s:o}", "schema",
                     schema, "arch", m->arch->name, "alpha", m->alpha, "beta", m->beta, "method",
                     methods[m->method], "seed", seed, "starts", (int)m->starts, "passes", (int)m->passes,
                     "blocks", (json_int_t)m->blocks, "documents", (json_int_t)m->documents, "uops", m->uops,
                     "perplexity", m->perplexity, "perplexity_blocks", m->perplexity_blocks, "words", words,
                     "topics", topics);
}

int tacho_cluster_model_write(const tacho_cluster_model *m, char **out, tacho_error *err)
{
    json_t *json = model_json(m);
    char *text = json ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
    *out = text ? tacho_mem_strndup(text, strlen(text)) : NULL;
    json_decref(json);
    free(text);
    return *out ? 0 : tacho_no_memory(err);
}

void tacho_cluster_text_free(char *text)
{
    tacho_mem_free(text);
}

/* ---- reading ---- */

typedef struct reader {
    const char *name;
    tacho_error *err;
} reader;

static int wrong(const reader *r, const char *format, ...) TACHO_PRINTF(2, 3);
static int wrong(const reader *r, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    tacho_vformat_fit(text, sizeof text, format, args);
    va_end(args);
    return tacho_error_set(r->err, TACHO_ERR_INPUT, "%s: no model of categories: %s", r->name, text);
}

/* A number in [low, high]. */
static int get_number(const reader *r, const json_t *object, const char *key, double low, double high,
                      double *out)
{
    const json_t *value = json_object_get(object, key);
    *out = 0;
    if (!json_is_number(value))
        return wrong(r, "'%s' is missing, or no number", key);
    *out = json_number_value(value);
    if (!(*out >= low && *out <= high))
        return wrong(r, "'%s' is from %g to %g, not %g", key, low, high, *out);
    return 0;
}

static int get_string(const reader *r, const json_t *object, const char *key, const char **out)
{
    *out = json_string_value(json_object_get(object, key));
    return *out ? 0 : wrong(r, "'%s' is missing, or no text", key);
}

static int get_list(const reader *r, const json_t *object, const char *key, size_t most, const json_t **out)
{
    *out = json_object_get(object, key);
    if (!json_is_array(*out) || !json_array_size(*out) || json_array_size(*out) > most)
        return wrong(r, "'%s' is missing, or no list of 1 to %zu", key, most);
    return 0;
}

/* "p0156" to bits; 0: it is no such word */
static uint16_t ports_of(const char *text)
{
    uint16_t ports = 0;
    if (!text || *text != 'p')
        return 0;
    for (const char *c = text + 1; *c; c++) {
        int port = port_of_digit(*c);
        if (port < 0 || ports >> port)
            return 0; /* also where a port is not higher than the last */
        ports |= (uint16_t)(1u << port);
    }
    return ports;
}

static int get_words(const reader *r, const json_t *list, uint16_t *words, uint32_t *count)
{
    bool seen[CORPUS_PORT_SETS] = {false};
    *count = (uint32_t)json_array_size(list);
    for (uint32_t w = 0; w < *count; w++) {
        words[w] = ports_of(json_string_value(json_array_get(list, w)));
        if (!words[w] || seen[words[w]])
            return wrong(r, "words[%u] is no set of ports (\"p0156\"), or stands twice", w);
        seen[words[w]] = true;
    }
    return 0;
}

static int get_topic(const reader *r, const json_t *json, model_parts *p, uint32_t k)
{
    tacho_cluster_topic *t = &p->topics[k];
    const json_t *lambda = json_object_get(json, "lambda"), *uops = json_object_get(json, "uops");
    const char *name;
    double blocks;
    int rc = get_string(r, json, "name", &name);
    if (rc || (rc = get_number(r, json, "blocks", 0, 1e15, &blocks)) ||
        (rc = get_number(r, json, "weight", 0, 1e300, &t->training.weight)))
        return rc;
    if (!*name || strlen(name) >= sizeof t->name || strcspn(name, ",\"\r\n") != strlen(name))
        return wrong(r, "topics[%u].name is empty, too long, or has a comma or a quote", k);
    snprintf(t->name, sizeof t->name, "%s", name);
    t->description = category_description(t->name);
    t->training.blocks = (uint64_t)blocks;
    for (uint32_t j = 0; j < k; j++)
        if (!strcmp(p->topics[j].name, t->name))
            return wrong(r, "two topics are called '%s'", t->name);
    for (int i = 0; i < TACHO_UOP_KIND_COUNT; i++)
        if ((rc = get_number(r, uops, kinds[i], 0, 1e300, &t->training.uops[i])))
            return rc;
    if (json_array_size(lambda) != p->model.word_count)
        return wrong(r, "topics[%u].lambda has %zu numbers for %u words", k, json_array_size(lambda),
                     p->model.word_count);
    for (uint32_t w = 0; w < p->model.word_count; w++) {
        double value = json_number_value(json_array_get(lambda, w));
        if (!(value >= 1e-6 && value <= 1e300))
            return wrong(r, "topics[%u].lambda[%u] is no number from 1e-6 to 1e300", k, w);
        p->lambda[(size_t)k * p->model.word_count + w] = value;
    }
    return 0;
}

static int get_method(const reader *r, const json_t *json, tacho_cluster_model *m)
{
    const char *method, *seed;
    unsigned long long number = 0;
    int rc = get_string(r, json, "method", &method);
    if (rc || (rc = get_string(r, json, "seed", &seed)))
        return rc;
    m->method = !strcmp(method, methods[1]) ? TACHO_CLUSTER_ONLINE : TACHO_CLUSTER_BATCH;
    bool is_number = tacho_parse_u64(seed, &number);
    m->seed = number;
    if (strcmp(method, methods[m->method]) != 0)
        return wrong(r, "'method' is batch or online, not '%.40s'", method);
    return is_number ? 0 : wrong(r, "'seed' is no whole number: '%.40s'", seed);
}

static int get_figures(const reader *r, const json_t *json, tacho_cluster_model *m)
{
    double starts, passes, blocks, documents;
    int rc;
    if ((rc = get_number(r, json, "alpha", 1e-4, 1000, &m->alpha)) ||
        (rc = get_number(r, json, "beta", 1e-4, 1000, &m->beta)) ||
        (rc = get_number(r, json, "starts", 0, 1e9, &starts)) ||
        (rc = get_number(r, json, "passes", 0, 1e9, &passes)) ||
        (rc = get_number(r, json, "blocks", 0, 1e15, &blocks)) ||
        (rc = get_number(r, json, "documents", 0, 1e15, &documents)) ||
        (rc = get_number(r, json, "uops", 0, 1e300, &m->uops)) ||
        (rc = get_number(r, json, "perplexity", 0, 1e300, &m->perplexity)) ||
        (rc = get_number(r, json, "perplexity_blocks", 0, 1e300, &m->perplexity_blocks)))
        return rc;
    m->starts = (uint32_t)starts;
    m->passes = (uint32_t)passes;
    m->blocks = (uint64_t)blocks;
    m->documents = (uint64_t)documents;
    return get_method(r, json, m);
}

static int get_arch(const reader *r, const json_t *json, const tacho_arch **out)
{
    const char *text;
    tacho_error unknown;
    int rc = get_string(r, json, "schema", &text);
    if (rc)
        return rc;
    if (strcmp(text, schema) != 0)
        return wrong(r, "the schema is '%.40s', not '%s'", text, schema);
    if ((rc = get_string(r, json, "arch", &text)))
        return rc;
    *out = strcmp(text, "native") != 0 ? tacho_arch_find(text, &unknown) : NULL;
    return *out ? 0 : wrong(r, "there is no microarchitecture '%.40s'", text);
}

static int get_model(const reader *r, const json_t *json, model_parts **out)
{
    const tacho_arch *arch;
    const json_t *words, *topics;
    uint16_t ports[CORPUS_WORDS];
    uint32_t word_count;
    int rc = get_arch(r, json, &arch);
    if (rc || (rc = get_list(r, json, "words", CORPUS_WORDS, &words)) ||
        (rc = get_list(r, json, "topics", TACHO_CLUSTER_MAX_TOPICS, &topics)) ||
        (rc = get_words(r, words, ports, &word_count)))
        return rc;
    *out = model_new(arch, (uint32_t)json_array_size(topics), ports, word_count);
    if (!*out)
        return tacho_no_memory(r->err);
    rc = get_figures(r, json, &(*out)->model);
    for (uint32_t k = 0; !rc && k < (*out)->model.topic_count; k++)
        rc = get_topic(r, json_array_get(topics, k), *out, k);
    return rc;
}

int tacho_cluster_model_read(tacho_cluster_model **out, const char *text, size_t length, const char *name,
                             tacho_error *err)
{
    reader r = {name, err};
    json_error_t problem;
    model_parts *p = NULL;
    *out = NULL;
    json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!json) {
        tacho_error_set(err, TACHO_ERR_INPUT, "%s: line %d: no JSON: %s", name, problem.line, problem.text);
        if (err && problem.line > 0)
            err->line = (uint64_t)problem.line;
        return TACHO_ERR_INPUT;
    }
    int rc = get_model(&r, json, &p);
    json_decref(json);
    if (rc) {
        tacho_cluster_model_free(p ? &p->model : NULL);
        return rc;
    }
    *out = &p->model;
    return 0;
}
