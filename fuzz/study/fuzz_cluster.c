/* fuzz_cluster.c - models of categories: what is read can be used, and written, and is then the same. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tacho/tools.h"

static void use(const tacho_cluster_model *m)
{
    static const uint8_t code[] = {0x48, 0x03, 0x03, 0xc5, 0xf4, 0x58, 0xc2, 0x48, 0x89, 0x03};
    tacho_corpus *corpus;
    tacho_corpus_block block;
    tacho_cluster_fit fit;
    tacho_error err;
    uint8_t category = 0;
    if (tacho_corpus_new_like(&corpus, m, &err))
        return;
    if (!tacho_corpus_add(corpus, code, sizeof code, 1, &block, &err) && block.document == 0 &&
        (tacho_cluster_classify(m, corpus, 1, &category, &err) || category >= m->topic_count ||
         tacho_cluster_evaluate(m, corpus, 1, &fit, &err)))
        abort();
    tacho_corpus_free(corpus);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_cluster_model *m, *again;
    tacho_error err;
    char *text, *second;
    if (tacho_cluster_model_read(&m, (const char *)data, size, "input", &err))
        return 0;
    use(m);
    if (tacho_cluster_model_write(m, &text, &err) ||
        tacho_cluster_model_read(&again, text, strlen(text), "again", &err) ||
        tacho_cluster_model_write(again, &second, &err) || strcmp(text, second) != 0)
        abort();
    tacho_cluster_text_free(text);
    tacho_cluster_text_free(second);
    tacho_cluster_model_free(m);
    tacho_cluster_model_free(again);
    return 0;
}
