import MessageStore

/// `setFetchProfilesBlock:`; a block that never completes costs its time-out and nothing else.
struct BlockProfileProvider: ProfileProvider {
    let block: LCCKBlocks.FetchProfiles

    func profiles(for users: [UserID]) async throws -> [Profile] {
        let answer = try await BlockAnswer<[LCCKUser]>.wait { block(users.map(\.rawValue), $0) }
        return answer.map { user in
            Profile(id: UserID(user.clientId), userID: user.userId, name: user.name, avatarURL: user.avatarURL)
        }
    }
}
