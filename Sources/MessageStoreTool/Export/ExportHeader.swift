internal import Foundation

/// The first line of an exported log.
struct ExportHeader: Codable {
    static let format = "messagestore-events"
    static let formatVersion = 1

    /// A log's description of a host's type of events.
    struct HostType: Codable {
        let name: String
        let type: UInt16
        let version: UInt8
        /// In the form of the log.
        let description: Data
    }

    let format: String
    let formatVersion: Int
    let account: UserID
    /// The positions of the first and the last event; the last is one less than the first where there is none.
    let first: Position
    let last: Position
    /// The event for which some of the others were cut off; nil where none was.
    let base: Position?
    let hostTypes: [HostType]

    init(account: UserID, first: Position, last: Position, base: Position, descriptions: [EventDescription]) {
        (format, formatVersion) = (Self.format, Self.formatVersion)
        (self.account, self.first, self.last) = (account, first, last)
        self.base = base > first ? base : nil
        hostTypes = descriptions.map {
            HostType(name: $0.name, type: $0.type.rawValue, version: $0.version, description: Data($0.bytes))
        }
    }

    /// The descriptions of hosts' types; nil where one cannot be read.
    var descriptions: [EventDescription]? {
        let descriptions = hostTypes.compactMap { host in
            EventDescription(
                number: UInt32(host.type) << 8 | UInt32(host.version), bytes: [UInt8](host.description))
        }
        return descriptions.count == hostTypes.count ? descriptions : nil
    }
}

/// The last line of an exported log.
struct ExportTrailer: Codable {
    /// A projection at the last event.
    struct Projection: Codable {
        let version: UInt32
        let digest: String
    }

    let events: Int
    /// The digest of the events' lines.
    let digest: String
    /// By name; nil where the log does not begin at its first event.
    let projections: [String: Projection]?
    /// How many events of each type lost their content to `--no-text`; nil where all is there.
    let withoutText: [String: Int]?
}
