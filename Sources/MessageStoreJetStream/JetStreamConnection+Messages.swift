#if JetStream
internal import MessageStoreCNATS

extension JetStreamConnection {
    /// The header with the name of the object that a message is.
    private static let nameHeader = "MessageStore-Name"
    /// The header of a message that holds the numbers of an object's parts, separated by spaces.
    private static let listHeader = "MessageStore-Parts"

    /// Publishes a message and waits until the server has stored it.
    ///
    /// - Parameters:
    ///   - name: The object that the message is; nil for a message that is no object.
    ///   - last: The last message of the subject, 0 if it has none; nil if that does not matter.
    /// - Returns: The number of the message; nil if another one is the last of the subject.
    func publish(
        _ bytes: [UInt8], _ subject: String, _ name: String?, isList: Bool, after last: UInt64?,
        until deadline: Deadline
    ) throws -> UInt64? {
        var message: OpaquePointer?
        defer { natsMsg_Destroy(message) }
        try bytes.withUnsafeBytes { bytes in
            try Self.check(
                natsMsg_Create(
                    &message, subject, nil, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(clamping: bytes.count)))
        }
        if let name { try Self.check(natsMsgHeader_Set(message, Self.nameHeader, name)) }
        if isList { try Self.check(natsMsgHeader_Set(message, Self.listHeader, "1")) }
        if let last {
            try Self.check(natsMsgHeader_Set(message, "Nats-Expected-Last-Subject-Sequence", String(last)))
        }
        try Self.check(natsMsgHeader_Set(message, "Nats-Expected-Stream", stream))
        var options = jsPubOptions()
        try Self.check(jsPubOptions_Init(&options))
        options.MaxWait = try deadline.milliseconds()
        var code = jsErrCode(0)
        var acknowledgement: UnsafeMutablePointer<jsPubAck>?
        defer { jsPubAck_Destroy(acknowledgement) }
        let status = js_PublishMsg(&acknowledgement, context, message, &options, &code)
        // The second is for a message that the servers of a cluster still agree on.
        if last != nil, [10071, 10164].contains(code.rawValue) { return nil }
        try check(status, code)
        guard let sequence = acknowledgement?.pointee.Sequence, sequence > 0 else { throw NATSError(NATS_ERR) }
        return sequence
    }

    /// A message; nil if it does not exist.
    ///
    /// A direct read costs the server least, but a server without the last changes may answer it: one of several that
    /// keep a stream, or one with a mirror. So it counts only if one server keeps the stream, and the stream itself has
    /// the message. In all other cases the leader is asked, as streams without direct reads need as well.
    func message(_ sequence: UInt64, until deadline: Deadline) throws -> (bytes: [UInt8], isList: Bool)? {
        if isDirect, let message = try directMessage(sequence, until: deadline) { return message }
        var message: OpaquePointer?
        defer { natsMsg_Destroy(message) }
        do {
            try request(until: deadline) { js_GetMsg(&message, context, stream, sequence, $0, $1) }
        } catch let error as NATSError where error.code == 10037 { return nil }
        return (Self.bytes(message), Self.header(message, Self.listHeader) != nil)
    }

    private func directMessage(
        _ sequence: UInt64, until deadline: Deadline
    ) throws -> (bytes: [UInt8], isList: Bool)? {
        var message: OpaquePointer?
        defer { natsMsg_Destroy(message) }
        var direct = jsDirectGetMsgOptions()
        try Self.check(jsDirectGetMsgOptions_Init(&direct))
        direct.Sequence = sequence
        do {
            try request(until: deadline) { options, _ in
                js_DirectGetMsg(&message, context, stream, options, &direct)
            }
        } catch let error as NATSError where !error.isConnectionLost { return nil }
        guard Self.header(message, "Nats-Stream") == stream else { return nil }
        return (Self.bytes(message), Self.header(message, Self.listHeader) != nil)
    }

    /// Erases a message, so that its bytes leave the server's files; one that does not exist is erased already.
    func erase(_ sequence: UInt64, until deadline: Deadline) throws {
        do { try request(until: deadline) { js_EraseMsg(context, stream, sequence, $0, $1) } } catch let error
            as NATSError where error.code != 0
        {
            // The server's error for a message that does not exist depends on its neighbours.
            if try message(sequence, until: deadline) != nil { throw error }
        }
    }

    /// Reads the headers of messages that follow one.
    ///
    /// The messages of all reads arrive at one subscription, which lives as long as the connection: the library may use
    /// a freed subscription if a message arrives for it at that moment.
    func headers(
        _ filter: String, after start: UInt64, until deadline: Deadline,
        _ body: (_ subject: String, _ name: String?, _ sequence: UInt64) -> Void
    ) throws {
        let (consumer, isAtEnd) = try addConsumer(filter, after: start, until: deadline)
        defer { try? request(until: deadline) { js_DeleteConsumer(context, stream, consumer, $0, $1) } }
        var (delivered, isDone) = (0 as UInt64, isAtEnd)
        while !isDone {
            var message: OpaquePointer?
            defer { natsMsg_Destroy(message) }
            let status = try natsSubscription_NextMsg(&message, inbox, min(500, deadline.milliseconds()))
            if status == NATS_TIMEOUT {
                // The last message may have been erased before it was delivered.
                isDone = try self.isAtEnd(consumer, delivered, until: deadline)
                continue
            }
            try check(status)
            var data: UnsafeMutablePointer<jsMsgMetaData>?
            defer { jsMsgMetaData_Destroy(data) }
            try Self.check(natsMsg_GetMetaData(&data, message))
            guard let data = data?.pointee, let subject = natsMsg_GetSubject(message) else { throw NATSError(NATS_ERR) }
            // Another read may have left messages.
            guard data.Consumer.map({ String(cString: $0) }) == consumer else { continue }
            delivered += 1
            guard data.Sequence.Consumer == delivered else { throw NATSError(NATS_MISMATCH) }
            body(String(cString: subject), Self.header(message, Self.nameHeader), data.Sequence.Stream)
            isDone = data.NumPending == 0
        }
    }

    /// Makes the server send the headers of messages.
    private func addConsumer(
        _ filter: String, after start: UInt64, until deadline: Deadline
    ) throws -> (name: String, isAtEnd: Bool) {
        var info: UnsafeMutablePointer<jsConsumerInfo>?
        defer { jsConsumerInfo_Destroy(info) }
        try filter.withCString { filter in
            var config = jsConsumerConfig()
            try Self.check(jsConsumerConfig_Init(&config))
            config.DeliverSubject = natsSubscription_GetSubject(inbox)
            config.FilterSubject = filter
            config.HeadersOnly = true
            config.AckPolicy = js_AckNone
            config.DeliverPolicy = js_DeliverByStartSequence
            config.OptStartSeq = start < .max ? start + 1 : start
            config.MemoryStorage = true
            config.Replicas = 1
            try request(until: deadline) { js_AddConsumer(&info, context, stream, &config, $0, $1) }
        }
        guard let info = info?.pointee, let name = info.Name else { throw NATSError(NATS_ERR) }
        return (String(cString: name), info.NumPending == 0 && info.Delivered.Consumer == 0)
    }

    /// Whether all messages were delivered, and so many of them.
    private func isAtEnd(_ consumer: String, _ delivered: UInt64, until deadline: Deadline) throws -> Bool {
        var info: UnsafeMutablePointer<jsConsumerInfo>?
        defer { jsConsumerInfo_Destroy(info) }
        try request(until: deadline) { js_GetConsumerInfo(&info, context, stream, consumer, $0, $1) }
        guard let info = info?.pointee else { throw NATSError(NATS_ERR) }
        return info.NumPending == 0 && info.Delivered.Consumer <= delivered
    }

    private static func header(_ message: OpaquePointer?, _ key: String) -> String? {
        var value: UnsafePointer<CChar>?
        guard let message, natsMsgHeader_Get(message, key, &value) == NATS_OK, let value else { return nil }
        return String(cString: value)
    }
}

extension JetStreamConnection {
    /// The state of the stream, with the numbers of messages of the subjects that a filter matches.
    func state(_ filter: String, until deadline: Deadline) throws -> StreamState {
        var info: UnsafeMutablePointer<jsStreamInfo>?
        defer { jsStreamInfo_Destroy(info) }
        try filter.withCString { filter in
            try request(until: deadline) { options, code in
                options.pointee.Stream.Info.SubjectsFilter = filter
                return js_GetStreamInfo(&info, context, stream, options, code)
            }
        }
        guard let state = info?.pointee.State else { throw NATSError(NATS_ERR) }
        var counts: [String: Int] = [:]
        if let subjects = state.Subjects?.pointee {
            for subject in UnsafeBufferPointer(start: subjects.List, count: max(0, Int(subjects.Count))) {
                guard let name = subject.Subject else { continue }
                counts[String(cString: name)] = Int(clamping: subject.Msgs)
            }
        }
        let replicas = info?.pointee.Config?.pointee.Replicas ?? 1
        isDirect = info?.pointee.Config?.pointee.AllowDirect == true && replicas <= 1
        return StreamState(
            created: info?.pointee.Created ?? 0, last: state.LastSeq, counts: counts, isReplicated: replicas > 1)
    }

    /// Creates the stream if it does not exist, and checks that one that exists keeps all objects.
    func createStream(until deadline: Deadline) throws {
        do { try checkStream(until: deadline) } catch let error as NATSError where error.code == 10059 {
            do { try addStream(until: deadline) } catch let error as NATSError where error.code == 10058 {
                // Another one created it, perhaps with other settings.
                try checkStream(until: deadline)
            }
        }
    }

    private func checkStream(until deadline: Deadline) throws {
        var info: UnsafeMutablePointer<jsStreamInfo>?
        defer { jsStreamInfo_Destroy(info) }
        try request(until: deadline) { js_GetStreamInfo(&info, context, stream, $0, $1) }
        guard let config = info?.pointee.Config?.pointee else { throw NATSError(NATS_ERR) }
        let keepsAll =
            config.Retention == js_LimitsPolicy && config.MaxAge == 0 && config.MaxMsgsPerSubject <= 0
            && (config.Discard == js_DiscardNew || (config.MaxMsgs <= 0 && config.MaxBytes <= 0))
        guard keepsAll, config.Storage == js_FileStorage else {
            throw StoreError(.carrierRefused, "the stream does not keep what is put, or not in files")
        }
        guard !config.DenyDelete, !config.Sealed, !config.NoAck, config.Mirror == nil else {
            throw StoreError(.carrierRefused, "the stream takes no messages, or does not allow that they are erased")
        }
    }

    private func addStream(until deadline: Deadline) throws {
        var config = jsStreamConfig()
        try Self.check(jsStreamConfig_Init(&config))
        config.Storage = js_FileStorage
        config.Discard = js_DiscardNew
        config.AllowDirect = true
        try stream.withCString { name in
            try (stream + ".>").withCString { subject in
                var subjects: [UnsafePointer<CChar>?] = [subject]
                try subjects.withUnsafeMutableBufferPointer { subjects in
                    config.Name = name
                    config.Subjects = subjects.baseAddress
                    config.SubjectsLen = 1
                    try request(until: deadline) { js_AddStream(nil, context, &config, $0, $1) }
                }
            }
        }
    }
}

/// A server's answer on a stream, in fields that the C library does not read, with the server's names.
struct StreamAnswer: Decodable {
    struct Settings: Decodable {
        let num_replicas: Int?
        let persist_mode: String?
    }
    struct Cluster: Decodable { let leader: String? }

    let config: Settings?
    let cluster: Cluster?
}

/// A server's state of a stream.
struct StreamState {
    /// When it was created, in nanoseconds since 1970.
    let created: Int64
    /// The number of its last message, which may be erased.
    let last: UInt64
    /// How many messages the subjects have that were asked for.
    let counts: [String: Int]
    let isReplicated: Bool
}
#endif
