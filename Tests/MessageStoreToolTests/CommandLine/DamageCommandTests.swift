import Foundation
import MessageStore
import MessageStoreLMDB
import Testing

@Suite("messagestore check, salvage and --skip-damaged", .tool, .timeLimit(.minutes(30)))
struct DamageCommandTests {
    init() throws {
        try place.importLines((1...20).map { logLine("text \($0)", id: "m\($0)", time: "\($0)000") })
    }

    @Test("a sound store, with views and without: counts, no finding, exit code 0")
    func sound() throws {
        let object = try place.run("check", "--json").object()
        #expect(object["isSound"] as? Bool == true && object["findingCount"] as? Int == 0)
        let run = try place.run("check").succeeded()
        #expect(run.output.contains("OK: nothing is damaged."))
        #expect(run.output.contains("\nviews compared with a replay at position "))
        try FileManager.default.removeItem(atPath: place.store + "/views")
        let without = try place.run("check").succeeded()
        #expect(without.output.contains("\nviews not compared: there are none"), "\(without.output)")
        #expect(!without.output.replacing("OK: nothing is damaged.", with: "").contains("damage"), "\(without.output)")
    }

    @Test("a damaged log: exit code 3, each finding with file, position and remedy; salvage makes a store without it")
    func damaged() throws {
        let log = try place.run("log").output
        try place.damage(5)
        let run = try place.run("check", "--json").ended(3)
        let findings = try #require(try run.object()["findings"] as? [[String: Any]])
        #expect(findings.map { $0["position"] as? Int } == [5])
        #expect(findings[0]["file"] as? String == "log/data.mdb" && findings[0]["remedy"] is String)
        let text = try place.run("check").ended(3)
        #expect(text.errors == "messagestore: 1 finding\n", "\(text.errors)")
        #expect(text.output.contains("\nviews not compared, because of the damage\n"), "\(text.output)")
        #expect(!run.output.contains("text 5"))

        let new = place.store + "-new"
        let salvaged = try place.run("salvage", new, "--json").succeeded()
        let object = try salvaged.object()
        // The page that held the record before is free and not used again yet.
        #expect(object["lostCount"] as? Int == 0 && object["repaired"] as? Int == 1)
        #expect(object["account"] as? String == "me")
        try ToolRun(["check", new]).succeeded()
        #expect(try ToolRun(["log", new]).output == log)
        try place.run("salvage", new).ended(2)
    }

    @Test("salvage exits with 3 where events are lost, with the new store in its place")
    func salvagedWithLosses() throws {
        try place.damage(5)
        let data = place.store + "/log/data.mdb"
        // The page that held the record before is free; without its text nothing is left to repair it with.
        var bytes = try Data(contentsOf: URL(fileURLWithPath: data))
        while let range = bytes.range(of: Data("text 5".utf8)) { bytes[range.lowerBound] ^= 1 }
        try bytes.write(to: URL(fileURLWithPath: data))
        for (number, options) in [[], ["--json"]].enumerated() {
            let new = place.store + "-new\(number)"
            let run = try ToolRun(["salvage", place.store, new] + options).ended(3, saying: "lacks what is lost")
            #expect(run.output.contains(number == 0 ? "1 event lost\n" : "\"lostCount\":1"), "\(run.output)")
            try ToolRun(["check", new]).succeeded()
            #expect(try ToolRun(["messages", new, "c", "--json"]).objects().count == 19)
        }
    }

    @Test("salvage exits with 3 where the end of the file is gone, and says how many events, or that it cannot know")
    func salvagedWithoutEnd() throws {
        try place.importLines((21...2000).map { logLine("text \($0)", id: "m\($0)", time: "\($0)000") })
        let data = URL(fileURLWithPath: place.store + "/log/data.mdb")
        var bytes = try Data(contentsOf: data)
        bytes.removeLast(bytes.count / 2)
        try bytes.write(to: data)
        let run = try place.run("salvage", place.store + "-new", "--json").ended(3, saying: "lacks what is lost")
        let object = try run.object()
        let kept = try #require(object["kept"] as? Int)
        let lostAtEnd = try #require(object["lostAtEnd"] as? Int)
        #expect(lostAtEnd > 0 && kept + (object["lostCount"] as? Int ?? 0) + lostAtEnd == 2000)
        let all = try place.run("salvage", place.store + "-text").ended(3).output
        #expect(all.contains("\(lostAtEnd) events lost after the last one that was kept\n"), "\(all)")

        // Meta pages say where the number of records is.
        bytes.replaceSubrange(0..<8192, with: Data(count: 8192))
        try bytes.write(to: data)
        let without = try place.run("salvage", place.store + "-without").ended(3).output
        #expect(without.contains("\(kept) events kept"), "\(without)")
        #expect(without.contains("after the last one that was kept may be lost"), "\(without)")
    }

    @Test("what lies before a damaged record can be looked at: watch, why and doctor")
    func pastBeforeDamage() throws {
        try place.damage(9)
        let watch = try place.run("watch", "badge > 3", "--to", "8", "--json")
        #expect(try watch.exitCode == 0 && watch.objects().count == 1, "\(watch.errors)")
        try place.run("watch", "exists(m3)", "--to", "8").succeeded()
        let all = try place.run("watch", "badge > 3", "--each-event", "--json")
        #expect(try all.exitCode == 3 && all.objects().count == 1, "\(all.exitCode) \(all.output) \(all.errors)")
        try place.run("why", "message", "m3", "--at", "8").succeeded()
        let doctor = try place.run("doctor", "--json")
        let found = try #require(try doctor.objects().first { $0["symptom"] as? String == "damaged-records" })
        #expect(doctor.exitCode == 0 && found["count"] as? Int == 1)
    }

    @Test("damaged views alone: an exit code and a remedy of their own, and rebuilding repairs them")
    func damagedViews() throws {
        let rows: [(table: String, key: [UInt8], row: [UInt8])] = [
            ("unread", [0, 0, 0, 9], [1, 0, 0, 0]), ("unreadTotals", [2, 0], [1]),
        ]
        for (table, key, row) in rows {
            try place.change("views", table) { transaction, table throws in
                try transaction.put(row.span.bytes, for: key.span.bytes, in: table)
            }
        }
        let check = try place.run("check").ended(4)
        #expect(check.output.contains("unread"))
        try place.run("unread").ended(4, output: "", saying: "`messagestore rebuild`")
        for command in ["rebuild", "check", "unread"] { try place.run(command).succeeded() }
    }

    @Test("an older log under newer views: exit code 3 with both ways on, one of which is a flag of rebuild")
    func olderLog() throws {
        let (files, log) = (FileManager.default, place.store + "/log")
        try files.copyItem(atPath: log, toPath: place.store + "-log")
        try place.importLines([logLine("newer", id: "newer", time: "99000")], name: "more.ndjson")
        try files.removeItem(atPath: log)
        try files.moveItem(atPath: place.store + "-log", toPath: log)
        for command in ["messages", "conversations", "rebuild", "check"] {
            let run = try ToolRun([command, place.store] + (command == "messages" ? ["c"] : [])).ended(3)
            #expect((run.errors + run.output).contains("accept"), "\(command)")
        }
        try place.run("rebuild", "--accept-older-log").succeeded()
        #expect(try place.run("messages", "c", "--json").objects().count == 20)
    }

    @Test("log and messages end at a damaged record, or leave it out, name it and exit with 3")
    func skipping() throws {
        let count = try place.run("log").lines.count
        try place.damage(5)
        for command in [["log"], ["log", "-n", "50"], ["messages", "c"]] {
            let arguments = [command[0], place.store] + command.dropFirst()
            try ToolRun(arguments).ended(3)
            let rows = try ToolRun(arguments + ["--skip-damaged", "--json"])
                .ended(3, saying: "position 5", "1 damaged record was skipped").objects().count
            #expect(rows == (command[0] == "log" ? count - 1 : 19))
        }
        try place.run("log", "--from", "6", "--skip-damaged").succeeded()
    }
}
