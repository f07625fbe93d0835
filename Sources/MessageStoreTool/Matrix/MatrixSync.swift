internal import MessageStoreMatrix

/// A line of a file of responses to `GET /_matrix/client/v3/sync`.
struct MatrixSync {
    /// The position in the server's stream after this response.
    let nextBatch: String
    /// The response.
    let body: JSONValue

    private init(_ value: JSONValue) throws {
        guard value.object != nil else { throw ChatLogLineFault(.invalidJSON, "not an object") }
        body = value["sync"] ?? value
        guard body.object != nil else { throw ChatLogLineFault(.wrongFieldType, "sync") }
        guard let nextBatch = body["next_batch"] else { throw ChatLogLineFault(.missingField, "next_batch") }
        guard let nextBatch = nextBatch.string else { throw ChatLogLineFault(.wrongFieldType, "next_batch") }
        if let rooms = body["rooms"], rooms.object == nil { throw ChatLogLineFault(.wrongFieldType, "rooms") }
        self.nextBatch = nextBatch
    }

    /// Reads a response, bare or as the member `sync` of an object.
    static func read(_ line: ArraySlice<UInt8>) throws -> (content: MatrixSync, replaced: Int) {
        let answer: MatrixJSON
        do { answer = try MatrixJSON(line) } catch {
            // Whichever case was tried last says nothing of what is wrong.
            throw ChatLogLineFault(.invalidJSON)
        }
        return (try MatrixSync(answer.value), answer.replaced)
    }
}

/// Reads files of sync responses.
typealias MatrixSyncReader = JSONLineReader<MatrixSync>

extension MatrixSyncReader {
    /// Opens a file of responses, a line each, or one on many lines; none may be larger than 64 MiB.
    convenience init(matrixSync path: String) throws(ChatLogError) {
        try self.init(path: path, maximumLineBytes: 64 << 20, readsDocuments: true, reading: MatrixSync.read)
    }
}
