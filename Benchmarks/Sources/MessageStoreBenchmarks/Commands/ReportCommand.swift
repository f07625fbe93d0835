internal import ArgumentParser

/// `report`: results that were measured before, rendered again.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Render Markdown and charts of a results.json again, without measuring.")

    @Argument(help: "The results.json.")
    var results: String

    @Option(help: "The directory to write to; without it Markdown is printed.")
    var output: String?

    func run() throws {
        let report = try ReportFiles.readJSON(results)
        if let output {
            try ReportFiles.write(report, toDirectory: output)
        } else {
            print(Markdown.text(report), terminator: "")
        }
    }
}
