#if JetStream
internal import MessageStoreCNATS

/// A failure of the library or an error in a server's answer; it holds no secret.
struct NATSError: Error {
    let status: natsStatus
    /// The number of JetStream's error; 0 if the failure is another one.
    let code: Int
    /// The server's words, if the error is JetStream's.
    let text: String

    /// - Parameters:
    ///   - code: JetStream's error, which comes with words that the library keeps for this thread.
    init(_ status: natsStatus, code: jsErrCode = jsErrCode(0)) {
        self.status = status
        self.code = Int(code.rawValue)
        var last = NATS_OK
        text = code.rawValue == 0 ? "" : nats_GetLastError(&last).map { String(cString: $0) } ?? ""
    }

    /// Whether the library cannot use the connection any more, or does not notice that it cannot.
    var isConnectionLost: Bool {
        switch status {
        case NATS_TIMEOUT, NATS_CONNECTION_CLOSED, NATS_NOT_PERMITTED, NATS_CONNECTION_AUTH_FAILED: true
        default: false
        }
    }

    var translated: StoreError {
        guard code == 0 else { return StoreError(storeCode, "the NATS server answered with error \(code): \(text)") }
        let text = natsStatus_GetText(status).map { String(cString: $0) } ?? "status \(status.rawValue)"
        return StoreError(storeCode, "the NATS server cannot be used: \(text)")
    }

    private var storeCode: StoreError.Code {
        switch (status, code) {
        // The account or the server has no JetStream.
        case (_, 10035), (_, 10039), (_, 10076): .carrierRefused
        // Limits of the account, the server or the stream are reached.
        case (_, 10002), (_, 10023), (_, 10028), (_, 10047): .diskFull
        case (_, 10077): text.contains("maximum bytes") || text.contains("no space") ? .diskFull : .carrierFailed
        case (NATS_CONNECTION_AUTH_FAILED, _), (NATS_NOT_PERMITTED, _), (NATS_SECURE_CONNECTION_REQUIRED, _),
            (NATS_SECURE_CONNECTION_WANTED, _):
            .carrierRefused
        default: .carrierFailed
        }
    }
}

/// The moment at which a call of a carrier fails.
struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    init(_ timeout: Duration) { end = .now + timeout }

    /// The milliseconds that remain, at least one.
    func milliseconds() throws -> Int64 {
        let left = ContinuousClock.now.duration(to: end)
        guard left > .zero else { throw StoreError(.carrierFailed, "the NATS server did not answer in time") }
        return max(1, left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000)
    }
}
#endif
