/// The kinds of strings that the log replaces by small numbers, and of other entries in its table of names.
package enum SymbolSpace: UInt8, Sendable, CaseIterable {
    case conversation = 1
    case user = 2
    case contentType = 3
    /// The declarations of hosts' types of events; see ``EventDescription``.
    case hostEvent = 4
    /// The store that the log belongs to: number 1 is its id.
    case store = 5
    /// What is left of erased ids; see ``ErasedIDs``.
    case erased = 6
    /// Where the clock said less than at the record before: see ``ClockFall``.
    case clock = 7
}
