extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Wraps a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Wraps a number without a fraction.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Wraps a number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Wraps `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Wraps a list.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Wraps an object; of equal keys the last one counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
