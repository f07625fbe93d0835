@_spi(Storage) internal import MessageStoreLog
@_spi(Storage) internal import MessageStoreProjections

/// Reads the names of files in the contents of messages that have one, as the payloads of the library write them.
struct FileNames {
    /// The types of such contents, as numbers of records.
    private let types: [UInt32]

    private struct Payload: Decodable {
        struct File: Decodable { let name: String? }
        let file: File
    }

    init(_ symbols: SymbolTable) throws {
        types = try SearchQuery.fileTypes.compactMap { try symbols.existingNumber(of: $0) }
    }

    /// The name of a content's file; nil if there is none.
    func name(in holder: RecordView) -> String? {
        guard types.contains(holder.contentType), let data = holder.messageData else { return nil }
        return try? JSONBytes.decode(Payload.self, from: data.copied).file.name
    }

    /// Whether a text of a content is longer than what is found of it.
    func hasLongText(_ holder: RecordView) -> Bool {
        let greatest = FoldingRules.maximumTextBytes
        return holder.messageText?.byteCount ?? 0 > greatest || name(in: holder)?.utf8.count ?? 0 > greatest
    }
}
