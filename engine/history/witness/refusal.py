"""When a witness does not take a checkpoint."""


class Refused(Exception):
    """Why it was not taken, in words."""
