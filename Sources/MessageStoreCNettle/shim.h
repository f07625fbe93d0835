#ifndef MESSAGESTORE_CNETTLE_SHIM_H
#define MESSAGESTORE_CNETTLE_SHIM_H

#include <nettle/aes.h>
#include <nettle/gcm.h>
#include <nettle/hkdf.h>
#include <nettle/hmac.h>
#include <string.h>

// AES-256-GCM under one key. It does not change once it is made, so that threads share it.
struct messagestore_cipher {
  struct gcm_key hash;
  struct aes256_ctx block;
};

static inline void messagestore_cipher_set_key(struct messagestore_cipher *cipher, const void *key) {
  aes256_set_encrypt_key(&cipher->block, (const uint8_t *)key);
  gcm_set_key(&cipher->hash, &cipher->block, (nettle_cipher_func *)aes256_encrypt);
}

static inline struct gcm_ctx messagestore_cipher_begin(const struct messagestore_cipher *cipher, const void *nonce, const void *associated,
                                                       size_t associated_count) {
  struct gcm_ctx state;
  gcm_set_iv(&state, &cipher->hash, GCM_IV_SIZE, (const uint8_t *)nonce);
  gcm_update(&state, &cipher->hash, associated_count, (const uint8_t *)associated);
  return state;
}

// Writes the sealed bytes, as many as the plain ones, and a tag of 16 bytes.
static inline void messagestore_seal(const struct messagestore_cipher *cipher, const void *nonce, const void *associated, size_t associated_count,
                                     const void *plain, size_t count, void *sealed, void *tag) {
  struct gcm_ctx state = messagestore_cipher_begin(cipher, nonce, associated, associated_count);
  gcm_encrypt(&state, &cipher->hash, &cipher->block, (nettle_cipher_func *)aes256_encrypt, count, (uint8_t *)sealed, (const uint8_t *)plain);
  gcm_digest(&state, &cipher->hash, &cipher->block, (nettle_cipher_func *)aes256_encrypt, GCM_DIGEST_SIZE, (uint8_t *)tag);
}

// Writes the plain bytes, or zeros where the tag does not fit: then the answer is 0.
static inline int messagestore_open(const struct messagestore_cipher *cipher, const void *nonce, const void *associated, size_t associated_count,
                                    const void *sealed, size_t count, const void *tag, void *plain) {
  uint8_t found[GCM_DIGEST_SIZE];
  struct gcm_ctx state = messagestore_cipher_begin(cipher, nonce, associated, associated_count);
  gcm_decrypt(&state, &cipher->hash, &cipher->block, (nettle_cipher_func *)aes256_encrypt, count, (uint8_t *)plain, (const uint8_t *)sealed);
  gcm_digest(&state, &cipher->hash, &cipher->block, (nettle_cipher_func *)aes256_encrypt, GCM_DIGEST_SIZE, found);
  // Nettle's function compares byte by byte.
  uint64_t first[2], second[2];
  memcpy(first, found, sizeof first);
  memcpy(second, tag, sizeof second);
  if (((first[0] ^ second[0]) | (first[1] ^ second[1])) == 0) return 1;
  memset(plain, 0, count);
  return 0;
}

// HKDF-SHA256 of RFC 5869 with 32 bytes of output.
static inline void messagestore_derive(const void *secret, size_t count, const void *salt, size_t salt_count, const void *info, size_t info_count,
                                       void *derived) {
  struct hmac_sha256_ctx context;
  uint8_t key[SHA256_DIGEST_SIZE];
  hmac_sha256_set_key(&context, salt_count, (const uint8_t *)salt);
  hkdf_extract(&context, (nettle_hash_update_func *)hmac_sha256_update, (nettle_hash_digest_func *)hmac_sha256_digest, SHA256_DIGEST_SIZE, count,
               (const uint8_t *)secret, key);
  hmac_sha256_set_key(&context, SHA256_DIGEST_SIZE, key);
  hkdf_expand(&context, (nettle_hash_update_func *)hmac_sha256_update, (nettle_hash_digest_func *)hmac_sha256_digest, SHA256_DIGEST_SIZE, info_count,
              (const uint8_t *)info, SHA256_DIGEST_SIZE, (uint8_t *)derived);
}

static inline void messagestore_authenticate(const void *key, size_t key_count, const void *bytes, size_t count, void *code) {
  struct hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, key_count, (const uint8_t *)key);
  hmac_sha256_update(&context, count, (const uint8_t *)bytes);
  hmac_sha256_digest(&context, SHA256_DIGEST_SIZE, (uint8_t *)code);
}

#endif
