internal import MessageStore

internal import Foundation

/// A Matrix server's response to `GET /_matrix/client/v3/sync`.
struct MatrixSync {
    /// The position in the server's stream after this response.
    let nextBatch: String

    /// The response.
    let body: JSONValue

    /// The rooms of a section (`join`, `invite`, `leave`, `knock`) in the order of their ids.
    func rooms(_ section: String) -> [(key: String, value: JSONValue)] {
        body["rooms"]?[section]?.members ?? []
    }
}

extension MatrixSync: Decodable {
    init(from decoder: any Decoder) throws {
        let value: JSONValue
        do {
            value = try JSONValue(from: decoder)
        } catch {
            // Whichever case was tried last says nothing of what is wrong.
            throw ChatLogLineFault(.invalidJSON)
        }
        guard case .object = value else { throw ChatLogLineFault(.invalidJSON, "not an object") }
        body = value["sync"] ?? value
        guard case .object = body else { throw ChatLogLineFault(.wrongFieldType, "sync") }
        guard let nextBatch = body["next_batch"] else { throw ChatLogLineFault(.missingField, "next_batch") }
        guard let nextBatch = nextBatch.string else { throw ChatLogLineFault(.wrongFieldType, "next_batch") }
        if let rooms = body["rooms"], rooms.object == nil { throw ChatLogLineFault(.wrongFieldType, "rooms") }
        self.nextBatch = nextBatch
    }
}

extension JSONValue {
    /// The events of a section, which holds them in a list of its own.
    func events(_ section: String) -> [JSONValue] {
        self[section]?["events"]?.array ?? []
    }
}

/// Reads files of sync responses.
typealias MatrixSyncReader = JSONLineReader<MatrixSync>

extension MatrixSyncReader {
    /// Opens a file of responses, a line each, or one on many lines; none may be larger than 64 MiB.
    convenience init(matrixSync path: String) throws(ChatLogError) {
        try self.init(path: path, maximumLineBytes: 64 << 20, readsDocuments: true)
    }
}
