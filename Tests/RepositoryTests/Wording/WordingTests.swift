import Foundation
import Testing

@Suite("Plain English")
struct WordingTests {
    /// How often the words of the glossary may occur. Lower a number when the count is lower; none may rise.
    private static let allowed = [
        "CHANGELOG.md": 0,
        "CONTRIBUTING.md": 0,
        "README.md": 0,
        "Docs": 42,
        "Sources/MessageStore": 0,
        "Sources/MessageStoreBenchmarkSupport": 0,
        "Sources/MessageStoreLMDB": 1,
        "Sources/MessageStoreLog": 11,
        "Sources/MessageStoreProjections": 4,
        "Sources/MessageStoreTestKit": 2,
        "Sources/MessageStoreTool": 28,
        "Sources/MessageStoreWorkload": 0,
        "Tests": 463,
    ]

    private static let areas: [String] = {
        let sources = RepositoryText.root.appendingPathComponent("Sources").path
        let modules = (try? FileManager.default.contentsOfDirectory(atPath: sources)) ?? []
        return Set(allowed.keys).union(modules.map { "Sources/" + $0 }).sorted()
    }()

    /// The words' own tests, and the page's files in the code.
    private static func isLeftOut(_ file: URL) -> Bool {
        file.path.contains("/RepositoryTests/Wording/") || file.lastPathComponent == "EmbeddedAssets.swift"
    }

    @Test("the words of the glossary do not spread", arguments: areas)
    func count(area: String) throws {
        var found: [String: [String]] = [:]
        for file in try RepositoryText.files(in: area) where !Self.isLeftOut(file) {
            let text = try RepositoryText.text(of: file)
            let isDocument = file.pathExtension == "md"
            let prose = isDocument ? Wording.prose(ofDocument: text) : Wording.prose(ofSource: text)
            found[file.lastPathComponent, default: []] += Wording.occurrences(in: prose)
        }
        let count = found.values.map(\.count).reduce(0, +)
        let worst = found.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }.prefix(5)
        #expect(
            count <= Self.allowed[area] ?? 0,
            "\(area): \(count). \(worst.map { "\($0.key): \($0.value)" }.joined(separator: "; ")). Instead: \(Wording.better)"
        )
    }

    /// How many comments and sentences of sources begin without their noun, and how many identifiers have "told"; none may
    /// rise.
    private static let (headless, told) = (0, 0)

    @Test("comments have subjects, and identifiers the words of the vocabulary")
    func sentences() throws {
        var (headless, told): ([String], [String]) = ([], [])
        for file in try RepositoryText.swiftFiles(in: "Sources") where !Self.isLeftOut(file) {
            let text = try RepositoryText.text(of: file)
            headless += Wording.headlessSentences(ofSource: text).map { "\(file.lastPathComponent): \($0)" }
            told += Wording.identifiers(ofSource: text).map { "\(file.lastPathComponent): \($0)" }
        }
        #expect(headless.count <= Self.headless, "\(headless.count): \(headless.prefix(20))")
        #expect(told.count <= Self.told, "\(told.count): \(told.prefix(20))")
    }

    @Test("a sentence and a summary without their noun count, a word within a sentence does not")
    func headlessRules() {
        let source =
            "/// What is kept.\n/// Where it lies; nil\n/// where it does not. It says that\n/// which is.\nlet What = 1\n    // - Returns: Those. Nil where none is."
        #expect(Wording.headlessSentences(ofSource: source) == ["What", "Where", "nil where", "Those", "Nil where"])
        let names = "let told = isTold + newestTold(untold) + holdings + old // told\n// told\nlet ToldState = cold"
        #expect(
            Wording.identifiers(ofSource: names) == ["told", "isTold", "newestTold", "untold", "told", "ToldState"])
    }

    @Test("words in prose count, in code and longer words they do not")
    func rules() {
        let document =
            "It *stands* beside the `hole`.\n```\ntold\n```\nBehind it: understands, read marker, the markers"
        #expect(
            Wording.occurrences(in: Wording.prose(ofDocument: document)) == ["stands", "beside", "behind", "markers"])
        let source =
            "/// Told by ``told(nextTo:)``.\nlet beside = \"a hole\"  + told\nlet a = \"\"\"\n  brings\n  \"\"\"\nstand"
        #expect(Wording.occurrences(in: Wording.prose(ofSource: source)) == ["told", "hole", "brings"])
    }
}
