import Foundation
import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("what is at a store's path")
struct StoreFilesTests {
    private let manager = FileManager.default

    private func filled() throws -> TemporaryStore {
        let place = try TemporaryStore()
        try place.withStore { try $0.record([received("a", at: 1), received("b", at: 2), profiles([("bob", "B")])]) }
        return place
    }

    enum LockLoss: CaseIterable { case removed, renamed, removedButForALink }

    @Test(
        "I4: once writer.lock is removed or renamed, nothing is acknowledged any more", arguments: LockLoss.allCases,
        [false, true])
    func lostLock(_ loss: LockLoss, isTaken: Bool) throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try store.record([received("a", at: 1)])
        let (lock, other) = (place.path + "/writer.lock", place.directory + "/other.lock")
        if loss == .removedButForALink { try manager.linkItem(atPath: lock, toPath: other) }
        if loss == .renamed {
            try manager.moveItem(atPath: lock, toPath: other)
        } else {
            try manager.removeItem(atPath: lock)
        }
        if isTaken {
            // What another process would find.
            let copy = place.directory + "/copy"
            try manager.copyItem(atPath: place.path, toPath: copy)
            let other = try MessageStore.open(copy, account: TemporaryStore.account, configuration: .ofTests)
            #expect(try other.lastPosition() == Position(1))
            try other.close()
        }
        expectError(.alreadyOpen) { try store.redact(Position(1)) }
        for _ in 0..<3 { expectError(.alreadyOpen) { try store.record([received("b", at: 2)]) } }
        try? store.close()
        try place.withStore { store throws in #expect(try store.lastPosition() == Position(1)) }
    }

    @Test("who loses a race to make a store gets the error that it is open already")
    func creationRace() throws {
        let place = try TemporaryStore()
        expectError(.alreadyOpen) {
            try StoreDirectory(path: place.path).create(account: TemporaryStore.account, key: nil) { log, storeID in
                try log.symbols.enter(account: TemporaryStore.account, storeID: storeID)
                try place.open().close()
            }
        }
        #expect(try manager.contentsOfDirectory(atPath: place.directory).count == 1)
        try place.withStore { store throws in #expect(try store.lastPosition() == .origin) }
    }

    @Test("where address space is missing, the error names the setting")
    func addressSpace() throws {
        let place = try filled()
        var configuration = place.configuration
        configuration.mapBytes = 1 << 52
        do {
            try MessageStore.open(place.path, account: TemporaryStore.account, configuration: configuration).close()
            Issue.record("it was opened")
        } catch let error as StoreError {
            #expect(error.code == .addressSpaceFull && error.message.contains("mapBytes"), "\(error)")
        }
    }

    @Test("a prepared directory holds a new store, is prepared again next to one, and needs its parent")
    func prepared() throws {
        let place = try TemporaryStore()
        try MessageStore.prepareDirectory(place.path)
        #expect(try FileManager.default.attributesOfItem(atPath: place.path)[.posixPermissions] as? Int == 0o700)
        try place.withStore { store throws in try store.record(.draftChanged("draft", in: group)) }
        try MessageStore.prepareDirectory(place.path, protection: .none, isInBackups: true)
        try place.withStore { store throws in #expect(try store.lastPosition() == Position(1)) }
        expectError(.storeMissing) { try MessageStore.prepareDirectory(place.path + "/none/store") }
        let file = place.directory + "/file"
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        #expect(throws: StoreError.self) { try MessageStore.prepareDirectory(file) }
    }

    @Test("a missing directory is made for writing, and an error for reading only")
    func missing() throws {
        let place = try TemporaryStore()
        expectError(.storeMissing) { _ = try place.openReadOnly() }
        expectError(.storeMissing) { _ = try MessageStore.account(ofStoreAt: place.path) }
        try place.withStore { store throws in #expect(try store.lastPosition() == .origin) }
    }

    @Test("a store cannot be made where the directory for it is missing: an invalid argument that names it")
    func missingParent() throws {
        let place = try filled()
        let parent = place.directory + "/no/such"
        let isExpected = { (error: any Error) in
            (error as? StoreError)?.code == .invalidArgument && (error as? StoreError)?.path == parent
        }
        for path in [parent + "/store", parent + "/store//"] {
            #expect(performing: { try MessageStore.open(path, account: "me") }, throws: isExpected)
            #expect(performing: { try MessageStore.salvage(place.path, to: path) }, throws: isExpected)
        }
        #expect(performing: { try AccountStores(at: parent + "/stores").open("me") }, throws: isExpected)
        expectError(.storeMissing) { _ = try MessageStore.openReadOnly(parent + "/store") }
    }

    @Test("an empty directory becomes a store; a foreign one, a file or a link is left alone")
    func foreign() throws {
        let place = try filled()
        let path = place.directory + "/other"
        try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
        try MessageStore.open(path, account: "me").close()
        try manager.removeItem(atPath: path)

        try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path + "/notes.txt"))
        expectError(.notAStore) { _ = try MessageStore.open(path, account: "me") }
        #expect(try manager.contentsOfDirectory(atPath: path) == ["notes.txt"])
        expectError(.notAStore) { _ = try MessageStore.open(path + "/notes.txt", account: "me") }
        try manager.removeItem(atPath: path)

        try manager.createSymbolicLink(atPath: path, withDestinationPath: place.path)
        expectError(.notAStore) { _ = try MessageStore.open(path, account: "me") }
        expectError(.notAStore) { _ = try MessageStore.openReadOnly(path) }
    }

    @Test("paths that are empty or hold a NUL are refused", arguments: ["", "a\0b"])
    func badPaths(path: String) {
        expectError(.invalidArgument) { _ = try MessageStore.open(path, account: "me") }
    }

    @Test(
        "I13: an identity of a newer format or a damaged one is told apart",
        arguments: [
            (#"{"account":"me","format":5,"id":"00000000000000000000000000000000"}"#, StoreError.Code.newerFormat),
            // A sealed store has a file of the keys, of another id.
            (
                #"{"account":"","format":4,"id":"00000000000000000000000000000000"}"#,
                TemporaryStore.key == nil ? .logDamaged : .keyRefused
            ),
            (#"{"format":999}"#, .newerFormat), ("", .logDamaged), ("{}", .logDamaged), ("\0\0", .logDamaged),
            (#"{"account":"me","format":1,"id":"xyz"}"#, .logDamaged), (#"{"format":0}"#, .logDamaged),
            (#"{"account":"","format":1,"id":"00000000000000000000000000000000"}"#, .logDamaged),
        ])
    func identity(text: String, code: StoreError.Code) throws {
        let place = try filled()
        try Data(text.utf8).write(to: URL(fileURLWithPath: place.path + "/identity.json"))
        expectError(code) { _ = try place.open() }
        expectError(code) { _ = try place.openReadOnly() }
        expectError(code) { _ = try MessageStore.account(ofStoreAt: place.path, key: TemporaryStore.key) }
    }

    enum Damage: CaseIterable, CustomTestStringConvertible {
        case empty, truncatedToPage, truncatedByOne, missingFile, missingDirectory, noise, aDirectory
        var testDescription: String { "\(self)" }
    }

    private func damage(_ directory: String, _ damage: Damage) throws {
        let url = URL(fileURLWithPath: directory + "/data.mdb")
        let bytes = try Data(contentsOf: url)
        switch damage {
        case .empty: try Data().write(to: url)
        case .truncatedToPage: try bytes.prefix(4096).write(to: url)
        case .truncatedByOne: try bytes.prefix(2 * 4096 + 1).write(to: url)
        case .missingFile: try manager.removeItem(at: url)
        case .missingDirectory: try manager.removeItem(atPath: directory)
        case .noise: try Data(repeating: 0xA5, count: bytes.count).write(to: url)
        case .aDirectory:
            try manager.removeItem(at: url)
            try manager.createDirectory(at: url, withIntermediateDirectories: false)
        }
    }

    @Test("I10: a damaged log is an error, never an empty store, and is left as it is", arguments: Damage.allCases)
    func damagedLog(kind: Damage) throws {
        let place = try filled()
        try damage(place.path + "/log", kind)
        for _ in 0..<2 {
            expectError(.logDamaged) { _ = try place.open() }
            expectError(.logDamaged) { _ = try place.openReadOnly() }
        }
    }

    @Test(
        "I3: views that are missing or damaged are rebuilt in silence, with the same digests",
        arguments: Damage.allCases)
    func damagedViews(kind: Damage) throws {
        let place = try filled()
        let digests = try place.withStore { try $0.digests() }
        try damage(place.path + "/views", kind)
        let reader = try place.openReadOnly()
        #expect(try reader.digests() == digests)
        try reader.close()
        try place.withStore { store throws in
            #expect(try store.digests() == digests)
            #expect(try store.texts() == ["a", "b"])
            #expect(try store.isConsistent())
        }
        #expect(try manager.contentsOfDirectory(atPath: place.path).filter { $0.contains("build") }.isEmpty)
    }

    @Test("I3: a file in the place of the views' directory is replaced")
    func fileAsViews() throws {
        let place = try filled()
        try manager.removeItem(atPath: place.path + "/views")
        try Data("x".utf8).write(to: URL(fileURLWithPath: place.path + "/views"))
        try place.withStore { store throws in #expect(try store.texts() == ["a", "b"]) }
    }

    @Test(
        "statistics count the bytes of the journal, whose files are their owner's alone and go when the store is closed"
    )
    func journal() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        #expect(try store.statistics().journalBytes == 0)
        try store.record(received("a", at: 1))
        let path = place.path + "/log/journal-0"
        let attributes = try manager.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try store.statistics().journalBytes == attributes[.size] as? Int)
        try store.close()
        #expect(!manager.fileExists(atPath: path))
        try place.withStore { store throws in #expect(try store.statistics().journalBytes == 0) }
    }

    @Test("I3: views of another store are rebuilt")
    func foreignViews() throws {
        let place = try filled()
        let digests = try place.withStore { try $0.digests() }
        let other = try TemporaryStore()
        try other.withStore { try $0.record([received("x", at: 9), received("y", at: 9), pinned(), pinned()]) }
        try manager.removeItem(atPath: place.path + "/views")
        try manager.copyItem(atPath: other.path + "/views", toPath: place.path + "/views")
        try place.withStore { store throws in
            #expect(try store.digests() == digests)
            #expect(try store.texts() == ["a", "b"])
        }
    }

    @Test("E3: a store that may not be read says permissionDenied", .enabled(if: geteuid() != 0, "root may read all"))
    func permission() throws {
        let place = try filled()
        try manager.setAttributes([.posixPermissions: 0], ofItemAtPath: place.path)
        defer { try? manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: place.path) }
        expectError(.permissionDenied) { _ = try place.open() }
        expectError(.permissionDenied) { _ = try place.openReadOnly() }
    }
}
