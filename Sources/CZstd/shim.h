// Zstandard as Swift sees it: the stable interface, nothing of ZSTD_STATIC_LINKING_ONLY.
#ifndef HP_CZSTD_SHIM_H
#define HP_CZSTD_SHIM_H

#include <zstd.h>
#include <zstd_errors.h>

#endif
