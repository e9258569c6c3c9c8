/* tiny.c - a program without a library, so that whoever watches it is soon done: a loop that stores and
 * loads, some hundred times; with an argument, for a tenth of a second or so. */
__asm__(".globl _start\n"
        "_start:\n"
        "    mov $300, %ecx\n"
        "    cmpq $1, (%rsp)\n"
        "    je loop\n"
        "    mov $100000000, %ecx\n"
        "loop:\n"
        "    mov %rcx, -8(%rsp)\n"
        "    mov -8(%rsp), %rax\n"
        "    dec %ecx\n"
        "    jnz loop\n"
        "    mov $60, %eax\n"
        "    xor %edi, %edi\n"
        "    syscall\n");
