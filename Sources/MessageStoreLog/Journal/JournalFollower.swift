internal import MessageStoreLMDB

/// The frames of a journal that another process may be writing, read as they come.
final class JournalFollower: Sendable {
    private struct File {
        let path: String
        /// Of the first frame: another one begins when the file is used again.
        var checksum: UInt64?
        var generation: UInt64 = 0
        /// Where the next frame begins.
        var end = 0
        /// Where the last one begins, and its checksum: one whose flush failed is taken back.
        var last: (start: Int, checksum: UInt64) = (0, 0)
        var frames: [JournalFrame] = []
    }

    private let storeID: [UInt8]
    private let symbols: SymbolTable
    private let files: Locked<[File]>

    init(in directory: String, storeID: [UInt8], symbols: SymbolTable) {
        self.storeID = storeID
        self.symbols = symbols
        files = Locked(Journal.fileNames.map { File(path: directory + "/" + $0) })
    }

    /// The whole frames that the files hold now, by position; those that are committed may be among them.
    ///
    /// What was durable when this was called is in one of them, or in the log's environment when this returns.
    func frames() throws -> [JournalFrame] {
        try files.withLock { files throws in
            for index in files.indices { try follow(&files[index]) }
            return files.flatMap(\.frames).sorted { $0.first < $1.first }
        }
    }

    private func follow(_ file: inout File) throws {
        let checksum = try header(of: file, at: 0)?.checksum
        let isLastThere = try file.end == 0 || header(of: file, at: file.last.start)?.checksum == file.last.checksum
        if checksum != file.checksum || !isLastThere {
            for frame in file.frames { symbols.unstage(frame.events.symbols, areCommitted: false) }
            (file.frames, file.end, file.checksum) = ([], 0, checksum)
        }
        guard checksum != nil else { return }
        while let header = try header(of: file, at: file.end), file.end == 0 || header.generation == file.generation {
            guard let bytes = try read(file, at: file.end, header.byteCount),
                let frame = JournalFrame(bytes.span.bytes)
            else { break }
            // Another use of the file may have begun since its first frame was looked at.
            guard file.end > 0 || header.checksum == file.checksum else { break }
            file.generation = header.generation
            file.last = (file.end, header.checksum)
            file.end += frame.byteCount
            file.frames.append(frame)
            symbols.stage(frame.events.symbols)
        }
    }

    private func header(of file: File, at offset: Int) throws -> JournalFrame.Header? {
        guard let bytes = try read(file, at: offset, JournalFrame.Layout.headerSize),
            let header = JournalFrame.Header(bytes.span.bytes), header.storeID == storeID,
            header.byteCount <= Journal.greatestBytes
        else { return nil }
        return header
    }

    /// Nothing where the file is missing or ends before.
    private func read(_ file: File, at offset: Int, _ count: Int) throws -> [UInt8]? {
        do {
            let bytes = try FileSystem.read(file.path, offset: offset, limit: count)
            return bytes.count == count ? bytes : nil
        } catch let error where error.isNotFound {
            return nil
        }
    }
}
