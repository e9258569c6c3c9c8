/* test_reorder.c - object files whose functions lie otherwise: what is written says the same of them. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "binary/input/elf_writer.h"
#include "study/relink/relink.h"
#include "tacho/error.h"

enum {
    FUNCTIONS = 6,
    KEYS = 40
};
static const char *const names[FUNCTIONS] = {".text.one",  ".text.two",           ".text.three",
                                             ".text.four", ".text.unlikely.five", ".text"};

/* An object file with functions of 16 bytes, each filled with its number, a symbol and a relocation of each;
 * data between them, and a group of ".text.four" and its relocations. */
static char *make_object(size_t *size)
{
    elf_writer w = {0};
    char *file;
    tacho_str symbols = {0}, relocation = {0};
    tacho_str_append(&symbols, (const char *)&(Elf64_Sym){0}, sizeof(Elf64_Sym));
    tacho_str_append(&relocation, (const char *)&(Elf64_Rela){0}, sizeof(Elf64_Rela));
    uint32_t number = 0;
    uint32_t of[FUNCTIONS];
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        if (i == 3) {
            elf_part *group = elf_writer_add(&w, ".group", SHT_GROUP, 0);
            elf_put(&group->text, GRP_COMDAT, 4);
            elf_put(&group->text, number + 2, 4);
            elf_put(&group->text, number + 3, 4);
            group->header.sh_link = 3 * FUNCTIONS + 2;
            group->header.sh_info = 4;
            number++;
        }
        elf_part *p = elf_writer_add(&w, names[i], SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR);
        p->header.sh_addralign = 16;
        of[i] = ++number;
        for (int b = 0; b < 16; b++)
            tacho_str_putc(&p->text, (char)(i + 1));
        p = elf_writer_add(&w, ".rela", SHT_RELA, SHF_INFO_LINK);
        p->header.sh_info = of[i];
        p->header.sh_link = 3 * FUNCTIONS + 2;
        p->header.sh_entsize = sizeof(Elf64_Rela);
        tacho_str_append(&p->text, relocation.data, relocation.length);
        p = elf_writer_add(&w, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE);
        p->bytes = (const uint8_t *)"";
        p->size = 100 + i;
        number += 2;
        Elf64_Sym s = {.st_shndx = (Elf64_Section)of[i], .st_size = 16};
        tacho_str_append(&symbols, (const char *)&s, sizeof s);
    }
    Elf64_Sym absolute = {.st_shndx = SHN_ABS};
    tacho_str_append(&symbols, (const char *)&absolute, sizeof absolute);
    elf_part *p = elf_writer_add(&w, ".symtab", SHT_SYMTAB, 0);
    assert_int_equal(++number, 3 * FUNCTIONS + 2);
    p->text = symbols;
    p->header.sh_link = number;
    p->header.sh_info = 1;
    tacho_str_free(&relocation);
    assert_int_equal(elf_writer_finish(&w, ET_REL, &file, size), 0);
    file[EI_OSABI] = ELFOSABI_GNU;
    return file;
}

static Elf64_Ehdr head_of(const char *file)
{
    Elf64_Ehdr h;
    memcpy(&h, file, sizeof h);
    return h;
}

static Elf64_Shdr section(const char *file, uint32_t i)
{
    Elf64_Shdr s;
    memcpy(&s, file + head_of(file).e_shoff + i * sizeof s, sizeof s);
    return s;
}

static const char *name_of(const char *file, uint32_t i)
{
    return file + section(file, head_of(file).e_shstrndx).sh_offset + section(file, i).sh_name;
}

/* Which function this is: what its bytes are; 0: it is none. */
static uint32_t function_of(const char *file, uint32_t i)
{
    Elf64_Shdr s = section(file, i);
    return s.sh_flags & SHF_EXECINSTR ? (uint32_t)file[s.sh_offset] : 0;
}

static void check_function(const char *file, uint32_t i)
{
    Elf64_Shdr s = section(file, i);
    uint32_t n = function_of(file, i);
    assert_in_range(n, 1, FUNCTIONS);
    assert_in_range(s.sh_size, 16, 16 + REORDER_LINE - 1);
    assert_int_equal(s.sh_addralign, 16);
    for (uint64_t b = 0; b < s.sh_size; b++)
        assert_int_equal((uint8_t)file[s.sh_offset + b], b < 16 ? n : 0xcc);
    if (n == 5)
        assert_string_equal(name_of(file, i), names[4]);
    else
        assert_memory_equal(name_of(file, i), ".text.sorted.", strlen(".text.sorted."));
    if (n < 5)
        assert_non_null(strstr(name_of(file, i), names[n - 1] + strlen(".text")));
}

/* Symbols, relocations and the group are of the functions that they were of. */
static void check_file(const char *file, uint32_t *order)
{
    uint32_t functions = 0, group = 0;
    assert_int_equal(file[EI_OSABI], ELFOSABI_GNU);
    for (uint32_t i = 1; i < head_of(file).e_shnum; i++) {
        Elf64_Shdr s = section(file, i);
        if (s.sh_flags & SHF_EXECINSTR) {
            check_function(file, i);
            order[functions++] = function_of(file, i);
        } else if (s.sh_type == SHT_NOBITS) {
            assert_in_range(s.sh_size, 100, 100 + FUNCTIONS - 1);
        } else if (s.sh_type == SHT_SYMTAB) {
            for (uint32_t k = 1; k <= FUNCTIONS; k++) {
                Elf64_Sym symbol;
                memcpy(&symbol, file + s.sh_offset + k * sizeof symbol, sizeof symbol);
                assert_int_equal(function_of(file, symbol.st_shndx), k);
            }
            Elf64_Sym last;
            memcpy(&last, file + s.sh_offset + (FUNCTIONS + 1) * sizeof last, sizeof last);
            assert_int_equal(last.st_shndx, SHN_ABS);
        } else if (s.sh_type == SHT_GROUP) {
            uint32_t words[3];
            memcpy(words, file + s.sh_offset, sizeof words);
            assert_int_equal(words[0], GRP_COMDAT);
            assert_int_equal(function_of(file, words[1]), 4);
            assert_int_equal(section(file, words[2]).sh_type, SHT_RELA);
            assert_int_equal(section(file, words[2]).sh_info, words[1]);
            assert_true(i < words[1]);
            group = i;
        } else if (s.sh_type == SHT_RELA) {
            assert_in_range(function_of(file, s.sh_info), 1, FUNCTIONS);
            assert_int_equal(section(file, s.sh_link).sh_type, SHT_SYMTAB);
        }
    }
    assert_int_equal(functions, FUNCTIONS);
    assert_int_equal(group, 1);
}

static void test_reorder__says_the_same_of_each_function(void **state)
{
    size_t size;
    char *file = make_object(&size);
    uint32_t firsts = 0, rooms = 0;
    (void)state;
    for (uint64_t key = 0; key < KEYS; key++) {
        uint32_t order[FUNCTIONS];
        reordered r, again;
        assert_int_equal(reorder_object(file, size, key, &r), 0);
        assert_int_equal(r.sections, FUNCTIONS);
        assert_true(r.is_whole);
        check_file(r.data, order);
        firsts |= 1u << order[0];
        for (uint32_t i = 1; i < head_of(r.data).e_shnum; i++)
            if (function_of(r.data, i) == 2)
                rooms |= 1u << (section(r.data, i).sh_size - 16) / 16;
        assert_int_equal(reorder_object(file, size, key, &again), 0);
        assert_int_equal(again.size, r.size);
        assert_memory_equal(again.data, r.data, r.size);
        tacho_mem_free(r.data);
        tacho_mem_free(again.data);
    }
    assert_int_equal(firsts, 0x7e); /* each function comes first at times */
    assert_int_equal(rooms, 0xf);   /* and has all kinds of room behind it */
    tacho_mem_free(file);
}

static void test_reorder__files_that_cannot_be_moved_are_left(void **state)
{
    static const char text[] = "!<arch>\nthis is none, but long enough to have a header of its own, and more";
    reordered r;
    (void)state;
    assert_int_equal(reorder_object(text, sizeof text, 1, &r), 0);
    assert_null(r.data);
    assert_int_equal(r.sections, 0);
    char *room;
    size_t size;
    assert_int_equal(reorder_room(1000, &room, &size), 0);
    assert_int_equal(reorder_object(room, size, 1, &r), 0);
    assert_int_equal(r.sections, 6);
    tacho_mem_free(r.data);
    ((Elf64_Ehdr *)(void *)room)->e_type = ET_EXEC;
    assert_int_equal(reorder_object(room, size, 1, &r), 0);
    assert_null(r.data);
    tacho_mem_free(room);
}

/* Any byte another one, any end: no crash, and what comes out can be read. */
static void test_reorder__broken_files(void **state)
{
    size_t size;
    char *file = make_object(&size);
    char *copy = tacho_mem_alloc(size);
    (void)state;
    for (size_t i = 0; i < size; i++) {
        reordered r;
        memcpy(copy, file, size);
        copy[i] = (char)(copy[i] ^ (i % 2 ? 0xff : 0x01));
        assert_int_equal(reorder_object(copy, size, i, &r), 0);
        tacho_mem_free(r.data);
        char *part = tacho_mem_alloc(i + 1);
        memcpy(part, file, i);
        assert_int_equal(reorder_object(part, i, i, &r), 0);
        tacho_mem_free(r.data);
        tacho_mem_free(part);
    }
    TACHO_MEM_FREE(copy, file);
}

static void test_reorder__without_memory(void **state)
{
    size_t size;
    char *file = make_object(&size);
    (void)state;
    for (unsigned long n = 1;; n++) {
        reordered r;
        tacho_mem_fail_at(n);
        int rc = reorder_object(file, size, 3, &r);
        tacho_mem_fail_at(0);
        if (!rc) {
            tacho_mem_free(r.data);
            assert_true(n > 5);
            break;
        }
        assert_int_equal(rc, TACHO_ERR_MEMORY);
        assert_null(r.data);
    }
    tacho_mem_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reorder__says_the_same_of_each_function),
        cmocka_unit_test(test_reorder__files_that_cannot_be_moved_are_left),
        cmocka_unit_test(test_reorder__broken_files),
        cmocka_unit_test(test_reorder__without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
