import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("Restoring a backup", .timeLimit(.minutes(30)))
struct RestoreBackupTests {
    private let place: TemporaryStore
    private var backup: String { place.directory + "/backup" }
    private var new: String { place.directory + "/new" }
    private static let secrets = (1...60).filter(SecretFiles.isSecret).map { Position(UInt64($0)) }

    init() throws { place = try TemporaryStore() }

    /// Records messages, some of them secret.
    private func record(_ numbers: ClosedRange<Int>, in store: MessageStore) throws {
        for number in numbers { try store.record(SecretFiles.message(number)) }
    }

    private func open(_ path: String) throws -> MessageStore {
        try MessageStore.open(path, account: TemporaryStore.account, configuration: place.configuration)
    }

    @Test("I16: a restored backup has the same answers, and no byte of what was erased after the backup")
    func restore() throws {
        let store = try place.open()
        try record(1...60, in: store)
        try store.backup(to: backup)
        for position in Self.secrets.dropFirst() { try store.redact(position) }
        let id = ServerMessageID("m\(Self.secrets[0])")
        try store.record(Event(MessagesDeleted([.server(id)], erases: true), in: group))
        try store.redact(try #require(try store.record(received("later", at: 99, text: "later")).position))
        let ledger = try ErasureLedger(json: store.erasureLedger().json)
        #expect(ledger.positions == (Self.secrets + [Position(62)]).map { $0...$0 })
        #expect(try !ledger.json.contains("later") && !ledger.json.contains(SecretFiles.secret))

        #expect(try MessageStore.restoreBackup(from: backup, to: new, key: TemporaryStore.key) == Position(60))
        #expect(
            try (SecretFiles.count(in: new) > 0) == (TemporaryStore.key == nil),
            "without the ledger the words come back")
        try FileManager.default.removeItem(atPath: new)
        #expect(
            try MessageStore.restoreBackup(from: backup, to: new, applying: ledger, key: TemporaryStore.key)
                == Position(60))
        #expect(try SecretFiles.count(in: new) == 0)
        let copy = try open(new)
        #expect(try copy.events() == Array(store.events().prefix(60)))
        #expect(try copy.digests() == store.digests(at: Position(60)) && copy.isConsistent())
        #expect(try copy.record((1...60).map(SecretFiles.message)).duplicates == 60, "I4")
        #expect(try copy.message(id)?.content.text == nil, "the deletion came later, and the words are gone")
        #expect(try copy.statistics().owedBytes == 0)
        try copy.close()
        #expect(try MessageStore.check(new, configuration: .ofTests).isSound)
        #expect(try SecretFiles.count(in: new) == 0)
        #expect(try open(backup).events().count == 60, "the backup stays as it is, and can be opened")
        try store.close()
    }

    @Test("a ledger counts for backups of the stores that recorded the same events, as far as they are the same")
    func lineage() throws {
        let store = try place.open()
        try record(1...20, in: store)
        try store.backup(to: backup)
        try MessageStore.restoreBackup(from: backup, to: new, key: TemporaryStore.key)
        let other = try open(new)
        // Both go on with events of their own at the same positions.
        try record(21...40, in: store)
        try record(41...60, in: other)
        for position in [Position(10), Position(30)] { try other.redact(position) }
        try other.compact()
        let (ledger, later) = (try other.erasureLedger(), place.directory + "/later")
        try store.backup(to: later)
        try other.backup(to: later + "-2")
        let cases: [(String, [UInt64])] = [(backup, [10]), (later, [10]), (later + "-2", [10, 30])]
        for (number, (source, erased)) in cases.enumerated() {
            let restored = place.directory + "/restored-\(number)"
            try MessageStore.restoreBackup(from: source, to: restored, applying: ledger, key: TemporaryStore.key)
            let copy = try open(restored)
            #expect(try copy.events().filter(\.isRedacted).map(\.position.rawValue) == erased)
            #expect(try copy.erasureLedger().positions == erased.map { Position($0)...Position($0) })
            try copy.close()
        }
        let elsewhere = try TemporaryStore()
        let stranger = try elsewhere.open()
        let foreign = try stranger.erasureLedger()
        #expect(
            storeError {
                try MessageStore.restoreBackup(
                    from: backup, to: place.directory + "/no", applying: foreign, key: TemporaryStore.key)
            }?
            .code == .lineageMismatch)
        // A store that began empty has the lineage of the one it is a backup of all the same.
        try stranger.backup(to: place.directory + "/empty")
        try MessageStore.restoreBackup(
            from: place.directory + "/empty", to: place.directory + "/empty-2", applying: foreign,
            key: TemporaryStore.key)
        try stranger.close()
        try other.close()
        try store.close()
    }

    @Test("what is no backup, damage and a path where something exists are typed errors, and leave nothing")
    func refused() throws {
        struct Ended: Error {}
        try place.withStore { store in
            try record(1...20, in: store)
            try store.backup(to: backup)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: place.directory).count
        func code(_ from: String, _ to: String? = nil) -> StoreError.Code? {
            storeError { try MessageStore.restoreBackup(from: from, to: to ?? new, key: TemporaryStore.key) }?.code
        }
        #expect(code(place.directory + "/none") == .storeMissing)
        #expect(code(place.directory) == .notAStore && code(backup + "/log/data.mdb") == .notAStore)
        #expect(code(backup, place.path) == .invalidArgument && code(backup, new + "/no/new") == .invalidArgument)
        #expect(throws: Ended.self) {
            try MessageStore.restoreBackup(from: backup, to: new, key: TemporaryStore.key) { _, _ in throw Ended() }
        }
        let noLedgers = [
            "", "{}", "[]", #"{"lineage":[],"positions":[]}"#, #"{"lineage":[{"store":"00"}],"positions":[[2,1]]}"#,
            #"{"last":9,"lineage":[{"store":"00"}],"positions":[[2,2],[1,1]],"values":{}}"#,
        ]
        for json in noLedgers {
            #expect(storeError { _ = try ErasureLedger(json: json) }?.code == .invalidArgument, "\(json)")
        }
        let data = backup + "/log/data.mdb"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: data))
        while let text = bytes.range(of: Data("harmless19.1".utf8)) { bytes[text.lowerBound] ^= 1 }
        try bytes.write(to: URL(fileURLWithPath: data))
        #expect(code(backup) == .recordDamaged)
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: data))
        #expect(code(backup) == .logDamaged)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory).count == names)
    }

    @Test("I2: killed while it is written, a restored store is not at its path")
    func killed() async throws {
        try place.withStore { store in
            try record(1...20, in: store)
            try store.backup(to: backup)
        }
        await #expect(processExitsWith: .signal(SIGKILL)) { [backup = backup as String, new = new as String] in
            try MessageStore.restoreBackup(from: backup, to: new, key: TemporaryStore.key) { _, _ in
                kill(getpid(), SIGKILL)
            }
        }
        #expect(!FileManager.default.fileExists(atPath: new))
        #expect(try MessageStore.restoreBackup(from: backup, to: new, key: TemporaryStore.key) == Position(20))
    }
}
