#if JetStream
internal import MessageStoreCNATS

/// A connection to the servers, and its stream, which exists. Calls block until the server answered.
final class JetStreamConnection {
    private let connection: OpaquePointer
    let context: OpaquePointer
    /// The subscription at which the server's messages arrive.
    let inbox: OpaquePointer
    let stream: String
    /// Whether direct reads see all changes, as far as the last look at the stream's settings says.
    var isDirect = false

    /// Connects, and creates the stream if it does not exist.
    init(_ configuration: JetStreamCarrier.Configuration, until deadline: Deadline) throws {
        let options = try Self.options(configuration, until: deadline)
        defer { natsOptions_Destroy(options) }
        var connection: OpaquePointer?
        try Self.check(natsConnection_Connect(&connection, options))
        guard let connection else { throw NATSError(NATS_ERR) }
        var (context, inbox) = (nil as OpaquePointer?, nil as OpaquePointer?)
        var status = natsConnection_JetStream(&context, connection, nil)
        if status == NATS_OK { status = Self.subscribe(&inbox, connection) }
        guard status == NATS_OK, let context, let inbox else {
            Self.destroy(connection, context, inbox)
            throw NATSError(status)
        }
        // From here on, `deinit` frees them.
        (self.connection, self.context, self.inbox) = (connection, context, inbox)
        stream = configuration.stream
        try createStream(until: deadline)
    }

    deinit { Self.destroy(connection, context, inbox) }

    private static func subscribe(
        _ subscription: inout OpaquePointer?, _ connection: OpaquePointer
    ) -> natsStatus {
        var inbox: UnsafeMutablePointer<CChar>?
        defer { natsInbox_Destroy(inbox) }
        var status = natsInbox_Create(&inbox)
        if status == NATS_OK { status = natsConnection_SubscribeSync(&subscription, connection, inbox) }
        if status == NATS_OK { status = natsSubscription_SetPendingLimits(subscription, -1, -1) }
        return status
    }

    /// Frees a connection, and the objects that messages may arrive for, only after none can.
    private static func destroy(_ connection: OpaquePointer, _ context: OpaquePointer?, _ inbox: OpaquePointer?) {
        natsConnection_Close(connection)
        natsSubscription_Destroy(inbox)
        jsCtx_Destroy(context)
        natsConnection_Destroy(connection)
    }

    /// So many bytes fit into a message, next to its headers.
    var largestMessage: Int { max(1, Int(clamping: natsConnection_GetMaxPayload(connection)) - 4096) }

    /// The identifier of the server that answers.
    var server: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard natsConnection_GetConnectedServerId(connection, &buffer, buffer.count) == NATS_OK else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Waits while the library connects again.
    func wait(until deadline: Deadline) throws {
        while true {
            let left = try deadline.milliseconds()
            switch natsConnection_Status(connection) {
            case NATS_CONN_STATUS_CONNECTED: return
            case NATS_CONN_STATUS_CLOSED: throw NATSError(NATS_CONNECTION_CLOSED)
            default: nats_Sleep(min(10, left))
            }
        }
    }

    /// Calls JetStream with options that end the call in time.
    ///
    /// If the server reports that rights are missing, it answers the request itself with nothing.
    func request(
        until deadline: Deadline,
        _ body: (_ options: UnsafeMutablePointer<jsOptions>, _ code: UnsafeMutablePointer<jsErrCode>) throws ->
            natsStatus
    ) throws {
        var options = jsOptions()
        try Self.check(jsOptions_Init(&options))
        options.Wait = try deadline.milliseconds()
        var code = jsErrCode(0)
        try check(body(&options, &code), code)
    }

    /// Asks a subject of the server's own; the answer is JSON.
    func answer(_ subject: String, until deadline: Deadline) throws -> [UInt8] {
        var message: OpaquePointer?
        defer { natsMsg_Destroy(message) }
        try check(natsConnection_RequestString(&message, connection, subject, "", deadline.milliseconds()))
        return Self.bytes(message)
    }

    func check(_ status: natsStatus, _ code: jsErrCode = jsErrCode(0)) throws {
        guard status != NATS_OK else { return }
        var last: UnsafePointer<CChar>?
        if status == NATS_TIMEOUT, natsConnection_GetLastError(connection, &last) == NATS_NOT_PERMITTED {
            throw NATSError(NATS_NOT_PERMITTED)
        }
        throw NATSError(status, code: code)
    }

    static func check(_ status: natsStatus) throws {
        if status != NATS_OK { throw NATSError(status) }
    }

    static func bytes(_ message: OpaquePointer?) -> [UInt8] {
        guard let message, let data = natsMsg_GetData(message) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: data, count: max(0, Int(natsMsg_GetDataLength(message)))))
    }

    private static func options(
        _ configuration: JetStreamCarrier.Configuration, until deadline: Deadline
    ) throws -> OpaquePointer {
        var created: OpaquePointer?
        try check(natsOptions_Create(&created))
        guard let options = created else { throw NATSError(NATS_NO_MEMORY) }
        do {
            let servers = configuration.servers.joined(separator: ",")
            try check(natsOptions_SetURL(options, servers))
            try check(natsOptions_SetName(options, "MessageStore"))
            try check(
                natsOptions_SetTimeout(
                    options, max(1, deadline.milliseconds() / Int64(configuration.servers.count))))
            try check(natsOptions_SetMaxReconnect(options, -1))
            try check(natsOptions_SetReconnectWait(options, 100))
            try check(natsOptions_SetFailRequestsOnDisconnect(options, true))
            // Messages are large.
            try check(natsOptions_SetIOBufSize(options, 256 << 10))
            // Later versions of the library write errors to the process' output otherwise.
            try check(natsOptions_SetErrorHandler(options, { _, _, _, _ in }, nil))
            if let authorities = configuration.authorities {
                try check(natsOptions_SetSecure(options, true))
                try check(natsOptions_LoadCATrustedCertificates(options, authorities))
            }
            switch configuration.credentials {
            case .none: break
            case .user(let user, let password): try check(natsOptions_SetUserInfo(options, user, password))
            case .token(let token): try check(natsOptions_SetToken(options, token))
            case .file(let path): try check(natsOptions_SetUserCredentialsFromFiles(options, path, nil))
            }
        } catch {
            natsOptions_Destroy(options)
            throw error
        }
        return options
    }
}
#endif
