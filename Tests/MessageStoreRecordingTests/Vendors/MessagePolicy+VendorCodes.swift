import MessageStore
@testable import MessageStoreTestSupport

extension MessagePolicy {
    /// Spider's flag: 0 and 3 neither kept nor counted, 1 kept, 2 kept and counted; nil for others.
    init?(persistFlag: Int) {
        switch persistFlag {
        case 0, 3: self = .transient
        case 1: self = .uncounted
        case 2: self = .standard
        default: return nil
        }
    }
}
