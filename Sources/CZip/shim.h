// libzip as Swift sees it: reading only.
#ifndef HP_CZIP_SHIM_H
#define HP_CZIP_SHIM_H

#include <zip.h>

#endif
