/// Files of one JSON object a line; the last line has the digest of all before it.
enum SignedLines {
    private static let newline = UInt8(ascii: "\n")

    private struct Trailer: Codable {
        let digest: String
    }

    /// Adds a line.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument` if the value has something that JSON cannot hold.
    static func add(_ line: some Encodable, to bytes: inout [UInt8]) throws {
        do { bytes += try JSONBytes.encode(line) } catch is EncodingError {
            throw StoreError(.invalidArgument, "a value is something that JSON cannot hold")
        }
        bytes.append(newline)
    }

    /// Adds the last line.
    static func sign(_ bytes: inout [UInt8]) throws {
        try add(Trailer(digest: SealedJSON.checksum(of: bytes)), to: &bytes)
    }

    /// The lines before the last one, which agrees with them.
    ///
    /// - Throws: ``Rejection``.
    static func verified(_ bytes: [UInt8]) throws(Rejection) -> ArraySlice<UInt8> {
        guard bytes.last == newline, let end = bytes.dropLast().lastIndex(of: newline) else {
            throw Rejection("the file was cut short")
        }
        guard let trailer = decode(Trailer.self, bytes[(end + 1)...].dropLast()) else {
            throw Rejection("the last line is not a trailer")
        }
        guard trailer.digest == SealedJSON.checksum(of: bytes[...end]) else {
            throw Rejection("the digest is not that of the lines")
        }
        return bytes[...end]
    }

    /// Takes a line, without its line feed, from the lines that are left; nil if none is.
    static func next(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: newline) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end]
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type, _ line: ArraySlice<UInt8>, types: EventTypes = .builtIn
    ) -> Value? {
        // A decoder that meets NUL among the first bytes takes the line for UTF-16 or UTF-32.
        guard !line.prefix(4).contains(0), String(validating: line, as: UTF8.self) != nil else { return nil }
        return try? JSONBytes.decode(type, from: line, types: types)
    }
}

/// Why a file is not used; the reason holds no text of a message.
package struct Rejection: Error {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// The first line of a file.
struct FileHeader: Codable {
    let format: String
    let formatVersion: Int
    let account: UserID
    /// The number of events, if the file has them.
    var events: Int?

    /// Reads and checks the first line.
    ///
    /// - Parameter account: Whose file it must be; nil for anybody's.
    /// - Throws: ``Rejection``.
    static func next(
        _ rest: inout ArraySlice<UInt8>, format: String, version: Int, account: UserID?
    ) throws(Rejection) -> FileHeader {
        guard let header = SignedLines.next(&rest).flatMap({ SignedLines.decode(Self.self, $0) }),
            header.format == format
        else { throw Rejection("the first line is not a header") }
        guard header.formatVersion == version else { throw Rejection("the file has format \(header.formatVersion)") }
        guard account == nil || header.account == account else { throw Rejection("the file is for another account") }
        return header
    }
}
