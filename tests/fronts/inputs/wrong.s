	movq (%rdi), %rax
	movqq (%rdi), %rax
