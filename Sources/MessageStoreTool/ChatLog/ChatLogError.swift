/// Why a chat log, or one line of it, could not be read.
///
/// Neither the error nor its description ever holds text from the values of a line.
struct ChatLogError: Error, Sendable, Equatable {
    /// The reasons, as codes for callers that act on them.
    enum Code: String, Sendable, CaseIterable {
        // Errors of the file.
        case cannotOpen = "cannot open the file"
        case isDirectory = "is a directory"
        case cannotRead = "cannot read the file"
        case truncatedGzip = "truncated gzip data"
        case corruptGzip = "corrupt gzip data"
        case exportedLog = "an exported log, and no chat log"

        // Of a file that is recorded all the same.
        case olderFile = "older than what the store has of names or members, of which the last recorded holds"

        // Errors of one line.
        case lineTooLong = "line too long"
        case invalidUTF8 = "invalid UTF-8"
        case invalidJSON = "invalid JSON"
        case missingField = "missing field"
        case wrongFieldType = "wrong type of field"
        case unknownFieldValue = "unknown value of field"
        case cutID = "half a character in an id"
        case invalidEvent = "not allowed in a store"

        // Errors of an exported log, of which no line can be left out.
        case notAnExport = "not an exported log"
        case endsEarly = "the file ends before its last line"
        case notAsExported = "not what was exported"
    }

    /// The reason.
    let code: Code

    /// The path of the file, as the caller gave it.
    let file: String

    /// The number of the line, counted from 1, for an error of one line.
    let line: Int?

    /// The name of a field or the system's message for an error number; empty when there is nothing to add.
    let detail: String

    /// Whether the file begins as none of the formats that are known.
    var isOfUnknownFormat: Bool {
        (line ?? 1) == 1 && [.invalidJSON, .invalidUTF8, .corruptGzip, .truncatedGzip, .notAnExport].contains(code)
    }

    /// Whether the error concerns one line alone, so that reading may go on with the next one.
    var isLineError: Bool {
        switch code {
        case .cannotOpen, .isDirectory, .cannotRead, .truncatedGzip, .corruptGzip:
            false
        case .exportedLog, .notAnExport, .endsEarly, .notAsExported, .olderFile:
            false
        case .lineTooLong, .invalidUTF8, .invalidJSON, .missingField, .wrongFieldType, .unknownFieldValue,
            .cutID, .invalidEvent:
            true
        }
    }
}

extension ChatLogError: CustomStringConvertible {
    /// `FILE:LINE: REASON (DETAIL)`, safe to print even when the path holds control characters.
    var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        let reason = detail.isEmpty ? code.rawValue : "\(code.rawValue) (\(detail))"
        return "\(place): \(reason)".terminalSafe
    }
}
