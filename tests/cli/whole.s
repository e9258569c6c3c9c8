# What a compiler makes of two functions with loops and one without.
        .text
        .p2align 4
        .globl  scale
        .type   scale, @function
scale:
        testl   %esi, %esi
        jle     .L1
        movslq  %esi, %rsi
        leaq    (%rdi,%rsi,4), %rax
        .p2align 4
.L3:
        movss   (%rdi), %xmm1
        mulss   %xmm0, %xmm1
        movss   %xmm1, (%rdi)
        addq    $4, %rdi
        cmpq    %rax, %rdi
        jne     .L3
.L1:
        ret
        .size   scale, .-scale
        .p2align 4
        .globl  sum
        .type   sum, @function
sum:
        xorps   %xmm0, %xmm0
        testl   %esi, %esi
        jle     .L6
        .p2align 4
.L8:
        addsd   (%rdi), %xmm0
        addq    $8, %rdi
        subl    $1, %esi
        jne     .L8
.L6:
        ret
        .size   sum, .-sum
        .section .text.startup,"ax",@progbits
        .globl  main
        .type   main, @function
main:
        cmpl    $3, %edi
        jle     .L11
        movl    $1, %eax
        ret
.L11:
        movl    $2, %eax
        ret
        .size   main, .-main
