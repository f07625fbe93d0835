import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("I10, I14: checking a store", .timeLimit(.minutes(30)))
struct StoreCheckTests {
    private let place: TemporaryStore

    init() throws {
        place = try TemporaryStore()
        try place.withStore { store throws in
            for start in stride(from: 0, to: 600, by: 100) {
                try store.record((start..<start + 100).map { received("m\($0)", at: Int64($0), text: "secret \($0)") })
            }
        }
    }

    private func damageLog(_ change: (inout DataFile) -> Void) throws {
        var file = try DataFile(place.path + "/log/data.mdb")
        change(&file)
        try file.write()
    }

    private func check() throws -> CheckReport { try MessageStore.check(place.path, configuration: .ofTests) }

    @Test("a sound store: everything is counted and nothing found; the asynchronous form says the same")
    func sound() async throws {
        let report = try { try MessageStore.check(place.path, configuration: .ofTests) }()
        #expect(report.isSound && report.findings.isEmpty)
        #expect(report.scannedRecords == 600 && report.recordsByPosition == 600)
        // The group, the account, the sender, the content type.
        #expect(report.symbols == 4)
        #expect(report.comparedPosition == Position(600))
        #expect(try await MessageStore.check(place.path, configuration: .ofTests) == report)
    }

    @Test("each damaged record is named with its position, and those around it are counted")
    func damagedRecords() throws {
        try damageLog { file in
            let leaves = file.pages(of: "records").leaves
            for leaf in leaves.prefix(3) { file.flip(bit: 0, at: file.nodes(of: leaf)[2] + 8 + 8 + 60) }
        }
        let report = try check()
        #expect(report.findingCount == 3 && report.scannedRecords == 597 && report.recordsByPosition == 597)
        #expect(report.findings.allSatisfy { $0.code == .recordDamaged && $0.file == "log/data.mdb" })
        #expect(Set(report.findings.map(\.position)).count == 3)
        #expect(report.comparedPosition == nil)
        #expect(try MessageStore.check(place.path, configuration: .ofTests, limit: 1).findings.count == 1)
        #expect(!report.findings.contains { ($0.message + $0.remedy).contains("secret") })
    }

    @Test("damage of a branch is seen by the look at the pages")
    func damagedBranch() throws {
        try damageLog { file in
            let branch = file.pages(of: "records").branches[0]
            file.flip(bit: 1, at: file.nodes(of: branch)[5] + 8 + 7)
        }
        let report = try check()
        #expect(!report.isSound && report.findings.allSatisfy { $0.code == .logDamaged && $0.file == "log/data.mdb" })
    }

    @Test("damage of symbols, of the identity, of the views, and an older log are distinguished")
    func otherFiles() throws {
        let copy = place.directory + "/copy"
        try FileManager.default.copyItem(atPath: place.path, toPath: copy)
        func restore() throws {
            try FileManager.default.removeItem(atPath: place.path)
            try FileManager.default.copyItem(atPath: copy, toPath: place.path)
        }
        try damageLog { file in
            let leaf = file.pages(of: "symbolNumbers").leaves[0]
            file.flip(bit: 0, at: file.nodes(of: leaf)[0] + 8 + 3)
        }
        #expect(try check().findings.map(\.code) == [.logDamaged])
        try restore()
        try place.replaceRows(ofTable: "unread") { row in
            var row = row
            row.value[2] ^= 1
            return row
        }
        var report = try check()
        #expect(report.findings.map(\.code) == [.viewsDamaged] && report.findings[0].file == "views/data.mdb")
        #expect(report.findings[0].message.contains("unread") && report.findings[0].remedy.contains("rebuild"))
        try restore()
        let identity = URL(fileURLWithPath: place.path + "/identity.json")
        var text = try String(contentsOf: identity, encoding: .utf8)
        text = text.replacingOccurrences(of: #""account":"me""#, with: #""account":"mf""#)
        try Data(text.utf8).write(to: identity)
        report = try check()
        #expect(report.findings.map(\.file) == ["identity.json"] && report.scannedRecords == 600)
        try restore()
        try FileManager.default.moveItem(atPath: place.path + "/log", toPath: place.directory + "/log")
        try FileManager.default.moveItem(atPath: place.directory + "/log", toPath: place.path + "/log")
        try place.withStore { try $0.record([received("later", at: 1)]) }
        try FileManager.default.removeItem(atPath: place.path + "/log")
        try FileManager.default.copyItem(atPath: copy + "/log", toPath: place.path + "/log")
        #expect(try check().findings.map(\.code) == [.logRolledBack])
    }

    @Test("a log that cannot be opened is a finding; what is no store is an error")
    func unusable() throws {
        try damageLog { $0.bytes.removeLast($0.bytes.count / 2) }
        let report = try check()
        #expect(report.findings.map(\.code) == [.logDamaged] && report.scannedRecords == 0)
        expectError(.storeMissing) { _ = try MessageStore.check(place.directory + "/nothing", configuration: .ofTests) }
    }

    @Test("damaged events are left out and named where that is asked for", arguments: [true, false])
    func skipping(isOpenedWithoutViews: Bool) throws {
        let damagedOnes = [Position(11), Position(12), Position(300)]
        try damageLog { file in
            for leaf in file.pages(of: "records").leaves {
                for node in file.nodes(of: leaf) where damagedOnes.map(\.rawValue).contains(file.position(of: node)) {
                    file.flip(bit: 0, at: node + 8 + 8 + 64)
                }
            }
        }
        if isOpenedWithoutViews { try FileManager.default.removeItem(atPath: place.path + "/views") }
        let store = try place.openReadOnly()
        for order in [ReadOrder.ascending, .descending] {
            var (read, damaged): ([Position], [Position?]) = ([], [])
            try store.forEachEvent(order: order, onDamage: { damaged.append($0.position) }) { event in
                read.append(event.position)
                return true
            }
            if order == .descending {
                read.reverse()
                damaged.reverse()
            }
            #expect(damaged == damagedOnes && read.count == 597 && read == read.sorted())
        }
        if isOpenedWithoutViews {
            expectError(.recordDamaged) { _ = try store.texts() }
        } else {
            expectError(.recordDamaged) { _ = try store.page(.around(.message(.local(LocalMessageID(300)))), limit: 9) }
            var damaged: [Position?] = []
            let page = try store.read {
                try $0.timeline(of: group, limit: 600, onDamage: { damaged.append($0.position) })
            }
            #expect(damaged == damagedOnes && page.elements.count == 597)
        }
        try store.close()
    }
}

extension DataFile {
    /// The position that is a node's key.
    fileprivate func position(of node: Int) -> UInt64 { key(of: node).reduce(0) { $0 << 8 | UInt64($1) } }
}
