extension Examination {
    /// Looks at what the views made of the log.
    mutating func examineViews(_ store: MessageStore) throws {
        let last = try store.lastPosition()
        let now = try store.event(at: last)?.clockTime ?? .unknown
        try store.read { views in
            for message in try views.outbox()
            where now.milliseconds - message.recordedTime.milliseconds > Timestamp.greatestLead {
                let position = Position(message.id.rawValue)
                add(.outbox, Finding(at: position, in: message.conversation) { _ in "\(message.status)" })
            }
            try views.forEachUnread { key, basis in
                guard let report = basis.count.report else { return }
                var held = 0
                try views.forEachUnreadCandidate(in: key) { candidate in
                    if candidate.isReported, candidate.exclusion == nil { held += 1 }
                    return held < report.count
                }
                guard held < report.count, !basis.count.isLowerBound else { return }
                let note = "\(report.count) by the server, \(held) here"
                add(.serverCount, Finding(in: key) { _ in note })
            }
            try views.forEachGap { gap in
                let place =
                    switch (gap.before, gap.after) {
                    case (let before?, let after?): "between \(before) and \(after)"
                    case (let before?, nil): "after \(before)"
                    case (nil, let after?): "before \(after)"
                    case (nil, nil): "without messages around"
                    }
                let topic = (gap.after ?? gap.before).map { "local:\($0)" }
                add(.gaps, Finding(in: gap.conversation, topic: topic) { _ in place })
            }
            try views.forEachMissingMessage { key, id in
                add(.waiting, Finding(in: key) { _ in id.rawValue })
            }
        }
    }
}
