// OpenSSL 3 as Swift sees it: digests and message authentication codes through EVP.
#ifndef HP_COPENSSL_SHIM_H
#define HP_COPENSSL_SHIM_H

#include <openssl/evp.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

#endif
