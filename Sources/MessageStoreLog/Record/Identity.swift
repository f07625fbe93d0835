/// By what a message or event is recognised when it comes again (I4).
package struct Identity: ~Escapable {
    package enum Kind: UInt64, Sendable {
        /// The server's id, unique in its conversation.
        case serverID = 1
        /// The sender's token, unique for its sender.
        case clientToken = 2
        /// The host's event id, unique in the store.
        case eventID = 3
    }

    package let kind: Kind
    /// The number of the conversation or of the sender; 0 for an event id.
    package let scope: UInt32
    package let bytes: RawSpan

    @_lifetime(copy bytes)
    package init(_ kind: Kind, scope: UInt32, bytes: RawSpan) {
        self.kind = kind
        self.scope = scope
        self.bytes = bytes
    }

    /// The key under which the identity is looked up.
    package var key: IdentityKey {
        let seed = kind.rawValue << 32 | UInt64(scope)
        let (high, low) = XXH64.hashes(bytes, seeds: (seed, ~seed))
        return IdentityKey(high: high, low: UInt32(truncatingIfNeeded: low))
    }
}

/// 96 bits of hash for an identity.
///
/// Ten million identities share a key with a probability of 10^-15. A hit is verified against the record all the same,
/// so that a shared key can never make a message look known; it could at worst let one be recorded twice.
package struct IdentityKey: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt32

    package init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }

    /// Reads what ``write(to:)`` wrote.
    package init?(_ bytes: RawSpan) {
        guard bytes.byteCount == 12, let high = bytes.loadBigEndian(at: 0, as: UInt64.self),
            let low = bytes.loadBigEndian(at: 8, as: UInt32.self)
        else { return nil }
        self.init(high: high, low: low)
    }

    package func write(to writer: inout ByteWriter) {
        writer.appendBigEndian(high)
        writer.appendBigEndian(low)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(high)
    }
}

/// An identity that the record at a position claims.
package struct ClaimedIdentity: Sendable {
    package let key: IdentityKey
    package let position: Position
    /// Whether it is certain that no earlier record claims the key.
    package let isNew: Bool

    package init(_ key: IdentityKey, by position: Position, isNew: Bool) {
        (self.key, self.position, self.isNew) = (key, position, isNew)
    }
}

extension RecordView {
    /// The identities that the record claims, strongest first: at most server id, client token and event id.
    package func forEachIdentity<Failure: Error>(
        _ body: (Identity) throws(Failure) -> Void
    ) throws(Failure) {
        if type == .messageReceived, serverID.byteCount > 0 {
            try body(Identity(.serverID, scope: conversation, bytes: serverID))
        }
        if type == .messageReceived || type == .messageSendQueued, clientToken.byteCount > 0 {
            try body(Identity(.clientToken, scope: actor, bytes: clientToken))
        }
        if flags.contains(.hasEventID) {
            if let id = bytes(of: CommonField.eventID) { try body(Identity(.eventID, scope: 0, bytes: id)) }
        }
    }

    /// Whether the record claims this very identity.
    package func claims(_ identity: Identity) -> Bool {
        var isClaimed = false
        forEachIdentity { own in
            if own.kind == identity.kind, own.scope == identity.scope, own.bytes.isEqual(to: identity.bytes) {
                isClaimed = true
            }
        }
        return isClaimed
    }
}
