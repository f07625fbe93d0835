internal import Dispatch
internal import MessageStoreLMDB

/// Looks through a store that need not be fit to be opened.
struct StoreCheck {
    let directory: StoreDirectory
    let configuration: MessageStore.Configuration
    let limit: Int
    let progress: MessageStore.ReplayProgress
    var report = CheckReport()

    private static let identityFile = StoreIdentity.fileName
    private static let logFile = "log/data.mdb"
    private static let journalFiles = "log/journal"
    private static let viewsFile = "views/data.mdb"

    mutating func run() throws {
        var identity: StoreIdentity?
        try noting(in: Self.identityFile) { check throws in
            identity = try StoreIdentity.read(from: check.directory.path)
        }
        var keys: StoreKeys?
        let hasKeys = try noting(in: "log/" + LogSeal.fileName) { check throws in
            keys = try identity?.keys(in: check.directory, check.configuration.privacy.key)
        }
        // Nothing else can be read then.
        guard hasKeys else { return }
        let isLogSound = try noting(in: Self.logFile) { check throws in
            _ = try Preflight.check(check.directory.logPath + "/data.mdb", walks: true)
            try check.examine(identity, keys)
        }
        // Without an identity nobody knows whether rows are sealed.
        if identity != nil { try checkLagging(keys) }
        let viewsPath = directory.viewsPath + "/data.mdb"
        guard try FileSystem.status(of: viewsPath) != nil else { return }
        let areViewsSound = try noting(in: Self.viewsFile, as: .viewsDamaged) { _ throws in
            _ = try Preflight.check(viewsPath, walks: true)
        }
        guard isLogSound, areViewsSound, identity != nil else { return }
        try noting(in: Self.viewsFile) { check throws in try check.compareViews() }
    }

    /// Reads the rows of lagging projections, registered or not.
    private mutating func checkLagging(_ keys: StoreKeys?) throws {
        guard try FileSystem.status(of: directory.laggingPath)?.kind == .directory else { return }
        for name in try FileSystem.names(in: directory.laggingPath).ordered() {
            let path = directory.laggingPath + "/" + name
            try noting(in: "lagging/\(name)/data.mdb", as: .viewsDamaged) { _ throws in
                _ = try Preflight.check(path + "/data.mdb", walks: true)
                try LaggingFiles.checkRows(at: path, key: keys?.lagging(name))
            }
        }
    }

    /// Reads the log, which is closed again before the store is opened for its views.
    private mutating func examine(_ identity: StoreIdentity?, _ keys: StoreKeys?) throws {
        let types = try EventTypes(configuration.events)
        let log = try EventLog(
            path: directory.logPath,
            configuration: .init(access: .readOnly, mapSize: configuration.mapBytes, key: keys?.log), types: types)
        if let identity {
            try noting(in: Self.identityFile) { check throws in
                try identity.check(against: log, of: keys?.account, notesID: false, path: check.directory.path)
            }
            try noting(in: Self.journalFiles) { _ throws in try log.useJournal(of: identity.idBytes ?? []) }
        }
        let examination = try log.examine(decodes: true, progress: progress) { error in
            note(error, in: Self.logFile)
        }
        report.scannedRecords = examination.scannedRecords
        report.recordsByPosition = examination.recordsByKey
        report.symbols = examination.symbols
        try noting(in: Self.logFile) { _ throws in _ = try log.subscriptionPositions() }
        if let event = try log.unfinishedErasure() {
            note(StoreError.unfinishedErasure(event, path: directory.logPath), in: Self.logFile)
        }
    }

    private mutating func compareViews() throws {
        let store = try MessageStore.openReadOnly(directory.path, configuration: configuration, progress: progress)
        defer { try? store.close() }
        let verification = try store.verifyViews(limit: limit, progress)
        report.comparedPosition = verification.position
        for difference in verification.differences {
            note(
                StoreError(
                    .viewsDamaged,
                    "the row \(difference.key) of the view table \(difference.table) is not what the log gives"),
                in: Self.viewsFile)
        }
        report.findingCount += verification.differenceCount - verification.differences.count
        if verification.differenceCount == 0, !verification.isConsistent {
            note(StoreError(.viewsDamaged, "the digests of the views are not those of their rows"), in: Self.viewsFile)
        }
    }

    /// Runs a part of the check; an error that ends it is a finding. An error thrown by a host's progress is not a
    /// finding.
    ///
    /// - Returns: Whether the part found nothing.
    @discardableResult
    private mutating func noting(
        in file: String, as code: StoreError.Code? = nil, _ body: (inout StoreCheck) throws -> Void
    ) throws -> Bool {
        let before = report.findingCount
        do {
            try StoreError.translating { try body(&self) }
        } catch let error as StoreError where Self.isDamage(error.code) {
            note(code.map { StoreError($0, error.message, position: error.position) } ?? error, in: file)
        }
        return report.findingCount == before
    }

    private static func isDamage(_ code: StoreError.Code) -> Bool {
        [.logDamaged, .recordDamaged, .logForged, .viewsDamaged, .logRolledBack, .newerFormat].contains(code)
    }

    private mutating func note(_ error: StoreError, in file: String) {
        report.findingCount += 1
        guard report.findings.count < limit else { return }
        report.findings.append(.init(code: error.code, file: file, position: error.position, message: error.message))
    }
}

/// The result of checking a whole store.
public struct CheckReport: Sendable, Hashable {
    /// Something that is not as it should be.
    public struct Finding: Sendable, Hashable {
        /// The kind of damage.
        public let code: StoreError.Code
        /// The file: `identity.json`, `keys.json`, `log/data.mdb` or `views/data.mdb`.
        public let file: String
        /// The position in the log, if it is about one.
        public let position: Position?
        /// The problem, in words; never the text of a message.
        public let message: String

        /// A remedy, in words.
        public var remedy: String {
            switch code {
            case .viewsDamaged: "rebuild the views from the log; nothing is lost"
            case .logRolledBack: "restore the newer log, or accept the older one"
            case .newerFormat: "use a newer version"
            case .erasureUnfinished: "open the store for writing; nothing is damaged"
            default: "restore the store from a backup, or salvage what can be read into a new one"
            }
        }
    }

    /// Records that were read in the order of the log, with a checksum that fits.
    public internal(set) var scannedRecords = 0
    /// Records that were found by their position as well.
    public internal(set) var recordsByPosition = 0
    /// Strings that the log holds under a number, and whose number is found by the string.
    public internal(set) var symbols = 0
    /// The position at which the views were compared with a replay; nil if they were not, because there are none, or
    /// the log is damaged.
    public internal(set) var comparedPosition: Position?
    /// The first findings, up to the requested limit.
    public internal(set) var findings: [Finding] = []
    /// How many findings there are in all.
    public internal(set) var findingCount = 0

    /// Whether nothing was found.
    public var isSound: Bool { findingCount == 0 }
}

extension MessageStore {
    /// Checks everything that a store's files hold, also of a store that cannot be opened. Changes nothing.
    ///
    /// The identity file is held against the log; the pages of both data files are walked; every record is read in
    /// order, decoded, and found by its position; strings and their numbers are compared both ways; and if the log is
    /// sound, the views are compared with a replay of it. Costs several passes over the log.
    ///
    /// The store may be open for writing in another process, and not in this one: `verify()` checks an open store.
    ///
    /// - Parameters:
    ///   - path: The store's directory.
    ///   - configuration: The host's types of events and projections; others are not decoded or compared.
    ///   - limit: The maximum number of findings to report; all are counted.
    ///   - progress: Called periodically with the position reached and the last position, once for the records and once
    ///     for the replay; throwing ends the check.
    /// - Throws: `StoreError`: `storeMissing`, `notAStore`, `alreadyOpen`, `permissionDenied` and others, but none for
    ///   damage, which is reported; or what `progress` throws.
    public static func check(
        _ path: String, configuration: Configuration = Configuration(), limit: Int = 100,
        progress: ReplayProgress = { _, _ in }
    ) throws -> CheckReport {
        try withoutActuallyEscaping(progress) { progress in
            try StoreError.translating {
                let directory = try StoreDirectory(path: path)
                try directory.requireStore()
                var check = StoreCheck(
                    directory: directory, configuration: configuration, limit: limit, progress: progress)
                try check.run()
                return check.report
            }
        }
    }

    /// Checks everything that a store's files hold, without blocking the caller's executor. Ends early when the task is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - path: The store's directory.
    ///   - configuration: The host's types of events and projections; others are not decoded or compared.
    ///   - limit: The maximum number of findings to report; all are counted.
    ///   - progress: Called periodically with the position reached and the last position.
    /// - Throws: As the synchronous form, or `CancellationError`.
    public static func check(
        _ path: String, configuration: Configuration = Configuration(), limit: Int = 100,
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws -> CheckReport {
        try await runCancellable(on: .global(qos: .userInitiated), progress: progress) { _, progress in
            try check(path, configuration: configuration, limit: limit, progress: progress)
        }
    }
}
