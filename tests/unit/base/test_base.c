/* test_base.c - text, CSV, tables, suggestions, the hash tables, sorting, files of /proc. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/bytemap.h"
#include "base/cpus.h"
#include "base/csv.h"
#include "base/hash_index.h"
#include "base/mem.h"
#include "base/text_pattern.h"
#include "base/proc.h"
#include "base/file.h"
#include "base/search.h"
#include "base/str.h"
#include "base/suggest.h"
#include "base/table.h"
#include "tacho/error.h"

static void test_error__message_is_one_line_and_fits(void **state)
{
    tacho_error err;
    char longer[2 * TACHO_ERROR_MESSAGE_SIZE];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(tacho_error_set(&err, TACHO_ERR_INPUT, "%s", longer), TACHO_ERR_INPUT);
    assert_int_equal(strlen(err.message), TACHO_ERROR_MESSAGE_SIZE - 1);
    assert_non_null(strstr(err.message, "x...x"));
    tacho_error_set(&err, TACHO_ERR_INPUT, "a\nb\033[1m");
    assert_string_equal(err.message, "a b [1m");
    tacho_error_set(&err, TACHO_ERR_INPUT, "%s", "");
    assert_true(err.message[0]);
    assert_int_equal(tacho_error_set(NULL, TACHO_ERR_LIMIT, "x"), TACHO_ERR_LIMIT);
}

/* It used to be the end that was cut off, where the reason stands. */
static void test_error__a_long_path_does_not_cost_the_reason(void **state)
{
    tacho_error err;
    char path[5000], out[32];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    tacho_error_set(&err, TACHO_ERR_INPUT, "/a/%s: line %d: cannot be read: %s", path, 7,
                    "File name too long");
    assert_int_equal(strlen(err.message), TACHO_ERROR_MESSAGE_SIZE - 1);
    assert_int_equal(strncmp(err.message, "/a/xxx", 6), 0);
    assert_non_null(strstr(err.message, "x...x"));
    assert_non_null(strstr(err.message, "x: line 7: cannot be read: File name too long"));
    tacho_mem_fail_at(1); /* without memory to see the end in: the start */
    tacho_error_set(&err, TACHO_ERR_INPUT, "/a/%s: cannot be read", path);
    tacho_mem_fail_at(0);
    assert_int_equal(strlen(err.message), TACHO_ERROR_MESSAGE_SIZE - 1);
    assert_int_equal(strncmp(err.message, "/a/xxx", 6), 0);
    tacho_format_fit(out, sizeof out, "%s", "0123456789012345678901234567890"); /* it just fits */
    assert_string_equal(out, "0123456789012345678901234567890");
    tacho_format_fit(out, sizeof out, "%s", "01234567890123456789012345678901");
    assert_string_equal(out, "0123456789...456789012345678901");
    /* Characters of several bytes are kept whole. */
    tacho_format_fit(out, sizeof out, "%s", "ééééééééééééééééééééééééé");
    assert_string_equal(out, "ééééé...ééééééééé");
}

static void test_number__has_no_trailing_zeros_and_is_empty_when_not_finite(void **state)
{
    static const struct {
        double value;
        int decimals;
        const char *expected;
    } cases[] = {{2, 6, "2"},       {7 / 3.0, 6, "2.333333"}, {0.5, 2, "0.5"},
                 {100, 0, "100"},   {-0.001, 2, "0"},         {NAN, 2, ""},
                 {INFINITY, 2, ""}, {1e300, 2, "1e+300"},     {1234567.25, 2, "1234567.25"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[TACHO_NUMBER_SIZE];
        assert_string_equal(tacho_format_number(out, cases[i].value, cases[i].decimals), cases[i].expected);
    }
}

static void test_size__is_written_in_the_largest_unit_that_leaves_one_whole(void **state)
{
    char out[TACHO_SIZE_SIZE];
    assert_string_equal(tacho_format_size(out, 1000), "1000 bytes");
    assert_string_equal(tacho_format_size(out, 32768), "32 KiB");
    assert_string_equal(tacho_format_size(out, 3 << 19), "1.5 MiB");
    assert_string_equal(tacho_format_size(out, UINT64_MAX), "16777216 TiB");
}

static void test_str__whole_numbers_and_characters_one_by_one(void **state)
{
    tacho_str s = {0};
    tacho_str_whole(&s, 0);
    tacho_str_putc(&s, ' ');
    tacho_str_whole(&s, INT64_MAX);
    tacho_str_putc(&s, ' ');
    tacho_str_whole(&s, INT64_MIN);
    assert_string_equal(s.data, "0 9223372036854775807 -9223372036854775808");
    s.length = 0;
    for (int i = 0; i < 1000; i++) {
        tacho_str_putc(&s, (char)('a' + i % 26));
        assert_int_equal(strlen(s.data), i + 1);
    }
    assert_memory_equal(s.data, "abcdefghijklmnopqrstuvwxyzab", 28);
    assert_false(s.failed);
    tacho_str_free(&s);
}

static void test_base_name__is_what_follows_the_last_slash(void **state)
{
    (void)state;
    assert_string_equal(tacho_base_name("/a/b.c"), "b.c");
    assert_string_equal(tacho_base_name("b.c"), "b.c");
    assert_string_equal(tacho_base_name("./a/"), "./a/");
    assert_string_equal(tacho_base_name(""), "");
}

static void test_parse_u64__refuses_what_is_not_all_number(void **state)
{
    unsigned long long n;
    assert_true(tacho_parse_u64("18446744073709551615", &n) && n == UINT64_MAX);
    assert_true(tacho_parse_u64("0xFf", &n) && n == 255);
    assert_false(tacho_parse_u64("18446744073709551616", &n));
    assert_false(tacho_parse_u64("", &n));
    assert_false(tacho_parse_u64("0x", &n));
    assert_false(tacho_parse_u64("-1", &n));
    assert_false(tacho_parse_u64("1 ", &n));
    assert_false(tacho_parse_u64("ff", &n));
}

static void test_csv__records_end_at_lines_but_not_inside_quotes(void **state)
{
    size_t next;
    assert_int_equal(tacho_csv_record("a,b\nc", 5, &next), 3);
    assert_int_equal(next, 4);
    assert_int_equal(tacho_csv_record("a,b\r\nc", 6, &next), 3);
    assert_int_equal(next, 5);
    assert_int_equal(tacho_csv_record("a,\"x\ny\"\nc", 9, &next), 7);
    assert_int_equal(tacho_csv_record("a,\"x\"\"\ny\"\nc", 11, &next), 9);
    assert_true(tacho_csv_record("a,b", 3, &next) == (size_t)-1);
    /* Lines that end in CR alone were one line, of which the first field counted. */
    assert_int_equal(tacho_csv_record("a,b\rc\rd", 7, &next), 3);
    assert_int_equal(next, 4);
    assert_int_equal(tacho_csv_record("a,\"x\ry\"\rc", 9, &next), 7);
    assert_int_equal(next, 8);
    assert_int_equal(tacho_csv_record("\r90", 3, &next), 0);
    assert_int_equal(next, 1);
    assert_true(tacho_csv_record("a,b\r", 4, &next) == (size_t)-1); /* LF may follow */
    assert_true(tacho_csv_record("", 0, &next) == (size_t)-1);
    /* A quote in the middle of a field is an ordinary character. */
    assert_int_equal(tacho_csv_record("a,5\" disk\nc", 11, &next), 9);
}

static void check_field(const char *text, const char *expected, const char *expected_rest)
{
    char copy[64], *field, *rest;
    size_t length;
    strcpy(copy, text);
    tacho_csv_field(copy, strlen(copy), &field, &length, &rest);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(field, expected, length);
    if (expected_rest)
        assert_string_equal(rest, expected_rest);
    else
        assert_null(rest);
}

static void test_csv__fields_are_unquoted(void **state)
{
    check_field("a,b", "a", "b");
    check_field("a", "a", NULL);
    check_field("", "", NULL);
    check_field(",b", "", "b");
    check_field("\"a,b\",c", "a,b", "c");
    check_field("\"a\"\"b\"", "a\"b", NULL);
    check_field("\"open", "open", NULL);
    check_field("\"", "", NULL);
}

static void test_csv__fields_are_quoted_where_needed(void **state)
{
    tacho_str s = {0};
    tacho_csv_put(&s, "plain", 5);
    tacho_str_putc(&s, ',');
    tacho_csv_put(&s, "a,\"b\"", 5);
    tacho_str_putc(&s, ',');
    tacho_csv_put(&s, "x\ny", 3);
    assert_string_equal(s.data, "plain,\"a,\"\"b\"\"\",\"x\ny\"");
    tacho_str_free(&s);
}

/* Reads `text` as a file. */
static int read_table_bytes(tacho_table *t, const char *text, size_t size, const char *without_header,
                            tacho_error *err)
{
    char path[] = "/tmp/tacho-table-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, size), (ssize_t)size);
    close(fd);
    int result = tacho_table_read(t, path, without_header, err);
    unlink(path);
    return result;
}

static int read_table(tacho_table *t, const char *text, const char *without_header, tacho_error *err)
{
    return read_table_bytes(t, text, strlen(text), without_header, err);
}

static void test_table__columns_by_name_rows_of_any_length(void **state)
{
    tacho_table t;
    tacho_error err;
    double number = 7;
    assert_int_equal(read_table(&t,
                                "\xef\xbb\xbfHex, cycles ,app\r\n90,1.5,\"a,\"\"b\"\r\n\r\n9090\n"
                                "c3, ,x,more\n\"c3\n\",1e999,",
                                "hex,cycles", &err),
                     0);
    assert_int_equal(t.row_count, 4);
    assert_int_equal(t.column_count, 3);
    assert_int_equal(tacho_table_column(&t, "HEX"), 0);
    assert_int_equal(tacho_table_column(&t, "cycles"), 1);
    assert_int_equal(tacho_table_column(&t, "count"), TACHO_TABLE_NONE);
    assert_string_equal(tacho_table_cell(&t, 0, 2), "a,\"b");
    assert_string_equal(tacho_table_cell(&t, 1, 0), "9090");
    assert_string_equal(tacho_table_cell(&t, 1, 2), "");
    assert_string_equal(tacho_table_cell(&t, 2, 2), "x");
    assert_string_equal(tacho_table_cell(&t, 3, 0), "c3");
    assert_string_equal(tacho_table_cell(&t, 3, TACHO_TABLE_NONE), "");
    assert_int_equal(t.lines[0], 2);
    assert_int_equal(t.lines[1], 4);
    assert_int_equal(t.lines[3], 6);
    assert_int_equal(tacho_table_number(&t, 0, 1, &number), 1);
    assert_true(number == 1.5);
    assert_int_equal(tacho_table_number(&t, 1, 1, &number), 0);
    assert_int_equal(tacho_table_number(&t, 0, 2, &number), -1);
    assert_int_equal(tacho_table_number(&t, 3, 1, &number), -1);
    tacho_table_free(&t);
}

static void test_table__header_may_be_missing_where_names_are_given(void **state)
{
    tacho_table t;
    tacho_error err;
    assert_int_equal(read_table(&t, "90,2\nc3,3", "hex,cycles", &err), 0);
    assert_int_equal(t.row_count, 2);
    assert_int_equal(tacho_table_column(&t, "cycles"), 1);
    assert_string_equal(tacho_table_cell(&t, 0, 0), "90");
    assert_string_equal(tacho_table_cell(&t, 1, 1), "3");
    assert_int_equal(t.lines[1], 2);
    tacho_table_free(&t);
    assert_int_equal(read_table(&t, "90,2\nc3,3", NULL, &err), 0);
    assert_int_equal(t.row_count, 1);
    assert_string_equal(tacho_table_column_name(&t, 1), "2");
    tacho_table_free(&t);
    assert_int_equal(read_table(&t, "\n\n", "hex", &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "nothing in it"));
    assert_int_equal(tacho_table_read(&t, "/nonexistent", "hex", &err), TACHO_ERR_INPUT);
    assert_int_equal(tacho_table_read(&t, "/", "hex", &err), TACHO_ERR_INPUT);
}

static void test_table__nothing_of_a_broken_file_is_taken(void **state)
{
    tacho_table t;
    tacho_error err;
    static const struct {
        size_t size;
        const char *text, *message;
    } cases[] = {
#define CASE(text, message) {sizeof text - 1, text, message}
        CASE("hex,cycles\n90,1\0002\n", "line 2: a byte that is 0"),
        CASE("hex,cycles\n90,1\n\0", "line 3: a byte that is 0"),
        CASE("hex,cycles\n90,1\n\"c3,1\nc3,2\n", "line 3: a quoted field does not end"),
        CASE("hex,cycles\n90,\"1", "line 2: a quoted field does not end"),
        CASE("\"hex,cycles\n90,1\n", "line 1: a quoted field does not end"),
#undef CASE
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_table_bytes(&t, cases[i].text, cases[i].size, "hex,cycles", &err),
                         TACHO_ERR_INPUT);
        if (!strstr(err.message, cases[i].message))
            fail_msg("case %zu: %s", i, err.message);
        assert_null(t.data);
    }
    assert_int_equal(read_table(&t, "90,\"1\"", "hex,cycles", &err), 0);
    assert_string_equal(tacho_table_cell(&t, 0, 1), "1");
    tacho_table_free(&t);
}

/* Comments at the beginning, two compressed files one after the other, cut off at each byte. */
static void test_table__compressed_files_and_comments(void **state)
{
    tacho_table t;
    tacho_error err;
    assert_int_equal(read_table(&t, "# a\n\n# b, c\nhex,cycles\n90,1\n#3,4\n", NULL, &err), 0);
    assert_int_equal(t.row_count, 2);
    assert_int_equal(t.lines[0], 5);
    assert_string_equal(tacho_table_cell(&t, 1, 0), "#3");
    tacho_table_free(&t);
    static const char zip[] =
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x53\x56\xc8\x4f\x53\x48\x54\xc8\x4d\x4c"
        "\xce\xc8\xcc\x4b\xe5\xca\x48\xad\xd0\x49\xae\x4c\xce\x49\x2d\xe6\xb2\x34\xd0\x31"
        "\xe4\x02\x00\xda\xa7\x81\xfa\x1f\x00\x00\x00"
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x4b\x36\xd6\x31\xe2\x02\x00\x24\xaf\xdc"
        "\xc6\x05\x00\x00\x00";
    const size_t first = 51, size = sizeof zip - 1;
    assert_int_equal(read_table_bytes(&t, zip, size, "hex", &err), 0);
    assert_int_equal(t.row_count, 2);
    assert_string_equal(tacho_table_cell(&t, 1, 0), "c3");
    tacho_table_free(&t);
    for (size_t n = 2; n < size; n++) {
        int result = read_table_bytes(&t, zip, n, "hex", &err);
        assert_int_equal(result, n == first ? 0 : TACHO_ERR_INPUT);
        if (!result)
            tacho_table_free(&t);
        else if (!strstr(err.message, "it is compressed, and cut off"))
            fail_msg("%zu bytes: %s", n, err.message);
    }
    char wrong[sizeof zip];
    memcpy(wrong, zip, sizeof zip);
    wrong[first - 8] ^= 1; /* the checksum */
    assert_int_equal(read_table_bytes(&t, wrong, size, "hex", &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "it is compressed, and damaged"));
}

/* A line that does not end was read to its end: 2.4 GB for one of 1 GB. */
static void test_table__a_line_without_an_end_is_not_read_on(void **state)
{
    tacho_table t;
    tacho_error err;
    size_t size = (size_t)3 * TACHO_CSV_MAX_RESULT;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, 'a', size);
    memcpy(text, "hex,cycles\n90,1\n", 16);
    assert_int_equal(read_table_bytes(&t, text, size, "hex,cycles", &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "line 3: longer than 16 MiB"));
    /* The same on many lines, by a quote. */
    for (size_t i = 16; i < size; i += 100)
        text[i] = '\n';
    text[17] = '"';
    assert_int_equal(read_table_bytes(&t, text, size, "hex,cycles", &err), TACHO_ERR_INPUT);
    assert_non_null(strstr(err.message, "line 4: longer than 16 MiB (or a quoted field does not end)"));
    /* The longest that there may be. */
    memset(text + 16, 'a', (size_t)TACHO_CSV_MAX_RESULT);
    text[16 + TACHO_CSV_MAX_RESULT] = '\n';
    assert_int_equal(read_table_bytes(&t, text, 16 + TACHO_CSV_MAX_RESULT + 1, "hex,cycles", &err), 0);
    assert_int_equal(t.row_count, 2);
    assert_int_equal(strlen(tacho_table_cell(&t, 1, 0)), TACHO_CSV_MAX_RESULT);
    assert_string_equal(tacho_table_cell(&t, 1, 1), "");
    tacho_table_free(&t);
    free(text);
}

static void test_table__out_of_memory_anywhere(void **state)
{
    tacho_table t;
    tacho_error err;
    int result = TACHO_ERR_MEMORY;
    for (unsigned long n = 1; result; n++) {
        tacho_mem_fail_at(n);
        result = read_table(&t, "90,2\nc3,3\n", "hex,cycles", &err);
        tacho_mem_fail_at(0);
        assert_true(result == 0 || result == TACHO_ERR_MEMORY);
        assert_true(n < 20);
    }
    tacho_table_free(&t);
}

static void test_suggest__nearest_names_in_order(void **state)
{
    assert_int_equal(tacho_edit_distance("predict", "predict"), 0);
    assert_int_equal(tacho_edit_distance("predcit", "predict"), 1);
    assert_int_equal(tacho_edit_distance("", "abc"), 3);
    assert_int_equal(tacho_edit_distance("kitten", "sitting"), 3);
    tacho_suggest s = {.wanted = "SLK"};
    tacho_suggest_offer(&s, "ICX");
    tacho_suggest_offer(&s, "SKX");
    tacho_suggest_offer(&s, "SKL");
    assert_string_equal(tacho_suggest_text(&s), "; did you mean SKL or SKX?");
    s = (tacho_suggest){.wanted = "foo"};
    tacho_suggest_offer(&s, "_Z3fooi");
    tacho_suggest_offer(&s, "quite-different");
    assert_string_equal(tacho_suggest_text(&s), "; did you mean _Z3fooi?");
    s = (tacho_suggest){.wanted = "zzz"};
    tacho_suggest_offer(&s, "abc");
    assert_string_equal(tacho_suggest_text(&s), "");
}

static void test_bytemap__counts_many_keys(void **state)
{
    tacho_bytemap map = {0};
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 0; i < 5000; i++) {
            uint8_t key[4] = {(uint8_t)i, (uint8_t)(i >> 8), 7, 9};
            tacho_bytemap_entry *e = tacho_bytemap_at(&map, key, 2 + i % 3);
            assert_non_null(e);
            assert_int_equal(e->count++, round);
        }
    assert_int_equal(map.used, 5000);
    tacho_bytemap_free(&map);
}

/* The item of `number` in a list where item i is number 3 * i. */
static uint32_t find_number(const hash_index *x, uint64_t hash, uint32_t number)
{
    hash_probe p = hash_find(x, hash);
    while (hash_next(&p) && 3 * p.item != number)
        continue;
    return p.item;
}

static void test_hash_index__finds_items_also_of_equal_hashes(void **state)
{
    static const uint64_t spread[] = {0x9e3779b97f4a7c15u, 1, 1ull << 40, 0}; /* the last: all are equal */
    for (size_t k = 0; k < sizeof spread / sizeof *spread; k++) {
        hash_index x = {0};
        uint32_t count = spread[k] ? 5000 : 300;
        assert_int_equal(find_number(&x, 0, 0), HASH_INDEX_NONE);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(find_number(&x, i * spread[k], 3 * i), HASH_INDEX_NONE);
            assert_int_equal(hash_add_item(&x, i * spread[k], i), 0);
        }
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(find_number(&x, i * spread[k], 3 * i), i);
            assert_int_equal(find_number(&x, i * spread[k], 3 * i + 1), HASH_INDEX_NONE);
        }
        assert_true(2 * x.used <= x.slot_count);
        hash_index_free(&x);
    }
}

static void test_hash_index__is_as_it_was_when_memory_runs_out(void **state)
{
    hash_index x = {0};
    uint32_t i = 0;
    while (2 * (x.used + 1) <= x.slot_count || !i) {
        assert_int_equal(hash_add_item(&x, i * 77, i), 0);
        i++;
    }
    tacho_mem_fail_at(1);
    int result = hash_add_item(&x, i * 77, i);
    tacho_mem_fail_at(0);
    assert_int_equal(result, -1);
    assert_int_equal(find_number(&x, i * 77, 3 * i), HASH_INDEX_NONE);
    assert_int_equal(hash_add_item(&x, i * 77, i), 0);
    for (uint32_t k = 0; k <= i; k++)
        assert_int_equal(find_number(&x, k * 77, 3 * k), k);
    hash_index_free(&x);
}

static int by_number(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* qsort and bsearch must not be given NULL: where there is nothing, as after an empty file. */
static void test_sort__nothing_may_be_null(void **state)
{
    int numbers[] = {3, 1, 2}, key = 2, none = 4;
    tacho_sort(NULL, 0, sizeof *numbers, by_number);
    assert_null(tacho_find_sorted(&key, NULL, 0, sizeof *numbers, by_number));
    tacho_sort(numbers, 3, sizeof *numbers, by_number);
    assert_ptr_equal(tacho_find_sorted(&key, numbers, 3, sizeof *numbers, by_number), &numbers[1]);
    assert_null(tacho_find_sorted(&none, numbers, 3, sizeof *numbers, by_number));
}

static void test_proc__maps_have_names_with_blanks_or_none(void **state)
{
    proc_map m;
    assert_true(proc_parse_map("7f10-7f20 r-xp 00002000 fe:0a 1049       /tmp/a b (deleted)\n", &m));
    assert_int_equal(m.start, 0x7f10);
    assert_int_equal(m.end, 0x7f20);
    assert_int_equal(m.offset, 0x2000);
    assert_int_equal(m.major, 0xfe);
    assert_int_equal(m.minor, 10);
    assert_int_equal(m.inode, 1049);
    assert_true(m.execute && m.is_private && !m.write);
    assert_string_equal(m.path, "/tmp/a b (deleted)");
    assert_true(proc_parse_map("1000-2000 rw-s 0 00:00 0\n", &m));
    assert_true(m.write && !m.execute && !m.is_private);
    assert_string_equal(m.path, "");
}

static void test_proc__what_is_no_mapping_is_refused(void **state)
{
    static const char *const lines[] = {"",
                                        "1000-2000",
                                        "1000-2000 r-xp 0 00:00",
                                        "2000-1000 r-xp 0 00:00 0",
                                        "1000-1000 r-xp 0 00:00 0",
                                        "1000-2000 r 0 00:00 0",
                                        "zzzz-2000 r-xp 0 00:00 0"};
    proc_map m;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_false(proc_parse_map(lines[i], &m));
}

static void test_regex__repetitions_of_repetitions_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *bad; /* NULL: good */
    } cases[] = {
        {"([0-9.]+)", NULL},
        {"^x *: *(-?[0-9]{1,12}) [^]+*]+$", NULL},
        {"(\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+)", NULL},
        {"([[:digit:]++++++++++++++++++++]+)", NULL},
        {"(a++++++++++++++++++++)", "too often"},
        {"(((((a{9}){9}){9}){9}){9}){9}", "too often"},
        {"(x{1,255}{1,255}{1,255})", "too often"},
        {"(", "no extended regular expression"},
        {"a+", "no group"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why[120];
        regex_t regex;
        const char *bad = tacho_regex_compile(&regex, cases[i].pattern, why, sizeof why);
        if (!bad)
            regfree(&regex);
        if (!bad != !cases[i].bad || (bad && !strstr(bad, cases[i].bad)))
            fail_msg("%s: %s", cases[i].pattern, bad ? bad : "taken");
    }
}

static void write_file(const char *root, const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(full, 0700);
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void write_cache(const char *root, int index, const char *const values[6])
{
    static const char *const names[6] = {
        "level", "type", "size", "coherency_line_size", "ways_of_associativity", "number_of_sets"};
    for (int i = 0; i < 6; i++) {
        char path[128];
        snprintf(path, sizeof path, "sys/devices/system/cpu/cpu3/cache/index%d/%s", index, names[i]);
        if (values[i])
            write_file(root, path, values[i]);
    }
}

static void test_caches__those_of_data_by_level(void **state)
{
    (void)state;
    char root[256];
    data_cache c[CACHES_MOST];
    tacho_error err;
    assert_int_equal(tacho_scratch_make(root, sizeof root, &err), 0);
    write_cache(root, 0, (const char *const[6]){"2\n", "Unified\n", "1024K\n", "64\n", "16\n", "1024\n"});
    write_cache(root, 1, (const char *const[6]){"1\n", "Instruction\n", "32K\n", "64\n", "8\n", "64\n"});
    write_cache(root, 2, (const char *const[6]){"1\n", "Data\n", "48K\n", "64\n", "12\n", "64\n"});
    write_cache(root, 3, (const char *const[6]){"3\n", "Unified\n", "32M\n", NULL, "-1\n", "x\n"});
    write_cache(root, 4, (const char *const[6]){"4\n", "Unified\n", "much\n", NULL, NULL, NULL});
    assert_int_equal(caches_read(root, 3, c), 3);
    assert_true(c[0].level == 1 && c[0].bytes == 48 << 10 && c[0].line_bytes == 64 && c[0].ways == 12 &&
                c[0].sets == 64);
    assert_true(c[1].level == 2 && c[1].bytes == 1 << 20 && c[1].sets == 1024);
    assert_true(c[2].level == 3 && c[2].bytes == 32 << 20 && !c[2].line_bytes && !c[2].ways && !c[2].sets);
    assert_int_equal(caches_read(root, 0, c), 0);
    tacho_scratch_remove(root);
    for (size_t i = 0, n = caches_read("", 0, c); i < n; i++)
        assert_true(c[i].bytes >= 1024 && (!i || c[i].level > c[i - 1].level));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error__message_is_one_line_and_fits),
        cmocka_unit_test(test_error__a_long_path_does_not_cost_the_reason),
        cmocka_unit_test(test_number__has_no_trailing_zeros_and_is_empty_when_not_finite),
        cmocka_unit_test(test_size__is_written_in_the_largest_unit_that_leaves_one_whole),
        cmocka_unit_test(test_str__whole_numbers_and_characters_one_by_one),
        cmocka_unit_test(test_base_name__is_what_follows_the_last_slash),
        cmocka_unit_test(test_parse_u64__refuses_what_is_not_all_number),
        cmocka_unit_test(test_csv__records_end_at_lines_but_not_inside_quotes),
        cmocka_unit_test(test_csv__fields_are_unquoted),
        cmocka_unit_test(test_csv__fields_are_quoted_where_needed),
        cmocka_unit_test(test_table__columns_by_name_rows_of_any_length),
        cmocka_unit_test(test_table__header_may_be_missing_where_names_are_given),
        cmocka_unit_test(test_table__nothing_of_a_broken_file_is_taken),
        cmocka_unit_test(test_table__compressed_files_and_comments),
        cmocka_unit_test(test_table__a_line_without_an_end_is_not_read_on),
        cmocka_unit_test(test_table__out_of_memory_anywhere),
        cmocka_unit_test(test_suggest__nearest_names_in_order),
        cmocka_unit_test(test_bytemap__counts_many_keys),
        cmocka_unit_test(test_hash_index__finds_items_also_of_equal_hashes),
        cmocka_unit_test(test_hash_index__is_as_it_was_when_memory_runs_out),
        cmocka_unit_test(test_sort__nothing_may_be_null),
        cmocka_unit_test(test_regex__repetitions_of_repetitions_are_refused),
        cmocka_unit_test(test_proc__maps_have_names_with_blanks_or_none),
        cmocka_unit_test(test_proc__what_is_no_mapping_is_refused),
        cmocka_unit_test(test_caches__those_of_data_by_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
