internal import ArgumentParser
internal import Foundation

/// Options that every benchmark has.
struct CommonOptions: ParsableArguments {
    @Option(help: "Where the stores are made; it should be on the disk that is meant.")
    var directory = NSTemporaryDirectory()

    @Option(help: "Also write the results to this JSON file.")
    var json: String?

    /// Prints sections, and writes them where wanted.
    func publish(_ sections: [Section]) throws {
        for section in sections { print(Markdown.text(section) + "\n") }
        if let json { try ReportFiles.writeJSON(ReportFiles.report(sections), to: json) }
    }
}

/// What is going on, on standard error.
enum Progress {
    static func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
