# Two registers that wait for each other: 2 cycles per iteration, however wide the machine.
        .intel_syntax noprefix
l:      add     rax, rbx
        add     rbx, rax
        dec     r15
        jnz     l
