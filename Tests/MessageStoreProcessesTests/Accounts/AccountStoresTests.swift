import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("B1, B2, d28: the stores of several accounts", .timeLimit(.minutes(30)))
struct AccountStoresTests {
    private let place: TemporaryStore
    private let stores: AccountStores

    init() throws {
        place = try TemporaryStore()
        stores = AccountStores(at: place.directory + "/accounts")
    }

    private func open(_ account: UserID) throws -> MessageStore {
        try stores.open(account, configuration: place.configuration)
    }

    private func make(_ accounts: UserID...) throws {
        for account in accounts { try open(account).close() }
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: stores.path).sorted().filter { $0 != removing }
    }

    /// Where removals move stores to; it stays.
    private let removing = ".messagestore-removing"

    private static let awkward: [UserID] = [
        "bob", "Bob", "BOB", "b=6fb", "=", "==", ".", "..", "../bob", "/", "a/b", "a\\b", "a\u{0}b", " ", "con", "-rf",
        "~",
        "小明", "é", "e\u{301}", "👩‍👩‍👧", "a.removing-1", "a.creating-1", "identity.json",
        UserID(String(repeating: "x", count: 100)), UserID(String(repeating: "x", count: 101)),
        UserID(String(repeating: "x", count: 255)), UserID(String(repeating: "X", count: 255)),
        UserID(String(repeating: "明", count: 85)),
    ]

    @Test("B2: every id has a store of its own, under a name that is safe everywhere")
    func awkwardIDs() throws {
        for account in Self.awkward {
            let store = try open(account)
            try store.record(received("a", at: 1, text: account.rawValue))
            try store.close()
        }
        #expect(try stores.accounts() == Self.awkward.sorted())
        for account in Self.awkward {
            let store = try open(account)
            #expect(store.account == account)
            #expect(try store.texts() == [account.rawValue])
            try store.close()
        }
        let names = try names()
        #expect(Set(names.map { $0.lowercased() }).count == Self.awkward.count)
        #expect(names.allSatisfy { $0.utf8.count <= 100 && !$0.contains(".") && $0.utf8.allSatisfy { $0 < 128 } })
        #expect(try stores.damagedStores().isEmpty)
    }

    @Test("B2: names stay what they are, since stores are found by them")
    func stableNames() throws {
        func name(_ account: UserID) throws -> String {
            try String(stores.path(of: account).dropFirst(stores.path.count))
        }
        #expect(try name("bob_1-x") == "/bob_1-x")
        #expect(try name("Bob.小") == "/=42ob=2e=e5=b0=8f")
        #expect(try name(UserID(String(repeating: "x", count: 255))).hasPrefix("/=="))
        #expect(try name(UserID(String(repeating: "x", count: 255))).utf8.count == 35)
    }

    @Test("B2: an id has 1 to 255 bytes", arguments: ["", String(repeating: "x", count: 256)])
    func badIDs(id: String) throws {
        try make("bob")
        expectError(.invalidArgument) { _ = try stores.path(of: UserID(id)) }
        expectError(.invalidArgument) { _ = try open(UserID(id)) }
        expectError(.invalidArgument) { try stores.remove(UserID(id)) }
        #expect(try stores.accounts() == ["bob"])
    }

    @Test("B1: several accounts are open at once and share nothing")
    func isolation() throws {
        let alice = try open("alice")
        let bob = try open("bob")
        try alice.record(received("a", at: 1))
        try bob.record(received("b", at: 1))
        #expect(try alice.texts() == ["a"])
        #expect(try bob.texts() == ["b"])
        expectError(.alreadyOpen) { _ = try open("alice") }
        try alice.close()
        try bob.close()
    }

    @Test("d28: a directory that is not there holds no account, and the first opening makes it")
    func missingDirectory() throws {
        #expect(try stores.accounts().isEmpty)
        #expect(try stores.damagedStores().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: stores.path))
        expectError(.storeMissing) { try stores.remove("bob") }
        try make("bob")
        #expect(try stores.accounts() == ["bob"])
        expectError(.invalidArgument) { _ = try AccountStores(at: stores.path + "/no/where").open("bob") }
    }

    @Test("d28: other files, empty directories, copies and leftovers are neither listed nor touched")
    func otherFiles() throws {
        try make("bob")
        let files = FileManager.default
        try Data("x".utf8).write(to: URL(fileURLWithPath: stores.path + "/notes"))
        try files.createDirectory(atPath: stores.path + "/empty", withIntermediateDirectories: false)
        try files.createDirectory(atPath: stores.path + "/photos/2026", withIntermediateDirectories: true)
        try files.createDirectory(atPath: stores.path + "/notes.removing-later", withIntermediateDirectories: false)
        try files.copyItem(atPath: try stores.path(of: "bob"), toPath: stores.path + "/backup")
        try files.copyItem(atPath: try stores.path(of: "bob"), toPath: stores.path + "/bob.creating-1f")
        try files.createSymbolicLink(atPath: stores.path + "/link", withDestinationPath: "bob")
        let before = try names()
        #expect(try stores.accounts() == ["bob"])
        #expect(try stores.damagedStores().isEmpty)
        try make("bob")
        expectError(.notAStore) { try stores.remove("photos") }
        expectError(.notAStore) { _ = try open("notes") }
        let error = #expect(throws: StoreError.self) { try stores.remove("backup") }
        #expect(error?.code == .accountMismatch && error?.message == "the store belongs to bob, not to backup")
        expectError(.accountMismatch) { _ = try open("backup") }
        #expect(try names() == before)
    }

    @Test("B2: a store is opened without blocking the caller, and not in a cancelled task")
    func asynchronously() async throws {
        let (stores, configuration) = (stores, place.configuration)
        let store = try await stores.open("bob", configuration: configuration)
        #expect(store.account == "bob" && !store.isReadOnly)
        try await store.close()
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await stores.open("carol", configuration: configuration)
        }
        await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
        #expect(try stores.accounts() == ["bob"])
    }

    @Test("an id that no store can have is refused before the directory is made")
    func emptyAccount() async throws {
        let stores = AccountStores(at: place.directory + "/none")
        await #expect(throws: StoreError.self) { _ = try await stores.open("") }
        #expect(!FileManager.default.fileExists(atPath: stores.path))
    }

    @Test("d28: a damaged or newer store is reported with its path and code, and the others are listed")
    func damage() throws {
        try make("alice", "bob", "carol")
        let identity = try stores.path(of: "bob") + "/identity.json"
        try Data("{".utf8).write(to: URL(fileURLWithPath: identity))
        let newer = try stores.path(of: "carol") + "/identity.json"
        try Data(#"{"format":99}"#.utf8).write(to: URL(fileURLWithPath: newer))
        #expect(try stores.accounts() == ["alice"])
        let damaged = try stores.damagedStores()
        #expect(damaged.map(\.path) == [try stores.path(of: "bob"), try stores.path(of: "carol")])
        #expect(damaged.map(\.error.code) == [.logDamaged, .newerFormat])
        expectError(.logDamaged) { _ = try open("bob") }
        try stores.remove("bob")
        try stores.remove("carol")
        #expect(try stores.damagedStores().isEmpty)
        #expect(try names() == ["alice"])
    }

    @Test("d28: removing takes the whole store and no other; the account may begin again")
    func removal() throws {
        try make("alice", "bob")
        let store = try open("bob")
        try store.record(received("a", at: 1))
        try store.close()
        try stores.remove("bob")
        #expect(try names() == ["alice"])
        expectError(.storeMissing) { try stores.remove("bob") }
        let again = try open("bob")
        #expect(try again.texts().isEmpty)
        try again.close()
    }

    @Test("d28: a store that is open, for reading only as well, is not removed", arguments: [false, true])
    func openStores(isReadOnly: Bool) throws {
        try make("bob")
        let path = try stores.path(of: "bob")
        let store = isReadOnly ? try MessageStore.openReadOnly(path, configuration: .ofTests) : try open("bob")
        expectError(.alreadyOpen) { try stores.remove("bob") }
        #expect(try store.texts().isEmpty)
        try store.close()
        #expect(try stores.accounts() == ["bob"])
        try stores.remove("bob")
        #expect(try stores.accounts().isEmpty)
    }

    @Test("d28: what an interrupted removal left is not listed, and goes with the next opening or removal")
    func interruptedRemoval() throws {
        try make("alice", "bob", "carol")
        try stores.remove("carol")
        let removing = stores.path + "/" + removing
        func left() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: removing) }
        #expect(try left().isEmpty)
        func interrupt() throws {
            try FileManager.default.moveItem(atPath: try stores.path(of: "bob"), toPath: removing + "/1f")
        }
        try interrupt()
        #expect(try stores.accounts() == ["alice"])
        try make("alice")
        #expect(try left().isEmpty)
        try make("bob")
        try interrupt()
        expectError(.storeMissing) { try stores.remove("bob") }
        #expect(try left().isEmpty)
        #expect(try names() == ["alice"])
    }

    @Test(
        "d28: a store is removed where there is no room to move it to, and no link is followed",
        arguments: [false, true])
    func removalInPlace(isLink: Bool) throws {
        try make("bob")
        let removing = stores.path + "/" + removing
        let other = stores.path + "/other"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        try Data("x".utf8).write(to: URL(fileURLWithPath: other + "/kept"))
        if isLink {
            try FileManager.default.createSymbolicLink(atPath: removing, withDestinationPath: "other")
        } else {
            try Data().write(to: URL(fileURLWithPath: removing))
        }
        try stores.remove("bob")
        #expect(try stores.accounts().isEmpty)
        #expect(try names() == ["other"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: other) == ["kept"])
    }
}
