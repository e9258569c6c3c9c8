/* test_levels.c - descriptions of memory: written and read again, what is no such text, what follows from
 * one; and the streams by which one is measured. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "machine/costs/costs.h"
#include "machine/memory/memory_internal.h"
#include "tacho/arch.h"

static const char made_up[] =
    "tacho memory 1\n# a comment\n\nprocessor Some Processor\ncore ZEN3\n"
    "machine clock_ghz 3.5 vector_bytes 32 prefetch_bytes 1024 walk_4k 40\n"
    "level L1 bytes 32768 cpuid 32768 latency 4 load 64 store 32 copy 32\n"
    "level L2 bytes 524288 cpuid 0 latency 12 set_lines 300 set_cycles 7.5 load 30 store 20 copy 14\n"
    "level memory bytes 1e9 latency 300 load 8 past_store 7 past_copy 6\r\n"
    "tlb entries 64 miss 7\ntlb entries 2048\n"
    "point bytes 4096 4k 4 2m 4\npoint bytes 16384 4k 8\npoint bytes 1048576 4k 100 2m 60\n";

static tacho_memory read_text(const char *text)
{
    tacho_memory m;
    tacho_error err = {.message = ""};
    int result = tacho_memory_read(&m, text, strlen(text), &err);
    assert_string_equal(err.message, "");
    assert_int_equal(result, 0);
    return m;
}

static void test_description__is_read_as_it_was_written(void **state)
{
    (void)state;
    tacho_memory m = read_text(made_up);
    assert_string_equal(m.processor, "Some Processor");
    assert_int_equal(m.level_count, 3);
    assert_string_equal(m.levels[2].name, "memory");
    assert_true(m.levels[2].bytes == 1000000000 && m.levels[2].latency_cycles == 300);
    assert_true(isnan(m.levels[2].copy_bytes_per_cycle) && m.levels[1].copy_bytes_per_cycle == 14);
    assert_true(m.levels[2].past_store_bytes_per_cycle == 7 && m.levels[2].past_copy_bytes_per_cycle == 6);
    assert_true(isnan(m.levels[1].past_store_bytes_per_cycle));
    assert_true(m.walk_cycles[TACHO_MEMORY_4K] == 40 && isnan(m.walk_cycles[TACHO_MEMORY_2M]));
    assert_true(m.levels[1].set_lines == 300 && m.levels[1].set_cycles == 7.5);
    assert_true(isnan(m.levels[0].set_lines) && isnan(m.levels[2].set_cycles));
    char *first = tacho_memory_write(&m);
    m = read_text(first);
    char *second = tacho_memory_write(&m);
    assert_string_equal(first, second);
    tacho_memory_text_free(first);
    tacho_memory_text_free(second);
}

static void test_description__of_each_known_machine_has_all_that_predictions_need(void **state)
{
    (void)state;
    tacho_memory m, found;
    tacho_error err = {.message = ""};
    size_t count = 0;
    for (; tacho_memory_known(&m, count); count++) {
        assert_non_null(tacho_arch_find(m.core, &err));
        assert_int_equal(tacho_memory_find(&found, m.core, &err), 0);
        assert_string_equal(found.core, m.core);
        assert_int_equal(m.level_count, TACHO_MEMORY_LEVELS);
        for (uint32_t i = 0; i < m.level_count; i++) {
            const tacho_memory_level *l = &m.levels[i];
            assert_true(l->load_bytes_per_cycle > 0 && l->store_bytes_per_cycle > 0 &&
                        l->copy_bytes_per_cycle > 0);
            assert_true(!i || l->latency_cycles > l[-1].latency_cycles);
        }
    }
    assert_int_equal(count, 2);
    assert_int_equal(tacho_memory_find(&found, "SNB", &err), TACHO_ERR_UNSUPPORTED);
    assert_string_equal(err.message,
                        "there is no description of the memory of a machine with SNB, only with ZEN3, ZEN5");
}

static void test_description__says_what_is_wrong_and_where(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1: this is no description of a memory"},
        {"tacho memory 2\n", "line 1: this is no description of a memory"},
        {"tacho memory 1\n", "there is no line 'level'"},
        {"tacho memory 1\nlevels L1\n", "line 2: a line begins with"},
        {"tacho memory 1\nlevel L1 bytes 5\n", "line 2: 'latency' is missing"},
        {"tacho memory 1\nlevel L1 latency 4\n", "line 2: 'bytes' is missing"},
        {"tacho memory 1\nlevel L1 bytes x\n", "line 2: 'bytes' needs a number from 1 to"},
        {"tacho memory 1\nlevel L1 bytes\n", "line 2: 'bytes' needs a number from 1 to"},
        {"tacho memory 1\nlevel L1 bytes nan latency 1\n", "line 2: 'bytes' needs a number from 1 to"},
        {"tacho memory 1\nlevel L1 speed 5\n", "line 2: 'speed' is no figure of such a line"},
        {"tacho memory 1\nlevel third-level bytes 5 latency 4\n", "line 2: a level needs a name"},
        {"tacho memory 1\nlevel L1 bytes 9 latency 4\nlevel L2 bytes 9 latency 4\n",
         "line 3: a level has more"},
        {"tacho memory 1\nlevel L1 bytes 9 latency 4\npoint bytes 9 4k 4\npoint bytes 8 4k 4\n",
         "line 4: points are in the order"},
        {"tacho memory 1\ntlb entries 4\ntlb entries 5\ntlb entries 6\n", "line 4: there are more than two"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tacho_memory m;
        tacho_error err = {.message = ""};
        assert_int_equal(tacho_memory_read(&m, cases[i].text, strlen(cases[i].text), &err), TACHO_ERR_INPUT);
        assert_memory_equal(err.message, cases[i].message, strlen(cases[i].message));
    }
}

static void test_description__a_level_serves_what_it_holds(void **state)
{
    (void)state;
    tacho_memory m = read_text(made_up);
    assert_int_equal(tacho_memory_level_of(&m, 1), 0);
    assert_int_equal(tacho_memory_level_of(&m, 32768), 0);
    assert_int_equal(tacho_memory_level_of(&m, 32769), 1);
    assert_int_equal(tacho_memory_level_of(&m, UINT64_MAX), 2);
}

static void test_description__loads_between_points(void **state)
{
    (void)state;
    tacho_memory m = read_text(made_up);
    assert_float_equal(tacho_memory_load_cycles(&m, 0, TACHO_MEMORY_4K), 4, 1e-9);
    assert_float_equal(tacho_memory_load_cycles(&m, 8192, TACHO_MEMORY_4K), 6, 1e-9);
    assert_float_equal(tacho_memory_load_cycles(&m, 16384, TACHO_MEMORY_2M), 8, 1e-9); /* there is none */
    assert_float_equal(tacho_memory_load_cycles(&m, UINT64_MAX, TACHO_MEMORY_2M), 60, 1e-9);
}

/* Made-up chains: lines in one set take more from the ninth on, and from the 513th on; pages alike. */
static void test_sets__by_lines_that_take_more(void **state)
{
    (void)state;
    tacho_memory m = read_text(made_up);
    memory_reach all = {.count = 0}, set;
    for (uint32_t n = 4; n <= 4096; n *= 2) {
        all.pages[all.count] = n;
        all.cycles[all.count++] = 4 + (n > 64 ? 7 : 0); /* a TLB */
    }
    set = all;
    for (uint32_t i = 0; i < set.count; i++)
        set.cycles[i] += set.pages[i] > 512 ? 296 : set.pages[i] > 8 ? 8 : 0;
    m.point_count = 1; /* all lines side by side are in the first level */
    memory_find_sets(&m, &all, &set);
    assert_true(m.levels[0].set_lines == 8 && m.levels[1].set_lines == 512);
    set = all;
    memory_find_sets(&m, &all, &set); /* no more than were asked about, or by its size */
    assert_true(m.levels[0].set_lines == 4096);
}

#if defined(__x86_64__)
static void test_streams__touch_all_bytes_and_no_others(void **state)
{
    (void)state;
    enum {
        BYTES = 2048
    };
    char *block = tacho_mem_zalloc(4, BYTES), *memory = block + (-(uintptr_t)block) % BYTES;
    memory_stream *streams[MEMORY_STREAMS];
    const uint32_t vector = memory_streams(streams);
    assert_true(vector == 16 || vector == 32 || vector == 64);
    for (int i = 0; i < BYTES; i++)
        memory[i] = (char)(i * 7 + 1);
    memset(memory + BYTES, 3, 2 * BYTES);
    streams[MEMORY_LOADS](NULL, memory, BYTES);
    streams[MEMORY_COPIES](memory + BYTES, memory, BYTES);
    assert_memory_equal(memory, memory + BYTES, BYTES);
    streams[MEMORY_STORES](memory, memory, BYTES);
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(memory[2 * BYTES + i], 3);
    for (int i = BYTES / 2; i < BYTES; i++) /* what is stored is the same for each 8 vectors */
        assert_int_equal(memory[i], memory[i % (8 * (int)vector)]);
    streams[MEMORY_PAST_COPIES](memory + BYTES, memory, BYTES);
    assert_memory_equal(memory, memory + BYTES, BYTES);
    memset(memory, 5, BYTES / 2);
    streams[MEMORY_PAST_STORES](memory + BYTES, memory, BYTES / 2);
    assert_memory_equal(memory, memory + BYTES, BYTES);
    tacho_mem_free(block);
}

static void test_places__form_one_ring(void **state)
{
    (void)state;
    enum {
        COUNT = 1000,
        STRIDE = 80
    };
    char *memory = tacho_mem_zalloc(COUNT, STRIDE), *at = memory;
    costs_link_places(memory, COUNT, STRIDE);
    size_t steps = 0;
    do {
        at = *(char **)at;
        steps++;
    } while (at != memory && steps <= COUNT);
    assert_int_equal(steps, COUNT);
    tacho_mem_free(memory);
}

static bool at_once(void *payload)
{
    return ++*(int *)payload > 0;
}

static void test_measuring__ends_when_it_is_asked_to(void **state)
{
    (void)state;
    tacho_memory m;
    tacho_error err;
    int asked = 0;
    tacho_memory_options o = TACHO_MEMORY_OPTIONS_INIT;
    o.stop = at_once;
    o.stop_payload = &asked;
    int result = tacho_memory_measure(&m, &o, &err);
    if (result == TACHO_ERR_MEMORY || result == TACHO_ERR_UNSUPPORTED)
        skip(); /* a small machine, or one that does not tell of its caches */
    assert_int_equal(result, TACHO_ERR_CANCELLED);
    assert_int_equal(asked, 1);
    o = (tacho_memory_options)TACHO_MEMORY_OPTIONS_INIT;
    o.cpu = 1 << 20;
    assert_int_equal(tacho_memory_measure(&m, &o, &err), TACHO_ERR_USAGE);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_description__is_read_as_it_was_written),
        cmocka_unit_test(test_description__of_each_known_machine_has_all_that_predictions_need),
        cmocka_unit_test(test_description__says_what_is_wrong_and_where),
        cmocka_unit_test(test_description__a_level_serves_what_it_holds),
        cmocka_unit_test(test_description__loads_between_points),
        cmocka_unit_test(test_sets__by_lines_that_take_more),
#if defined(__x86_64__)
        cmocka_unit_test(test_streams__touch_all_bytes_and_no_others),
        cmocka_unit_test(test_places__form_one_ring),
        cmocka_unit_test(test_measuring__ends_when_it_is_asked_to),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
