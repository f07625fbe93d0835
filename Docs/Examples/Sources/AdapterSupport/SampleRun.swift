/// A run of a document's sample: prints what is done and what comes of it, and counts what differs.
package final class SampleRun {
    /// How many expectations did not hold.
    package private(set) var differences = 0

    /// Begins a run and prints its title.
    package init(_ title: String) { print("== \(title)") }

    /// Names what is done next.
    package func step(_ text: String) { print("- \(text)") }

    /// Expects a value, or none.
    package func expect<Value: Equatable>(_ what: String, _ value: Value?, is expected: Value?) {
        let text = value.map { "\($0)" } ?? "nothing"
        if value == expected {
            print("    ok    \(what)\(text.count <= 60 ? ": \(text)" : "")")
        } else {
            print("    DIFFERS  \(what): \(text), expected \(expected.map { "\($0)" } ?? "nothing")")
            differences += 1
        }
    }
}
