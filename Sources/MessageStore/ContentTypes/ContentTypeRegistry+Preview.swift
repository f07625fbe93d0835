internal import Logging

extension ContentTypeRegistry {
    /// A preview of content in one line, for the conversation list and notifications.
    ///
    /// The first of: the `digest` in its attributes or data; the line of the registered type; its text; its `typeTitle`
    /// in brackets; its `degrade` text; the type's ``label`` in brackets. Empty strings are ignored, except for a line
    /// that the registered type returned. The content's message is not known to a hook; where there is one, preview the
    /// message instead.
    public func preview(of content: MessageContent) -> String { preview(of: content, in: nil) }

    private func preview(of content: MessageContent, in context: PreviewContext?) -> String {
        typealias Key = MessageContent.AttributeKey
        let attributes = content.jsonAttributes ?? [:]
        if let explicit = attributes[Key.digest]?.nonEmptyString ?? content.previewInData, !explicit.isEmpty {
            return explicit
        }
        if let line = line(of: content, in: context) { return line }
        if let text = content.text, !text.isEmpty { return text }
        if let title = attributes[Key.typeTitle]?.nonEmptyString { return "[\(title)]" }
        return attributes[Key.degrade]?.nonEmptyString ?? "[\(label(content.type))]"
    }

    /// A preview of a conversation's last message in one line; nil if it was recalled or redacted.
    public func preview(of message: MessagePreview) -> String? {
        message.content.map { preview(of: $0, in: PreviewContext(message)) }
    }

    /// A preview of a message in one line, such as the words of a tip in a timeline; nil if it was recalled or
    /// redacted.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - senderName: The name that a hook gets, as `Views.senderName(of:)` gives it; nil for the one that came with
    ///     the message, or the id.
    public func preview(of message: Message, senderName: String? = nil) -> String? {
        if message.isRecalled || message.isRedacted { return nil }
        return preview(of: message.content, in: PreviewContext(message, senderName: senderName))
    }

    /// The line that the host's hook or the payload itself gives.
    private func line(of content: MessageContent, in context: PreviewContext?) -> String? {
        guard let entry = entry(content.type), let payload = entry.decode(content) else { return nil }
        do {
            if let hooked = try entry.text?(payload, context) { return hooked }
        } catch {
            // An error of the host may quote the message.
            let words = (error as? StoreError)?.description ?? "\(type(of: error))"
            logger.error("a hook of message texts failed", metadata: ["type": "\(content.type)", "error": "\(words)"])
        }
        return payload.preview
    }
}

extension JSONValue {
    fileprivate var nonEmptyString: String? {
        stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }
}
