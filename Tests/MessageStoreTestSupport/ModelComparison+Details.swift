import MessageStore

/// Sets of types to look for: with a mark, without, both, never used.
private let typeSets: [Set<ContentType>] = [
    [.image], [.image, .video, "x/card"], [.text], [.tip, .image], ["never"], [],
]

/// Compares what a conversation answers beside its timeline, and what stands beside its newest messages.
func compareDetails(
    _ views: borrowing Views, _ model: StoreModel, _ key: ConversationKey, _ messages: [Message]
) throws {
    for types in typeSets {
        let expected = model.media(in: key, types: types)
        try Disagreement.check(
            "\(types) in \(key)", try views.media(in: key, types: types, limit: 1000).elements.map(\.id), expected)
        try Disagreement.check(
            "unread \(types) in \(key)", try views.unreadCount(of: key, types: types),
            model.unreadCount(of: key, types: types))
        let page = try views.timeline(of: key, types: types, limit: 3)
        let typed = model.timeline(of: key).filter { model.isOriginally($0.id, of: types) }
        try Disagreement.check("timeline of \(types) in \(key)", page.elements.map(\.id), typed.suffix(3).map(\.id))
        try Disagreement.check("more \(types) in \(key)", page.hasOlder, typed.count > 3)
        if let anchor = messages.dropFirst(messages.count / 2).first?.id {
            try compareMedia(views, expected, key, types, anchor, messages)
        }
    }
    try Disagreement.check(
        "mentions in \(key)", try views.mentions(in: key, limit: 1000).elements.map(\.id),
        model.mentions(in: key).reversed())
    try Disagreement.check(
        "unread mentions in \(key)", try views.unreadMentions(in: key, limit: 1000).elements.map(\.id),
        model.mentions(in: key, unread: true))
    try Disagreement.check(
        "owed receipts in \(key)", try views.owedReceipts(in: key, limit: 1000).elements.map(\.id),
        model.owedReceipts(in: key))
    for user in model.people {
        let expected = model.markers(of: user, in: key)
        try Disagreement.check(
            "read markers of \(user)",
            [try views.deliveredMarker(of: user, in: key), try views.readMarker(of: user, in: key)],
            [expected.delivered, expected.read])
    }
    for message in messages.suffix(8) {
        try Disagreement.check("sender name", try views.senderName(of: message), model.senderName(of: message.id))
        try compareDetails(views, model, key, .local(message.id))
        if let id = message.serverID { try compareDetails(views, model, key, .server(id)) }
    }
}

/// A page of three around a message is cut from all of the types.
private func compareMedia(
    _ views: borrowing Views, _ all: [LocalMessageID], _ key: ConversationKey, _ types: Set<ContentType>,
    _ anchor: LocalMessageID, _ messages: [Message]
) throws {
    let places = Dictionary(uniqueKeysWithValues: messages.enumerated().map { ($1.id, $0) })
    guard let place = places[anchor], all.allSatisfy({ places[$0] != nil }) else { return }
    let older = all.filter { places[$0, default: 0] < place }
    let newer = all.filter { places[$0, default: 0] >= place }
    let page = try views.media(in: key, .around(.message(.local(anchor))), types: types, limit: 3)
    let shownNewer = newer.prefix(3 - older.suffix(1).count)
    let expected = Array(older.suffix(1) + shownNewer)
    try Disagreement.check("\(types) around \(anchor)", page.elements.map(\.id), expected)
    try Disagreement.check("index of \(anchor)", page.index, expected.firstIndex(of: anchor))
    try Disagreement.check("more of \(types)", page.hasOlder, older.count > 1)
    try Disagreement.check("more of \(types)", page.hasNewer, newer.count > shownNewer.count)
}

/// Compares what stands beside one message.
func compareDetails(
    _ views: borrowing Views, _ model: StoreModel, _ key: ConversationKey, _ reference: MessageReference
) throws {
    try Disagreement.check(
        "reactions to \(reference) in \(key)",
        try views.reactions(to: reference, in: key),
        model.reactions(to: reference, in: key))
    try Disagreement.check(
        "metadata of \(reference) in \(key)", try views.metadata(of: reference, in: key),
        model.metadata(of: reference, in: key))
    try Disagreement.check(
        "receipts of \(reference) in \(key)",
        try views.receipts(of: reference, in: key), model.receipts(of: reference, in: key))
    try Disagreement.checkEdits(views, model, key, reference)
}

extension Event {
    /// The messages beside which the event tells something.
    var namedMessages: [MessageReference] {
        switch payload {
        case let body as ReactionAdded: [body.message]
        case let body as ReactionRemoved: [body.message]
        case let body as MessageMetadataChanged: [body.message]
        case let body as MessageModified: [body.message]
        case let body as MessageSnapshotReceived: [body.message]
        case let body as MessageSent: [.local(body.message), .server(body.serverID)]
        case let body as MessageReceived: [.server(body.serverID)]
        case let body as MessageDelivered: body.scope.messages
        case let body as MessageReadByPeer: body.scope.messages
        default: []
        }
    }
}

extension ReceiptScope {
    fileprivate var messages: [MessageReference] {
        if case .messages(let messages) = self { messages } else { [] }
    }
}
