#if S3
internal import MessageStoreCCurl

/// A request without an answer.
struct HTTPFailure: Error {
    /// The problem, in words of libcurl.
    let reason: String
    /// Whether another try may succeed.
    let isTransient: Bool
    /// Whether the place is wrong, so that no later try can succeed either.
    let isRefusal: Bool

    init(reason: String, isTransient: Bool) {
        (self.reason, self.isTransient, self.isRefusal) = (reason, isTransient, false)
    }

    init(_ code: CURLcode) {
        reason = String(cString: curl_easy_strerror(code))
        isRefusal = [
            CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION,
            CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
        ].contains(code)
        isTransient = !isRefusal
    }
}
#endif
