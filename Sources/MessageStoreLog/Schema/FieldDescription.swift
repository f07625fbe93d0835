/// A field as its payload type declares it.
public struct FieldDescription: Hashable, Sendable {
    /// The part of a record that a value is in.
    public enum Part: String, Hashable, Sendable, Codable {
        /// In the envelope, which every event has.
        case envelope
        /// Among the fields that folds can read.
        case fields
        /// In the content, which redaction removes.
        case content
    }

    /// The name in JSON and in the tool's output.
    public let name: String
    /// The part of the record that the field is in.
    public let part: Part
    /// The number among the fields or in the content; nil in the envelope.
    public let number: UInt32?
    /// The part of the envelope; nil outside of it.
    package let place: EnvelopePlace?
    /// The type of its values.
    public let type: FieldType
    /// The class of what its values say about people.
    public let fieldClass: FieldClass
    /// Whether its values must not be empty.
    package let refusesEmpty: Bool
    /// The fields of the groups that its values list; fields of hosts' groups are not described in the log.
    package let elements: [FieldDescription]

    /// Describes a field.
    package init(
        name: String, part: Part, number: UInt32?, place: EnvelopePlace?, type: FieldType,
        fieldClass: FieldClass? = nil, refusesEmpty: Bool = false, elements: [FieldDescription] = []
    ) {
        self.name = name
        self.part = part
        self.number = number
        self.place = place
        self.type = type
        self.fieldClass = part == .content ? .personal : fieldClass ?? type.defaultClass
        self.refusesEmpty = refusesEmpty
        self.elements = elements
    }

    /// The numbers in the log; messages and orders take two.
    package var numbers: [UInt32] {
        guard let number else { return [] }
        return type.takesTwoNumbers ? [number, number &+ 1] : [number]
    }
}

/// Lists the fields that a payload type reads, or that one writes.
struct FieldLister: FieldDecoder, FieldEncoder {
    private(set) var fields: [FieldDescription] = []

    mutating func decode<Value: FieldValue>(_ field: Field<Value>) throws -> Value {
        list(field)
        return try Value._placeholder
    }

    mutating func decode<Value: FieldValue>(_ field: ContentField<Value>) throws -> Value {
        list(Value.self, field.name, .content, number: field.number)
        return try Value._placeholder
    }

    mutating func decode<Slot: EnvelopeSlot>(_ field: SlotField<Slot>) throws -> Slot.Value {
        list(Slot.Value.self, field.name, .envelope, place: Slot.place)
        return try Slot.Value._placeholder
    }

    mutating func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws { list(field) }

    mutating func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws {
        list(Value.self, field.name, .content, number: field.number)
    }

    mutating func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: SlotField<Slot>) throws {
        list(Slot.Value.self, field.name, .envelope, place: Slot.place)
    }

    private mutating func list<Value: FieldValue>(_ field: Field<Value>) {
        list(Value.self, field.name, .fields, number: field.number, fieldClass: field.fieldClass, rule: field.rule)
    }

    private mutating func list<Value: FieldValue>(
        _ type: Value.Type, _ name: StaticString, _ part: FieldDescription.Part, number: UInt32? = nil,
        place: EnvelopePlace? = nil, fieldClass: FieldClass? = nil, rule: FieldRule = .any
    ) {
        let refusesEmpty =
            switch rule {
            case .any, .nonEmpty: false
            case .key, .identifier: !Value.fieldType.isList && Value.fieldType.kind == .string
            }
        fields.append(
            FieldDescription(
                name: name.description, part: part, number: number, place: place, type: Value.fieldType,
                fieldClass: fieldClass ?? Value._fieldClass, refusesEmpty: refusesEmpty,
                elements: Value._elementFields))
    }

    /// The fields of a group, in the order in which they are read.
    static func descriptions<Group: FieldGroup>(of group: Group.Type) -> [FieldDescription] {
        var lister = FieldLister()
        // A group may refuse the values that represent none; it has named its fields by then.
        _ = try? Group(from: &lister)
        return lister.fields
    }
}

extension EventPayload {
    /// The fields in the order in which they are read.
    package static var fieldDescriptions: [FieldDescription] { FieldLister.descriptions(of: Self.self) }
}

/// A field of one event, in words.
package struct FieldText: Hashable, Sendable {
    /// The field's name.
    package let name: String
    /// The value; nil if the event does not have one.
    package let text: String?
    /// The type of the value.
    package let type: FieldType
    /// Whether the value is content, which redaction removes.
    package let isContent: Bool
}

/// Collects the fields of one event in words.
private struct FieldTextCollector: FieldEncoder {
    var texts: [FieldText] = []

    mutating func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws {
        texts.append(
            FieldText(name: field.name.description, text: value._text, type: Value.fieldType, isContent: false))
    }

    mutating func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws {
        texts.append(FieldText(name: field.name.description, text: value._text, type: Value.fieldType, isContent: true))
    }

    mutating func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: SlotField<Slot>) throws {
        texts.append(
            FieldText(name: field.name.description, text: value._text, type: Slot.Value.fieldType, isContent: false))
    }
}

extension FieldGroup {
    /// Every field in words, in the order in which they are written.
    var texts: [FieldText] {
        var collector = FieldTextCollector()
        try? encode(to: &collector)
        return collector.texts
    }
}

extension EventPayload {
    /// Every field of the event in words, in the order in which they are written.
    package var fieldTexts: [FieldText] { texts }
}

/// The form in which events and rows of hosts are described to those who do not have the host's code.
extension FieldDescription {
    /// The description as numbered fields.
    package var bytes: [UInt8] {
        var writer = FieldWriter()
        writer.field(1, name)
        writer.field(2, part.rawValue)
        if let number { writer.field(3, UInt64(number)) }
        writer.field(4, place?.rawValue)
        writer.field(5, type.kind.rawValue)
        writer.field(6, type.isOptional)
        writer.field(7, type.isList)
        if fieldClass != type.defaultClass, part == .fields { writer.field(8, fieldClass.rawValue) }
        writer.field(9, refusesEmpty)
        return writer.bytes
    }

    /// Reads what ``bytes`` wrote; nil for a field of a kind that only a newer version has.
    package init?(_ reader: FieldReader) {
        guard let name = reader.firstString(1), let part = reader.firstString(2).flatMap(Part.init(rawValue:)),
            let kind = reader.firstString(5).flatMap(FieldType.Kind.init(rawValue:))
        else { return nil }
        self.init(
            name: name, part: part, number: reader.firstNumber(3).map { UInt32(truncatingIfNeeded: $0) },
            place: reader.firstString(4).flatMap(EnvelopePlace.init(rawValue:)),
            type: FieldType(kind, isOptional: reader.firstNumber(6) == 1, isList: reader.firstNumber(7) == 1),
            fieldClass: reader.firstString(8).flatMap(FieldClass.init(rawValue:)),
            refusesEmpty: reader.firstNumber(9) == 1)
    }
}

extension FieldDescription {
    /// The problem with the fields that a host declares, as the end of a sentence; nil if they can be used.
    ///
    /// - Parameters:
    ///   - fields: The fields of an event or of a row.
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
            return "is optional: without a value it could not be distinguished from an empty or false one"
        }
        if part == .content, !type.isOptional, !canBeEmpty {
            return "is content and not optional: redaction removes it"
        }
        return nil
    }
}
