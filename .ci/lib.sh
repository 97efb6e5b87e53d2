# Shared by these scripts: messages, and changes to the machine that are printed or confirmed.

say() { printf '%s\n' "$*"; }
give_up() { printf '%s\n' "$*" >&2; exit 1; }

# Return whether a change may be made: yes with YES=1 or without a terminal, otherwise ask.
allowed() {
    if [ "${YES:-}" != 1 ] && [ -t 0 ]; then
        printf 'Allow this change: %s? [Y/n] ' "$1"
        read -r answer
        case $answer in [nN]*) return 1 ;; esac
    else
        say "  $1"
    fi
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif [ -t 0 ]; then sudo "$@"
    else sudo -n "$@"
    fi
}

# install NAME PACKAGE...: install with apt, or print what to type.
install() {
    what=$1; shift
    typed="sudo apt-get update && sudo apt-get install $*"
    command -v apt-get >/dev/null || give_up "$what is missing. Install it with your package manager, then repeat the command"
    allowed "install $what ($*)" || give_up "$what is missing. Type: $typed"
    as_root apt-get -qq update >/dev/null 2>&1 || true
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qqy -o DPkg::Lock::Timeout=120 \
        install --no-install-recommends "$@" >/dev/null 2>&1 || give_up "Could not install $what. Type: $typed"
}
