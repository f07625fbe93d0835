import Foundation
import MessageStoreLog
import MessageStoreModel
import MessageStoreShipping
import MessageStoreTestKit
import Testing

/// Directories of a user that have the names which the library gives to its own, filled with pictures.
private struct Pictures {
    /// What such a directory holds besides, so that it looks like one of the library's.
    enum Disguise: CaseIterable {
        case none, identity, log, deep, lock, link
    }

    let paths: [String]
    private let outside: String

    init(_ paths: [String], _ disguise: Disguise, outside: String) throws {
        (self.paths, self.outside) = (paths, outside)
        try Self.write("sea", to: outside + "/IMG_2.jpg")
        for path in paths {
            try Self.write("beach", to: path + "/holiday/IMG_1.jpg")
            switch disguise {
            case .none: break
            case .identity: try Self.write("{}", to: path + "/identity.json")
            case .log:
                try FileManager.default.moveItem(atPath: path + "/holiday", toPath: path + "/log")
                try Self.write("", to: path + "/identity.json")
            case .deep:
                try FileManager.default.removeItem(atPath: path + "/holiday")
                try Self.write("", to: path + "/base/log/data.mdb")
                try Self.write("beach", to: path + "/base/log/log/IMG_1.jpg")
            case .lock: try Self.write("", to: path + "/writer.lock")
            case .link:
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
            }
        }
        for path in paths + [outside] { try Self.age(path) }
    }

    private static func write(_ text: String, to path: String) throws {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    /// Older than any age at which the library's own would go.
    private static func age(_ path: String) throws {
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        for name in names.map({ path + "/" + $0 }) + [path] {
            try? FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -1_000_000)], ofItemAtPath: name)
        }
    }

    /// Each file and link with its content.
    func content() throws -> [String: String] {
        var content: [String: String] = [:]
        for path in paths + [outside] {
            if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
                content[path] = "-> " + target
                continue
            }
            for case let name as String in FileManager.default.enumerator(atPath: path) ?? .init() {
                content[path + "/" + name] =
                    (try? String(contentsOfFile: path + "/" + name, encoding: .utf8)) ?? "directory"
            }
        }
        return content
    }
}

@Suite("Directories that the library did not write", .timeLimit(.minutes(30)))
struct ForeignDirectoryTests {
    private let manager = FileManager.default

    @Test(
        "I20: stay, whatever their names, when a store is opened, copied, shipped, restored and followed",
        arguments: Pictures.Disguise.allCases)
    private func shipping(_ disguise: Pictures.Disguise) async throws {
        let scene = try ShippingScene(seed: 31)
        let position = try await scene.store.record([.received(text: "unmistakable")]).lastPosition
        try scene.record(10)
        try await scene.store.flush()
        let (parent, path) = (scene.place.directory, scene.store.path)
        let place = parent + "/place"
        _ = try FolderCarrier(place)
        let log = place + "/logs/" + scene.store.storeName
        let names = ["messagestore", URL(fileURLWithPath: path).lastPathComponent, "new", "copy"].flatMap { name in
            ["creating", "copying", "shipping", "restoring", "following"].flatMap { mark in
                ["-1f", "-0000000000000001", "-photos", ""].map { parent + "/\(name).\(mark)\($0)" }
            }
        }
        let inside =
            ["views.build-1f", "views.retired-1", "log.retired-1", "lagging/holiday"].map { path + "/" + $0 }
            + [".tmp/holiday", ".tmp/messagestore.putting-1f", ".tmp/123"].map { place + "/" + $0 }
            + ["segments", "bases", "erasures"].map { log + "/\($0)/holiday" }
            + [log + "/bases/00000000000000000001"]
        let pictures = try Pictures(names + inside, disguise, outside: parent + "/pictures")
        let before = try pictures.content()

        let carrier = try FolderCarrier(place)
        let shipper = LogShipper(of: scene.store, to: carrier, options: ShippingScene.options)
        try await shipper.ship()
        try await scene.store.redact(position)
        try scene.record(3)
        try await shipper.ship(base: true)
        try await LogRestorer(from: carrier, key: TemporaryStore.key).restore(to: parent + "/new")
        let follower = try await LogFollower.open(
            parent + "/copy", from: carrier, configuration: scene.place.configuration)
        try scene.record(3)
        try await shipper.ship()
        try await follower.update()
        try await follower.store.close()
        try await scene.store.backup(to: parent + "/backup")
        try scene.store.writeSegment(after: .origin, to: parent + "/segment")
        try await scene.store.compact()
        try await scene.store.close()
        let again = try scene.place.open()
        try await again.rebuild()
        try await LogShipper(of: again, to: FolderCarrier(place), options: ShippingScene.options).ship()
        try await again.close()
        #expect(try pictures.content() == before)
        #expect(try manager.contentsOfDirectory(atPath: parent + "/new").contains("identity.json"))
    }

    @Test("I20: stay where stores of accounts are removed", arguments: Pictures.Disguise.allCases)
    private func accounts(_ disguise: Pictures.Disguise) throws {
        let place = try TemporaryStore()
        let stores = AccountStores(at: place.directory + "/accounts")
        try stores.open("bob").close()
        let removing = stores.path + "/.messagestore-removing"
        let pictures = try Pictures(
            [removing + "/1f", removing + "/holiday"], disguise, outside: place.directory + "/pictures")
        let before = try pictures.content()
        try stores.remove("bob")
        try stores.open("eve").close()
        #expect(try pictures.content() == before)
    }

    @Test("I20: what killed work left goes with the next work of its kind, and what another process works in stays")
    func leftovers() async throws {
        let scene = try ShippingScene(seed: 32)
        try scene.record(5)
        let parent = scene.place.directory
        let used = try WorkDirectory(.shipping, nextTo: scene.store.path)
        let left = parent + "/messagestore.shipping-1f"
        try await scene.store.backup(to: left)
        try Data().write(to: URL(fileURLWithPath: left + "/writer.lock"))
        try await LogShipper(of: scene.store, to: scene.carrier).ship()
        #expect(manager.fileExists(atPath: used.path) && !manager.fileExists(atPath: left))
        used.remove()
        #expect(try manager.contentsOfDirectory(atPath: parent).filter { $0.contains(".shipping-") } == [])
    }

    @Test("two restores to one path do not meet: one succeeds")
    func rivals() async throws {
        let scene = try ShippingScene(seed: 33)
        try scene.record(30)
        try await scene.ship()
        let path = scene.place.directory + "/new"
        let results = await withTaskGroup(of: Bool.self) { [carrier = scene.carrier] group in
            for _ in 0..<4 {
                group.addTask {
                    (try? await LogRestorer(from: carrier, key: TemporaryStore.key).restore(to: path)) != nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.filter(\.self).count == 1)
        #expect(try await MessageStore.check(path, configuration: .ofTests).isSound)
    }

    @Test("a folder's directory that is a link is not written through")
    func links() async throws {
        let scene = try ShippingScene(seed: 34)
        try scene.record(5)
        let (place, outside) = (scene.place.directory + "/place", scene.place.directory + "/outside")
        let carrier = try FolderCarrier(place)
        try manager.createDirectory(atPath: outside, withIntermediateDirectories: true)
        try manager.createSymbolicLink(atPath: place + "/logs", withDestinationPath: outside)
        await #expect(throws: StoreError.self) { try await LogShipper(of: scene.store, to: carrier).ship() }
        #expect(try manager.contentsOfDirectory(atPath: outside) == [])
    }

    @Test("files of other programs in a folder are passed over by shipping, restoring and following")
    func strays() async throws {
        let scene = try ShippingScene(seed: 35)
        let position = try await scene.store.record([.received(text: "unmistakable")]).lastPosition
        try scene.record(20)
        let place = scene.place.directory + "/place"
        let carrier = try FolderCarrier(place)
        let shipper = LogShipper(of: scene.store, to: carrier, options: ShippingScene.options)
        try await shipper.ship()
        try scene.record(5)
        try await scene.store.redact(position)
        try await shipper.ship()
        let log = place + "/logs/" + scene.store.storeName
        let names = [
            "Thumbs.db", "desktop.ini", "a b", "x (conflicted copy)", "y.sync-conflict-1", "Icon",
            "99999999999999999999",
            "@eaDir/x", "00000000000000000001 (1)",
        ]
        for directory in ["", "/segments", "/bases", "/erasures"] {
            for name in names {
                let file = log + directory + "/" + name
                try manager.createDirectory(
                    atPath: URL(fileURLWithPath: file).deletingLastPathComponent().path,
                    withIntermediateDirectories: true)
                try Data("picture".utf8).write(to: URL(fileURLWithPath: file))
            }
        }
        try scene.record(5)
        try await LogShipper(of: scene.store, to: FolderCarrier(place), options: ShippingScene.options).ship(base: true)
        try await LogRestorer(from: carrier, key: TemporaryStore.key).restore(to: scene.place.directory + "/new")
        let follower = try await LogFollower.open(
            scene.place.directory + "/copy", from: carrier, configuration: scene.place.configuration)
        try await follower.update()
        #expect(try follower.store.digests() == scene.store.digests())
        try await follower.store.close()
        for directory in ["", "/segments", "/bases", "/erasures"] {
            for name in names { #expect(manager.fileExists(atPath: log + directory + "/" + name)) }
        }
    }
}
