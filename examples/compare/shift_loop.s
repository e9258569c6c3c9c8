# shift_loop.s - a loop of branches that are never taken, about a line of 64 bytes: on processors that look up few
# branches of a line at a time, where it begins decides how long an iteration takes.
    .section .text.count_down,"ax",@progbits
    .globl count_down
    .type count_down, @function
    .p2align 4
count_down: # rdi: iterations
    mov $100000, %eax
1:
    cmp $1, %rax
    jl 2f
    cmp $2, %rax
    jl 2f
    cmp $3, %rax
    jl 2f
    cmp $4, %rax
    jl 2f
    cmp $1, %rax
    jl 2f
    cmp $2, %rax
    jl 2f
    cmp $3, %rax
    jl 2f
    cmp $4, %rax
    jl 2f
    dec %rdi
    jnz 1b
2:
    ret
    .size count_down, . - count_down
    .section .note.GNU-stack,"",@progbits
