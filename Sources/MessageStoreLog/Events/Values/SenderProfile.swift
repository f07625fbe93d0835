/// A sender's name and picture as they came with a message.
public struct SenderProfile: FieldGroup {
    /// The name.
    public var name: String?
    /// The picture.
    public var avatarURL: String?

    /// Creates the value.
    public init(name: String? = nil, avatarURL: String? = nil) {
        self.name = name
        self.avatarURL = avatarURL
    }
}

extension SenderProfile: BuiltInGroup {
    static let nameField = ContentField<String?>(5, "senderName")
    static let avatarURLField = ContentField<String?>(6, "senderAvatarURL")

    /// The numbers in the content.
    static let numbers = [nameField.number, avatarURLField.number]

    package init(reading fields: inout some FieldDecoder) throws {
        self.init(name: try fields.decode(Self.nameField), avatarURL: try fields.decode(Self.avatarURLField))
    }

    package func write(to fields: inout some FieldEncoder) throws {
        try fields.encode(name, for: Self.nameField)
        try fields.encode(avatarURL, for: Self.avatarURLField)
    }

    /// The profile, or nil where it says nothing.
    package var unlessEmpty: SenderProfile? { name == nil && avatarURL == nil ? nil : self }
}
