package import MessageStoreLog

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The content of a file in an inbox: a header, an event a line, and a trailer with the digest of all before it
/// (`Format.md`).
package enum InboxFile {
    package static let maximumBytes = 16 << 20
    private static let format = "messagestore-inbox"
    private static let formatVersion = 1
    private static let newline = UInt8(ascii: "\n")

    private struct Header: Codable {
        let format: String
        let formatVersion: Int
        let account: UserID
        let events: Int
    }

    private struct Trailer: Codable {
        let digest: String
    }

    /// A file that is not recorded, and why; the reason holds nothing of the file's content.
    package struct Rejection: Error {
        package let reason: String

        package init(_ reason: String) { self.reason = reason }
    }

    /// - Throws: ``StoreError`` with code `invalidArgument` where an event breaks a rule, or the file would be too large.
    package static func encode(_ events: [Event], for account: UserID) throws -> [UInt8] {
        guard (1...EventLimits.identifierBytes).contains(account.rawValue.utf8.count) else {
            throw StoreError(.invalidArgument, "an account id has 1 to \(EventLimits.identifierBytes) bytes")
        }
        let types = try EventTypes(hostTypes(of: events))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var bytes: [UInt8] = []
        func add(_ line: some Encodable) throws {
            do { bytes += try encoder.encode(line) } catch is EncodingError {
                throw StoreError(.invalidArgument, "an event has a value that JSON cannot hold")
            }
            bytes.append(newline)
        }
        try add(
            Header(format: format, formatVersion: formatVersion, account: account, events: events.count))
        for event in events {
            try event.validate(types)
            try add(event)
        }
        try add(Trailer(digest: digest(of: bytes[...])))
        guard bytes.count <= maximumBytes else {
            throw StoreError(
                .invalidArgument,
                "the events take \(bytes.count) bytes, and a file has \(maximumBytes) at most: hand them over in parts")
        }
        return bytes
    }

    /// The events of a file.
    ///
    /// - Throws: ``Rejection`` where it is not whole, of another account, or of a later format.
    package static func decode(
        _ bytes: [UInt8], for account: UserID, types: EventTypes
    ) throws(Rejection) -> [Event] {
        guard bytes.last == newline, let end = bytes.dropLast().lastIndex(of: newline) else {
            throw Rejection("the file was cut short")
        }
        guard let trailer = value(Trailer.self, bytes[(end + 1)...].dropLast()) else {
            throw Rejection("the last line is not a trailer")
        }
        var rest = bytes[...end]
        guard trailer.digest == digest(of: rest) else { throw Rejection("the digest is not that of the lines") }
        guard let header = nextLine(&rest).flatMap({ value(Header.self, $0) }), header.format == format else {
            throw Rejection("the first line is not a header")
        }
        guard header.formatVersion == formatVersion else {
            throw Rejection("the file has format \(header.formatVersion)")
        }
        guard header.account == account else { throw Rejection("the file is for another account") }
        let decoder = JSONDecoder()
        decoder.userInfo[.eventTypes] = types
        var events: [Event] = []
        while let line = nextLine(&rest) {
            guard let event = value(Event.self, line, decoder) else {
                throw Rejection("line \(events.count + 2) is not an event that this host knows")
            }
            events.append(event)
        }
        guard header.events == events.count else { throw Rejection("the header counts other events") }
        return events
    }

    private static func nextLine(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: newline) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end]
    }

    private static func value<Value: Decodable>(
        _ type: Value.Type, _ line: ArraySlice<UInt8>, _ decoder: JSONDecoder = JSONDecoder()
    ) -> Value? {
        // A decoder that meets NUL among the first bytes takes the line for UTF-16 or UTF-32.
        guard !line.prefix(4).contains(0), String(validating: line, as: UTF8.self) != nil else { return nil }
        return try? decoder.decode(type, from: Data(line))
    }

    private static func digest(of bytes: ArraySlice<UInt8>) -> String {
        let digits = String(bytes.withUnsafeBytes { XXH64.hash($0, seed: 0) }, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func hostTypes(of events: [Event]) -> [any EventPayload.Type] {
        var types: [EventType: any EventPayload.Type] = [:]
        for event in events where event.type.isHosts && !(event.payload is UnknownEvent) {
            types[event.type] = Swift.type(of: event.payload)
        }
        return Array(types.values)
    }
}
