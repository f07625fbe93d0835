#if S3
internal import Synchronization

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
