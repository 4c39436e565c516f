// Swift cannot call functions with variable arguments, which libcurl's options are.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

static inline CURLcode nearme_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode nearme_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode nearme_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode nearme_curl_set_list(
    CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode nearme_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode nearme_curl_set_callback(
    CURL *handle, CURLoption option, size_t (*value)(char *, size_t, size_t, void *)) {
  return curl_easy_setopt(handle, option, value);
}

// The option by names came with libcurl 7.85, which took the older one out of use.
static inline CURLcode nearme_curl_set_protocol(CURL *handle, int isSecure) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, isSecure ? "https" : "http");
#else
  return curl_easy_setopt(
      handle, CURLOPT_PROTOCOLS, (long)(isSecure ? CURLPROTO_HTTPS : CURLPROTO_HTTP));
#endif
}

static inline CURLcode nearme_curl_set_bytes(CURL *handle, CURLoption option, const void *value) {
  return curl_easy_setopt(handle, option, value ? value : "");
}

static inline CURLcode nearme_curl_set_progress(
    CURL *handle,
    int (*progress)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t)) {
  return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress);
}

static inline CURLcode nearme_curl_set_opener(
    CURL *handle,
    curl_socket_t (*opener)(void *, curlsocktype, struct curl_sockaddr *)) {
  return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, opener);
}

// What it points to may be longer than its type says.
static inline const struct sockaddr *nearme_curl_address(const struct curl_sockaddr *address) {
  return &address->addr;
}
