import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("When the pages of a store are looked at")
struct PageCheckTests {
    /// Damages all leaves in a data file, which stays the same file.
    private func damage(_ path: String) throws {
        let url = URL(fileURLWithPath: path)
        var bytes = try Data(contentsOf: url)
        for page in 2..<bytes.count / 4096 where bytes[4096 * page + 10] == 2 {
            for offset in 4096 * page + 16..<4096 * page + 24 { bytes[offset] ^= 0x55 }
        }
        let handle = try FileHandle(forWritingTo: url)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    @Test(
        "I3, I10: damaged pages of the log are an error, those of the views a rebuild",
        arguments: ["log", "views"], [true, false])
    func damaged(file: String, always: Bool) throws {
        let place = try TemporaryStore()
        try place.withStore { try $0.record((0..<50).map { received("m\($0)", at: $0) }) }
        try damage("\(place.path)/\(file)/data.mdb")
        let change = { (configuration: inout MessageStore.Configuration) in
            configuration.durability.pageCheck = always ? .always : .afterUncleanClose
        }
        if file == "log" {
            #expect(storeError { _ = try place.open(change) }?.code == .logDamaged)
            #expect(storeError { _ = try place.openReadOnly() }?.code == .logDamaged)
        } else {
            let store = try place.open(change)
            #expect(try store.unread().messages == 50)
            #expect(try store.isConsistent())
            try store.close()
        }
    }

    @Test("a store is opened under both policies, for reading and writing")
    func policies() throws {
        let place = try TemporaryStore()
        try place.withStore { try $0.record(received("a", at: 1)) }
        for policy in [MessageStore.Configuration.PageCheck.always, .afterUncleanClose] {
            for isReadOnly in [true, false] {
                let change = { (configuration: inout MessageStore.Configuration) in
                    configuration.durability.pageCheck = policy
                }
                let store = try isReadOnly ? place.openReadOnly(change) : place.open(change)
                #expect(try store.unread().messages == 1)
                try store.close()
            }
        }
    }
}
