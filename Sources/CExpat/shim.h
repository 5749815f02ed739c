// Expat as Swift sees it.
#ifndef HP_CEXPAT_SHIM_H
#define HP_CEXPAT_SHIM_H

#include <expat.h>

#endif
