import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("identity.json agrees with the log", .timeLimit(.minutes(30)))
struct IdentityFileTests {
    private let place: TemporaryStore
    private let stores: AccountStores
    private let account: UserID = "me"
    private var store: String { stores.path + "/me" }
    private var identity: URL { URL(fileURLWithPath: store + "/identity.json") }

    init() throws {
        place = try TemporaryStore()
        stores = AccountStores(at: place.directory + "/accounts")
        let store = try stores.open(account, configuration: place.configuration)
        try store.record([received("a", at: 1), queued("mine")])
        try store.close()
    }

    @Test("I10: each flipped bit of it is refused, or changes nothing")
    func everyBit() throws {
        let original = try Data(contentsOf: identity)
        var refused = 0
        for bit in 0..<8 * original.count {
            var damaged = original
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            try damaged.write(to: identity)
            let isListed = try stores.accounts() == [account]
            #expect(try isListed || stores.damagedStores().count == 1, "bit \(bit): the store is not listed")
            do {
                let opened = try MessageStore.openReadOnly(store, configuration: place.configuration)
                #expect(opened.account == account, "bit \(bit)")
                #expect(try opened.texts() == ["a", "mine"], "bit \(bit)")
                try opened.close()
                #expect(isListed)
            } catch let error as StoreError {
                #expect([.logDamaged, .newerFormat].contains(error.code), "bit \(bit): \(error)")
                refused += 1
            }
        }
        #expect(refused > 4 * original.count)
    }

    @Test("one of another store, or of another account, is refused", arguments: [false, true])
    func foreign(isSameAccount: Bool) throws {
        let other = try TemporaryStore()
        try other.open(account: isSameAccount ? account : "other").close()
        try Data(contentsOf: URL(fileURLWithPath: other.path + "/identity.json")).write(to: identity)
        expectError(.logDamaged) { _ = try MessageStore.openReadOnly(store) }
        let named = try MessageStore.account(ofStoreAt: store)
        expectError(.logDamaged) { _ = try MessageStore.open(store, account: named) }
    }

    @Test("a pipe, a link or a directory in its place is refused at once", arguments: ["pipe", "link", "directory"])
    func notAFile(kind: String) throws {
        let file = identity.path
        try FileManager.default.moveItem(atPath: file, toPath: file + ".real")
        switch kind {
        case "pipe": #expect(mkfifo(file, 0o600) == 0)
        case "link": try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: file + ".real")
        default: try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        }
        expectError(.logDamaged) { _ = try MessageStore.openReadOnly(store) }
        expectError(.logDamaged) { _ = try MessageStore.open(store, account: account) }
        #expect(try stores.accounts().isEmpty)
        #expect(try stores.damagedStores().map(\.path) == [store])
    }

    @Test("one that is too large is refused")
    func tooLarge() throws {
        var bytes = try Data(contentsOf: identity)
        bytes.append(Data(repeating: 0x20, count: 1 << 17))
        try bytes.write(to: identity)
        expectError(.logDamaged) { _ = try MessageStore.openReadOnly(store) }
    }
}
