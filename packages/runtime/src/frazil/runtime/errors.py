"""The root of errors that a person can mend: the message is a sentence that says how."""


class UserError(Exception):
    """Shown as it is, without a stack trace."""
