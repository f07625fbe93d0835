@_exported public import MessageStore
