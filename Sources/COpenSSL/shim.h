// OpenSSL 3 as Swift sees it: digests, message authentication codes, signatures and the decryption of backups through EVP.
#ifndef HP_COPENSSL_SHIM_H
#define HP_COPENSSL_SHIM_H

#include <openssl/evp.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
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

/// Derives a key by PBKDF2 with HMAC (RFC 8018). Returns 1 if it did.
static inline int hp_pbkdf2(const char *digest, const unsigned char *password, size_t size, const unsigned char *salt, size_t salt_size, int iterations, unsigned char *key, size_t key_size)
{
    EVP_MD *algorithm = EVP_MD_fetch(NULL, digest, NULL);
    int result = algorithm && PKCS5_PBKDF2_HMAC((const char *)password, (int)size, salt, (int)salt_size, iterations, algorithm, (int)key_size, key) == 1;
    EVP_MD_free(algorithm);
    return result;
}

/// Unwraps a key of 32 bytes from 40 under a key of 32 (RFC 3394). Returns 1 if its check value is right.
static inline int hp_aes256_unwrap(const unsigned char *key, const unsigned char *wrapped, unsigned char *unwrapped)
{
    unsigned char room[48];
    int size = 0, result = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context) {
        EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
        result = EVP_DecryptInit_ex2(context, EVP_aes_256_wrap(), key, NULL, NULL) == 1
            && EVP_DecryptUpdate(context, room, &size, wrapped, 40) == 1 && size == 32;
        if (result)
            for (int index = 0; index < 32; index++) unwrapped[index] = room[index];
        EVP_CIPHER_CTX_free(context);
    }
    OPENSSL_cleanse(room, sizeof room);
    return result;
}

/// Returns a context that decrypts AES-256-CBC without looking at the padding, or NULL.
static inline EVP_CIPHER_CTX *hp_aes256_cbc_new(const unsigned char *key)
{
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context && EVP_DecryptInit_ex2(context, EVP_aes_256_cbc(), key, NULL, NULL) == 1) return context;
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

/// Decrypts whole blocks in place after the block before them. Returns 1 if it did.
static inline int hp_aes256_cbc_decrypt(EVP_CIPHER_CTX *context, const unsigned char *before, unsigned char *bytes, int size)
{
    int done = 0;
    return EVP_DecryptInit_ex2(context, NULL, NULL, before, NULL) == 1 && EVP_CIPHER_CTX_set_padding(context, 0) == 1
        && EVP_DecryptUpdate(context, bytes, &done, bytes, size) == 1 && done == size;
}

#endif
