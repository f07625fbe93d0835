import Testing

/// A line as the argument of a test: the runner prints the beginning of a long one, and its length.
struct TestLine: ExpressibleByStringLiteral, CustomTestStringConvertible {
    let text: String

    init(_ text: String) { self.text = text }

    init(stringLiteral text: String) { self.text = text }

    var testDescription: String {
        text.utf8.count <= 100 ? text : "\(text.prefix(60))… of \(text.utf8.count) bytes"
    }
}
