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
        let isLogSound = try noting(in: Self.logFile) { check throws in
            _ = try Preflight.check(check.directory.logPath + "/data.mdb", walks: true)
            try check.examine(identity)
        }
        try checkLagging()
        let viewsPath = directory.viewsPath + "/data.mdb"
        guard try FileSystem.status(of: viewsPath) != nil else { return }
        let areViewsSound = try noting(in: Self.viewsFile, as: .viewsDamaged) { _ throws in
            _ = try Preflight.check(viewsPath, walks: true)
        }
        guard isLogSound, areViewsSound, identity != nil else { return }
        try noting(in: Self.viewsFile) { check throws in try check.compareViews() }
    }

    /// Reads the rows of lagging projections, also of those that are not registered.
    private mutating func checkLagging() throws {
        guard try FileSystem.status(of: directory.laggingPath)?.kind == .directory else { return }
        for name in try FileSystem.names(in: directory.laggingPath).ordered() {
            let path = directory.laggingPath + "/" + name
            try noting(in: "lagging/\(name)/data.mdb", as: .viewsDamaged) { _ throws in
                _ = try Preflight.check(path + "/data.mdb", walks: true)
                try LaggingFiles.checkRows(at: path)
            }
        }
    }

    /// Reads the log, which is closed again before the store is opened for its views.
    private mutating func examine(_ identity: StoreIdentity?) throws {
        let types = try EventTypes(configuration.events)
        let log = try EventLog(
            path: directory.logPath,
            configuration: .init(access: .readOnly, mapSize: configuration.mapBytes), types: types)
        if let identity {
            try noting(in: Self.identityFile) { check throws in
                try identity.check(against: log, notesID: false, path: check.directory.path)
            }
            try noting(in: Self.journalFiles) { _ throws in try log.useJournal(of: identity.idBytes ?? []) }
        }
        let examination = try log.examine(decodes: true, progress: progress) { error in
            note(error, in: Self.logFile)
        }
        report.scannedRecords = examination.scannedRecords
        report.recordsByPosition = examination.recordsByKey
        report.symbols = examination.symbols
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
        [.logDamaged, .recordDamaged, .viewsDamaged, .logRolledBack, .newerFormat].contains(code)
    }

    private mutating func note(_ error: StoreError, in file: String) {
        report.findingCount += 1
        guard report.findings.count < limit else { return }
        report.findings.append(.init(code: error.code, file: file, position: error.position, message: error.message))
    }
}
