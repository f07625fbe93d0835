import Foundation
import MessageStore
import Testing

@Suite(
    "messagestore with the key of a sealed store", .tool, .enabled(if: TemporaryStore.canSeal),
    .timeLimit(.minutes(30)))
struct KeyFileTests {
    private static let word = "晚上一起吃饭吗"

    /// A file with a key, as digits or as bytes.
    private func keyFile(_ name: String, _ byte: UInt8, isHexadecimal: Bool = true) throws -> String {
        let key = [UInt8](repeating: byte, count: 32)
        let digits = key.map { String($0, radix: 16) }.map { $0.count == 1 ? "0" + $0 : $0 }.joined() + "\n"
        return try place.logs.file(isHexadecimal ? Array(digits.utf8) : key, name: name)
    }

    private func fill(_ key: String) throws {
        try place.importLines(
            [logLine(Self.word, id: "m1", time: "1000"), logLine("second", id: "m2", time: "2000")],
            ["--key-file", key])
    }

    /// Whether a file below a directory has a word.
    private func has(_ word: String, below directory: String) throws -> Bool {
        let names = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        return names.contains {
            FileManager.default.contents(atPath: directory + "/" + $0)?.range(of: Data(word.utf8)) != nil
        }
    }

    @Test("commands that read and write work on a sealed store, and its files have no word")
    func commands() throws {
        let key = try keyFile("key", 5)
        try fill(key)
        let options = ["--key-file", key]
        #expect(
            try place.run(["messages", "c"], options).succeeded().output.contains(Self.word))
        #expect(try place.run(["conversations"], options).succeeded().output.contains("c"))
        #expect(try place.run(["search", "吃饭"], options).succeeded().output.contains(Self.word))
        for command in ["verify", "check", "stats", "sizes", "log", "unread", "rebuild", "compact", "doctor"] {
            try place.run([command], options).succeeded()
        }
        let base = place.logs.directory.path
        try place.run(["backup", base + "/backup"], options).succeeded()
        try ToolRun(["restore", base + "/backup", base + "/restored"] + options).succeeded()
        try ToolRun(["salvage", base + "/store", base + "/salvaged"] + options).succeeded()
        try place.run(["ship", base + "/place"], options).succeeded()
        try ToolRun(["restore", "--shipped", base + "/place", base + "/new"] + options).succeeded()
        try ToolRun(["follow", base + "/place", base + "/copy", "--once"] + options).succeeded()
        for name in ["store", "backup", "restored", "salvaged", "place", "new", "copy"] {
            #expect(try !has(Self.word, below: base + "/" + name), "\(name)")
        }
        for name in ["restored", "salvaged", "new", "copy"] {
            #expect(
                try ToolRun(["messages", base + "/" + name, "c"] + options).succeeded().output.contains(Self.word),
                "\(name)")
        }
    }

    @Test("a key by its bytes, by a descriptor and before the command is the same key")
    func forms() throws {
        let key = try keyFile("key", 5)
        try fill(key)
        let bytes = try keyFile("bytes", 5, isHexadecimal: false)
        let expected = try place.run("log", "--key-file", key).succeeded().output
        #expect(try place.run("log", "--key-file=" + bytes).succeeded().output == expected)
        #expect(try ToolRun(["--key-file", bytes, "log", place.store]).succeeded().output == expected)
        let line = #""$0" log "$1" --key-file /dev/fd/3 3< "$2""#
        #expect(try ToolRun.shell(line, [place.store, key]).succeeded().output == expected)
    }

    @Test("another key opens the store, at once or by a compaction, and another one the restored backup")
    func change() throws {
        let (first, second) = (try keyFile("key", 5), try keyFile("second", 6))
        let third = try place.logs.file(Array(String(repeating: "0A", count: 32).utf8), name: "third")
        try fill(first)
        func opens(_ store: String, _ key: String) throws {
            for file in [first, second, third] {
                let run = try ToolRun(["messages", store, "c", "--key-file", file])
                if file == key {
                    #expect(run.succeeded().output.contains(Self.word))
                } else {
                    run.ended(3, output: "", saying: "the key is not the store's")
                }
            }
        }
        let base = place.logs.directory.path
        try place.run("ship", base + "/place", "--key-file", first).succeeded()
        try place.run("change-key", "--key-file", first, "--new-key-file", second).succeeded()
        try opens(place.store, second)
        try place.run("change-key", "--new-key-file", second).ended(2, output: "", saying: "--key-file FILE")
        try place.run("compact", "--key-file", second, "--new-key-file", third).succeeded()
        try opens(place.store, third)
        try place.run("backup", base + "/backup", "--key-file", third).succeeded()
        try ToolRun(["restore", base + "/backup", base + "/new", "--key-file", third, "--new-key-file", first])
            .succeeded()
        try opens(base + "/new", first)
        // The place has objects under the first key.
        let check = ["ship", place.store, base + "/place", "--check", "--key-file", third]
        try ToolRun(check).ended(3, output: "", saying: "under another key")
        try place.run("ship", base + "/place", "--key-file", third).ended(3, output: "", saying: "put a base")
        try place.run("ship", base + "/place", "--base", "--key-file", third).succeeded()
        try ToolRun(check).succeeded()
        try ToolRun(["restore", "--shipped", base + "/place", base + "/shipped", "--key-file", third]).succeeded()
        try opens(base + "/shipped", third)
    }

    @Test("no key, another one, and a file that is missing, empty or given twice are refused")
    func refusals() throws {
        let key = try keyFile("key", 5)
        try fill(key)
        try place.run("log").ended(3, output: "", saying: "--key-file FILE")
        let new = place.logs.directory.path + "/new"
        try place.run("salvage", new).ended(3, output: "", saying: "sealed")
        try place.run("log", "--key-file", keyFile("other", 6)).ended(
            3, output: "", saying: "the key is not the store's")
        let directory = place.logs.directory.path
        for (file, words) in [
            (try place.logs.file([], name: "empty"), "32 bytes"), ("/nowhere", "cannot be read"),
            (directory, "cannot be read"), (try place.logs.file(Array("xy".utf8), name: "short"), "but 2 bytes"),
        ] {
            try place.run("log", "--key-file", file).ended(2, output: "", saying: "\(file) ")
            try place.run("compact", "--key-file", key, "--new-key-file", file).ended(2, output: "", saying: words)
        }
        try place.run("log", "--key-file").ended(2, output: "", saying: "needs a file")
        try place.run("log", "--key-file", key, "--key-file", key).ended(2, output: "", saying: "twice")
        #expect(try ToolRun(["--help"]).succeeded().output.contains("--key-file"))
        try place.run("log", "--key-file", key).succeeded()
    }
}
