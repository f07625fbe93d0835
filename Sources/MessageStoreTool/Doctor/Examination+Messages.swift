/// The checks that need the messages that events name, which the views have.
extension Examination {
    /// Looks for events that name a place whose time is not that of the message there.
    mutating func examineMarkers(_ piece: Piece, _ store: MessageStore) throws {
        let times = try store.read { views in
            try piece.markers.map { event, place in
                guard let id = place.id, let key = event.event.conversation,
                    let local = try views.local(of: .server(id), in: key)
                else { return Timestamp?.none }
                return try views.standing(of: local)?.serverTime
            }
        }
        for ((event, place), time) in zip(piece.markers, times) {
            guard let time else { continue }
            guard time != place.time else {
                pass(.offMarker, event)
                continue
            }
            let (difference, _) = time.milliseconds.subtractingReportingOverflow(place.time.milliseconds)
            let isCut = place.time.milliseconds % 1000 == 0 && (1..<1000).contains(difference)
            let off = NumberFormat.duration(.milliseconds(Int64(clamping: difference.magnitude)))
            let side = difference > 0 ? "before" : "after"
            hit(.offMarker, event, isCut ? ["cut": "to whole seconds"] : ["off": "\(off) \(side) the message"]) { _ in
                "\(off) \(side) \(place.id?.rawValue ?? "")"
            }
        }
    }

    /// The neighbours with which the text of an edit is compared.
    private static let neighbours = 50

    /// Looks for edits that are like another message and not like the one that they name.
    mutating func examineEdits(_ piece: Piece, _ store: MessageStore) throws {
        for (event, message, content) in piece.edits {
            guard let text = content.text, let key = event.event.conversation else { continue }
            let found = try store.read { views in
                guard let local = try views.local(of: message, in: key), try views.message(local) != nil else {
                    return (LocalMessageID, [LocalMessageID])?.none
                }
                let part = TimelinePart.around(.message(.local(local)))
                return (local, try views.timeline(of: key, part, limit: Self.neighbours + 1).messages.map(\.id))
            }
            guard let (local, around) = found, let own = store.text(of: local) else { continue }
            let edited = Array(text.unicodeScalars.prefix(200))
            guard edited.count >= 6, edited.editDistance(to: own) * 2 >= edited.count else {
                pass(.edit, event)
                continue
            }
            var nearest: (local: LocalMessageID, distance: Int)?
            for other in around where other != local && other.rawValue < event.position.rawValue {
                guard let words = store.text(of: other) else { continue }
                let distance = edited.editDistance(to: words)
                if distance * 4 <= edited.count, distance < nearest?.distance ?? .max { nearest = (other, distance) }
            }
            guard let nearest else {
                pass(.edit, event)
                continue
            }
            hit(.edit, event) { _ in "of \(local); the new text is nearly that of \(nearest.local)" }
        }
    }
}

extension MessageStore {
    /// The first text of a message; nil where it has none, or cannot be read.
    fileprivate func text(of local: LocalMessageID) -> [Unicode.Scalar]? {
        let text: String? =
            switch (try? event(at: Position(local.rawValue)))?.event.payload {
            case let message as MessageReceived: message.content.text
            case let message as MessageSendQueued: message.content.text
            default: nil
            }
        return text.map { Array($0.unicodeScalars.prefix(200)) }
    }
}
