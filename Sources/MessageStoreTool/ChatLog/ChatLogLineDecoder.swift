#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decodes single lines of a chat log.
struct ChatLogLineDecoder {
    private let decoder = JSONDecoder()

    /// Decodes one line, which must be strict UTF-8 and hold one JSON object.
    func decode(_ line: ArraySlice<UInt8>) throws(ChatLogLineFault) -> ChatLogLine {
        guard String(validating: line, as: UTF8.self) != nil else { throw ChatLogLineFault(.invalidUTF8) }
        // A decoder which meets NUL among the first bytes would take the line for UTF-16 or UTF-32.
        guard !line.prefix(4).contains(0) else { throw ChatLogLineFault(.invalidJSON) }
        do {
            return try decoder.decode(DecodableLine.self, from: Data(line)).content
        } catch let fault as ChatLogLineFault {
            throw fault
        } catch DecodingError.typeMismatch {
            throw ChatLogLineFault(.invalidJSON, "not an object")
        } catch {
            throw ChatLogLineFault(.invalidJSON)
        }
    }
}

/// A line on its way through `JSONDecoder`.
private struct DecodableLine: Decodable {
    let content: ChatLogLine

    init(from decoder: any Decoder) throws {
        let fields = ChatLogFields(container: try decoder.container(keyedBy: ChatLogFields.Key.self))
        if let type = try fields.string(.type) {
            content = .record(try fields.record(type: .init(name: type)))
        } else if fields.contains(.type) {
            throw ChatLogLineFault(.wrongFieldType, ChatLogFields.Key.type.rawValue)
        } else if fields.contains(.user) {
            content = .user(id: try fields.requiredString(.user), name: try fields.name())
        } else {
            let id = try fields.requiredString(.conv)
            let kind = try fields.kind()
            // A record whose type was lost must not pass for a conversation.
            guard fields.contains(.name) else { throw ChatLogLineFault(.missingField, ChatLogFields.Key.type.rawValue) }
            content = .conversation(id: id, kind: kind, name: try fields.name())
        }
    }
}
