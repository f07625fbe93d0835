import MessageStore

/// What a contact selector offers, without those that are filtered out.
enum NIMContactSelectConfig {
    case friends(filterIds: [String])
    case teams(filterIds: [String])
    case members(teamId: String, filterIds: [String])

    /// The ids to choose from, all pages of them.
    func ids(in store: MessageStore) throws -> [String] {
        try store.read { views in
            switch self {
            case .friends(let filterIds):
                var ids: [String] = []
                var last: PageCursor?
                repeat {
                    let page = try views.contacts(after: last, limit: 100)
                    last = page.next
                    ids += page.elements.map(\.id.rawValue)
                } while last != nil
                return ids.filter { !filterIds.contains($0) }
            case .teams(let filterIds):
                var ids: [String] = []
                var last: PageCursor?
                repeat {
                    let page = try views.teams(after: last, limit: 100)
                    last = page.next
                    ids += page.elements.map(\.info.id.id)
                } while last != nil
                return ids.filter { !filterIds.contains($0) }
            case .members(let teamId, let filterIds):
                return try views.members(in: .group(teamId), limit: 1000).elements.map(\.id.rawValue).filter {
                    !filterIds.contains($0)
                }
            }
        }
    }
}
