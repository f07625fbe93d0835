@_spi(Storage) internal import MessageStoreLog

/// A test on MessageStore and its test kit alone that fails as long as a log fulfils a condition.
struct MinimisedTest {
    let copy: ReducedLog.Copy
    let configuration: MessageStore.Configuration
    /// The name of the files, from which the test has its own.
    var name = "log"

    /// The file's text.
    func text() throws -> String {
        let (statements, expression) = copy.condition.code
        let events = try copy.copy.store.events(from: Position(1), limit: .max)
        let lines = try events.map { "        " + (try JSON.line($0)) }
        let hostTypes = configuration.events.map { String(reflecting: $0) + ".self" }
        let projections = configuration.projections.map { String(describing: $0) }
        let modules =
            configuration.events.map { String(reflecting: $0) }
            + configuration.projections.map { String(reflecting: type(of: $0)) }
        let imports = Set(modules.compactMap { $0.split(separator: ".").first.map { "@testable import \($0)" } })
        let registrations = [("events", hostTypes), ("projections", projections)].filter { !$0.1.isEmpty }
            .map { "        $0.\($0) = [\($1.joined(separator: ", "))]" }
        return """
            // swift-format-ignore-file
            // Written by `messagestore minimise`. The log below is the smallest one that was found in which this is true:
            //     \(copy.condition.text)
            // The test fails as long as it is true, and passes once the rule has changed. If the app should have recorded
            // another event, replace the old one by the one that it records now. Names are not those of the store; equal
            // ones are equal.
            import Foundation
            import MessageStore
            import MessageStoreTestKit
            import Testing
            \(imports.ordered().map { $0 + "\n" }.joined())
            @Test("the log does not fulfil the condition")
            func minimised\(capitalisedName)() throws {
                let lines = #\"""
            \(lines.joined(separator: "\n"))
                    \"""#
                let store = try TemporaryStore()
                let opened = try store.open(account: \(copy.copy.store.account.rawValue.debugDescription)) {
                    // No timer of the log is due.
                    $0.now = { Timestamp(milliseconds: 1) }
            \(registrations.map { $0 + "\n" }.joined())    }
                let decoder = JSONDecoder()
            \(hostTypes.isEmpty ? "" : "    decoder.userInfo[.eventTypes] = opened.eventTypes\n")\
                try opened.appendRecorded(
                    lines.split(separator: "\\n").map { try decoder.decode(RecordedEvent.self, from: Data($0.utf8)) })
                try opened.read { views in
            \(statements.map { "        \($0)\n" }.joined())        let isFulfilled = \(expression)
                    #expect(!isFulfilled)
                }
                try opened.close()
            }

            """
    }

    private var capitalisedName: String {
        let letters = String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
        return letters.prefix(1).uppercased() + letters.dropFirst()
    }
}
