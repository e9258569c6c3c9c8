/* test_fields.c - records by their tables: what is null, the order, lists, parts, and the cells of CSV. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/records.h"

typedef struct inner {
    double low, high;
    char name[8];
} inner;

typedef struct record {
    double real;
    uint8_t small;
    int32_t index;
    size_t count;
    bool yes;
    const char *text;
    inner part;
    const inner *list;
    const inner *absent;
    char *const *words;
    uint32_t word_count;
    enum {
        COLD,
        WARM,
        UNNAMED
    } state;
} record;

static const char *state_name(unsigned state)
{
    static const char *const names[] = {"cold", "warm", NULL};
    return names[state];
}

#define RECORD inner
GETTER(number, report_whole(at->index))
static const report_field inner_fields[] = {
    {MADE(WHOLE, "number", number, "its place")},
    {INTERVAL("interval", low, NULL)},
    {MEMBER(name, "a word", .none = REPORT_ZERO)},
};
#undef RECORD

#define RECORD record
ONLY(is_counted, r->count)
ONLY(has_absent, r->absent)
static const uint8_t bytes[] = {0x0f, 0xb0};
GETTER(hex, report_hex(bytes, sizeof bytes))
static const char *const letters[] = {"a", "x", "b"};
LIST_OF(names, 3, i != 1, json_string(letters[i]))
OBJECT_OF(places, r->count, letters[i], json_integer((json_int_t)i))
static const report_field fields[] = {
    {SCHEMA("tacho-test-1")},
    {MEMBER(real, NULL, .cell = 2)},
    {MEMBER(small, NULL, .cell = REPORT_ADDRESS)},
    {MEMBER(index, NULL, .none = REPORT_BELOW_0)},
    {MEMBER(count, "there only where it is not 0", .only = is_counted)},
    {MEMBER(yes, NULL, .cell = REPORT_YES_NO)},
    {MEMBER(text, NULL, .none = REPORT_NO_TEXT)},
    {MADE(HEX, "hex", hex, NULL)},
    {MADE(LIST, "names", names, NULL)},
    {MADE(OBJECT, "places", places, NULL, .known = is_counted)},
    {NAMED("seen", small, NULL, .known = is_counted)},
    {RECORD_IN("part", part, ROWS(inner_fields), NULL)},
    {RECORD_AT("absent", absent, ROWS(inner_fields), NULL, .known = has_absent)},
    {PART_AT(absent, ROWS(inner_fields))},
    {RECORDS("list", list, count, ROWS(inner_fields), NULL)},
    {TEXTS("words", words, word_count, NULL)},
    {CELL("low", part.low), .cell = REPORT_FIXED + 3},
};
static const report_field words_and_more[] = {
    {WORD("state", state, state_name, NULL, .none = REPORT_NO_TEXT)},
    {OF("first_low", list, low, NULL)},
};
#undef RECORD

static record example(void)
{
    static const inner list[] = {{1, 2, "x"}, {1, NAN, ""}};
    static char *words[] = {"one", "tw\xff"};
    return (record){.real = 1.256,
                    .small = 255,
                    .index = 7,
                    .count = 2,
                    .yes = true,
                    .text = "a,b",
                    .part = {0.5, 1, "p"},
                    .list = list,
                    .words = words,
                    .word_count = 2};
}

static void assert_json(const record *r, const char *expected)
{
    json_t *j = report_record_json(ROWS(fields), r, NULL);
    char *text = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(6));
    assert_string_equal(text, expected);
    free(text);
    json_decref(j);
}

static void test_json__fields_stand_in_the_tables_order(void **state)
{
    record r = example();
    assert_json(
        &r, "{\"schema\":\"tacho-test-1\",\"real\":1.256,\"small\":255,\"index\":7,\"count\":2,\"yes\":true,"
            "\"text\":\"a,b\",\"hex\":\"0fb0\",\"names\":[\"a\",\"b\"],"
            "\"places\":{\"a\":0,\"x\":1},\"seen\":255,\"part\":{\"number\":0,\"interval\":[0.5,1.0],"
            "\"name\":\"p\"},\"absent\":null,"
            "\"list\":[{\"number\":0,\"interval\":[1.0,2.0],\"name\":\"x\"},"
            "{\"number\":1,\"interval\":null,\"name\":null}],\"words\":[\"one\",\"tw?\"]}");
}

static void test_json__what_there_is_not_is_null_or_left_out(void **state)
{
    record r = {.real = NAN, .index = -1, .part = {INFINITY, 1, ""}};
    assert_json(&r, "{\"schema\":\"tacho-test-1\",\"real\":null,\"small\":0,\"index\":null,\"yes\":false,"
                    "\"text\":null,\"hex\":\"0fb0\",\"names\":[\"a\",\"b\"],"
                    "\"places\":null,\"seen\":null,\"part\":{\"number\":0,\"interval\":null,\"name\":null},"
                    "\"absent\":null,"
                    "\"list\":[],\"words\":[]}");
}

static void test_csv__columns_choose_fields(void **state)
{
    static const char columns[] = "text,real,small,index,yes,hex,names,low,number,count,seen";
    record all = example(), none = {.real = NAN, .index = -1};
    tacho_str out = {0};
    report_record_head(&out, columns, ROWS(fields), NULL);
    report_record_row(&out, columns, ROWS(fields), &all, NULL);
    report_record_row(&out, columns, ROWS(fields), &none, NULL);
    assert_string_equal(out.data, "text,real,small,index,yes,hex,names,low,number,count,seen\n"
                                  "\"a,b\",1.26,0xff,7,yes,0fb0,a;b,0.500,,2,255\n"
                                  ",,0x0,,no,0fb0,a;b,0.000,,,\n");
    tacho_str_free(&out);
}

static void test_csv__words_of_enumerations_and_members_behind_a_pointer(void **state)
{
    record r = example();
    tacho_str out = {0};
    for (r.state = COLD; r.state <= UNNAMED; r.state++)
        report_record_row(&out, "state,first_low", ROWS(words_and_more), &r, NULL);
    assert_string_equal(out.data, "cold,1\nwarm,1\n,1\n");
    tacho_str_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json__fields_stand_in_the_tables_order),
        cmocka_unit_test(test_json__what_there_is_not_is_null_or_left_out),
        cmocka_unit_test(test_csv__columns_choose_fields),
        cmocka_unit_test(test_csv__words_of_enumerations_and_members_behind_a_pointer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
