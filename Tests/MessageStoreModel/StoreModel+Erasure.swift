import Foundation
package import MessageStore

/// What is erased: values of users, conversations and events.
package struct ModelErasure: Sendable {
    package var users: [UserID] = []
    package var alsoMessages = false
    package var conversations: [ConversationKey] = []
    package var events: [Position] = []
    /// Whether the ids go as well, and the numbers of all users and conversations that the log names under their ids.
    package var alsoIDs = false
    package var userNumbers: [UserID: UInt32] = [:]
    package var conversationNumbers: [ConversationKey: UInt32] = [:]

    package init() {}
}

extension StoreModel {
    /// Removes personal values from the log, and folds what is left of it.
    package mutating func erase(_ wanted: ModelErasure, at now: Timestamp) {
        var erasure = wanted
        (erasure.users, erasure.conversations) = (wanted.users.map(named), wanted.conversations.map(named))
        let written =
            erasure.alsoMessages ? messages.values.filter { erasure.users.contains($0.sender) }.map(\.local) : []
        for local in written + erasure.events.map(\.rawValue) where messages[local] != nil {
            redact(LocalMessageID(local))
        }
        for index in log.indices {
            let isWhole =
                log[index].conversation.map(erasure.conversations.contains) == true
                || erasure.events.contains(Position(UInt64(index + 1)))
            if isWhole {
                eraseValues(at: index)
            } else {
                for user in erasure.users { eraseValues(at: index, of: user) }
            }
            eraseElements(at: index) {
                erasure.users.contains($0)
            } ofTeams: {
                erasure.conversations.contains($0)
            }
        }
        let event = ValuesErased(
            users: erasure.users, alsoMessages: erasure.alsoMessages, conversations: erasure.conversations,
            events: erasure.events, alsoIDs: erasure.alsoIDs)
        let time = look(at: now)
        noteOpening(before: [Event(event)], at: time)
        append(Event(event), at: time)
        slowClock = nil
        if wanted.alsoIDs { eraseIDs(wanted) }
        foldAnew()
    }

    /// Folds what the log has.
    mutating func foldAnew() {
        var new = StoreModel(self, upTo: log.count)
        (new.ownMessagesMarkRead, new.packageNumbers, new.now, new.call) = (
            ownMessagesMarkRead, packageNumbers, now, call
        )
        (new.packages, new.decided, new.pastPositions) = (packages, nil, pastPositions)
        new.hasRecorded = hasRecorded
        self = new
    }

    /// Everything personal in an event.
    private mutating func eraseValues(at index: Int) {
        removeWords(at: UInt64(index + 1))
        switch log[index].payload {
        case is ConversationDraftChanged, is ConversationFolderChanged:
            log[index] = log[index].withoutWords(["text", "name", "condition"])
        case var body as ConversationTagged:
            (body.added, body.removed) = ([], [])
            log[index].payload = body
        case var body as MessageMetadataChanged:
            (body.values, body.removed) = ([:], [])
            log[index].payload = body
        case var body as ChatRoomEntriesChanged:
            (body.values, body.removed) = ([:], [])
            log[index].payload = body
        case var body as SessionStateChanged:
            body.text = nil
            log[index].payload = body
        case var body as UnknownEvent:
            (body.fields, body.content) = ([], [])
            log[index].payload = body
        case var body as MessageSnapshotReceived:
            if body.reactions != nil { body.reactions = [] }
            log[index].payload = body
        default: break
        }
        eraseReason(at: index)
        eraseAboutUser(at: index)
        eraseElements(at: index) { _ in
            true
        } ofTeams: { _ in
            true
        }
        if !Self.hasContent(log[index].payload) { redacted.remove(UInt64(index + 1)) }
    }

    private mutating func eraseReason(at index: Int) {
        switch log[index].payload {
        case var body as MessageRecalled:
            body.reason = nil
            log[index].payload = body
        case var body as MembersRemoved:
            body.reason = nil
            log[index].payload = body
        default: break
        }
    }

    /// What is about the one user whom the event is about.
    private mutating func eraseAboutUser(at index: Int) {
        switch log[index].payload {
        case var body as ReactionAdded:
            body.key = "\u{FFFD}"
            log[index].payload = body
        case var body as ReactionRemoved:
            body.key = "\u{FFFD}"
            log[index].payload = body
        case var body as MemberInfoChanged:
            body.nickname = nil
            log[index].payload = body
        case var body as ConversationCreated:
            body.fields = body.fields.withoutValues
            log[index].payload = body
        case var body as ConversationUpdated:
            body.fields = body.fields.withoutValues
            log[index].payload = body
        case var body as ConversationSnapshotReceived:
            body.fields = body.fields.withoutValues
            log[index].payload = body
        default: break
        }
    }

    /// What an event says of a user.
    private mutating func eraseValues(at index: Int, of user: UserID) {
        let event = log[index]
        switch event.payload {
        case let body as ReactionAdded where body.user == user: eraseAboutUser(at: index)
        case let body as ReactionRemoved where body.user == user: eraseAboutUser(at: index)
        case let body as MemberInfoChanged where body.member == user: eraseAboutUser(at: index)
        case is ConversationCreated, is ConversationUpdated, is ConversationSnapshotReceived:
            if event.conversation == .single(user.rawValue) { eraseAboutUser(at: index) }
        case let body as MessageRecalled where body.actor == user && body.reason != nil:
            eraseReason(at: index)
            redacted.insert(UInt64(index + 1))
        case let body as MembersRemoved where body.actor == user && body.reason != nil:
            eraseReason(at: index)
            redacted.insert(UInt64(index + 1))
        case var body as MessageReceived where body.sender == user:
            body.senderProfile = nil
            log[index].payload = body
        default: break
        }
    }

    private mutating func eraseElements(
        at index: Int, ofUsers isErased: (UserID) -> Bool, ofTeams isTeamErased: (ConversationKey) -> Bool
    ) {
        switch log[index].payload {
        case var body as ProfilesFetched:
            body.profiles = body.profiles.map { isErased($0.id) ? Profile(id: $0.id) : $0 }
            log[index].payload = body
        case var body as ContactsReceived:
            body.contacts = body.contacts.map { isErased($0.id) ? ContactInfo(id: $0.id) : $0 }
            log[index].payload = body
        case var body as TeamInfoFetched:
            body.teams = body.teams.map { isTeamErased($0.id) ? TeamInfo(id: $0.id, kind: $0.kind) : $0 }
            log[index].payload = body
        default: break
        }
    }

    /// Whether events of the type have words of their own.
    private static func hasContent(_ payload: any EventPayload) -> Bool {
        switch payload {
        case is MessageReceived, is MessageSendQueued, is MessageInsertedLocally, is MessageModified,
            is MessageFiltered,
            is MessageSnapshotReceived, is AttachmentStateChanged, is MessageRecalled, is MembersRemoved,
            is ConversationDraftChanged, is ConversationFolderChanged, is UnknownEvent:
            true
        default: false
        }
    }
}

extension ConversationFields {
    /// The creator and the kind alone.
    fileprivate var withoutValues: ConversationFields { ConversationFields(creator: creator, kind: kind) }
}

extension Event {
    /// The event without fields of its content: as it was written, it says whether there is one.
    fileprivate func withoutWords(_ names: [String]) -> Event {
        guard let data = try? JSONEncoder().encode(self),
            var object = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            var payload = object["payload"] as? [String: Any]
        else { return self }
        for name in names { payload[name] = nil }
        object["payload"] = payload
        let changed = try? JSONSerialization.data(withJSONObject: object)
        return changed.flatMap { try? JSONDecoder().decode(Event.self, from: $0) } ?? self
    }
}
