/// The row of a closed stretch whose gap may turn out to be none: at its end a message arrived that may have overtaken
/// others.
struct TimelineWait: ViewRow {
    /// A sync that began here or later and completes proves that the gap holds nothing.
    var joinsAfter: UInt64 = 0
    /// A live message of this session proves it as well; 0 where only a sync does.
    var session: UInt64 = 0

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("joinsAfter", &joinsAfter)
        parts.part("session", &session)
    }
}
