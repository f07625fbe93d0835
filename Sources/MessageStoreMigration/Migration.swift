/// Rows of another store, moved into this one.
public struct Migration {}
