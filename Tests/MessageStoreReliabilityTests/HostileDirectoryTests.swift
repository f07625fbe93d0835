#if os(macOS) || os(Linux)
import Foundation
import MessageStoreTestKit
import Testing

@Suite(
    "A store directory made by somebody else", .serialized, .timeLimit(.minutes(30)),
    .enabled(if: Battery.isOn, Battery.isOff))
struct HostileDirectoryTests {
    /// What stands in the place of a file.
    enum Thing: String, CaseIterable {
        case link, danglingLink, linkToDirectory, pipe, device, directory, empty, huge, unreadable
    }

    private static let places = [
        "identity.json", "log", "log/data.mdb", "log/lock.mdb", "views", "views/data.mdb", "views/lock.mdb",
        "writer.lock", "log/journal-0", "log/journal-1",
    ]

    @Test("I10: nothing outside the store is touched, and nothing waits for ever", arguments: places, Thing.allCases)
    func thing(place: String, thing: Thing) throws {
        let worker = Worker()
        let directory = try TemporaryDirectory()
        let store = directory.path + "/store"
        guard case .line("made") = try worker.ask(["make", store]) else {
            Issue.record("the store could not be made")
            return
        }
        let secret = directory.path + "/secret"
        let content = Data("what belongs to the reader\n".utf8)
        try content.write(to: URL(fileURLWithPath: secret))
        guard try Self.put(thing, at: store + "/" + place, outside: directory.path) else { return }
        let answer = try worker.ask(["open", store], limit: 20)
        guard case .line(let line) = answer else {
            Issue.record("\(thing) for \(place): \(answer)")
            return
        }
        #expect(!line.contains("not a store error"), "\(thing) for \(place): \(line)")
        #expect(
            FileManager.default.contents(atPath: secret) == content,
            "\(thing) for \(place): the file outside was changed")
        #expect(
            try Set(directory.names()).isSubset(of: ["store", "secret", "elsewhere"]),
            "\(thing) for \(place): something was made outside")
        let elsewhere = directory.path + "/elsewhere"
        if FileManager.default.fileExists(atPath: elsewhere) {
            #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
        }
    }

    /// Puts a thing in the place of a file; false where this system does not let it.
    private static func put(_ thing: Thing, at path: String, outside: String) throws -> Bool {
        let files = FileManager.default
        let old = files.contents(atPath: path)
        try? files.removeItem(atPath: path)
        switch thing {
        case .link: try files.createSymbolicLink(atPath: path, withDestinationPath: outside + "/secret")
        case .danglingLink: try files.createSymbolicLink(atPath: path, withDestinationPath: outside + "/new")
        case .linkToDirectory:
            try files.createDirectory(atPath: outside + "/elsewhere", withIntermediateDirectories: false)
            try files.createSymbolicLink(atPath: path, withDestinationPath: outside + "/elsewhere")
        case .pipe: return mkfifo(path, 0o600) == 0
        case .device:
            #if os(Linux)
            return mknod(path, S_IFCHR | 0o600, 1 << 8 | 5) == 0
            #else
            return false
            #endif
        case .directory: try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .empty: try Data().write(to: URL(fileURLWithPath: path))
        case .huge:
            try Data().write(to: URL(fileURLWithPath: path))
            return truncate(path, 1 << 40) == 0
        case .unreadable:
            try (old ?? Data()).write(to: URL(fileURLWithPath: path))
            // Says nothing where the tests run as root.
            return chmod(path, 0) == 0
        }
        return true
    }
}
#endif
