/// A table of the views, owned by one projection: its place among the tables of the catalogue.
///
/// The library's tables have fixed places, which their ``Table`` gives; those of hosts follow.
package struct ViewTable: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt8

    @inline(__always) package init(rawValue: UInt8) { self.rawValue = rawValue }

    @inline(__always) var index: Int { Int(rawValue) }

    /// The table's bit in a set of tables.
    @inline(__always) var bit: UInt64 { 1 << UInt64(rawValue) }

    /// The most tables that the views of one store can have.
    static let maximumCount = 64
}

extension ViewTable {
    /// The tables of the library's projections.
    package static let builtIn: [ViewTable] = BuiltInProjections.tables.map(\.place)

    /// The table of the library of this name; there must be one.
    package static func named(_ name: String) -> ViewTable {
        guard let table = builtIn.first(where: { $0.name == name }) else { preconditionFailure("no table \(name)") }
        return table
    }

    /// The name of a table of the library in the views' environment; of a host's, its place.
    package var name: String {
        index < Self.builtIn.count ? BuiltInProjections.tables[index].name : "number \(rawValue)"
    }
    package var description: String { name }

    /// Whether its rows lie, many to a value, in chunks of the views' environment.
    var isInChunks: Bool { Self.inChunks & bit != 0 }

    private static let inChunks = BuiltInProjections.tables.reduce(UInt64(0)) { $1.isInChunks ? $0 | $1.place.bit : $0 }

    /// Whether to change the row of a key alone is to have no effect: no query shows it, or it says no more than that
    /// the event is in the log.
    func isUnseen(at key: RawSpan) -> Bool {
        switch self {
        case .identities, TimelineEvents.events.place: true
        case Settings.times.place: SettingKey(key: key)?.setting.kind != .folder
        default: false
        }
    }

    @inline(__always) package static var identities: ViewTable { Messages.identities.place }

    /// The tables that say which events are known: admission decides by them what is recorded.
    static var ofKnownEvents: [ViewTable] { [.identities, Messages.states.place] }
}
