package import MessageStore

extension StoreModel {
    /// A file of a message.
    struct FileKey: Hashable, Sendable {
        let index: UInt8
        let conversation: ConversationKey
        let message: MessageReference
    }

    /// A file that is there: what told it first and last.
    struct FileEntry: Sendable {
        let since: UInt64
        let position: UInt64
        let byteCount: UInt64
    }

    mutating func applyFile(_ event: Event, _ key: ConversationKey, _ position: UInt64) {
        switch event.payload {
        case let body as AttachmentStateChanged: tellFile(body, key, position)
        case let body as MessageSent:
            joinFiles(of: .local(body.message), key)
            if isAlias(body, key) { joinFiles(of: .server(body.serverID), key) }
        case let body as MessageDuplicateSuppressed: joinFiles(of: .server(body.serverID), key)
        default: break
        }
    }

    private mutating func tellFile(_ body: AttachmentStateChanged, _ key: ConversationKey, _ position: UInt64) {
        var name = body.message
        if let entry = entry(body.message, in: key) {
            name = self.name(of: entry)
            if let original = entry.duplicateOf, original < entry.local,
                let entry = self.entry(.local(LocalMessageID(original)), in: key)
            {
                let kept = FileKey(index: body.index, conversation: key, message: self.name(of: entry))
                if files[kept].map({ isTold($0, of: name, key) }) ?? true {
                    // It is the original's from now on.
                    files[FileKey(index: body.index, conversation: key, message: name)] = nil
                    name = kept.message
                }
            }
        } else if case .local = name {
            return
        }
        let fileKey = FileKey(index: body.index, conversation: key, message: name)
        files[fileKey] = body.byteCount.map {
            FileEntry(since: files[fileKey]?.since ?? position, position: position, byteCount: $0)
        }
    }

    /// Whether a file was last told of a message itself, not of another one whose file it is.
    private func isTold(_ file: FileEntry, of name: MessageReference, _ key: ConversationKey) -> Bool {
        guard let body = log[Int(file.position) - 1].payload as? AttachmentStateChanged,
            let entry = entry(body.message, in: key)
        else { return false }
        return self.name(of: entry) == name
    }

    /// Of what was told under two names of one message the last holds, be it that the file is gone.
    private mutating func joinFiles(of name: MessageReference, _ key: ConversationKey) {
        guard let entry = entry(name, in: key), self.name(of: entry) != name else { return }
        for index in entry.facts.attachments.keys.sorted() { joinFiles(index, of: name, entry, key) }
    }

    private mutating func joinFiles(
        _ index: UInt8, of name: MessageReference, _ entry: MessageEntry, _ key: ConversationKey
    ) {
        let current = FileKey(index: index, conversation: key, message: self.name(of: entry))
        let old = FileKey(index: index, conversation: key, message: name)
        let told = [files.removeValue(forKey: old), files[current]]
            .compactMap { $0 }.sorted { $0.position < $1.position }
        guard let last = told.last else { return }
        // Facts about a repeat are its original's as well; their files are not.
        let attachment = entry.facts.attachments[index]
        let named = attachment.flatMap { self.entry($0.state.message, in: key) }
        let isOfRepeat = named.map { $0.duplicateOf == entry.local && entry.local < $0.local } ?? false
        let isGone = (attachment?.position ?? 0) > last.position && !isOfRepeat
        files[current] =
            isGone
            ? nil
            : FileEntry(
                since: told.map(\.since).min() ?? last.since, position: last.position, byteCount: last.byteCount)
    }

    /// The files of a conversation or of all.
    package func localFiles(in key: ConversationKey?, by order: LocalFileOrder) -> [LocalFile] {
        let listed = files.filter { key == nil || $0.key.conversation == key }.sorted { first, second in
            if order == .oldestFirst { return first.value.since < second.value.since }
            let sizes = (first.value.byteCount, second.value.byteCount)
            if sizes.0 != sizes.1 { return sizes.0 > sizes.1 }
            let indices = (first.key.index, second.key.index)
            if indices.0 != indices.1 { return indices.0 < indices.1 }
            return place(of: first.key.message, in: first.key.conversation)
                .lexicographicallyPrecedes(place(of: second.key.message, in: second.key.conversation))
        }
        return listed.map { key, entry in
            LocalFile(
                message: key.message, index: key.index, conversation: key.conversation,
                path: (log[Int(entry.position) - 1].payload as? AttachmentStateChanged)?.localPath,
                byteCount: entry.byteCount, time: recordedTimes[Int(entry.since) - 1], position: Position(entry.since))
        }
    }
}
