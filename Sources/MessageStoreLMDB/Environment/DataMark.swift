internal import MessageStoreCLMDB

/// How a data file was left: the content of `data.mark` next to it.
///
/// An environment that is about to write for the first time says `open`, on the medium, and one that was closed says
/// `closed` once all it wrote is on the medium. So a file can be trusted without looking at its pages
///
/// - where the mark says `closed` and the file is the one it names, of the same length and times;
/// - where it says `open` in this session of the system: a process that is killed leaves the file whole, as LMDB's
///   order of writes is the order of the system's memory. A system that stopped need not have kept it.
package struct DataMark: Hashable, Sendable {
    package enum State: UInt64, Sendable {
        case open = 1, closed = 2
        /// Open, with events in one or two files of a journal, which are not removed before another state is noted.
        case openWithJournal = 3, openWithTwoJournals = 4

        init(journalFiles count: Int) {
            self = count == 0 ? .open : count == 1 ? .openWithJournal : .openWithTwoJournals
        }

        var journalFiles: Int { self == .openWithJournal ? 1 : self == .openWithTwoJournals ? 2 : 0 }
    }

    /// The system's attributes of a file; times are nanoseconds.
    package struct Stamps: Hashable, Sendable {
        package var inode: UInt64
        package var size: UInt64
        package var modified: UInt64
        package var changed: UInt64

        package init(inode: UInt64, size: UInt64, modified: UInt64, changed: UInt64) {
            (self.inode, self.size, self.modified, self.changed) = (inode, size, modified, changed)
        }
    }

    package var state: State
    package var stamps: Stamps
    /// The transaction that the file was at.
    package var transaction: UInt64
    /// A random number, so that two openings differ.
    package var opening: UInt64
    /// ``BootSession/current`` when the mark was written.
    package var boot: [UInt8]

    /// Longer than any system's name for its session.
    static let bootBytes = 64
    package static let byteCount = 8 * 8 + bootBytes + 8
    private static let magic: UInt64 = 0x314B_5241_4D53_4D0A  // "\nMSMARK1"

    package init(_ state: State, _ stamps: Stamps, transaction: UInt64, boot: [UInt8] = BootSession.current) {
        self.state = state
        self.stamps = stamps
        self.transaction = transaction
        opening = .random(in: .min ... .max)
        self.boot = Array(boot.prefix(Self.bootBytes))
    }

    /// Whether a file with these stamps needs no look at its pages.
    func vouches(for current: Stamps) -> Bool {
        switch state {
        case .closed: current == stamps
        case .open, .openWithJournal, .openWithTwoJournals:
            current.inode == stamps.inode && !boot.isEmpty && boot == BootSession.current
        }
    }
}

extension DataMark {
    /// Reads a mark; nil if the bytes are none.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        let span = bytes.span.bytes
        func word(_ index: Int) -> UInt64 {
            UInt64(littleEndian: span.unsafeLoadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
        }
        guard word(0) == Self.magic, let state = State(rawValue: word(1)),
            word(Self.byteCount / 8 - 1) == Self.checksum(bytes.dropLast(8))
        else { return nil }
        self.state = state
        stamps = Stamps(inode: word(2), size: word(3), modified: word(4), changed: word(5))
        transaction = word(6)
        opening = word(7)
        boot = Array(bytes[64..<64 + Self.bootBytes].prefix { $0 != 0 })
    }

    /// Eight numbers, the session's name filled up with zeros, and the checksum of all that.
    package var bytes: [UInt8] {
        let words = [
            Self.magic, state.rawValue, stamps.inode, stamps.size, stamps.modified, stamps.changed, transaction,
            opening,
        ]
        var bytes = words.flatMap(Self.bytes)
        bytes += boot + [UInt8](repeating: 0, count: Self.bootBytes - boot.count)
        return bytes + Self.bytes(Self.checksum(bytes[...]))
    }

    private static func bytes(_ word: UInt64) -> [UInt8] {
        withUnsafeBytes(of: word.littleEndian) { [UInt8]($0) }
    }

    /// FNV-1a, 64 bits: enough against a write that was cut short.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

/// The file with the mark, and the data file that it is about, in a directory that is held open: it may be renamed
/// meanwhile.
struct DataMarkFile: Sendable {
    static let name = "data.mark"
    private static let dataName = "data.mdb"

    private let directory: OpenDirectory
    private let path: String

    init(directory: OpenDirectory, path: String) {
        (self.directory, self.path) = (directory, path)
    }

    /// The mark; nil if there is none, or none that can be read.
    func read() -> DataMark? {
        let descriptor = openat(directory.descriptor, Self.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = [UInt8](unsafeUninitializedCapacity: DataMark.byteCount) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return DataMark(bytes)
    }

    /// Writes a mark over the one that is there, or one that vouches for nothing; on the medium when this returns.
    ///
    /// A write that is cut short leaves none, by its checksum. The entry of a new file need not be on the medium: where
    /// there is none, the pages are looked at.
    func write(_ mark: DataMark?) throws(FileError) {
        let file = path + "/" + Self.name
        var status = stat()
        if fstatat(directory.descriptor, Self.name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_nlink > 1 {
            // A hard link: the same file under another name is not the store's to change.
            try FileSystem.check(unlinkat(directory.descriptor, Self.name, 0) == 0, "remove file", file)
        }
        let descriptor = openat(
            directory.descriptor, Self.name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        try FileSystem.check(descriptor >= 0, "open", file)
        defer { close(descriptor) }
        let bytes = mark?.bytes ?? [UInt8](repeating: 0, count: DataMark.byteCount)
        try FileSystem.write(bytes.span.bytes, to: descriptor, file)
        try FileSystem.check(flush(descriptor) == 0, "sync", file)
    }

    /// Forces the data file to the medium.
    func synchronizeData() throws(FileError) {
        let descriptor = openat(directory.descriptor, Self.dataName, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        try FileSystem.check(descriptor >= 0, "open", path)
        defer { close(descriptor) }
        try FileSystem.check(flush(descriptor) == 0, "sync", path)
    }

    /// The system's attributes of the data file.
    func stamps() throws(FileError) -> DataMark.Stamps {
        var status = stat()
        let code = fstatat(directory.descriptor, Self.dataName, &status, AT_SYMLINK_NOFOLLOW)
        try FileSystem.check(code == 0, "stat", path + "/" + Self.dataName)
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        return DataMark.Stamps(
            inode: UInt64(status.st_ino), size: UInt64(truncatingIfNeeded: status.st_size),
            modified: Self.nanoseconds(modified), changed: Self.nanoseconds(changed))
    }

    private static func nanoseconds(_ time: timespec) -> UInt64 {
        UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    }

    /// Checks the data file before LMDB maps it.
    ///
    /// If the file is opened for reading only, another process may commit between two looks at it: a finding counts as
    /// damage only if the file did not change. A walk over the pages of a file that keeps changing is given up after a
    /// few tries, for its writer is alive.
    ///
    /// - Returns: The mark that was found, whether it says that the file was closed and vouches for it, and the bytes
    ///   of the pages that were looked at.
    func check(
        isReadOnly: Bool, _ pageCheck: Environment.Configuration.PageCheck
    ) throws -> (mark: DataMark?, isMarkedClosed: Bool, walkedBytes: Int) {
        let file = path + "/" + Self.dataName
        try FileSystem.requireRegularFile(path + "/" + Self.name)
        var attempt = 0
        while true {
            attempt += 1
            // The mark before the file: a file that goes on is never older than its mark.
            let mark = read()
            let stamps = try? stamps()
            let isVouchedFor = mark.flatMap { mark in stamps.map(mark.vouches) } ?? false
            let before = isReadOnly ? try? Preflight.transaction(of: file) : nil
            do {
                let walks = (pageCheck == .always || !isVouchedFor) && attempt <= 3
                let report = try Preflight.check(file, walks: walks)
                if let mark, mark.stamps.inode == stamps?.inode, report.transaction < mark.transaction {
                    throw Preflight.failure(
                        file, "the last commits are missing: \(report.transaction), not \(mark.transaction)")
                }
                return (mark, isVouchedFor && mark?.state == .closed, report.walkedBytes)
            } catch let error as LMDBError {
                guard isReadOnly, attempt < 20 else { throw error }
                if let before, before == (try? Preflight.transaction(of: file)) { throw error }
                FileSystem.pause(milliseconds: 1)
            }
        }
    }
}

extension Environment {
    /// Says that the data file is being written, before the first commit of an opening is; see ``DataMark``.
    ///
    /// The caller holds LMDB's lock for writing.
    func markOpen(_ transaction: OpaquePointer) throws {
        try upkeep.withLock { upkeep throws in
            guard upkeep.keepsMark, !upkeep.isMarkedOpen else { return }
            do {
                // A journal that an earlier opening left is there until its events are committed.
                try mark(
                    .init(journalFiles: upkeep.mark?.state.journalFiles ?? 0), Self.committed(before: transaction),
                    &upkeep)
            } catch let error as FileError where error.isNotFound {
                // The directory was removed: nobody will open the file again.
                upkeep.keepsMark = false
            }
        }
    }

    private func mark(_ state: DataMark.State, _ transaction: UInt64, _ upkeep: inout Upkeep) throws {
        let mark = DataMark(state, try marks.stamps(), transaction: transaction)
        try marks.write(mark)
        upkeep.mark = mark
        (upkeep.isMarkedOpen, upkeep.isMarkedClosed) = (true, false)
    }

    /// Says how many files of a journal have events: before the first in a file is acknowledged, and before the files
    /// are removed.
    package func markJournal(files count: Int) throws {
        guard upkeep.withLock({ $0.keepsMark && ($0.mark?.state.journalFiles ?? 0) != count }) else { return }
        let transaction = try read { UInt64(truncatingIfNeeded: mdb_txn_id($0.handle)) }
        try upkeep.withLock { try mark(.init(journalFiles: count), transaction, &$0) }
    }

    /// How many files of a journal have events, as the mark says now, whichever data file it was made for: a copy of a
    /// directory has other files, and lacks the same events without a journal.
    package var markedJournalFiles: Int { marks.read()?.state.journalFiles ?? 0 }

    /// Says that the data file is whole and on the medium, at the end of an opening.
    ///
    /// If that fails, or the last commit failed, the pages are checked when the environment is opened the next time.
    /// Another process may be writing already: it has its own mark there then, which stays.
    func markClosed() {
        let upkeep = upkeep.withLock { $0 }
        guard upkeep.keepsMark, !upkeep.isMarkedClosed, let opened, isStill(at: path) else { return }
        // Events are in a journal still, whose absence is to be noticed.
        guard upkeep.mark?.state.journalFiles ?? 0 == 0 else { return }
        guard upkeep.failedTransaction == 0 else {
            try? marks.write(nil)
            return
        }
        var transaction: OpaquePointer?
        guard mdb_txn_begin(opened, nil, 0, &transaction) == 0, let transaction else { return }
        defer { mdb_txn_abort(transaction) }
        guard marks.read() == upkeep.mark, (try? marks.synchronizeData()) != nil, let stamps = try? marks.stamps()
        else {
            return
        }
        try? marks.write(DataMark(.closed, stamps, transaction: Self.committed(before: transaction)))
    }

    /// Whether the data file is whole and on the medium, as it was left, with nothing committed since.
    package var isMarkedClosed: Bool { upkeep.withLock { $0.isMarkedClosed } }

    private static func committed(before transaction: OpaquePointer) -> UInt64 {
        UInt64(truncatingIfNeeded: mdb_txn_id(transaction)) &- 1
    }
}
