# What the scripts here share: words for people, and changes to the machine that are told or asked for.

say() { printf '%s\n' "$*"; }
give_up() { printf '%s\n' "$*" >&2; exit 1; }

# Whether the change may be made: YES=1 and no terminal say yes, a terminal is asked.
allowed() {
    if [ "${YES:-}" != 1 ] && [ -t 0 ]; then
        printf 'May I %s? [Y/n] ' "$1"
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

# install WHAT PACKAGE...: with apt, or one line that says what to type.
install() {
    what=$1; shift
    typed="sudo apt-get update && sudo apt-get install $*"
    command -v apt-get >/dev/null || give_up "$what is missing. Install it as your distribution says, then type the same again"
    allowed "install $what ($*)" || give_up "$what is missing. Type: $typed"
    as_root apt-get -qq update >/dev/null 2>&1 || true
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qqy -o DPkg::Lock::Timeout=120 \
        install --no-install-recommends "$@" >/dev/null 2>&1 || give_up "Could not install $what. Type: $typed"
}
