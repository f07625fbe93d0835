import Foundation

/// Compiles snippets of source text against the modules that were built with these tests.
///
/// The whole front half of the compiler is needed: escapes and uses of consumed values are found after type checking.
enum SnippetCompiler {
    /// The compiler, found as a shell finds it; nil where it is not on the path.
    static let compiler: URL? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { URL(fileURLWithPath: String($0)).appendingPathComponent("swiftc") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    /// Where the build puts the modules: beside the tests, or in the package's build directory.
    static let modules: URL? = {
        let besideTests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let directories = [besideTests, RepositoryText.root.appendingPathComponent(".build/debug")]
        return directories.map { $0.appendingPathComponent("Modules") }
            .first {
                FileManager.default.fileExists(atPath: $0.appendingPathComponent("MessageStore.swiftmodule").path)
            }
    }()

    /// The names of the snippets.
    static let names: [String] = {
        let files = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
        return (files ?? []).filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.sorted()
    }()

    private static let directory = RepositoryText.root.appendingPathComponent(
        "Tests/RepositoryTests/Invariants/Snippets")

    /// What the first line of a snippet expects, without the comment signs.
    static func firstLine(of name: String) throws -> String {
        let text = try RepositoryText.text(of: directory.appendingPathComponent(name + ".txt"))
        return String(text.prefix { $0 != "\n" }.drop { $0 == "/" || $0 == " " })
    }

    /// Compiles a snippet and returns the compiler's errors, one line each.
    static func errors(of name: String) throws -> [String] {
        let text = try RepositoryText.text(of: directory.appendingPathComponent(name + ".txt"))
        let lines = try diagnostics(
            of: text, in: name + ".swift",
            ["-enable-experimental-feature", "Lifetimes", "-package-name", packageName])
        let errors = lines.filter { $0.contains(": error: ") }
        return errors.isEmpty ? lines.filter { !$0.contains(": warning: ") } : errors
    }

    /// Compiles a file with a text and returns the compiler's errors and warnings about it, one line each; where there is
    /// none and the compiler fails all the same, whatever it says.
    static func diagnostics(of text: String, in file: String, _ options: [String] = []) throws -> [String] {
        guard let compiler, let modules else { return ["there is no compiler, or no modules"] }
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("snippet-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let (source, output) = (scratch.appendingPathComponent(file), scratch.appendingPathComponent("out"))
        try Data(text.utf8).write(to: source)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = compiler
        process.arguments =
            ["-emit-sil", "-o", "/dev/null", "-module-name", "Snippet", "-swift-version", "6"] + options + [
                "-I", modules.path,
                "-I", RepositoryText.root.appendingPathComponent("Sources/MessageStoreCLMDB").path,
                "-I", RepositoryText.root.appendingPathComponent("Sources/MessageStoreCNettle").path, source.path,
            ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: output)
        try process.run()
        process.waitUntilExit()
        let lines = try RepositoryText.text(of: output).split(separator: "\n").map { String($0) }
        let found = lines.filter {
            $0.hasPrefix(source.path + ":") && ($0.contains(": error: ") || $0.contains(": warning: "))
        }
        return found.isEmpty && process.terminationStatus != 0 ? lines : found
    }

    /// The name by which the build lets modules of this package see each other's `package` declarations.
    private static var packageName: String {
        let directory = RepositoryText.root.lastPathComponent.lowercased()
        let name = String(directory.map { $0.isLetter || $0.isNumber ? $0 : "_" })
        return name.first?.isNumber == true ? "_" + name.dropFirst() : name
    }
}
