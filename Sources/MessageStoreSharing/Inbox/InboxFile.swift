internal import MessageStoreLMDB
package import MessageStoreSealing

/// The content of a file in an inbox: a header, an event a line, and a trailer with the digest of all before it
/// (`Format.md`).
package enum InboxFile {
    package static let maximumBytes = 16 << 20
    /// Of a file that is sealed.
    static let maximumSealedBytes = maximumBytes + SealedFile.overhead
    private static let format = "messagestore-inbox"
    private static let formatVersion = 1
    /// More than the last line takes.
    private static let trailerBytes = 64

    /// - Throws: ``StoreError`` with code `invalidArgument` if an event breaks a rule, or the file would be too large.
    package static func encode(_ events: [Event], for account: UserID) throws -> [UInt8] {
        guard (1...EventLimits.identifierBytes).contains(account.rawValue.utf8.count) else {
            throw StoreError(.invalidArgument, "an account id has 1 to \(EventLimits.identifierBytes) bytes")
        }
        let types = try EventTypes(hostTypes(of: events))
        var bytes: [UInt8] = []
        try SignedLines.add(
            FileHeader(format: format, formatVersion: formatVersion, account: account, events: events.count), to: &bytes
        )
        for event in events {
            try event.validate(types)
            try SignedLines.add(event, to: &bytes)
            guard bytes.count <= maximumBytes - trailerBytes else {
                throw StoreError(
                    .invalidArgument, "a file has \(maximumBytes) bytes at most: hand the events over in parts")
            }
        }
        try SignedLines.sign(&bytes)
        return bytes
    }

    /// The key of files, which follows from that of the host.
    package static func key(of host: SecretKey) -> SecretKey { host.derived(info: Array("inbox".utf8)) }

    /// - Parameter name: The file's, under which alone it opens: events without an id would be recorded once more.
    static func sealed(_ bytes: [UInt8], _ name: String, _ key: SecretKey) -> [UInt8] {
        SealedFile.seal(bytes, "\(format)/\(name)", key)
    }

    /// The content of a file, sealed or not: a process without the key may have handed it over.
    ///
    /// - Throws: ``Rejection`` if it is damaged; ``StoreError`` with code `keyUnavailable` or `keyRefused`.
    package static func opened(
        _ bytes: [UInt8], _ name: String, _ key: SecretKey?, path: String
    ) throws -> [UInt8] {
        guard SealedFile.isSealed(bytes) else { return bytes }
        guard let content = try SealedFile.open(bytes, "\(format)/\(name)", key, path: path) else {
            throw Rejection("the sealed file is damaged")
        }
        return content
    }

    /// The events of a file.
    ///
    /// - Throws: ``Rejection`` if it is not whole, of another account, or of a later format.
    package static func decode(
        _ bytes: [UInt8], for account: UserID, types: EventTypes
    ) throws(Rejection) -> [Event] {
        var rest = try SignedLines.verified(bytes)
        let header = try FileHeader.next(&rest, format: format, version: formatVersion, account: account)
        var events: [Event] = []
        while let line = SignedLines.next(&rest) {
            guard let event = SignedLines.decode(Event.self, line, types: types) else {
                throw Rejection("line \(events.count + 2) is not an event that this host knows")
            }
            events.append(event)
        }
        guard header.events == events.count else { throw Rejection("the header counts other events") }
        return events
    }

    /// The events of a file that can be read without the types of its host.
    ///
    /// - Throws: ``Rejection`` if it is not whole, of another account, or of a later format.
    static func known(_ bytes: [UInt8], for account: UserID) throws(Rejection) -> [Event] {
        var rest = try SignedLines.verified(bytes)
        _ = try FileHeader.next(&rest, format: format, version: formatVersion, account: account)
        var events: [Event] = []
        while let line = SignedLines.next(&rest) {
            if let event = SignedLines.decode(Event.self, line) { events.append(event) }
        }
        return events
    }

    private static func hostTypes(of events: [Event]) -> [any EventPayload.Type] {
        var types: [EventType: any EventPayload.Type] = [:]
        for event in events where event.type.isHosts && !(event.payload is UnknownEvent) {
            types[event.type] = Swift.type(of: event.payload)
        }
        return Array(types.values)
    }
}

/// Names of files in an inbox: the time, the process, a random number and a counter, so that no two are equal and their
/// order is that in which they were made, as far as clocks agree.
enum InboxFileName {
    /// The digits of each part.
    private static let digits = [16, 8, 16, 8]
    private static let counter = Locked(UInt32(0))

    static func next() -> String {
        let (seconds, nanoseconds) = SystemClock.sinceEpoch()
        let count = counter.withLock { count in
            count &+= 1
            return count
        }
        let parts = [
            UInt64(clamping: seconds) &* 1_000_000 &+ UInt64(clamping: nanoseconds / 1000),
            UInt64(UInt32(bitPattern: getpid())), UInt64.random(in: .min ... .max), UInt64(count),
        ]
        return zip(parts, digits).map { $0.hexadecimal(digits: $1) }.joined(separator: "-")
    }

    static func isValid(_ name: String) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == digits.count
            && zip(parts, digits).allSatisfy { part, digits in
                part.utf8.count == digits
                    && part.utf8.allSatisfy {
                        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
                    }
            }
    }
}
