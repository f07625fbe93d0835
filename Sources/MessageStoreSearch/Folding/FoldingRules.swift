/// The rules by which texts and queries are folded; `Docs/Search.md` explains them.
package enum FoldingRules {
    /// Changes with each change after which a text can fold into other units. An index that was made by other rules
    /// must be made again.
    package static let version: UInt32 = 2
    /// The version of Unicode that ``FoldingTable`` was generated from.
    package static let unicodeVersion = FoldingTable.unicodeVersion
    /// How much of a text is folded, in bytes of UTF-8.
    package static let maximumTextBytes = 65_536
}

/// What a scalar is to the search, after it was folded.
enum ScalarClass: UInt16 {
    /// Ends a unit.
    case separator = 0
    /// Leaves no trace: neither separates nor joins.
    case ignorable = 1
    /// Continues a word, or begins one.
    case word = 2
    /// Is a unit by itself.
    case character = 3
}
