/* predict_block.c ARCH FILE: the cycles of each region of FILE on ARCH.
 *   cc predict_block.c -o predict $(pkg-config --cflags --libs tacho-tools) */
#include <stdio.h>
#include <tacho/tools.h>

int main(int argc, char **argv)
{
    tacho_error err;
    tacho_code *code = NULL;
    tacho_code_options input = TACHO_CODE_OPTIONS_INIT;
    tacho_predict_options options = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_arch *arch = tacho_arch_find(argc > 1 ? argv[1] : "SKL", &err);
    tacho_predictor *predictor = tacho_predictor_new();
    int bad = !arch || !predictor || tacho_code_load(&code, argc > 2 ? argv[2] : "-", &input, &err);
    for (size_t i = 0; !bad && i < code->region_count; i++) {
        const tacho_prediction *p;
        const tacho_region *r = &code->regions[i];
        options.alignment = r->alignment;
        bad = tacho_predict(predictor, arch, r->bytes, r->byte_count, &options, &p, &err);
        if (!bad)
            printf("%s%.2f cycles\n", tacho_prediction_is_lower_bound(p) ? "at least " : "", p->cycles);
    }
    if (bad)
        fprintf(stderr, "%s\n", predictor ? err.message : "out of memory");
    tacho_code_free(code);
    tacho_predictor_free(predictor);
    return bad != 0;
}
