internal import MessageStoreLMDB
internal import MessageStoreSealing

/// The frames of a journal that another process may be writing, read as they come.
final class JournalReader: Sendable {
    /// Reads at most so many bytes of a file.
    typealias Read = @Sendable (_ path: String, _ offset: Int, _ limit: Int) throws -> [UInt8]

    /// The content of the files at one moment.
    struct Content {
        /// By position, in runs of batches that follow each other.
        let runs: [[PreparedAppend]]
        /// The symbols that belong to them, whatever is gone later.
        let symbols: SymbolTable
        /// The files as they were read.
        fileprivate let files: [File]
    }

    fileprivate struct File {
        let path: String
        /// Of the first frame: another one begins when the file is used again.
        var checksum: UInt64?
        var generation: UInt64 = 0
        /// The beginning of the next frame.
        var end = 0
        /// The beginning of the last one, and its checksum: one whose flush failed is taken back.
        var last: (start: Int, checksum: UInt64) = (0, 0)
        /// The batches of the frames; where positions are missing between two, another run begins.
        var runs: [[PreparedAppend]] = []

        mutating func add(_ frame: JournalFrame, at start: Int) {
            generation = frame.generation
            last = (start, frame.checksum)
            end = start + frame.byteCount
            if let last = runs.last?.last, last.batch.nextPosition == frame.first {
                runs[runs.count - 1].append(frame.events)
            } else {
                runs.append([frame.events])
            }
        }
    }

    private struct State {
        var files: [File]
        /// Symbols of the frames; another table each time that frames with symbols are gone, as in the process that
        /// writes.
        var symbols: SymbolTable
    }

    /// Bytes of a file that are read at first: mostly there is little that is new.
    static let leastRead = 4 << 10

    private let storeID: [UInt8]
    private let key: @Sendable () -> SecretKey?
    private let readFile: Read
    private let noteSymbols: @Sendable (SymbolTable) -> Void
    private let state: Locked<State>

    /// - Parameters:
    ///   - symbols: The log's.
    ///   - key: Answers the key of the frames that are in the files now.
    ///   - noteSymbols: Called with each other table, in turn; it must not use the reader.
    init(
        in directory: String, storeID: [UInt8], symbols: SymbolTable,
        sealedBy key: @escaping @Sendable () -> SecretKey? = { nil },
        read: @escaping Read = { try FileSystem.read($0, offset: $1, limit: $2) },
        noteSymbols: @escaping @Sendable (SymbolTable) -> Void = { _ in }
    ) {
        self.storeID = storeID
        self.key = key
        self.noteSymbols = noteSymbols
        readFile = read
        let files = Journal.fileNames.map { File(path: directory + "/" + $0) }
        state = Locked(State(files: files, symbols: symbols))
    }

    /// The content of the files now; those events that are committed may be among them.
    ///
    /// Each event that was durable when this was called is in one of the runs, or in the log's environment when this
    /// returns.
    func content() throws -> Content {
        try state.withLock { state throws in
            for index in state.files.indices { try follow(&state.files[index], &state.symbols) }
            let runs = state.files.flatMap(\.runs).ordered { first, second in
                (first.first?.batch.firstPosition ?? .origin) < (second.first?.batch.firstPosition ?? .origin)
            }
            return Content(runs: runs, symbols: state.symbols, files: state.files)
        }
    }

    /// Whether the frames of a content are where they were read: none was taken back meanwhile. If a file was reused
    /// for other frames, because all of its frames are committed, they are not there either.
    func isCurrent(_ content: Content) throws -> Bool {
        try content.files.allSatisfy { file in
            try file.end == 0
                || header(of: file, at: 0)?.checksum == file.checksum
                    && header(of: file, at: file.last.start)?.checksum == file.last.checksum
        }
    }

    /// Goes on after damaged frames, which the log has already.
    ///
    /// - Parameter content: The content of the files, read when nobody wrote them.
    func goOn(with content: JournalContent) {
        state.withLock { state in
            for (index, frames) in content.files.enumerated() {
                for (offset, frame) in frames
                where offset >= state.files[index].end && frame.generation == frames.first?.frame.generation {
                    state.files[index].add(frame, at: offset)
                    state.symbols.stage(frame.events.symbols)
                }
            }
        }
    }

    private func follow(_ file: inout File, _ symbols: inout SymbolTable) throws {
        let checksum = try header(of: file, at: 0)?.checksum
        let isLastThere = try file.end == 0 || header(of: file, at: file.last.start)?.checksum == file.last.checksum
        if checksum != file.checksum || !isLastThere {
            let gone = file.runs.joined().flatMap(\.symbols)
            if !gone.isEmpty {
                symbols = SymbolTable(symbols, without: gone)
                noteSymbols(symbols)
            }
            (file.runs, file.end, file.checksum) = ([], 0, checksum)
        }
        guard checksum != nil || file.end > 0 else { return }
        var limit = Self.leastRead
        while true {
            let bytes = try read(file, at: file.end, limit)
            guard let wanted = try take(bytes.span.bytes, into: &file, symbols), bytes.count == limit else { return }
            limit = max(2 * limit, wanted)
        }
    }

    /// Takes the frames that are whole in bytes from the file's end on.
    ///
    /// - Returns: How many bytes the next frame needs; nil if none follows.
    private func take(_ bytes: RawSpan, into file: inout File, _ symbols: SymbolTable) throws -> Int? {
        var offset = 0
        let key = key()
        while offset + JournalFrame.Layout.headerSize <= bytes.byteCount {
            let rest = bytes.extracting(offset..<bytes.byteCount)
            guard let header = header(rest), file.end == 0 || header.generation == file.generation else { return nil }
            guard header.byteCount <= rest.byteCount else { return header.byteCount }
            // Another use of the file may have begun since its first frame was looked at.
            guard file.end > 0 || header.checksum == file.checksum, let frame = try JournalFrame.read(rest, key)
            else { return nil }
            file.add(frame, at: file.end)
            offset += frame.byteCount
            symbols.stage(frame.events.symbols)
        }
        return JournalFrame.Layout.headerSize
    }

    private func header(of file: File, at offset: Int) throws -> JournalFrame.Header? {
        let bytes = try read(file, at: offset, JournalFrame.Layout.headerSize)
        return header(bytes.span.bytes)
    }

    private func header(_ bytes: RawSpan) -> JournalFrame.Header? {
        guard let header = JournalFrame.Header(bytes), header.storeID == storeID,
            header.byteCount <= Journal.greatestBytes
        else { return nil }
        return header
    }

    /// Fewer bytes if the file ends before, none if it is missing.
    private func read(_ file: File, at offset: Int, _ limit: Int) throws -> [UInt8] {
        do { return try readFile(file.path, offset, limit) } catch let error as FileError where error.isNotFound {
            return []
        }
    }
}
