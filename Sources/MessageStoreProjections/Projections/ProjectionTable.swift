@_spi(Storage) public import MessageStoreLog

/// A table of a host's projection: rows in the order of their keys.
///
/// Rows are groups of numbered fields, as payloads of events are; keys are values of the declared columns. Users and
/// conversations in keys are stored as numbers of the log's symbols, so an event must have named them.
public struct ProjectionTable<Row: FieldGroup>: Sendable {
    /// The projection that owns the table.
    public let projection: ProjectionID
    /// The name within the projection.
    public let name: String
    /// The columns of the key, most significant first.
    public let key: [KeyColumn]

    /// Declares a table.
    ///
    /// - Parameters:
    ///   - projection: The projection that owns it.
    ///   - name: 1 to 64 letters, digits, dots and hyphens; unique within the projection.
    ///   - key: 1 to 8 columns. Keys of up to 500 bytes can be stored.
    ///   - row: What rows hold.
    public init(_ projection: ProjectionID, _ name: String, key: [KeyColumn], row: Row.Type = Row.self) {
        self.projection = projection
        self.name = name
        self.key = key
    }

    /// The name in the views' environment.
    var fullName: String { "\(projection)/\(name)" }

    var declaration: TableDeclaration {
        TableDeclaration(
            name: fullName, digestSeed: XXH64.hash(fullName),
            description: TableDescription(name: fullName, key: key, fields: FieldRow.descriptions(of: Row.self)))
    }
}

/// A column of the key of a host's table.
public struct KeyColumn: Hashable, Sendable {
    /// What the values of a column are.
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// A conversation, in the order of kinds, ids and channels.
        case conversation = 1
        /// A user, in the order of the UTF-8 bytes of ids.
        case user = 2
        /// A number.
        case number = 3
        /// A time.
        case time = 4
        /// A position of the log, such as a message's local id.
        case position = 5
        /// A string, in the order of its UTF-8 bytes.
        case string = 6
    }

    /// The name, for those who show keys.
    public let name: String
    /// What the values are.
    package let kind: Kind

    package init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// A conversation.
    public static func conversation(_ name: String) -> KeyColumn { KeyColumn(name, .conversation) }
    /// A user.
    public static func user(_ name: String) -> KeyColumn { KeyColumn(name, .user) }
    /// A number.
    public static func number(_ name: String) -> KeyColumn { KeyColumn(name, .number) }
    /// A time.
    public static func time(_ name: String) -> KeyColumn { KeyColumn(name, .time) }
    /// A position of the log.
    public static func position(_ name: String) -> KeyColumn { KeyColumn(name, .position) }
    /// A string.
    public static func string(_ name: String) -> KeyColumn { KeyColumn(name, .string) }
}

/// A value of a column of a key.
public enum KeyValue: Hashable, Sendable {
    /// A conversation.
    case conversation(ConversationKey)
    /// A user.
    case user(UserID)
    /// A number.
    case number(UInt64)
    /// A time.
    case time(Timestamp)
    /// A position of the log.
    case position(Position)
    /// A string.
    case string(String)

    var kind: KeyColumn.Kind {
        switch self {
        case .conversation: .conversation
        case .user: .user
        case .number: .number
        case .time: .time
        case .position: .position
        case .string: .string
        }
    }
}

/// A row of a host's table with its key.
public struct TableRow<Row: FieldGroup>: Hashable, Sendable {
    /// The values of the key's columns.
    public let key: [KeyValue]
    /// The row.
    public let value: Row
}
