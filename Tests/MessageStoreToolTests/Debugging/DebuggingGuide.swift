import Foundation

/// `Docs/Debugging.md`: its commands with the output that it shows for them, and its other parts.
struct DebuggingGuide {
    struct Command {
        let line: Int
        let text: String
        /// Without the last line feed.
        var output: String
    }

    /// The folder of the repository.
    static let root = (1...4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    let text: String

    init() throws {
        text = try String(contentsOf: Self.root.appendingPathComponent("Docs/Debugging.md"), encoding: .utf8)
    }

    /// What stands in blocks of `console`, in order: lines that begin with `$ `, and what follows each.
    var commands: [Command] {
        var commands: [Command] = []
        var isInside = false
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            if line.hasPrefix("```") {
                isInside = line == "```console"
            } else if isInside, line.hasPrefix("$ ") {
                commands.append(Command(line: index + 1, text: String(line.dropFirst(2)), output: ""))
            } else if isInside, let last = commands.indices.last {
                commands[last].output += (commands[last].output.isEmpty ? "" : "\n") + line
            }
        }
        return commands
    }

    /// The arguments of the commands in the table of questions.
    var questions: [[String]] {
        text.matches(of: /\| `messagestore ([^`]+)`/).map { String($0.output.1).shellWords }
    }

    /// The blocks of Swift.
    var samples: [String] { text.matches(of: /```swift\n((?s).*?)```/).map { String($0.output.1) } }
}

extension String {
    /// The words of a command line, in which quotes are only around whole words.
    var shellWords: [String] {
        matches(of: /'([^']*)'|[^ ]+/).map { String($0.output.1 ?? $0.output.0) }
    }
}
