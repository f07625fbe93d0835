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

    @Test("no key, another one, and a file that is missing, empty or given twice are refused")
    func refusals() throws {
        let key = try keyFile("key", 5)
        try fill(key)
        try place.run("log").ended(3, output: "", saying: "sealed")
        let new = place.logs.directory.path + "/new"
        try place.run("salvage", new).ended(3, output: "", saying: "sealed")
        try place.run("log", "--key-file", keyFile("other", 6)).ended(
            3, output: "", saying: "the key is not the store's")
        try place.run("log", "--key-file", place.logs.file([], name: "empty")).ended(3, output: "", saying: "32 bytes")
        try place.run("log", "--key-file", "/nowhere").ended(2, output: "", saying: "/nowhere")
        try place.run("log", "--key-file").ended(2, output: "", saying: "needs a file")
        try place.run("log", "--key-file", key, "--key-file", key).ended(2, output: "", saying: "twice")
        #expect(try ToolRun(["--help"]).succeeded().output.contains("--key-file"))
        try place.run("log", "--key-file", key).succeeded()
    }
}
