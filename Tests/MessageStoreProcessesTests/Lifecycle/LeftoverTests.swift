import Foundation
import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("what killed processes leave", .timeLimit(.minutes(30)))
struct LeftoverTests {
    private let place: TemporaryStore
    private let manager = FileManager.default

    init() throws {
        place = try TemporaryStore()
    }

    private func make(_ path: String, files: [String], age: TimeInterval) throws {
        try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
        let date = Date(timeIntervalSinceNow: -age)
        for file in files {
            try Data([1]).write(to: URL(fileURLWithPath: path + "/" + file))
            try manager.setAttributes([.modificationDate: date], ofItemAtPath: path + "/" + file)
        }
        try manager.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    @Test("stores that were being made go with the next that is made; young ones, and what is none, stay")
    func creations() throws {
        let old: TimeInterval = 4000
        let beside = place.directory + "/"
        try make(beside + "messagestore.creating-1f", files: ["identity.json"], age: old)
        try make(beside + "a.b.creating-ffffffffffffffff", files: [], age: old)
        // Another clock is ahead of this one: it may be under way.
        try make(beside + "messagestore.creating-6", files: ["identity.json"], age: -old)
        let kept = ["young.creating-2": 60.0, "x.creating-zz": old, "creating-3": old, "y.creating-4": old]
        for (name, age) in kept { try make(beside + name, files: name.hasPrefix("y.") ? ["mine"] : [], age: age) }
        // One that is still being written.
        try make(beside + "z.creating-5/log", files: ["data.mdb"], age: 10)
        try make(beside + "z.creating-5", files: ["identity.json"], age: old)
        try place.open().close()
        let names = kept.keys + ["store", "z.creating-5", "messagestore.creating-6"]
        #expect(try manager.contentsOfDirectory(atPath: place.directory).sorted() == names.sorted())
    }

    @Test("I16: a compaction and an opening remove what other work left next to the store", arguments: [true, false])
    func beside(compacts: Bool) throws {
        let store = try place.open()
        let copy = place.directory + "/messagestore.creating-2"
        try make(copy + "/log", files: ["data.mdb"], age: 4000)
        try make(copy, files: ["identity.json"], age: 4000)
        let pieces = place.directory + "/messagestore.shipping-3"
        try make(pieces, files: ["writer.lock"], age: 4000)
        if compacts {
            try store.compact()
        } else {
            try store.close()
            try place.open().close()
        }
        #expect(!manager.fileExists(atPath: copy) && !manager.fileExists(atPath: pieces))
    }

    #if os(Linux)
    @Test("I20: a directory with a file whose name is not UTF-8 is not the library's, and stays whole")
    func namesThatAreNotText() throws {
        let path = place.directory + "/messagestore.creating-7"
        try make(path, files: ["identity.json"], age: 4000)
        let strange = (path + "/").utf8.map { CChar(bitPattern: $0) } + [-1, 65, 0]
        let file = open(strange, O_CREAT | O_WRONLY, 0o600)
        try #require(file >= 0)
        close(file)
        let long = timespec(tv_sec: time(nil) - 4000, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, strange, [long, long], 0) == 0)
        try manager.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -4000)], ofItemAtPath: path)
        try place.open().close()
        #expect(manager.fileExists(atPath: path + "/identity.json") && access(strange, F_OK) == 0)
    }
    #endif

    @Test("stores that exports and imports made and did not finish go with the next of them")
    func copies() throws {
        let old = Leftovers.Mark.copying.newPath(in: place.directory)
        let young = Leftovers.Mark.copying.newPath(in: place.directory)
        try make(old, files: ["identity.json", "writer.lock"], age: 4000)
        try make(young, files: ["identity.json"], age: 10)
        Leftovers.remove(.copying, in: place.directory)
        #expect(!manager.fileExists(atPath: old) && manager.fileExists(atPath: young))
    }

    @Test("a store's name may be as long as names can be", arguments: [200, 230, 255])
    func longNames(count: Int) throws {
        let path = place.directory + "/" + String(repeating: "n", count: count)
        try MessageStore.open(path, account: "me", configuration: .ofTests).close()
        #expect(try MessageStore.account(ofStoreAt: path, key: TemporaryStore.key) == "me")
    }
}
