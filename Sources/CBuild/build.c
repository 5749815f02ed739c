#include "CBuild.h"

const char *hp_commit(void) { return HP_COMMIT; }
