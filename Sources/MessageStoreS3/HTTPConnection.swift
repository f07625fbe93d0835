#if S3
internal import MessageStoreCCurl

/// A handle of libcurl, which keeps its connection from one request to the next; one request uses it at a time.
final class HTTPConnection: @unchecked Sendable {
    private let handle: UnsafeMutableRawPointer

    init() throws {
        guard let handle = curl_easy_init() else {
            throw HTTPFailure(reason: "libcurl has no memory for a connection", isTransient: true)
        }
        self.handle = handle
    }

    deinit { curl_easy_cleanup(handle) }

    func perform(
        _ request: HTTPRequest, _ configuration: S3Carrier.Configuration, _ transfer: HTTPTransfer
    ) throws -> HTTPAnswer {
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for header in request.headers + headers(configuration) {
            guard let longer = curl_slist_append(list, header) else { throw HTTPFailure(CURLE_OUT_OF_MEMORY) }
            list = longer
        }
        curl_easy_reset(handle)
        try set(configuration)
        try check(messagestore_curl_set_headers(handle, list))
        try set(CURLOPT_URL, request.url)
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        try check(messagestore_curl_set_callbacks(handle, Self.write, Self.progress, context))
        let code = try withExtendedLifetime(transfer) {
            try (request.body ?? []).withUnsafeBytes { body in
                if request.body != nil {
                    try check(messagestore_curl_set_body(handle, body.baseAddress, curl_off_t(body.count)))
                }
                try set(CURLOPT_CUSTOMREQUEST, request.method)
                return curl_easy_perform(handle)
            }
        }
        if transfer.isTooLarge { throw HTTPFailure(reason: "the answer is too large", isTransient: false) }
        if code == CURLE_ABORTED_BY_CALLBACK, transfer.isCancelled { throw CancellationError() }
        try check(code)
        return HTTPAnswer(
            status: messagestore_curl_status(handle), body: transfer.bytes,
            length: Int(clamping: messagestore_curl_length(handle)))
    }

    private func headers(_ configuration: S3Carrier.Configuration) -> [String] {
        // libcurl signs a hash of the body only if it has one from here.
        ["x-amz-content-sha256: UNSIGNED-PAYLOAD"]
            + (configuration.sessionToken.map { ["x-amz-security-token: \($0)"] } ?? [])
    }

    private func set(_ configuration: S3Carrier.Configuration) throws {
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_AWS_SIGV4, "aws:amz:\(configuration.region):s3")
        try set(CURLOPT_USERNAME, configuration.accessKey)
        try set(CURLOPT_PASSWORD, configuration.secretKey)
        try set(CURLOPT_USERAGENT, "MessageStore")
        if let file = configuration.caFile { try set(CURLOPT_CAINFO, file) }
        let seconds = (configuration.stallTimeout.milliseconds + 999) / 1000
        for (option, value) in [
            (CURLOPT_NOSIGNAL, 1),
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            // Keys may hold parts that are dots.
            (CURLOPT_PATH_AS_IS, 1),
            (CURLOPT_TCP_KEEPALIVE, 1),
            (CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.milliseconds),
            (CURLOPT_TIMEOUT_MS, configuration.requestTimeout.milliseconds),
            (CURLOPT_LOW_SPEED_LIMIT, 1), (CURLOPT_LOW_SPEED_TIME, seconds),
        ] {
            try check(messagestore_curl_set_number(handle, option, value))
        }
    }

    private func set(_ option: CURLoption, _ text: String) throws {
        try check(messagestore_curl_set_text(handle, option, text))
    }

    private func check(_ code: CURLcode) throws {
        if code != CURLE_OK { throw HTTPFailure(code) }
    }

    private static let write: curl_write_callback = { bytes, _, count, context in
        guard let bytes, let context else { return 0 }
        let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.append(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
    }

    private static let progress: curl_xferinfo_callback = { context, _, _, _, _ in
        guard let context else { return 1 }
        return Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
    }
}
#endif
