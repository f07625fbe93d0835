/// Messages that are erased.
extension RocksPeer {
    func loadFloors() {
        database.forEach(Prefix.floor) { key, value in
            floors[Self.number(key, at: 1)] = Place(
                timeMs: value.loadUnaligned(as: Int64.self), id: String(decoding: value[8...], as: UTF8.self))
        }
    }

    /// Deletes records and places, and counts the rest again; identities stay, so that messages are known if they come again.
    func erase(_ erasure: Erasure) throws {
        let (number, place) = (erasure.conversation, erasure.place)
        var row = RocksConversation()
        try database.write { batch in
            database.forEach(key(Prefix.timeline, number)) { timelineKey, value in
                let value = value.loadUnaligned(as: UInt64.self)
                let found = Self.place(timelineKey)
                guard found <= place else { return row.add(found, isOwn: value & 1 == 1) }
                batch.delete(Array(timelineKey))
                batch.delete(key(Prefix.log, value >> 1))
            }
            let conversationKey = key(Prefix.conversation, number)
            if row.id.isEmpty {
                batch.delete(conversationKey)
            } else {
                row.bytes.withUnsafeBytes { batch.put(conversationKey, $0) }
            }
            let bytes = withUnsafeBytes(of: place.timeMs) { Array($0) } + Array(place.id.utf8)
            bytes.withUnsafeBytes { batch.put(key(Prefix.floor, number), $0) }
        }
        floors[number] = place
    }
}
