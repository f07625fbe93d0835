internal import ArgumentParser

/// An error of the tool's own, with its exit code.
struct ToolError: Error, CustomStringConvertible {
    let exitCode: Int32
    let description: String

    static func usage(_ text: String) -> ToolError { ToolError(exitCode: Failure.usage, description: text) }
    static func check(_ text: String) -> ToolError { ToolError(exitCode: Failure.check, description: text) }
    static func store(_ text: String) -> ToolError { ToolError(exitCode: Failure.store, description: text) }
    static func views(_ text: String) -> ToolError { ToolError(exitCode: Failure.views, description: text) }
}

/// Exit codes, and which error has which.
enum Failure {
    static let check: Int32 = 1
    static let usage: Int32 = 2
    static let store: Int32 = 3
    static let views: Int32 = 4

    /// Runs `body` and reports its error; nil if all is well.
    static func code(of body: () throws -> Void) -> Int32? {
        do {
            try body()
            return nil
        } catch {
            let code = report(error)
            return code == 0 ? nil : code
        }
    }

    /// Writes the error to standard error (help goes to standard output) and returns the exit code.
    static func report(_ error: any Error) -> Int32 {
        switch error {
        case let interruption as Interruption:
            writeToStandardError("messagestore: interrupted\n")
            interruption.end()
        case let error as StoreError:
            writeToStandardError("messagestore: \(error.words.terminalSafe)\n")
            if let remedy = remedy(of: error) { writeToStandardError("messagestore: \(remedy)\n") }
            return code(of: error)
        case let error as ChatLogError:
            writeToStandardError("messagestore: \(error.description.terminalSafe)\n")
            return error.isAboutOpening ? usage : check
        case let error as ConditionError:
            writeToStandardError("messagestore: \(error.lines.joined(separator: "\n"))\n")
            return usage
        case let error as ToolError:
            if !error.description.isEmpty { writeToStandardError("messagestore: \(error.description.terminalSafe)\n") }
            return error.exitCode
        default:
            let isClean = RootCommand.exitCode(for: error) == .success
            var text = RootCommand.fullMessage(for: error)
            if text.contains("nexpected argument") {
                text += "\nOptions have one value; repeat those that may be given more than once: --type A --type B."
            }
            if isClean { print(text) } else { writeToStandardError(safe(text) + "\n") }
            return isClean ? 0 : usage
        }
    }

    /// A message of the argument parser, which has lines of its own and repeats arguments as they were given.
    private static func safe(_ text: String) -> String {
        let text = CommandLine.arguments.reduce(text) { text, argument in
            argument.terminalSafe == argument ? text : text.replacing(argument, with: argument.terminalSafe)
        }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).terminalSafe }
            .joined(separator: "\n")
    }

    private static func code(of error: StoreError) -> Int32 {
        switch error.code {
        case .invalidArgument, .notFound, .accountMismatch, .positionCut: usage
        case .viewsDamaged: views
        default: store
        }
    }

    /// A remedy for damage.
    private static func remedy(of error: StoreError) -> String? {
        switch error.code {
        case .viewsDamaged: "nothing is lost: `messagestore rebuild` rebuilds the views from the log"
        case .keyUnavailable where !CommandLine.arguments.contains(where: { $0.hasPrefix("--key-file") }):
            "the key of a sealed store is given by --key-file FILE"
        case .logDamaged, .recordDamaged, .logForged:
            "restore the store from a backup, or copy what can be read into a new one with `messagestore salvage`"
        case .logRolledBack:
            "restore the newer log, or continue without the lost events: `messagestore rebuild --accept-older-log`"
        case .erasureUnfinished: Unfinished.words
        default: nil
        }
    }
}

extension StoreError {
    /// The error for people, without the name of its code.
    var words: String { String(description.dropFirst("\(code): ".count)) }
}

extension ChatLogError {
    /// Whether the file could not be used at all.
    var isAboutOpening: Bool { code == .cannotOpen || code == .isDirectory }
}

extension String {
    /// The end of a message about an unknown name: the one that was probably meant, or else all there are.
    func remedy(among names: some Sequence<String>, listing all: String? = nil) -> String {
        if let near = nearest(of: names) { return "; do you mean \(near)?" }
        return "; there are " + (all ?? names.ordered().joined(separator: ", "))
    }

    /// The name that was probably meant: at most two letters differ, whatever their case.
    func nearest(of names: some Sequence<String>) -> String? {
        let near = names.map { ($0, lowercased().editDistance(to: $0.lowercased())) }.min { $0.1 < $1.1 }
        return near.flatMap { $0.1 <= 2 && $0.1 < count ? $0.0 : nil }
    }
}

extension Collection where Element: Equatable {
    /// How many elements must be added, left out or replaced to make the other collection of this one.
    func editDistance(to other: some Collection<Element>) -> Int {
        var row = Array(0...other.count)
        for (line, element) in enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, another) in other.enumerated() {
                let changed = diagonal + (element == another ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(changed, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
