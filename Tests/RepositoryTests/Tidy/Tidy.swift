import Foundation

/// The rules for sources that can be checked; each answers with what breaks it.
enum Tidy {
    static let maximumFileLines = 400
    static let maximumFunctionLines = 70

    static func longFiles(_ file: SourceFile) -> [String] {
        // The last line ends with a newline.
        let count = file.lines.count - 1
        let isGenerated = file.lines[0] == "// swift-format-ignore-file"
        return count > maximumFileLines && !isGenerated ? ["\(file.path) has \(count) lines"] : []
    }

    static func longFunctions(_ file: SourceFile) -> [String] {
        file.functions.filter { $0.length > maximumFunctionLines }.map {
            "\(file.path):\($0.line) has \($0.length) lines"
        }
    }

    /// A file is named after a type that it declares or extends, unless it has none.
    static func isMisnamed(_ file: SourceFile) -> Bool {
        let names = file.typeNames
        let holdsRawSuite = file.typeName.hasSuffix("Tests") && file.lines.contains { $0.contains("struct `") }
        return !names.isEmpty && !names.contains(file.typeName) && !holdsRawSuite
    }

    /// What stops the process, or was left for later.
    static func forbidden(_ file: SourceFile) -> [String] {
        ["TODO", "FIXME", "fatalError", "try!"].flatMap { text in
            file.lines.enumerated().filter { $1.contains(text) }.map { "\(file.path):\($0.offset + 1) has \(text)" }
        }
    }

    /// Delays that do not follow the configured clock.
    static func foreignClocks(_ file: SourceFile) -> [String] {
        file.tokens.indices.filter { index in
            file.isWord(index, "asyncAfter", "DispatchTime", "DispatchWallTime", "Timer")
                || file.isWord(index, "Task") && file.isSymbol(index + 1, ".") && file.isWord(index + 2, "sleep")
                || file.isWord(index, "timeout") && file.isWord(index - 2, "wait")
        }.map { "\(file.path):\(file.tokens[$0].line) measures time by itself" }
    }

    /// Waits for time, or for turns of other tasks, instead of what a test waits for.
    static func polls(_ file: SourceFile) -> [String] {
        file.tokens.indices.filter { index in
            file.isWord(index, "usleep", "nanosleep")
                || file.isWord(index, "Task", "Thread") && file.isSymbol(index + 1, ".")
                    && file.isWord(index + 2, "yield", "sleep")
        }.map { "\(file.path):\(file.tokens[$0].line)" }
    }

    /// Locks that hold a function, which each access wraps once more.
    static func lockedFunctions(_ file: SourceFile) -> [String] {
        file.lines.enumerated().filter { _, line in
            guard let start = line.range(of: "Locked<")?.upperBound else { return false }
            // Up to the end of the type, which is not that of an arrow.
            let type = line[start...].replacing("->", with: "→").prefix { $0 != ">" }
            return type.contains("→")
        }.map { "\(file.path):\($0.offset + 1) has a function in a lock" }
    }

    /// `zip` ends with the shorter sequence, so an expectation over it does not see what is missing.
    static func zippedExpectations(_ file: SourceFile) -> [String] {
        file.tokens.indices.filter { index in
            guard file.isSymbol(index, "#"), file.isWord(index + 1, "expect", "require") else { return false }
            let end = file.closing(index + 2)
            return (index..<end).contains { file.isWord($0, "zip") }
        }.map { "\(file.path):\(file.tokens[$0].line) expects over zip" }
    }

    /// Suites with tests that wait, for tasks, threads or processes, have a time limit.
    static func unlimitedSuites(_ file: SourceFile) -> [String] {
        let suites = file.tokens.indices.filter { file.isSymbol($0, "@") && file.isWord($0 + 1, "Suite") }
        let helpers = file.tokens.indices.contains { index in
            file.isWord(index, "ToolRun", "ToolPlace", "ChildProcess", "Repeaters", "onOtherThread", "Process")
        }
        return suites.enumerated().filter { place, suite in
            let end = suites.indices.contains(place + 1) ? suites[place + 1] : file.tokens.count
            guard helpers || (suite..<end).contains(where: { isAsyncTest(file, $0) }) else { return false }
            return
                !(file.isSymbol(suite + 2, "(")
                && (suite..<file.closing(suite + 2)).contains { file.isWord($0, "timeLimit") })
        }.map { "\(file.path):\(file.tokens[$0.element].line) waits without a time limit" }
    }

    private static func isAsyncTest(_ file: SourceFile, _ index: Int) -> Bool {
        guard file.isSymbol(index, "@"), file.isWord(index + 1, "Test"),
            let function = (index..<file.tokens.count).first(where: { file.isWord($0, "func") }),
            let list = (function..<file.tokens.count).first(where: { file.isSymbol($0, "(") })
        else { return false }
        return file.isWord(file.closing(list) + 1, "async")
    }
}
