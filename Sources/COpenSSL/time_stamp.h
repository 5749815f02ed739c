// RFC 3161 time stamps as Swift sees them: one function that holds a reply against what was stamped.
#ifndef HP_COPENSSL_TIME_STAMP_H
#define HP_COPENSSL_TIME_STAMP_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ts.h>
#include <openssl/x509.h>
#include <string.h>

/// The outcome of a check.
enum hp_stamp {
    HP_STAMP_GOOD, HP_STAMP_UNREADABLE, HP_STAMP_REFUSED, HP_STAMP_ALGORITHM, HP_STAMP_IMPRINT, HP_STAMP_BAD, HP_STAMP_UNTRUSTED
};

/// The time of a stamp, as far as it was read.
struct hp_stamp_time {
    /// The text: YYYYMMDDhhmmss, a fraction or none, Z. Empty if there is none.
    char text[40];
    /// Seconds since 1970, rounded down.
    int64_t seconds;
    /// The accuracy in microseconds; -1 if the service states none.
    int64_t accuracy;
};

/// No password: a file of certificates needs none, and nobody is asked.
static inline int hp_no_password(char *buffer, int size, int writes, void *nothing)
{
    (void)buffer, (void)size, (void)writes, (void)nothing;
    return 0;
}

/// Returns the certificates of a PEM text as those that are trusted, or NULL if there are none.
static inline X509_STORE *hp_stamp_authorities(const unsigned char *text, size_t size)
{
    BIO *input = BIO_new_mem_buf(text, (int)size);
    X509_STORE *store = X509_STORE_new();
    int count = 0;
    for (X509 *certificate; input && store && (certificate = PEM_read_bio_X509(input, NULL, hp_no_password, NULL)); X509_free(certificate))
        count += X509_STORE_add_cert(store, certificate) == 1;
    BIO_free(input);
    ERR_clear_error();
    if (count == 0) {
        X509_STORE_free(store);
        return NULL;
    }
    return store;
}

/// Returns 1 if a hash function is accepted: SHA-256, SHA-384 or SHA-512.
static inline int hp_stamp_accepts(const X509_ALGOR *algorithm)
{
    const ASN1_OBJECT *object = NULL;
    X509_ALGOR_get0(&object, NULL, NULL, algorithm);
    int name = OBJ_obj2nid(object);
    return name == NID_sha256 || name == NID_sha384 || name == NID_sha512;
}

/// Reads the time of a stamp; returns 0 if it is not one.
static inline int hp_stamp_read_time(TS_TST_INFO *info, struct hp_stamp_time *time)
{
    const ASN1_GENERALIZEDTIME *stated = TS_TST_INFO_get_time(info);
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    int days = 0, seconds = 0;
    int is_read = stated && epoch && ASN1_STRING_length(stated) < (int)sizeof time->text && ASN1_TIME_diff(&days, &seconds, epoch, stated) == 1;
    ASN1_TIME_free(epoch);
    if (!is_read)
        return 0;
    memcpy(time->text, ASN1_STRING_get0_data(stated), (size_t)ASN1_STRING_length(stated));
    time->seconds = (int64_t)days * 86400 + seconds;
    TS_ACCURACY *accuracy = TS_TST_INFO_get_accuracy(info);
    if (accuracy) {
        const ASN1_INTEGER *parts[] = {TS_ACCURACY_get_seconds(accuracy), TS_ACCURACY_get_millis(accuracy), TS_ACCURACY_get_micros(accuracy)};
        const int64_t units[] = {1000000, 1000, 1}, limits[] = {1000000000, 999, 999};
        time->accuracy = 0;
        for (int part = 0; part < 3; part++) {
            int64_t number = 0;
            if (parts[part] && (!ASN1_INTEGER_get_int64(&number, parts[part]) || number < 0 || number > limits[part]))
                return 0;
            time->accuracy += number * units[part];
        }
    }
    return 1;
}

/// Makes one check of a reply. The context takes `data` and `store` over. Returns 1 if it holds.
static inline int hp_stamp_holds(TS_RESP *reply, int flags, BIO *data, X509_STORE *store)
{
    TS_VERIFY_CTX *context = TS_VERIFY_CTX_new();
    if (!context) {
        BIO_free(data);
        X509_STORE_free(store);
        return 0;
    }
    TS_VERIFY_CTX_set_flags(context, flags);
    if (data)
        TS_VERIFY_CTX_set_data(context, data);
    if (store)
        TS_VERIFY_CTX_set_store(context, store);
    int holds = TS_RESP_verify_response(context, reply) == 1;
    TS_VERIFY_CTX_free(context);
    return holds;
}

/// Returns 1 if the queue of errors has one of certificates, and empties it.
static inline int hp_stamp_is_untrusted(void)
{
    int found = 0;
    for (unsigned long error; (error = ERR_get_error());)
        found |= ERR_GET_LIB(error) == ERR_LIB_TS && ERR_GET_REASON(error) == TS_R_CERTIFICATE_VERIFY_ERROR;
    return found;
}

/// Checks a reply that was read.
static inline enum hp_stamp hp_stamp_check_reply(TS_RESP *reply, const unsigned char *data, size_t size, X509_STORE *store, struct hp_stamp_time *time)
{
    const ASN1_INTEGER *status = TS_STATUS_INFO_get0_status(TS_RESP_get_status_info(reply));
    int64_t number = -1;
    if (!ASN1_INTEGER_get_int64(&number, status) || number < 0)
        return HP_STAMP_UNREADABLE;
    if (number > 1)
        return HP_STAMP_REFUSED;
    TS_TST_INFO *info = TS_RESP_get_tst_info(reply);
    PKCS7 *token = TS_RESP_get_token(reply);
    if (!info || !token || !hp_stamp_read_time(info, time))
        return HP_STAMP_UNREADABLE;
    STACK_OF(PKCS7_SIGNER_INFO) *signers = PKCS7_get_signer_info(token);
    if (sk_PKCS7_SIGNER_INFO_num(signers) != 1)
        return HP_STAMP_BAD;
    if (!hp_stamp_accepts(TS_MSG_IMPRINT_get_algo(TS_TST_INFO_get_msg_imprint(info))) || !hp_stamp_accepts(sk_PKCS7_SIGNER_INFO_value(signers, 0)->digest_alg))
        return HP_STAMP_ALGORITHM;
    if (!hp_stamp_holds(reply, TS_VFY_VERSION | TS_VFY_DATA, BIO_new_mem_buf(data, (int)size), NULL))
        return HP_STAMP_IMPRINT;
    ERR_clear_error();
    // A certificate of a service has to be valid when it stamps, and may have ended since.
    X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store), (time_t)time->seconds);
    X509_STORE_up_ref(store);
    if (hp_stamp_holds(reply, TS_VFY_VERSION | TS_VFY_SIGNATURE | TS_VFY_SIGNER, NULL, store))
        return HP_STAMP_GOOD;
    return hp_stamp_is_untrusted() ? HP_STAMP_UNTRUSTED : HP_STAMP_BAD;
}

/// Checks a time stamp of `data` by a service that the authorities vouch for.
static inline enum hp_stamp hp_stamp_check(const unsigned char *stamp, size_t length, const unsigned char *data, size_t size, X509_STORE *store, struct hp_stamp_time *time)
{
    memset(time, 0, sizeof *time);
    time->accuracy = -1;
    const unsigned char *place = stamp;
    TS_RESP *reply = d2i_TS_RESP(NULL, &place, (long)length);
    enum hp_stamp outcome = reply && place == stamp + length ? hp_stamp_check_reply(reply, data, size, store, time) : HP_STAMP_UNREADABLE;
    TS_RESP_free(reply);
    ERR_clear_error();
    return outcome;
}

#endif
