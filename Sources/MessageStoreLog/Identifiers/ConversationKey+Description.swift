extension ConversationKey: LosslessStringConvertible {
    /// The kind, a colon and the id, then `#` and the channel where there is one: `group:friends`, `17:desk#support`.
    ///
    /// A kind of the host's own is its number. In the id, `#` and `\\` have a `\\` in front.
    public var description: String {
        var text = "\(kind):"
        for character in id.unicodeScalars {
            if character == "#" || character == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(character)
        }
        if let channel { text += "#" + channel }
        return text
    }

    /// Reads a ``description``; nil if there is no such kind, or no colon after it.
    public init?(_ description: String) {
        let scalars = description.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":"), let kind = ConversationKind(String(scalars[..<colon])) else {
            return nil
        }
        var id = String.UnicodeScalarView()
        var rest = scalars[colon...].dropFirst()
        while let character = rest.popFirst() {
            if character == "#" {
                self.init(kind, String(id), channel: String(rest))
                return
            }
            id.append(character == "\\" ? rest.popFirst() ?? character : character)
        }
        self.init(kind, String(id))
    }
}

extension ConversationKind: LosslessStringConvertible {
    /// Reads a name, or the number of a kind; nil for others.
    public init?(_ description: String) {
        if let kind = Self.names.first(where: { $0.value == description })?.key {
            self = kind
        } else if let number = UInt8(description) {
            self.init(rawValue: number)
        } else {
            return nil
        }
    }
}
