internal import Foundation
internal import MessageStoreShipping

#if JetStream
internal import MessageStoreJetStream
#endif
#if S3
internal import MessageStoreS3
#endif

/// The place of a shipped log, as commands name it.
enum PlaceArgument {
    static let guide = """
        A place is a directory or file:///PATH; s3://BUCKET/PREFIX, with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, \
        AWS_REGION and, for other services than Amazon's, AWS_ENDPOINT_URL in the environment; or \
        nats://HOST:PORT/STREAM/PREFIX, with NATS_USER and NATS_PASSWORD or NATS_CREDS. The last two need a build with \
        the traits S3 and JetStream.
        """

    /// Whether a word names a place for certain, and no directory.
    static func isURL(_ word: String) -> Bool { word.contains("://") }

    static func carrier(_ place: String) throws -> any Carrier {
        let environment = ProcessInfo.processInfo.environment
        guard isURL(place) else { return try FolderCarrier(place) }
        switch place.prefix(while: { $0 != ":" }) {
        case "file":
            guard let url = URL(string: place), url.isFileURL, !url.path.isEmpty else {
                throw ToolError.usage("\(place) names no file")
            }
            return try FolderCarrier(url.path)
        case "s3":
            #if S3
            return try S3Carrier(url: place, environment: environment)
            #else
            throw ToolError.usage("this build has no carrier for S3: build it with --traits Tool,S3")
            #endif
        case "nats", "tls":
            #if JetStream
            return try JetStreamCarrier(url: place, environment: environment)
            #else
            throw ToolError.usage("this build has no carrier for JetStream: build it with --traits Tool,JetStream")
            #endif
        default: throw ToolError.usage("\(place) names no place: use a directory, file:, s3: or nats:")
        }
    }
}

/// Runs asynchronous work and waits for it; ctrl-C cancels it.
@inline(never) @_semantics("optimize.sil.specialize.generic.never")
func waitForTask<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
    let (done, box) = (DispatchSemaphore(value: 0), ResultBox<Result>())
    let task = Task.detached {
        do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
        done.signal()
    }
    let interrupts = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    signal(SIGINT, SIG_IGN)
    interrupts.setEventHandler { task.cancel() }
    interrupts.activate()
    done.wait()
    interrupts.cancel()
    signal(SIGINT, SIG_DFL)
    guard let result = box.result else { throw CancellationError() }
    return try result.get()
}

/// Carries a result from the task that makes it to the thread that waits for it.
private final class ResultBox<Value>: @unchecked Sendable {
    var result: Result<Value, any Error>?
}
