extension Sequence {
    /// The elements in an order, as `sorted(by:)` returns them.
    ///
    /// All types of elements share its code, where `sorted(by:)` is compiled again for each type and order. It takes
    /// several times as long, so it is for few elements and for what is seldom asked.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    package func ordered(by precedes: (Element, Element) throws -> Bool) rethrows -> [Element] {
        try sorted(by: precedes)
    }
}

extension Sequence where Element: Comparable {
    /// The elements in ascending order; see ``ordered(by:)``.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    package func ordered() -> [Element] { sorted() }
}
