// OpenSSL 3 as Swift sees it: digests and message authentication codes through EVP.
#ifndef HP_COPENSSL_SHIM_H
#define HP_COPENSSL_SHIM_H

#include <openssl/evp.h>
#include <openssl/core_names.h>
#include <openssl/params.h>

/// A context of HMAC-SHA256 that stands before a message, or NULL. The parameter's text must be writable for C and is not written (OSSL_PARAM(3)).
static inline EVP_MAC_CTX *hp_hmac_sha256_new(const unsigned char *key, size_t size)
{
    EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = algorithm ? EVP_MAC_CTX_new(algorithm) : NULL;
    // The context keeps the algorithm alive.
    EVP_MAC_free(algorithm);
    OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA2-256", 0), OSSL_PARAM_construct_end()};
    if (context && !EVP_MAC_init(context, key, size, parameters)) {
        EVP_MAC_CTX_free(context);
        return NULL;
    }
    return context;
}

#endif
