extension FieldDescription {
    /// The problem with the fields that a host declares, as the end of a sentence; nil where they can be used.
    ///
    /// - Parameters:
    ///   - fields: Those of an event or of a row.
    ///   - firstNumber: The lowest number outside of content, whose numbers begin at 1.
    package static func problem(of fields: [FieldDescription], firstNumber: UInt32) -> String? {
        for field in fields {
            if let problem = field.problem(firstNumber) { return "has the field \(field.name), which \(problem)" }
        }
        for (index, field) in fields.enumerated() {
            for other in fields[..<index] {
                if field.name == other.name { return "has two fields with the name \(field.name)" }
                if field.part == other.part, field.place == other.place,
                    field.place != nil || !Set(field.numbers).isDisjoint(with: other.numbers)
                {
                    return "has the fields \(other.name) and \(field.name) in one place"
                }
            }
        }
        return nil
    }

    private func problem(_ firstNumber: UInt32) -> String? {
        if name.isEmpty { return "has no name" }
        if let number {
            let first = part == .content ? 1 : firstNumber
            let last = FieldNumbers.highest - (type.takesTwoNumbers ? 1 : 0)
            guard (first...last).contains(number) else {
                return "has the number \(number); \(first) to \(last) are allowed"
            }
        }
        let canBeEmpty = type.isList || type.kind == .pairs || type.kind == .bool
        if type.isOptional, canBeEmpty {
            return "is optional: without a value it could not be told from an empty or false one"
        }
        if part == .content, !type.isOptional, !canBeEmpty {
            return "is content and not optional: redaction removes it"
        }
        return nil
    }
}
