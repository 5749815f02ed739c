#include "process.h"

#include <stddef.h>

static char **kept_arguments = NULL;
static int argument_count = 0;

#ifdef __GLIBC__
// Glibc calls the functions of `.init_array` with the arguments of `main`. Others do not promise that.
__attribute__((constructor)) static void keep_arguments(int count, char **arguments, char **environment) {
    (void)environment;
    argument_count = count;
    kept_arguments = arguments;
}
#endif

const char *hp_argument(int index) { return index < argument_count ? kept_arguments[index] : NULL; }
