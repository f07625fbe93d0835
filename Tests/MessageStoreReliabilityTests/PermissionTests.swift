#if os(macOS) || os(Linux)
import Foundation
import Testing

@Suite(
    "Files that may not be used", .serialized, .timeLimit(.minutes(30)), .enabled(if: Battery.isOn, Battery.isOff),
    .enabled(if: geteuid() == 0, "only root may run a child as another user"))
struct PermissionTests {
    /// A user without rights; nobody, on most systems.
    private static let nobody: UInt32 = 65_534

    /// Something of a store whose rights are taken away.
    struct Place: CustomTestStringConvertible, Sendable {
        let path: String
        let mode: Int
        /// Whether reading, and writing, go on nevertheless.
        var reads = false
        var writes = false
        var testDescription: String { "\(path.isEmpty ? "the store" : path) \(String(mode, radix: 8))" }
    }

    static let places = [
        Place(path: "", mode: 0o000), Place(path: "", mode: 0o600), Place(path: "", mode: 0o300),
        Place(path: "", mode: 0o500, reads: true, writes: true),
        Place(path: "identity.json", mode: 0o000), Place(path: "writer.lock", mode: 0o000, reads: true),
        Place(path: "writer.lock", mode: 0o400, reads: true),
        Place(path: "log", mode: 0o000), Place(path: "log", mode: 0o600),
        Place(path: "log", mode: 0o500, reads: true, writes: true),
        Place(path: "log/data.mdb", mode: 0o000), Place(path: "log/data.mdb", mode: 0o400, reads: true),
        Place(path: "log/lock.mdb", mode: 0o000), Place(path: "log/lock.mdb", mode: 0o400),
        Place(path: "log/data.mark", mode: 0o000, reads: true, writes: true),
        Place(path: "views", mode: 0o000), Place(path: "views", mode: 0o600),
        Place(path: "views", mode: 0o500, reads: true, writes: true),
        Place(path: "views/data.mdb", mode: 0o000), Place(path: "views/data.mdb", mode: 0o400, reads: true),
        Place(path: "views/lock.mdb", mode: 0o000), Place(path: "views/lock.mdb", mode: 0o400),
        Place(path: "views/data.mark", mode: 0o000, reads: true, writes: true),
    ]

    @Test("I10: what another user may not use is an error that says so, and nothing is changed", arguments: places)
    func denied(place: Place) throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.setAttributes(
            [.ownerAccountID: NSNumber(value: Self.nobody)], ofItemAtPath: directory.path)
        let worker = Worker(user: Self.nobody)
        let store = directory.path + "/store"
        try #require(try worker.ask(["make", store]) == .line("made"))
        let before = try Self.content(of: store)
        let path = place.path.isEmpty ? store : store + "/" + place.path
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        try #require(chmod(path, mode_t(place.mode)) == 0)
        func word(_ isFine: Bool) -> String { isFine ? "fine" : "permissionDenied" }
        let answer = try worker.ask(["open", store], limit: 20)
        #expect(answer == .line("\(word(place.reads))\t\(word(place.writes))"), "\(place)")
        try #require(chmod(path, mode_t(try #require(mode))) == 0)
        #expect(try Self.content(of: store) == before, "\(place)")
        #expect(try worker.ask(["open", store], limit: 20) == .line("fine\tfine"), "\(place), given back")
        Battery.report("permissions", [("tries", 1)])
    }

    /// What a store holds, which opening it leaves alone; root reads it.
    private static func content(of store: String) throws -> [String: Data] {
        try Dictionary(
            uniqueKeysWithValues: ["identity.json", "log/data.mdb", "views/data.mdb"].map {
                ($0, try Data(contentsOf: URL(fileURLWithPath: store + "/" + $0)))
            })
    }
}
#endif
