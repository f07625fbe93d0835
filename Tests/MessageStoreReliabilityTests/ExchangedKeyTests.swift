#if os(Linux)
import Dispatch
import Foundation
import MessageStore
import MessageStoreLMDB
import MessageStoreTestSupport
import Testing

@Suite(
    "Stores whose key is exchanged", .serialized, .timeLimit(.minutes(60)), .enabled(if: TemporaryStore.canSeal),
    .enabled(if: FaultShim.path != nil, "no C compiler"))
struct ExchangedKeyTests {
    /// The keys that a store has before and after a compaction, as names of files; nil for a clear store.
    struct Exchange: CustomTestStringConvertible {
        let (before, after): (String?, String?)
        /// Whether the keys of the store alone are sealed under another key of the host.
        var keepsFiles = false
        var testDescription: String {
            "\(before ?? "clear") to \(after ?? "clear")" + (keepsFiles ? ", in the same files" : "")
        }

        static let all = [
            Exchange(before: nil, after: "1"), Exchange(before: "1", after: "2"), Exchange(before: "1", after: "1"),
            Exchange(before: "1", after: nil), Exchange(before: "1", after: "2", keepsFiles: true),
        ]

        func arguments(_ directory: String) -> [String] {
            let key = before.map { ["--key-file", directory + "/key-" + $0] } ?? []
            return ["compact", directory + "/store"] + key
                + (after.map { ["--new-key-file", directory + "/key-" + $0] } ?? ["--unseal"])
        }

        /// Runs the exchange in a process of its own.
        ///
        /// - Returns: Whether it succeeded.
        func run(_ directory: TemporaryDirectory, _ environment: [String: String]) throws -> Bool {
            guard keepsFiles, let before, let after else {
                return try Tool.run(arguments(directory.path), environment).exit == 0
            }
            let child = try ChildProcess(
                ["change-key", directory.path + "/store", before, after], environment: environment, untilReady: false)
            return try child.wait() == .exited(0)
        }
    }

    private static let secret = "Zq7secretQz7"
    private static let count = 60

    private static func source(_ name: String?) -> KeySource? {
        name.flatMap(UInt8.init).map { byte in KeySource { [UInt8](repeating: byte, count: 32) } }
    }

    private static func configuration(_ key: String?) -> MessageStore.Configuration {
        var configuration = MessageStore.Configuration()
        configuration.privacy.key = source(key)
        return configuration
    }

    private static func message(_ number: Int) -> Event {
        .received(
            ServerMessageID("m\(number)"), from: "bob", in: .group("g"), at: Timestamp(milliseconds: Int64(number)),
            content: .text("\(secret) \(number)"))
    }

    /// A closed store, whose views have rows and whose journal had events, and the files of both keys.
    private static func prepare(_ key: String?) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        for byte in [UInt8(1), 2] {
            try Data(repeating: byte, count: 32).write(to: URL(fileURLWithPath: directory.path + "/key-\(byte)"))
        }
        let store = try MessageStore.open(
            directory.path + "/store", account: "\(secret)-me", configuration: configuration(key))
        for number in 1...count {
            try store.record(message(number))
            if number == count / 2 { try store.flush() }
        }
        try store.erase(.events([Position(3)]))
        try store.close()
        return directory
    }

    private static func filesWithSecret(_ path: String) -> Set<String> { FileHunt.files(below: path, having: secret) }

    /// Whether a store opens for reading, and for writing, with a key.
    private static func opens(_ directory: TemporaryDirectory, _ key: String?) throws -> Bool {
        do {
            try MessageStore.openReadOnly(directory.path + "/store", configuration: configuration(key)).close()
            return true
        } catch let error as StoreError where [.keyRefused, .keyUnavailable].contains(error.code) { return false }
    }

    /// Checks that everything is there, and that a sealed store has no clear file once it was opened.
    private static func check(_ directory: TemporaryDirectory, _ key: String?, _ what: String) throws {
        let path = directory.path + "/store"
        #expect(try MessageStore.account(ofStoreAt: path, key: source(key)) == "\(secret)-me", "\(what)")
        let store = try MessageStore.open(path, account: "\(secret)-me", configuration: configuration(key))
        #expect(try store.verify().isConsistent, "\(what)")
        let texts = try store.read { views in
            try views.timeline(of: .group("g"), limit: 1000).elements.map { $0.content.text ?? "" }
        }
        #expect(texts == (1...count).map { $0 == 3 ? "" : "\(secret) \($0)" }, "\(what)")
        let last = try store.lastPosition()
        let repeated = try store.record((1...count).map(message))
        #expect(try repeated.duplicates == count && store.lastPosition() == last, "\(what)")
        let isComplete = try store.compact().isErasureComplete
        #expect(isComplete, "\(what)")
        try store.close()
        #expect(filesWithSecret(path).isEmpty == (key != nil), "\(what)")
        let format = try String(contentsOfFile: path + "/identity.json", encoding: .utf8)
        #expect(format.contains(key == nil ? "\"format\":3" : "\"format\":4"), "\(what): \(format)")
        let left = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.contains(".") }
        #expect(Set(left).isSubset(of: ["identity.json", "writer.lock"]), "\(what)")
    }

    @Test(
        "an exchange of the key, killed at any file call, leaves a store with one of both keys and all events",
        arguments: Exchange.all)
    func kills(exchange: Exchange) throws {
        let base = try Self.prepare(exchange.before)
        let whole = try base.copy()
        let calls = try FaultShim.countCalls(under: whole.path) { try exchange.run(whole, $0) }
        // Before anything else is opened: the call is done, and no clear file is left.
        #expect(Self.filesWithSecret(whole.path + "/store").isEmpty == (exchange.after != nil))
        try Self.check(whole, exchange.after, "whole")
        let tries = FaultShim.some(Battery.tries(plain: 24, short: 40, long: 400), of: calls)
        var counts = (before: 0, after: 0)
        for call in tries {
            let directory = try base.copy()
            _ = try exchange.run(directory, FaultShim.environment(under: directory.path, .kill, at: call))
            let what = "killed at call \(call) of \(calls)"
            var key = exchange.before
            if exchange.before != exchange.after {
                let opened = try (Self.opens(directory, exchange.before), Self.opens(directory, exchange.after))
                #expect(opened.0 != opened.1, "\(what): \(opened)")
                if opened.1 { key = exchange.after }
                counts.before += opened.0 ? 1 : 0
                counts.after += opened.1 ? 1 : 0
            }
            try Self.check(directory, key, what)
        }
        #expect(exchange.before == exchange.after || counts.before > 0 && counts.after > 0, "\(counts)")
        Battery.report("kills of an exchange of keys", [("tries", tries.count), ("lost", 0)])
    }

    @Test("a process that reads goes on with the new key, and the old files go when it has closed")
    func reader() throws {
        let directory = try Self.prepare("1")
        let key = Locked(UInt8(1))
        var configuration = MessageStore.Configuration()
        configuration.privacy.key = KeySource { [UInt8](repeating: key.withLock { $0 }, count: 32) }
        let reader = try MessageStore.openReadOnly(directory.path + "/store", configuration: configuration)
        func texts() throws -> [String] {
            try reader.read { try $0.timeline(of: .group("g"), limit: 1000).elements.map { $0.content.text ?? "" } }
        }
        let before = try texts()
        let run = try Tool.run(Exchange(before: "1", after: "2").arguments(directory.path))
        #expect(run.exit == 3 && run.errors.contains("not finished"), "\(run)")
        // The host has the old key still.
        #expect(throws: StoreError.self) { _ = try texts() }
        key.withLock { $0 = 2 }
        #expect(try texts() == before)
        // Of the new views, too, once they are there.
        let options = ["--key-file", directory.path + "/key-2"]
        #expect(try Tool.run(["rebuild", directory.path + "/store"] + options).exit == 0)
        #expect(try texts() == before)
        try reader.close()
        #expect(try Tool.run(["compact", directory.path + "/store"] + options).exit == 0)
        try Self.check(directory, "2", "after the reader")
    }

    @Test("a backup whose key is exchanged while it is opened is restored by the new key")
    func restored() throws {
        let directory = try Self.prepare("1")
        let (path, new) = (directory.path + "/store", directory.path + "/new")
        let byte = Locked(UInt8(1))
        // Another process exchanges the key right after the first answer.
        let key = KeySource {
            let answer = byte.withLock { $0 }
            if answer == 1 {
                byte.withLock { $0 = 2 }
                try MessageStore.compact(
                    storeAt: path, sealedBy: Self.source("2"), configuration: Self.configuration("1"))
            }
            return [UInt8](repeating: answer, count: 32)
        }
        try MessageStore.restoreBackup(from: path, to: new, key: key)
        let store = try MessageStore.openReadOnly(new, configuration: Self.configuration("2"))
        #expect(try store.read { try $0.timeline(of: .group("g"), limit: 1000).elements.count } == Self.count)
        try store.close()
    }

    @Test(
        "a writer that waits with the old key while the key is exchanged is refused, and the store is whole",
        arguments: ["2", nil] as [String?])
    func waitingWriter(after: String?) throws {
        let directory = try Self.prepare("1")
        let path = directory.path + "/store"
        let (asked, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let code = Locked(StoreError.Code?.none)
        var configuration = MessageStore.Configuration()
        configuration.privacy.key = KeySource {
            asked.signal()
            return [UInt8](repeating: 1, count: 32)
        }
        let begun = Locked(false)
        let report = try MessageStore.compact(
            storeAt: path, sealedBy: Self.source(after), configuration: Self.configuration("1")
        ) { [configuration] _, _ in
            let isFirst = begun.withLock { begun in
                defer { begun = true }
                return !begun
            }
            guard isFirst else { return }
            Thread.detachNewThread {
                do {
                    try MessageStore.open(
                        path, account: "\(Self.secret)-me", configuration: configuration, waitingUpTo: .seconds(60)
                    ).close()
                } catch { code.withLock { $0 = (error as? StoreError)?.code } }
                ended.signal()
            }
            asked.wait()
        }
        ended.wait()
        #expect(code.withLock { $0 } == .keyRefused)
        #expect(report.isErasureComplete)
        try Self.check(directory, after, "after a writer that waited")
    }

    @Test("directories with files of others stay, and the call says that it is not complete")
    func othersFiles() throws {
        for place in ["log", "views", "lagging/com.example.rows"] {
            let directory = try Self.prepare(nil)
            let path = directory.path + "/store"
            let file = path + "/" + place + "/.DS_Store"
            let parent = FileSystem.parent(of: file)
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            try Data("others".utf8).write(to: URL(fileURLWithPath: file))
            let report = try MessageStore.compact(storeAt: path, sealedBy: Self.source("1"))
            #expect(!report.isErasureComplete, "\(place)")
            let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
            #expect(names.contains { $0.hasSuffix("/.DS_Store") }, "\(place)")
        }
    }

    @Test("an exchange that a host ends leaves the key as it was, and the account in no file")
    func ended() throws {
        struct Ended: Error {}
        for (before, after) in [("1", nil), ("1", "2")] as [(String?, String?)] {
            let directory = try Self.prepare(before)
            #expect(throws: Ended.self) {
                try MessageStore.compact(
                    storeAt: directory.path + "/store", sealedBy: Self.source(after),
                    configuration: Self.configuration(before)
                ) { _, _ in throw Ended() }
            }
            #expect(Self.filesWithSecret(directory.path + "/store") == [])
            try Self.check(directory, before, "after an end")
        }
    }

    @Test("a wrong key, a missing one and a bad one change nothing")
    func refusals() throws {
        let directory = try Self.prepare("1")
        func files() -> [String: Data] {
            let names = FileManager.default.enumerator(atPath: directory.path)?.compactMap { $0 as? String } ?? []
            return Dictionary(
                uniqueKeysWithValues: names.compactMap { name in
                    FileManager.default.contents(atPath: directory.path + "/" + name).map { (name, $0) }
                })
        }
        let before = files()
        let store = directory.path + "/store"
        for (old, new, code) in [
            (nil, "2", .keyUnavailable), ("2", "1", .keyRefused), (nil, nil, .keyUnavailable),
        ] as [(String?, String?, StoreError.Code)] {
            let error = #expect(throws: StoreError.self) {
                try MessageStore.compact(
                    storeAt: store, sealedBy: Self.source(new), configuration: Self.configuration(old))
            }
            #expect(error?.code == code)
        }
        let error = #expect(throws: StoreError.self) {
            try MessageStore.compact(
                storeAt: store, sealedBy: KeySource { [1] }, configuration: Self.configuration("1"))
        }
        #expect(error?.code == .keyRefused)
        #expect(files() == before)
        let run = try Tool.run(["compact", store, "--unseal", "--dry-run"])
        #expect(run.exit == 2, "\(run)")
    }
}
#endif
