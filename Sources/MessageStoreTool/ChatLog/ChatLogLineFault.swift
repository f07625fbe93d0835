/// What is wrong with one line, before its place is known.
struct ChatLogLineFault: Error, Equatable {
    /// The reason.
    let code: ChatLogError.Code

    /// The name of the field at fault, or empty.
    let detail: String

    /// Makes a fault, by default without a field.
    init(_ code: ChatLogError.Code, _ detail: String = "") {
        self.code = code
        self.detail = detail
    }
}
