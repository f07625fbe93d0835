import Foundation

@testable import MessageStoreTestSupport

/// All files of a directory with stores and what they gave to others, byte by byte: which bytes nobody may be able to read,
/// and what is wrong with them.
struct StoredBytes {
    /// A kind of files or rows whose bytes are looked at together.
    typealias Name = String

    /// The bytes that are sealed in a store with a key, values and hidden keys apart.
    private(set) var sealed: [Name: [UInt8]] = [:]
    /// The values among them: copies of files have the same ones.
    private var values: [Name: Set<[UInt8]>] = [:]
    /// The tables and kinds of files that were met.
    private(set) var met: Set<Name> = []
    /// Whatever no sealed store has.
    private(set) var problems: [Name: Set<String>] = [:]

    /// - Parameter words: Nobody may find them anywhere.
    init(below directory: String, words: [[UInt8]]) throws {
        let names = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        for name in names {
            let path = directory + "/" + name
            if words.contains(where: { Data(name.utf8).range(of: Data($0)) != nil }) {
                add("a name of a file has a word", to: name)
            }
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue else {
                continue
            }
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            let kind = Self.kind(of: name)
            for word in words where bytes.range(of: Data(word)) != nil { add("a word is in the file", to: kind) }
            try look(at: [UInt8](bytes), path, name, kind)
        }
    }

    private mutating func add(_ problem: String, to name: Name) { problems[name, default: []].insert(problem) }

    /// A file's kind: its path in the store, or in the place without the parts that are of one object.
    private static func kind(of name: String) -> Name {
        let parts = name.split(separator: "/").map(String.init)
        switch (parts[0], parts.count) {
        case (_, 1): return name
        case ("place", 2): return name
        case ("place", 7): return parts[6] == "manifest" ? "place/manifest" : "place/piece"
        case ("place", _): return "place/" + parts[min(3, parts.count - 1)]
        case ("inbox", _): return "inbox/" + parts[1]
        default: return parts.dropFirst().joined(separator: "/")
        }
    }
}

extension StoredBytes {
    /// Files of which all bytes are clear, and the reason why they may be; the words are looked for in them, too.
    private static let clearFiles = [
        "writer.lock": "who had the store open last, and when", "lock.mdb": "the table of readers",
        "data.mark": "how a file was left", "place/first": "the store's id", "place/erased": "a number",
        "place/erasures": "numbers of users and conversations, positions",
        "place/piece": "a part of a backup, which is put together again and looked at",
    ]

    private mutating func look(at bytes: [UInt8], _ path: String, _ name: String, _ kind: Name) throws {
        let last = name.split(separator: "/").last.map(String.init) ?? ""
        let directory = String(path.dropLast(last.count + 1))
        met.insert(kind)
        switch kind {
        case "log/data.mdb": try rows(in: directory, "log") { TableForm.log[$0] }
        case "views/data.mdb": try rows(in: directory, "views", TableForm.ofViews)
        case _ where kind.hasPrefix("lagging/") && last == "data.mdb":
            try rows(in: directory, "lagging") { TableForm.lagging[$0] }
        case "log/journal-0", "log/journal-1": frames(bytes, "journal")
        case "segment", "place/segments": frames(bytes, kind)
        case "lens", "place/page", "inbox/new": sealedFile(bytes, kind)
        case "identity.json": try identity(bytes)
        case "keys.json", "log/keys.json": try keys(bytes)
        case "place/manifest": try manifest(bytes)
        case _ where Self.clearFiles[kind] != nil || Self.clearFiles[last] != nil: break
        default: add("no list has such a file: \(name)", to: kind)
        }
    }

    /// Collects bytes that have to look like random ones.
    private mutating func collect(_ bytes: some Collection<UInt8>, _ name: Name) {
        guard values[name, default: []].insert(Array(bytes)).inserted else { return }
        sealed[name, default: []] += bytes
        if RandomBytes.isPlain(bytes) { add("a value looks like a text or a number", to: name) }
    }

    private mutating func rows(in directory: String, _ place: String, _ form: (String) -> TableForm?) throws {
        let environment = try RawEnvironment(directory)
        for table in try environment.tables() {
            let name = place + "/" + table
            met.insert(name)
            guard let form = form(table) else {
                add("no list has the table", to: name)
                continue
            }
            for row in try environment.rows(of: table) {
                guard let hidden = form.hiddenParts(of: row) else { break }
                if !hidden.isWhole { add("a row has another length than a sealed one", to: name) }
                collect(hidden.value, name)
                if !hidden.key.isEmpty { collect(hidden.key, name + " keys") }
            }
        }
    }

    /// Frames of a journal or a segment: a header, sealed bytes, and zeros up to a multiple of 64.
    private mutating func frames(_ bytes: [UInt8], _ name: Name) {
        var offset = 0
        while offset + 64 <= bytes.count {
            let header = bytes[offset..<offset + 64]
            guard header.contains(where: { $0 != 0 }) else {
                offset += 64
                continue
            }
            let magic = String(decoding: header.prefix(8), as: UTF8.self)
            let isSealed = magic == "\nMSJRNS1"
            let count = Self.number(header, 56) + Self.number(header, 60) + (isSealed ? 32 : 0)
            guard isSealed || magic == "\nMSJRNL1", offset + 64 + count <= bytes.count else {
                add("bytes at \(offset) are of no frame", to: name)
                return
            }
            collect(bytes[offset + 64..<offset + 64 + count], name)
            if !isSealed { add("a frame is clear", to: name) }
            let end = (offset + 64 + count + 63) / 64 * 64
            let padding = bytes[offset + 64 + count..<min(end, bytes.count)]
            if padding.contains(where: { $0 != 0 }) { add("bytes after a frame are no zeros", to: name) }
            offset = end
        }
    }

    private static func number(_ header: ArraySlice<UInt8>, _ place: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(header[header.startIndex + place + $1]) << (8 * $1) }
    }

    private mutating func sealedFile(_ bytes: [UInt8], _ name: Name) {
        let magic = Array("messagestore-sealed\n".utf8)
        if !bytes.starts(with: magic) { add("the file is clear", to: name) }
        // A checksum of eight bytes follows.
        collect(bytes.dropFirst(magic.count + 8), name)
    }

    private mutating func identity(_ bytes: [UInt8]) throws {
        let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        if object?["account"] as? String != "" { add("the account is named", to: "identity.json") }
        let others = Set(object.map { Array($0.keys) } ?? []).subtracting(["format", "id", "account", "checksum"])
        if !others.isEmpty { add("it has \(others)", to: "identity.json") }
    }

    private mutating func keys(_ bytes: [UInt8]) throws {
        let object = try Self.json(bytes)
        if Set(object.keys) != ["format", "wraps"] { add("it has \(object.keys)", to: "keys.json") }
        for wrap in object["wraps"] as? [String] ?? [] {
            let digits = Array(wrap.utf8).map { $0 >= 97 ? $0 - 87 : $0 - 48 }
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
            collect(bytes, "keys.json")
        }
    }

    /// The list of a base's files is clear, but for the last event.
    private mutating func manifest(_ bytes: [UInt8]) throws {
        let object = try Self.json(bytes)
        let others = Set(object.keys).subtracting(["position", "files", "pieces", "end", "wordBits"])
        if !others.isEmpty { add("it has \(others)", to: "place/manifest") }
        let end = (object["end"] as? String).flatMap { Data(base64Encoded: $0) }
        frames([UInt8](end ?? Data()), "place/manifest")
    }

    /// The object after a line with its checksum.
    static func json(_ bytes: [UInt8]) throws -> [String: Any] {
        let line = bytes.firstIndex(of: 0x0A).map { bytes[($0 + 1)...] } ?? []
        return try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] ?? [:]
    }
}

extension StoredBytes {
    /// The kinds whose sealed bytes are not those of a random generator.
    var notRandom: Set<Name> { Set(sealed.filter { !RandomBytes.isRandom($0.value) }.keys) }

    /// The kinds of which there are too few bytes to say so.
    var few: Set<Name> { Set(sealed.filter { $0.value.count < RandomBytes.leastCount }.keys) }
}
