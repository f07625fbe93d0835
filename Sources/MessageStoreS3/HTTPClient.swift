#if S3
internal import Foundation
internal import MessageStoreCCurl
internal import Synchronization

/// Signed requests by libcurl, on connections that are used again.
final class HTTPClient: Sendable {
    private let configuration: S3Carrier.Configuration
    private let queue = OperationQueue()
    private let idle = Mutex<[HTTPConnection]>([])

    init(_ configuration: S3Carrier.Configuration) throws {
        guard Self.isPrepared else { throw StoreError(.carrierFailed, "libcurl cannot be used") }
        self.configuration = configuration
        queue.maxConcurrentOperationCount = configuration.connections
    }

    private static let isPrepared = messagestore_curl_init() == CURLE_OK

    /// Sends a request once.
    ///
    /// - Throws: `HTTPFailure`; `CancellationError` if the task was cancelled, after which the request may have been
    ///   executed.
    func perform(_ request: HTTPRequest) async throws -> HTTPAnswer {
        let transfer = HTTPTransfer(limit: request.limit)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.addOperation { [self] in
                    continuation.resume(with: Result { try run(request, transfer) })
                }
            }
        } onCancel: {
            transfer.cancel()
        }
    }

    private func run(_ request: HTTPRequest, _ transfer: HTTPTransfer) throws -> HTTPAnswer {
        if transfer.isCancelled { throw CancellationError() }
        let connection = try idle.withLock { $0.popLast() } ?? HTTPConnection()
        defer { idle.withLock { $0.append(connection) } }
        return try connection.perform(request, configuration, transfer)
    }
}

/// The answer to a request, with the failures that services like S3 document.
struct HTTPAnswer: Sendable {
    let status: Int
    let body: [UInt8]
    /// The number of bytes that the answer's header gives; negative if it gives none.
    let length: Int

    var isSuccess: Bool { (200..<300).contains(status) }

    /// The service's name of the failure, such as `NoSuchKey`; empty if it gives no name.
    var code: String {
        guard let document = S3Document(body), document.root == "Error" else { return "" }
        // Letters and digits alone, because errors show it.
        return String((document.values["Code"] ?? "").filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(64))
    }

    /// Whether another try may succeed.
    var isTransient: Bool {
        switch status {
        case 307, 408, 409, 429: true
        case 400: code == "RequestTimeout"
        case 501, 505, 507: false
        default: status >= 500
        }
    }

    /// Whether the request was refused, so that no later try can succeed either.
    var isRefusal: Bool { !isTransient && ((300..<500).contains(status) || status == 501 || status == 505) }
}

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

/// A request before it is signed.
struct HTTPRequest: Sendable {
    let method: String
    let url: String
    var headers: [String] = []
    var body: [UInt8]?
    /// The greatest size of an answer, in bytes.
    let limit: Int
}

/// The state of a request while libcurl executes it: bytes that one thread appends, and a flag that any thread sets.
final class HTTPTransfer: @unchecked Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var isTooLarge = false
    private let limit: Int
    private let cancellation = Atomic(false)

    init(limit: Int) { self.limit = limit }

    var isCancelled: Bool { cancellation.load(ordering: .relaxed) }

    func cancel() { cancellation.store(true, ordering: .relaxed) }

    /// Whether there was room for the bytes.
    func append(_ more: UnsafeRawBufferPointer) -> Bool {
        isTooLarge = more.count > limit - bytes.count
        if !isTooLarge { bytes += more }
        return !isTooLarge
    }
}
#endif
