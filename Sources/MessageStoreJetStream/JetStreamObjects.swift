#if JetStream
/// The objects of a place: what is known of them, and how calls change them.
struct JetStreamObjects {
    let configuration: JetStreamCarrier.Configuration
    private var connection: JetStreamConnection?
    var indexes: [String: ObjectIndex] = [:]
    /// Every message of any object up to this number is in an index.
    var position: UInt64 = 0
    /// When the stream was created whose messages the indexes know.
    var created: Int64 = 0
    /// Subjects whose parts all belong to objects, as far as this carrier's own puts go.
    var checkedParts: Set<String> = []
    /// The names of objects that were looked at for that.
    var checkedNames: Set<String> = []

    init(_ configuration: JetStreamCarrier.Configuration) { self.configuration = configuration }

    /// The subject of the objects whose names begin so; `*` for all.
    func subject(_ first: some StringProtocol) -> String {
        "\(configuration.stream).\(configuration.prefix).o.\(first)"
    }

    /// The subject of parts of these objects.
    func partSubject(_ name: String) -> String {
        "\(configuration.stream).\(configuration.prefix).p.\(name.prefix { $0 != "/" })"
    }

    /// Calls the server, and forgets a connection that cannot be used any more.
    mutating func call<Result>(
        until deadline: Deadline, _ body: (JetStreamConnection) throws -> Result
    ) throws -> Result {
        do {
            let connection = try self.connection ?? JetStreamConnection(configuration, until: deadline)
            self.connection = connection
            try connection.wait(until: deadline)
            return try body(connection)
        } catch let error as NATSError {
            if error.isConnectionLost { connection = nil }
            throw error.translated
        } catch {
            // The time is over: an answer that still arrives belongs to no call.
            connection = nil
            throw error
        }
    }

    /// Puts an object under a name, which another object may have.
    mutating func put(_ bytes: [UInt8], _ name: String, replaces: Bool, until deadline: Deadline) throws -> Bool {
        let subject = subject(name.prefix { $0 != "/" })
        let isChecked = try eraseLeftovers(name, until: deadline)
        var isCurrent = indexes[subject] == nil
        if isCurrent { try refresh(subject, until: deadline) }
        while true {
            if !replaces, indexes[subject]?.sequence(name) != nil {
                if isCurrent { return false }
                isCurrent = true
                try refresh(subject, until: deadline)
                continue
            }
            let limit = min(configuration.objectSize, try call(until: deadline) { $0.largestMessage })
            // Until they are named, and those before them erased.
            if bytes.count > limit {
                checkedParts.remove(partSubject(name))
                checkedNames.remove(name)
            }
            let parts = bytes.count > limit ? try putParts(bytes, name, limit, until: deadline) : []
            let list = Array(parts.map(String.init).joined(separator: " ").utf8)
            let last = indexes[subject]?.last ?? 0
            let sequence = try call(until: deadline) {
                try $0.publish(
                    parts.isEmpty ? bytes : list, subject, name, isList: !parts.isEmpty, after: last, until: deadline)
            }
            guard let sequence else {
                // Another one was faster, perhaps with this name; the parts are put again if it was not.
                for part in parts { try call(until: deadline) { try $0.erase(part, until: deadline) } }
                isCurrent = true
                try refresh(subject, until: deadline)
                continue
            }
            indexes[subject]?.insert(name, sequence)
            if replaces || !parts.isEmpty {
                try erase(name, subject, before: sequence, keeping: parts, until: deadline)
            }
            if isChecked { checkedParts.insert(partSubject(name)) }
            return true
        }
    }

    mutating func get(_ name: String, until deadline: Deadline) throws -> [UInt8]? {
        let subject = subject(name.prefix { $0 != "/" })
        var lacksPart = false
        for attempt in 0..<4 {
            if attempt > 0 || indexes[subject]?.sequence(name) == nil { try refresh(subject, until: deadline) }
            guard let sequence = indexes[subject]?.sequence(name) else { return nil }
            guard let message = try call(until: deadline, { try $0.message(sequence, until: deadline) }) else {
                indexes[subject]?.drop(name, sequence)
                continue
            }
            guard message.isList else { return message.bytes }
            var bytes: [UInt8] = []
            lacksPart = false
            for number in Self.parts(message.bytes) where !lacksPart {
                let part = try number.flatMap { number in
                    try call(until: deadline) { try $0.message(number, until: deadline) }
                }
                if let part { bytes += part.bytes } else { lacksPart = true }
            }
            if !lacksPart { return bytes }
        }
        throw StoreError(
            .carrierFailed, lacksPart ? "an object lacks a part" : "an object was replaced again and again")
    }

    mutating func remove(_ name: String, until deadline: Deadline) throws {
        let subject = subject(name.prefix { $0 != "/" })
        try refresh(subject, until: deadline)
        guard let sequence = indexes[subject]?.sequence(name), sequence < .max else { return }
        try erase(name, subject, before: sequence + 1, keeping: [], until: deadline)
    }

    mutating func list(_ prefix: String, after name: String?, until deadline: Deadline) throws -> [String] {
        let first = prefix.prefix { $0 != "/" }
        // No object has such a name, and a subject could mean others.
        guard (try? (first.isEmpty ? "a" : String(first)).checkObjectName()) != nil else { return [] }
        let isWhole = first.endIndex < prefix.endIndex
        guard !(isWhole && first.isEmpty) else { return [] }
        try refresh(subject(isWhole ? String(first) : "*"), until: deadline)
        let beginning = subject(first)
        var names: [String] = []
        for subject in Array(indexes.keys) where isWhole ? subject == beginning : subject.hasPrefix(beginning) {
            names += indexes[subject]?.names(prefix, after: name) ?? []
        }
        return Array(names.sorted().prefix(CarrierLimits.page))
    }

    private mutating func putParts(
        _ bytes: [UInt8], _ name: String, _ size: Int, until deadline: Deadline
    ) throws -> [UInt64] {
        let subject = partSubject(name)
        return try stride(from: 0, to: bytes.count, by: size).compactMap { start in
            try call(until: deadline) {
                try $0.publish(
                    Array(bytes[start..<min(start + size, bytes.count)]), subject, name, isList: false, after: nil,
                    until: deadline)
            }
        }
    }

    /// Erases the messages of a name before one, and their parts first, so that a call that was cut off can be repeated.
    ///
    /// Parts before a message that it does not name belong to no object: who put them finds that message, and puts other
    /// parts.
    private mutating func erase(
        _ name: String, _ subject: String, before end: UInt64, keeping kept: [UInt64], until deadline: Deadline
    ) throws {
        let partSubject = partSubject(name)
        try refresh(partSubject, until: deadline)
        for subject in [partSubject, subject] {
            for sequence in indexes[subject]?.sequences(name) ?? [] where sequence < end && !kept.contains(sequence) {
                try call(until: deadline) { try $0.erase(sequence, until: deadline) }
                indexes[subject]?.drop(name, sequence)
            }
        }
    }
}
#endif
