#ifndef MESSAGESTORE_CCURL_SHIM_H
#define MESSAGESTORE_CCURL_SHIM_H

#include <curl/curl.h>

// Functions with a variable number of arguments, which Swift cannot call, once for each type of argument. The parentheses
// avoid the macros of the same names.

static inline CURLcode messagestore_curl_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode messagestore_curl_set_number(CURL *handle, CURLoption option, long value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode messagestore_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode messagestore_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return (curl_easy_setopt)(handle, option, value);
}

// The list is not copied: it must exist until the request has ended.
static inline CURLcode messagestore_curl_set_headers(CURL *handle, struct curl_slist *headers) {
    return (curl_easy_setopt)(handle, CURLOPT_HTTPHEADER, headers);
}

// The bytes are not copied: they must exist until the request has ended. Without any, an empty body is sent.
static inline CURLcode messagestore_curl_set_body(CURL *handle, const void *bytes, curl_off_t count) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_POSTFIELDSIZE_LARGE, count);
    return code ? code : (curl_easy_setopt)(handle, CURLOPT_POSTFIELDS, bytes ? bytes : "");
}

static inline CURLcode messagestore_curl_set_callbacks(
    CURL *handle, curl_write_callback write, curl_xferinfo_callback progress, void *context) {
    CURLcode code = (curl_easy_setopt)(handle, CURLOPT_WRITEFUNCTION, write);
    if (!code) code = (curl_easy_setopt)(handle, CURLOPT_WRITEDATA, context);
    if (!code) code = (curl_easy_setopt)(handle, CURLOPT_XFERINFOFUNCTION, progress);
    if (!code) code = (curl_easy_setopt)(handle, CURLOPT_XFERINFODATA, context);
    return code ? code : (curl_easy_setopt)(handle, CURLOPT_NOPROGRESS, 0L);
}

static inline long messagestore_curl_status(CURL *handle) {
    long status = 0;
    return (curl_easy_getinfo)(handle, CURLINFO_RESPONSE_CODE, &status) ? 0 : status;
}

// The length that the answer's header gives, or -1.
static inline curl_off_t messagestore_curl_length(CURL *handle) {
    curl_off_t length = -1;
    return (curl_easy_getinfo)(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length) ? -1 : length;
}

#endif
