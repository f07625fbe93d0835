package import MessageStore

extension StoreModel {
    /// A file of a message.
    struct FileKey: Hashable, Sendable {
        let index: UInt8
        let conversation: ConversationKey
        let message: MessageReference
    }

    /// What recorded a file first and last.
    struct FileEntry: Sendable {
        var since: UInt64
        let position: UInt64
        /// nil where it is gone.
        let byteCount: UInt64?
    }

    mutating func applyFile(_ event: Event, _ key: ConversationKey, _ position: UInt64) {
        switch event.payload {
        case let body as AttachmentStateChanged: tellFile(body, key, position)
        case let body as MessageSent:
            joinFiles(of: .local(body.message), key)
            joinFiles(of: .server(body.serverID), key)
        case let body as MessageDuplicateSuppressed: joinFiles(of: .server(body.serverID), key)
        default: break
        }
    }

    private mutating func tellFile(_ body: AttachmentStateChanged, _ key: ConversationKey, _ position: UInt64) {
        let names = names(for: body.message, in: key)
        guard var name = names.first, let original = names.last else { return }
        let kept = FileKey(index: body.index, conversation: key, message: original)
        if original != name, files[kept].map({ $0.byteCount == nil || isReported($0, of: name, key) }) ?? true {
            // It is the original's from now on.
            files[FileKey(index: body.index, conversation: key, message: name)] = FileEntry(
                since: position, position: position, byteCount: nil)
            name = original
        }
        let fileKey = FileKey(index: body.index, conversation: key, message: name)
        let old = files[fileKey].flatMap { $0.byteCount == nil ? nil : $0 }
        files[fileKey] = FileEntry(since: old?.since ?? position, position: position, byteCount: body.byteCount)
    }

    /// Whether a file was last told of a message itself, not of another one whose file it is.
    private func isReported(_ file: FileEntry, of name: MessageReference, _ key: ConversationKey) -> Bool {
        guard let body = log[Int(file.position) - 1].payload as? AttachmentStateChanged,
            let entry = entry(body.message, in: key)
        else { return false }
        return self.name(of: entry) == name
    }

    /// Of what was told under two names of one message the last holds, be it that the file is gone.
    private mutating func joinFiles(of name: MessageReference, _ key: ConversationKey) {
        guard let current = names(for: name, in: key).first, current != name else { return }
        for old in files.keys where old.conversation == key && old.message == name {
            let renamed = FileKey(index: old.index, conversation: key, message: current)
            let told = [files.removeValue(forKey: old), files[renamed]].compactMap { $0 }
            guard var last = told.max(by: { $0.position < $1.position }) else { continue }
            last.since = told.filter { $0.byteCount != nil }.map(\.since).min() ?? last.since
            files[renamed] = last
        }
    }

    /// The files of a conversation or of all.
    package func localFiles(in key: ConversationKey?, by order: LocalFileOrder) -> [LocalFile] {
        let listed = files.filter {
            (key == nil || $0.key.conversation == key) && $0.value.byteCount != nil
        }.sorted { first, second in
            if order == .oldestFirst { return first.value.since < second.value.since }
            let sizes = (first.value.byteCount ?? 0, second.value.byteCount ?? 0)
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
                byteCount: entry.byteCount ?? 0, time: moments[Int(entry.since) - 1].now,
                position: Position(entry.since))
        }
    }
}
