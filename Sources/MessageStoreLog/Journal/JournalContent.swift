internal import MessageStoreLMDB

/// What a journal's files hold: read once, whole, when nobody writes them or to look for damage.
struct JournalContent {
    /// The whole frames of the store, by position.
    private(set) var frames: [JournalFrame] = []

    /// A journal without frames.
    init() {}

    /// - Throws: `FileError`; ``StoreError`` with code `logDamaged` where a frame is another store's, or something else stands in
    ///   a file's place.
    init(in directory: String, storeID: [UInt8]) throws {
        for name in Journal.fileNames {
            let path = directory + "/" + name
            let kind = try FileSystem.status(of: path)?.kind
            guard kind == nil || kind == .file else {
                throw StoreError(.logDamaged, "a file of the journal is not a regular file", path: path)
            }
            do {
                let bytes = try FileSystem.read(path, limit: Self.greatestFile)
                try read(bytes.span.bytes, storeID, path)
            } catch let error as FileError where error.isNotFound {}
        }
        frames.sort { $0.first < $1.first }
    }

    /// More than a file ever has.
    private static var greatestFile: Int { 2 * Journal.greatestBytes }

    /// Looks for frames wherever one may begin: one that is damaged must not hide those behind it.
    private mutating func read(_ bytes: RawSpan, _ storeID: [UInt8], _ path: String) throws {
        var offset = 0
        while offset < bytes.byteCount {
            let rest = bytes.extracting(offset..<bytes.byteCount)
            guard let header = JournalFrame.Header(rest), let frame = JournalFrame(rest) else {
                offset += JournalFrame.alignment
                continue
            }
            guard header.storeID == storeID else {
                if offset == 0 { throw StoreError(.logDamaged, "the journal belongs to another store", path: path) }
                // Old bytes, which may be those of a message.
                offset += JournalFrame.alignment
                continue
            }
            frames.append(frame)
            offset += frame.byteCount
        }
    }

    /// The frames that continue a log.
    ///
    /// Events that were never flushed may be missing, and what follows them with them. So may the last ones, whose writing was
    /// not completed.
    ///
    /// - Parameters:
    ///   - last: The log's last position.
    ///   - acceptsLoss: Whether events that were durable may be missing, too.
    /// - Throws: ``StoreError`` with code `logDamaged` and the first position that is missing although it was acknowledged.
    func frames(after last: Position, _ acceptsLoss: Bool = false) throws -> [JournalFrame] {
        var end = last
        var found: [JournalFrame] = []
        for frame in frames where frame.last > end {
            let next = Position(end.rawValue + 1)
            guard frame.first <= next else {
                if frame.flushed >= next, !acceptsLoss {
                    throw StoreError(.logDamaged, "the journal lacks events that were durable", position: next)
                }
                break
            }
            found.append(frame)
            end = frame.last
        }
        return found
    }
}
