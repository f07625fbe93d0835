/// The problem with one line, before its line number is known.
struct ChatLogLineFault: Error, Equatable {
    let code: ChatLogError.Code
    /// The name of the field at fault, or empty.
    let detail: String

    init(_ code: ChatLogError.Code, _ detail: String = "") { (self.code, self.detail) = (code, detail) }

    /// Refuses bytes that are no UTF-8, and those that a decoder would take for UTF-16 or UTF-32.
    static func check(_ line: ArraySlice<UInt8>) throws {
        guard String(validating: line, as: UTF8.self) != nil else { throw ChatLogLineFault(.invalidUTF8) }
        guard !line.prefix(4).contains(0) else { throw ChatLogLineFault(.invalidJSON) }
    }

    /// The problem that a JSON decoder's error describes, without the value.
    init(_ error: any Error) {
        func path(_ keys: [any CodingKey]) -> String {
            keys.map { $0.intValue.map { String($0) } ?? $0.stringValue }.joined(separator: ".")
        }
        switch error {
        case let fault as ChatLogLineFault: self = fault
        case let error as StoreError: self.init(.invalidEvent, error.message)
        case DecodingError.keyNotFound(let key, let context): self.init(.missingField, path(context.codingPath + [key]))
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            let isField = !context.codingPath.isEmpty
            self.init(isField ? .wrongFieldType : .invalidJSON, isField ? path(context.codingPath) : "not an object")
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            self.init(.unknownFieldValue, path(context.codingPath))
        default: self.init(.invalidJSON)
        }
    }
}
