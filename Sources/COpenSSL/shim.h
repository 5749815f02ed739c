// OpenSSL 3 as Swift sees it: digests, message authentication codes and signatures through EVP.
#ifndef HP_COPENSSL_SHIM_H
#define HP_COPENSSL_SHIM_H

#include <openssl/evp.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
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

/// Returns the Ed25519 key of 32 bytes, or NULL.
static inline EVP_PKEY *hp_ed25519_key(const unsigned char *bytes, size_t size)
{
    return EVP_PKEY_new_raw_public_key_ex(NULL, "ED25519", NULL, bytes, size);
}

/// Returns the key that parameters describe, or NULL, and frees their builder.
static inline EVP_PKEY *hp_key_of_parameters(const char *type, OSSL_PARAM_BLD *builder)
{
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = builder ? OSSL_PARAM_BLD_to_param(builder) : NULL;
    EVP_PKEY_CTX *context = parameters ? EVP_PKEY_CTX_new_from_name(NULL, type, NULL) : NULL;
    if (!context || EVP_PKEY_fromdata_init(context) != 1 || EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    return key;
}

/// Returns the key of a point on a named curve, or NULL if the point is not on it.
static inline EVP_PKEY *hp_ecdsa_key(const char *curve, const unsigned char *point, size_t size)
{
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (builder) {
        OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, curve, 0);
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, size);
    }
    return hp_key_of_parameters("EC", builder);
}

/// Returns the RSA key of an exponent and a modulus, both big-endian, or NULL.
static inline EVP_PKEY *hp_rsa_key(const unsigned char *exponent, size_t exponent_size, const unsigned char *modulus, size_t modulus_size)
{
    BIGNUM *e = BN_bin2bn(exponent, (int)exponent_size, NULL), *n = BN_bin2bn(modulus, (int)modulus_size, NULL);
    OSSL_PARAM_BLD *builder = e && n ? OSSL_PARAM_BLD_new() : NULL;
    if (builder) {
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n);
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e);
    }
    EVP_PKEY *key = hp_key_of_parameters("RSA", builder);
    BN_free(e);
    BN_free(n);
    return key;
}

/// Returns 1 if a signature of a message is one of the key. The digest is NULL for Ed25519; RSA is PKCS#1 v1.5.
static inline int hp_is_signature(EVP_PKEY *key, const char *digest, const unsigned char *signature, size_t size, const unsigned char *message, size_t length)
{
    EVP_MD_CTX *context = key ? EVP_MD_CTX_new() : NULL;
    int result = context && EVP_DigestVerifyInit_ex(context, NULL, digest, NULL, NULL, key, NULL) == 1
        && EVP_DigestVerify(context, signature, size, message, length) == 1;
    EVP_MD_CTX_free(context);
    return result;
}

#endif
