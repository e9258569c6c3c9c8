sum:
	xor eax, eax
.L2:
	add rax, qword ptr [rdi]
	add rdi, 8
	dec rsi
	jne .L2
	ret
