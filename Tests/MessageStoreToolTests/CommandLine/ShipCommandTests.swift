import Foundation
import MessageStore
import Testing

@Suite("messagestore ship, restore and follow", .tool, .timeLimit(.minutes(30)))
struct ShipCommandTests {
    @Test("a log is shipped to a folder, restored with its list shown first, and followed")
    func folder() throws {
        try place.importLines([
            logLine("晚上一起吃饭吗", id: "m1", time: "1000"), logLine("second", id: "m2", time: "2000"),
        ])
        let base = place.logs.directory.path
        let (folder, new, copy) = (base + "/shipped", base + "/new", base + "/copy")
        let first = try place.run("ship", folder, "--json").succeeded().object()
        #expect(first["base"] as? Int == 1 && first["segments"] as? Int == 0)
        let position = try #require(first["position"] as? Int)
        #expect(try place.run("ship", "file://" + folder, "--json").succeeded().object()["base"] as? Int == 0)

        let restored = try ToolRun(["restore", "--shipped", folder, new]).succeeded().output
        #expect(restored.contains("\(position) events") && restored.contains("second"))
        #expect(try ToolRun(["verify", new]).succeeded().output.contains("OK"))
        #expect(try ToolRun(["follow", "file://" + folder, copy, "--once"]).succeeded().output.contains("position"))
        try place.write { store in
            try store.record([
                .received(
                    "m9", from: "bob", in: .group("g"), at: Timestamp(milliseconds: 3_000_000_000_000),
                    content: .text("third"))
            ])
        }
        #expect(try place.run("ship", folder).succeeded().output.contains("1 segment"))
        let followed = try ToolRun(["follow", folder, copy, "--once", "--json"]).succeeded().object()
        #expect(followed["position"] as? Int == position + 1)
        // The restored store is another one, and takes over only when it is asked to.
        let refused = try ToolRun(["ship", new, folder])
        #expect(refused.exitCode != 0 && refused.errors.contains("another store ships here"))
    }

    @Test("a wrong place is a clear error")
    func wrong() throws {
        try place.importLines([logLine("text", id: "m1", time: "1000")])
        try place.run("ship", "ftp://host/path").ended(2, saying: "names no place")
        #expect(try place.run("ship", "/nowhere/at/all").exitCode != 0)
        let empty = place.logs.directory.path + "/empty"
        let none = try ToolRun(["restore", "file://" + empty, place.logs.directory.path + "/x"])
        #expect(none.exitCode != 0 && none.errors.contains("no log was shipped"))
        try ToolRun(["restore", "--shipped", empty, "y", "--segment", "z"]).ended(2)
    }
}
