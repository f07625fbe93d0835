#if JetStream
internal import MessageStoreCNATS

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
#endif
