internal import MessageStoreLMDB

/// The content of a journal's files: read once, whole, when nobody writes them or to look for damage.
struct JournalContent {
    /// The whole frames of the store, by position.
    private(set) var frames: [JournalFrame] = []
    /// The same by file, and where they begin.
    private(set) var files: [[(offset: Int, frame: JournalFrame)]] = []
    /// Those of the files' present use; the frames of another one are committed.
    private var generations: Set<UInt64> = []
    /// Whether so much looks like the beginning of a frame that the rest was not looked at.
    private var isExhausted = false

    /// A journal without frames.
    init() {}

    /// - Throws: `FileError`; ``StoreError`` with code `logDamaged` where a frame is another store's, or something else
    ///   is in a file's place.
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
            } catch let error as FileError where error.isNotFound { files.append([]) }
        }
        frames = files.joined().map(\.frame).sorted { $0.first < $1.first }
    }

    /// More than a file ever has.
    private static var greatestFile: Int { 2 * Journal.greatestBytes }

    /// Looks for frames wherever one may begin: one that is damaged must not hide those after it.
    private mutating func read(_ bytes: RawSpan, _ storeID: [UInt8], _ path: String) throws {
        var found: [(offset: Int, frame: JournalFrame)] = []
        var (offset, hashed) = (0, 0)
        while offset < bytes.byteCount, !isExhausted {
            let rest = bytes.extracting(offset..<bytes.byteCount)
            var frame: JournalFrame?
            // Old bytes may be those of a message: only what may be a frame of this store is worth a checksum.
            if let header = JournalFrame.Header(rest), header.byteCount <= min(rest.byteCount, Journal.greatestBytes),
                header.storeID == storeID || offset == 0
            {
                hashed += header.byteCount
                isExhausted = hashed > 4 * bytes.byteCount
                frame = JournalFrame(rest)
                guard frame == nil || header.storeID == storeID else {
                    throw StoreError(.logDamaged, "the journal belongs to another store", path: path)
                }
            }
            if let frame { found.append((offset, frame)) }
            offset += frame?.byteCount ?? JournalFrame.alignment
        }
        if let first = found.first { generations.insert(first.frame.generation) }
        files.append(found)
    }

    /// The frames that continue a log.
    ///
    /// Events that were never flushed may be missing, and what follows them with them. So may the last ones, whose
    /// writing was not completed.
    ///
    /// - Parameters:
    ///   - last: The log's last position.
    ///   - acceptsLoss: Whether events that were durable may be missing, too.
    /// - Throws: ``StoreError`` with code `logDamaged` and the first position that is missing although it was
    ///   acknowledged.
    func frames(after last: Position, _ acceptsLoss: Bool = false) throws -> [JournalFrame] {
        guard !isExhausted || acceptsLoss else {
            throw StoreError(.logDamaged, "the journal is full of beginnings of frames")
        }
        var end = last
        var found: [JournalFrame] = []
        for frame in frames where frame.last > end {
            let next = Position(end.rawValue + 1)
            let isLive = generations.contains(frame.generation)
            // The log may have the first events of a frame, and no frame those of another one.
            if isLive, frame.first == next || (frame.first < next && found.isEmpty) {
                found.append(frame)
                end = frame.last
                continue
            }
            if !acceptsLoss, frame.flushed >= next || (isLive && frame.first < next) {
                throw StoreError(
                    .logDamaged,
                    frame.first < next
                        ? "two frames of the journal overlap" : "the journal lacks events that were durable",
                    position: next)
            }
            if isLive { break }
        }
        return found
    }
}
