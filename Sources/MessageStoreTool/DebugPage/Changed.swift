/// A value as JSON, with a mark where an event changed it.
struct Changed<Value: Encodable & Sendable>: Encodable, Sendable {
    let value: Value
    let isChanged: Bool

    private enum Key: String, CodingKey { case changed }

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        if isChanged { try container.encode(true, forKey: .changed) }
    }
}
