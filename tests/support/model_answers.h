/* model_answers.h - what the tests of predictors behind one interface share; they fail where something does.
 * To be included after cmocka.h. */
#ifndef TACHO_TEST_MODELS_H
#define TACHO_TEST_MODELS_H

#include "tacho/tools.h"

static inline const tacho_arch *arch_of(const char *name)
{
    const tacho_arch *arch = tacho_arch_find(name, NULL);
    assert_non_null(arch);
    return arch;
}

static inline tacho_model *open_model(const char *name, const char *arch, const tacho_model_options *options)
{
    tacho_model *m;
    tacho_error err;
    if (tacho_model_open(&m, name, arch_of(arch), options, &err))
        fail_msg("%s: %s", name, err.message);
    assert_string_equal(tacho_model_name(m), name);
    return m;
}

static inline void run(tacho_model *m, const tacho_model_block *blocks, size_t count,
                       tacho_model_result *results)
{
    tacho_error err;
    if (tacho_model_run(m, blocks, count, results, &err))
        fail_msg("%s: %s", tacho_model_name(m), err.message);
}

#endif
