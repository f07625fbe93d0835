internal import MessageStoreLMDB
internal import MessageStoreSealing

/// The log's waiting room: events become durable here, with one flush, and wait for the log's environment to take them
/// in larger commits.
///
/// Two files are written in turn: while the events of one are committed, the other one takes new ones. A file is used
/// again once all of its events are committed. Both are removed when the store is closed.
final class Journal: Sendable {
    enum Outcome {
        /// The events are as durable as they are to be.
        case written
        /// The same, and a file is full: its events should be committed.
        case writtenAndFull
        /// There is no room: the events have to be committed at once.
        case refused
        /// Somebody else may write to the log, and the events were taken back.
        case disowned
    }

    private struct Half {
        let file: PreallocatedFile
        var byteCount = 0
        /// The beginning of the next frame.
        var used = 0
        /// The end of all that was written since the file was last overwritten with zeros.
        var touched = 0
        var generation = UInt64.random(in: .min ... .max)
        /// The position of the last event.
        var last = Position.origin

        init(_ file: PreallocatedFile) { self.file = file }
    }

    private struct State {
        var halves: [Half] = []
        var active = 0
        /// Why nothing is written any more.
        var failure: FileError?
        /// The last event in files of an earlier opening that are needed until it is committed; the origin where there
        /// are none.
        var kept = Position.origin
        /// Whether a failure was reported.
        var isFailureNoted = false
    }

    /// The sizes of a file: it begins with the first, and doubles each time that one is full, up to the second.
    static let (leastBytes, greatestBytes) = (64 << 10, 4 << 20)
    static let fileNames = ["journal-0", "journal-1"]

    private let directory: String
    private let storeID: [UInt8]
    /// Whether written bytes are forced to the medium.
    private let flushes: Bool
    private let key: SecretKey?
    private let noteFailure: EventLog.NoteFailure
    /// Notes outside of the journal how many files it has, before the first event is in one and before they are
    /// removed.
    private let noteUse: @Sendable (_ files: Int) throws -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - flushes: Whether events are to survive a loss of power.
    ///   - key: Seals the frames; nil for clear ones.
    ///   - noteFailure: Called the first time that a file cannot be written.
    init(
        in directory: String, storeID: [UInt8], flushes: Bool, sealedBy key: SecretKey? = nil,
        noteFailure: @escaping EventLog.NoteFailure = { _, _ in },
        noteUse: @escaping @Sendable (_ files: Int) throws -> Void = { _ in }
    ) {
        self.directory = directory
        self.storeID = storeID
        self.flushes = flushes
        self.key = key
        self.noteFailure = noteFailure
        self.noteUse = noteUse
    }

    /// A journal of a log's environment, which its mark names.
    convenience init(
        in environment: Environment, storeID: [UInt8], flushes: Bool, sealedBy key: SecretKey?,
        noteFailure: @escaping EventLog.NoteFailure
    ) {
        self.init(
            in: environment.path, storeID: storeID, flushes: flushes, sealedBy: key, noteFailure: noteFailure
        ) {
            try environment.markJournal(files: $0)
        }
    }

    /// A journal without files of the environment that takes the place of this one's.
    func moved(to environment: Environment) -> Journal {
        let key = environment.configuration.key.map(JournalFrame.key)
        return Journal(in: environment, storeID: storeID, flushes: flushes, sealedBy: key, noteFailure: noteFailure)
    }

    /// Leaves the files of an earlier opening as they are until their events are committed; nothing is written before.
    ///
    /// - Parameter last: The position of the last of them.
    func keepFiles(through last: Position) throws(FileError) {
        // The earlier opening may have promised less durability.
        for name in Self.fileNames {
            do { try FileSystem.synchronize(directory + "/" + name) } catch {
                guard error.isNotFound else { throw error }
            }
        }
        state.withLock { $0.kept = last }
    }

    /// Writes prepared events, which follow those written before, as one frame.
    ///
    /// - Parameters:
    ///   - durable: The last position that is on the medium already.
    ///   - isOwner: Whether nobody else can have opened the log; asked after the writing, so that another process that
    ///     opens it later finds the frame.
    func append(
        _ group: ArraySlice<PreparedAppend>, after durable: Position, isOwner: () -> Bool = { true }
    ) -> Outcome {
        state.withLock { state in
            guard state.failure == nil, state.kept == .origin, let last = group.last?.batch.lastPosition else {
                return .refused
            }
            let size = JournalFrame.byteCount(of: group, isSealed: key != nil)
            let before = state.active
            guard size <= Self.greatestBytes, makeRoom(for: size, in: &state) else { return .refused }
            var half = state.halves[state.active]
            var frame = ByteWriter(capacity: size)
            JournalFrame.encode(
                group, storeID: storeID, generation: half.generation, flushed: flushes ? durable : .origin,
                sealedBy: key, to: &frame)
            half.touched = max(half.touched, half.used + size)
            state.halves[state.active] = half
            do throws(FileError) {
                try half.file.write(frame.bytes, at: half.used)
                if flushes { try half.file.flush() }
            } catch {
                withdraw(half.used..<half.used + size, from: half, &state)
                state.failure = error
                note(error, in: &state)
                return .refused
            }
            guard isOwner() else {
                withdraw(half.used..<half.used + size, from: half, &state)
                return .disowned
            }
            half.used += size
            half.last = last
            state.halves[state.active] = half
            return state.active == before ? .written : .writtenAndFull
        }
    }

    /// Overwrites a frame, which must not be found as if it had been acknowledged.
    private func withdraw(_ frame: Range<Int>, from half: Half, _ state: inout State) {
        do throws(FileError) {
            try half.file.zero(frame)
            try half.file.flush()
        } catch {
            try? half.file.truncate(to: frame.lowerBound)
            state.failure = error
        }
    }

    /// Sees to it that the active file has so many free bytes; answers whether it has.
    private func makeRoom(for size: Int, in state: inout State) -> Bool {
        do {
            if state.halves.isEmpty { try addHalf(to: &state) }
            let active = state.halves[state.active]
            if active.used + size <= active.byteCount { return true }
            if active.used > 0 {
                if state.halves.count == 1 { try addHalf(to: &state) }
                let other = 1 - state.active
                guard state.halves[other].used == 0 else { return false }
                try grow(&state.halves[other], to: max(size, 2 * active.byteCount))
                state.active = other
            } else {
                try grow(&state.halves[state.active], to: size)
            }
            return true
        } catch {
            // No room on the medium, say: the log's own commit reports it.
            note(error, in: &state)
            return false
        }
    }

    private func note(_ error: any Error, in state: inout State) {
        guard !state.isFailureNoted else { return }
        state.isFailureNoted = true
        noteFailure("the journal cannot be written, so that events are committed at once", error)
    }

    private func addHalf(to state: inout State) throws {
        let path = directory + "/" + Self.fileNames[state.halves.count]
        try FileSystem.remove(path)
        let file = try PreallocatedFile(creating: path)
        try FileSystem.synchronize(directory)
        try noteUse(state.halves.count + 1)
        state.halves.append(Half(file))
    }

    /// Makes a file that nothing is kept in larger, if it is smaller than that. The first frame is forced to the medium
    /// with it.
    private func grow(_ half: inout Half, to size: Int) throws(FileError) {
        var target = Self.leastBytes
        while target < size, target < Self.greatestBytes { target *= 2 }
        guard target > half.byteCount else { return }
        do throws(FileError) { try half.file.zero(half.byteCount..<target) } catch {
            // The log's own commit needs the last room on the medium that this took.
            try? half.file.truncate(to: half.byteCount)
            throw error
        }
        half.byteCount = target
    }

    /// Whether files of an earlier opening are kept, which may have promised more than this one.
    var keepsFiles: Bool { state.withLock { $0.kept > .origin } }

    /// Lets files be used again whose events are all committed.
    func release(through committed: Position) {
        state.withLock { state in
            // If that fails, the next commit tries again.
            if state.kept <= committed { try? removeKeptFiles(&state) }
            for index in state.halves.indices where state.halves[index].last <= committed {
                guard state.halves[index].used > 0 else { continue }
                state.halves[index].used = 0
                state.halves[index].generation = .random(in: .min ... .max)
            }
        }
    }

    private func removeKeptFiles(_ state: inout State) throws {
        guard state.kept > .origin else { return }
        try noteUse(0)
        try Self.remove(from: directory)
        state.kept = .origin
    }

    /// Overwrites everything that was written; all events must be committed.
    func erase() throws {
        try state.withLock { (state) throws in
            try removeKeptFiles(&state)
            for index in state.halves.indices where state.halves[index].touched > 0 {
                // First: the next write goes to the beginning, even if the overwriting fails half way.
                state.halves[index].used = 0
                state.halves[index].generation = .random(in: .min ... .max)
                try state.halves[index].file.zero(0..<state.halves[index].touched)
                try state.halves[index].file.flush()
                state.halves[index].touched = 0
            }
        }
    }

    /// Removes the files; all events must be committed.
    func remove() throws {
        try state.withLock { (state) throws in
            try noteUse(0)
            state.halves = []
            state.active = 0
            try Self.remove(from: directory)
        }
    }

    static func remove(from directory: String) throws(FileError) {
        for name in fileNames { try FileSystem.remove(directory + "/" + name) }
    }
}

/// The content of a journal's files: read once, whole, when nobody writes them or to look for damage.
struct JournalContent {
    /// The whole frames of the store, by position.
    private(set) var frames: [JournalFrame] = []
    /// The same by file, and where they begin.
    private(set) var files: [[(offset: Int, frame: JournalFrame)]] = []
    /// Generations of the files' present use; the frames of another one are committed.
    private var generations: Set<UInt64> = []
    /// The error of a frame that the log's key does not open; nil if there is none.
    private(set) var unopened: StoreError?
    /// Whether so much looks like the beginning of a frame that the rest was not looked at.
    private var isExhausted = false

    /// A journal without frames.
    init() {}

    /// - Parameter key: Opens the frames; nil if they are clear.
    /// - Throws: `FileError`; ``StoreError`` with code `logDamaged` where a frame is another store's, or something else
    ///   is in a file's place.
    init(in directory: String, storeID: [UInt8], sealedBy key: SecretKey? = nil) throws {
        for name in Journal.fileNames {
            let path = directory + "/" + name
            let kind = try FileSystem.status(of: path)?.kind
            guard kind == nil || kind == .file else {
                throw StoreError(.logDamaged, "a file of the journal is not a regular file", path: path)
            }
            do {
                let bytes = try FileSystem.read(path, limit: Self.greatestFile)
                try read(bytes.span.bytes, storeID, key, path)
            } catch let error as FileError where error.isNotFound { files.append([]) }
        }
        frames = files.joined().map(\.frame).sorted { $0.first < $1.first }
    }

    /// More than a file ever has.
    private static var greatestFile: Int { 2 * Journal.greatestBytes }

    /// Looks for frames wherever one may begin: one that is damaged must not hide those after it.
    private mutating func read(
        _ bytes: RawSpan, _ storeID: [UInt8], _ key: SecretKey?, _ path: String
    ) throws {
        var found: [(offset: Int, frame: JournalFrame)] = []
        var (offset, hashed) = (0, 0)
        while offset < bytes.byteCount, !isExhausted {
            let rest = bytes.extracting(offset..<bytes.byteCount)
            var frame: JournalFrame?
            // Old bytes may be a message's: only a possible frame of this store is worth a checksum.
            if let header = JournalFrame.Header(rest), header.byteCount <= min(rest.byteCount, Journal.greatestBytes),
                header.storeID == storeID || offset == 0
            {
                hashed += header.byteCount
                isExhausted = hashed > 4 * bytes.byteCount
                do { frame = try JournalFrame.read(rest, key) } catch let error as StoreError {
                    guard header.storeID == storeID else { throw Self.foreign(path) }
                    unopened = unopened ?? error
                }
                guard frame == nil || header.storeID == storeID else { throw Self.foreign(path) }
            }
            if let frame { found.append((offset, frame)) }
            offset += frame?.byteCount ?? JournalFrame.alignment
        }
        if let first = found.first { generations.insert(first.frame.generation) }
        files.append(found)
    }

    private static func foreign(_ path: String) -> StoreError {
        StoreError(.logDamaged, "the journal belongs to another store", path: path)
    }

    /// The frames that continue a log.
    ///
    /// Events that were never flushed may be missing, and later ones with them. So may the last ones, whose writing was
    /// not completed.
    ///
    /// - Parameters:
    ///   - last: The log's last position.
    ///   - acceptsLoss: Whether events that were durable may be missing, too.
    /// - Throws: ``StoreError`` with code `logDamaged` and the first position that is missing although it was
    ///   acknowledged, or of a frame that was not sealed with the log's key.
    func frames(after last: Position, _ acceptsLoss: Bool = false) throws -> [JournalFrame] {
        if let unopened, !acceptsLoss { throw unopened }
        guard !isExhausted || acceptsLoss else {
            throw StoreError(.logDamaged, "the journal is full of beginnings of frames")
        }
        var end = last
        var found: [JournalFrame] = []
        for frame in frames where frame.last > end {
            let next = Position(end.rawValue + 1)
            let isLive = generations.contains(frame.generation)
            // The log may have the first events of a frame; no frame has another one's.
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
