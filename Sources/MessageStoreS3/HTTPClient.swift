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
    /// - Throws: `HTTPFailure`; `CancellationError` where the task was cancelled, after which the request may have been
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
#endif
