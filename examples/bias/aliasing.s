# aliasing.s - does this processor take a load for one of what an older store has written elsewhere?
#
# What is loaded is stored in the next line, to another page. The two have nothing to do with each other, so
# that an iteration takes one cycle, or two - unless a load waits for an older store whose address agrees with
# its own modulo 4096: then each waits for the one before.
#
#     tacho measure aliasing.s --pages 8 --init rdi=0x2345601040,rsi=0x2345705040    # agree
#     tacho measure aliasing.s --pages 8 --init rdi=0x2345601040,rsi=0x2345705840    # do not
    .intel_syntax noprefix
    mov [rdi], rax
    mov rax, [rsi]
    add rax, rbx
