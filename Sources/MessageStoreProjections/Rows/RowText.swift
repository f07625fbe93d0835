/// A value of a row, before it is put in words.
enum RowText {
    /// Words that say nothing of a person.
    case plain(String)
    /// A person's words, such as a name, which are shown only on request.
    case personal(String, byteCount: Int)
    /// Milliseconds since 1970.
    case time(Int64)
    /// A user, as a number of the log's symbols.
    case user(UInt32)
    /// A conversation, as a number of the log's symbols.
    case conversation(UInt32)
    /// A content type, as a number of the log's symbols.
    case contentType(UInt32)
    /// A place in a conversation's order.
    case order([UInt8])
}
