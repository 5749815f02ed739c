// libFuzzer as Swift sees it: what it offers to a program that has a main of its own (llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library").
#ifndef HP_CFUZZER_SHIM_H
#define HP_CFUZZER_SHIM_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*target)(const uint8_t *data, size_t size));

#endif
