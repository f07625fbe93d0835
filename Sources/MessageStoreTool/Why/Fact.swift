/// A named value of the views, as it is compared, printed and encoded.
struct Fact: Hashable, Encodable {
    enum Value: Hashable {
        case absent
        case number(Int)
        case flag(Bool)
        case time(Timestamp)
        case text(String)
        case user(UserID)
    }

    let name: String
    let value: Value

    init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }
    init(_ name: String, _ number: Int) { self.init(name, .number(number)) }
    init(_ name: String, _ flag: Bool) { self.init(name, .flag(flag)) }
    init(_ name: String, _ text: String?) { self.init(name, text.map { .text($0) } ?? .absent) }
    init(_ name: String, _ user: UserID?) { self.init(name, user.map { .user($0) } ?? .absent) }
    init(_ name: String, _ time: Timestamp?) { self.init(name, time.map { .time($0) } ?? .absent) }
    init(_ name: String, _ place: MessageOrder?) { self.init(name, place?.description) }
}

extension Fact.Value: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .absent: try container.encodeNil()
        case .number(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        case .time(let time): try container.encode(time)
        case .text(let text): try container.encode(text)
        case .user(let user): try container.encode(user.rawValue)
        }
    }

    /// The value for people.
    ///
    /// - Parameter names: The names to show with ids; nil for ids alone.
    func words(_ names: Names?) -> String {
        switch self {
        case .absent: "none"
        case .number(let number): NumberFormat.count(number)
        case .flag(let flag): flag ? "yes" : "no"
        case .time(let time): time.description
        case .text(let text): text
        case .user(let user): names.label(of: user)
        }
    }
}

extension MessageOrder? {
    /// The place in words.
    var words: String { self?.description ?? "an unknown place" }
}
