"""Classifies paths: system files, credentials, logs, start-up files."""

from __future__ import annotations

import re

_SYSTEM = re.compile(
    r"/(?:etc|usr|bin|sbin|lib|lib32|lib64|boot|var|root|sys|proc|dev|opt|srv|run|System|Library"
    r"|private|app)(?:/|$)"
)
_SCRATCH = re.compile(
    r"(?:/private)?/(?:tmp|var/tmp|dev/shm|run/user/\d+|workspace|dev/(?:null|zero|full|std\w+"
    r"|fd(?:/.*)?|tty\w*|pts/.*"
    r"|u?random))(?:/|$)|/var/folders/"
)
_LOGS = re.compile(
    r"/var/(?:log|adm|account|audit|lib/docker/containers|spool/mail|mail)(?:/|$)"
    r"|/(?:private/)?var/(?:db/diagnostics|log)"
    r"|^~/Library/(?:Logs|Mail)(?:/|$)|/Library/Logs(?:/|$)"
)
_HISTORY = re.compile(
    r"(?:^|/)\.(?:\w+_history|histfile|zsh_sessions|lesshst|viminfo|python_history)$|fish_history$"
)
_CREDENTIALS = re.compile(
    r"^/etc/(?:g?shadow|master\.passwd|sudoers|security/opasswd|krb5\.keytab|ssl/private|ssh/ssh_host_\w+_key"
    r"|NetworkManager/system-connections|wpa_supplicant|openvpn|ipsec\.secrets|ppp/chap-secrets|pwd\.db"
    r"|spwd\.db)(?:[-/.*]|$)"
    r"|/\.(?:ssh|aws|azure|gnupg|kube|docker|password-store|mozilla|gcloud|oci|electrum|bitcoin"
    r"|ethereum)(?:/|$)"
    r"|/\.config/(?:gcloud|google-chrome|chromium|gh|hub|rclone|filezilla|BraveSoftware|op)(?:/|$)"
    r"|(?:^|/)(?:\.netrc|_netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.npmrc|\.pypirc|\.htpasswd"
    r"|\.vault-token"
    r"|\.terraformrc|\.s3cfg|\.boto|\.env(?:\.\w+)?|id_(?:rsa|dsa|ecdsa|ed25519)|wallet\.dat|keychain-db"
    r"|logins\.json|key[34]\.db|credentials(?:\.(?:json|db|xml))?|secrets?\.(?:ya?ml|json|env|txt)"
    r"|kubeconfig)$"
    r"|(?:Login Data|Cookies(?:\.binarycookies)?|Keychains?|cookies\.sqlite|Local State|Web Data)(?:/|$| )"
    r"|^/(?:var/)?run/secrets(?:/|$)|^/proc/(?:[^/]+/)?(?:environ|mem|maps|kcore|task/[^/]+/environ)$"
    r"|^/dev/(?:k?mem|port)$"
    r"|^/var/db/(?:shadow|dslocal)|^/etc/kubernetes|\.(?:pem|p12|pfx|kdbx|jks|keytab|ovpn)$|/\.?vnc/passwd"
)
_PERSISTENCE = re.compile(
    r"^/etc/(?:cron[^/]*|anacrontab|rc\.?\w*|init(?:\.d)?|inittab|systemd|xdg/(?:autostart|systemd)"
    r"|profile(?:\.d)?"
    r"|bash\.?\w*|zsh\w*|zprofile|environment|ld\.so\.(?:preload|conf(?:\.d)?)|pam\.d"
    r"|security/pam_env\.conf|update-motd\.d|udev"
    r"|modules(?:-load\.d)?|modprobe\.d|apt/apt\.conf\.d|at\.allow|emond\.d|periodic"
    r"|NetworkManager/dispatcher\.d"
    r"|X11/xinit|xinetd\.d|inetd\.conf|ssh/sshd_config(?:\.d)?|ssh/sshrc|skel|csh\.\w+|launchd\.conf"
    r"|binfmt\.d"
    r"|logrotate\.d|kernel/\w+|dhcp/dhclient-\w+-hooks\.d|python3[^/]*|issue\.net)(?:/|$)"
    r"|^(?:/usr)?(?:/local)?/(?:lib|etc|share)/(?:systemd|rc\.d|udev|cron\.d|update-notifier|periodic)(?:/|$)"
    r"|^/var/spool/(?:cron|at)|^/var/at(?:/|$)|^/var/lib/systemd|^/run/systemd"
    r"|(?:(?:^~|^/root|^/home/[^/]+|^/Users/[^/]+|^\$HOME|^\x00|^\.)?/|^)\.(?:bash(?:rc|_profile|_login"
    r"|_logout|_aliases)|profile|zshrc"
    r"|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|xinitrc|xsession|xprofile|Xsession|inputrc"
    r"|config/autostart|config/systemd"
    r"|config/fish|config/environment\.d|local/share/systemd|ssh/(?:authorized_keys2?|rc|config"
    r"|environment)|vimrc"
    r"|pam_environment|selected_editor|forward|git/hooks|gitconfig|pythonrc|config/plasma-workspace"
    r"|emacs)(?:/|$)"
    r"|/Library/(?:LaunchAgents|LaunchDaemons|StartupItems|Scripts|ScriptingAdditions|Security"
    r"|Preferences)(?:/|$)"
    r"|/\.git/hooks/|(?:^|/)(?:CLAUDE(?:\.local)?|AGENTS|GEMINI|\.github/copilot-instructions)\.md$"
    r"|(?:^|/)(?:\.(?:cursor|windsurf|cline)rules|\.cursor/(?:rules|mcp\.json)|\.claude/(?:settings|hooks|commands)"
    r"|\.mcp\.json$)"
    r"|(?:site|user)customize\.py$|/site-packages/[^/]+\.pth$|^/private/var/(?:at"
    r"|db/emondClients)"
)
_PRIVILEGE = re.compile(
    r"^(?:/usr/local)?/etc/(?:sudoers(?:\.d)?|doas\.conf|polkit-1|passwd|shadow|group|gshadow"
    r"|security)(?:/|$|-)"
)
_DEFENCE = re.compile(
    r"^(?:/usr/local)?/etc/(?:audit|audisp|auditd\.conf|libaudit\.conf|r?syslog[^/]*|syslog-ng|selinux"
    r"|apparmor\w*(?:\.d)?"
    r"|ufw|iptables|nftables\.\w+|firewalld|pf\.conf|fail2ban|clamav|logrotate\.conf"
    r"|systemd/journald\.conf|ossec|hosts"
    r"|hosts\.(?:allow|deny)|resolv\.conf|nsswitch\.conf|newsyslog\.conf|security/audit_\w+)(?:[/.]|$)"
    r"|^/sys/fs/selinux"
)
_DEVICE = re.compile(
    r"^/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|loop|md|dm-|mapper/|disk|rdisk|da\d|ada\d|mem|kmem|port|mtd|block/)"
)
_ROOTS = re.compile(
    r"^(?:/\*?|/\.\*?|~/?\*?|/(?:etc|usr|bin|sbin|lib\d*|boot|var|root|home|sys|proc|dev|opt|srv|run"
    r"|mnt|media|System"
    r"|Library|Users|Applications|data|app)(?:/\*?|/\.\*)?|/(?:home|Users)/[^/]+(?:/\*?)?|\.\.?/?|\*"
    r"|\./\*|\.\*|\.\[.*)$"
)
_TOP = re.compile(
    r"^(?:/\*?|~/?\*?|/(?:etc|usr|bin|sbin|lib\d*|boot|var|root|home|sys|proc|dev|opt|srv|Users"
    r"|System)/?\*?)$"
)
_HARMLESS_READS = re.compile(
    r"^/etc/(?:os-release|lsb-release|localtime|mime\.types|services|protocols|debian_version"
    r"|redhat-release)$"
    r"|^/usr/(?:share|lib|include|local)/|^/(?:usr/)?s?bin/|^/opt/|^/var/www/|^/run/|^/Library/"
    r"|^/System/|^/lib|^/dev/"
)


_UNUSUAL = re.compile(r"//|/\./|\.\.|^~[a-z_]")


def normal(path: str) -> str:
    """Return `path` with doubled slashes, `.` and `..` folded, and the home folders written as `~`."""
    if "/" not in path or not _UNUSUAL.search(path):
        return path
    text = re.sub(r"/{2,}", "/", path)
    while "/./" in text:
        text = text.replace("/./", "/")
    for _ in range(text.count("..")):
        shorter = re.sub(r"(?:^|/)(?!\.\.(?:/|$))[^/]*/\.\.(?=/|$)", "", text, count=1)
        if shorter == text:
            break
        text = shorter
    return re.sub(r"^~[a-z_][\w-]*(?=/)", "~", text)


def is_system(path: str) -> bool:
    """Return whether a path belongs to the machine rather than to the work."""
    return bool(_SYSTEM.match(path)) and not is_scratch(path)


def is_scratch(path: str) -> bool:
    """Return whether a path is for temporary files, or a harmless device."""
    return bool(_SCRATCH.match(path))


def is_log(path: str) -> bool:
    """Return whether a path holds logs."""
    return bool(_LOGS.search(path))


def is_history(path: str) -> bool:
    """Return whether a path holds the history of a shell."""
    return bool(_HISTORY.search(path))


def is_credential(path: str) -> bool:
    """Return whether a path holds secrets."""
    return bool(_CREDENTIALS.search(path)) and not path.endswith((".pub", ".env.example", "known_hosts"))


def matches_credential(pattern: str) -> bool:
    """Return whether a pattern like `/e??/sh*w` spells a file of secrets, or of accounts, in another way."""
    last = pattern.rpartition("/")[2]
    if "*" not in pattern or not any(char.isalnum() for char in last) or len(pattern) > 200:
        return False
    shape = re.compile("[^/]*".join(re.escape(part) for part in re.split(r"\*+", pattern)))
    return any(shape.fullmatch(path) for path in _WELL_KNOWN)


_WELL_KNOWN = (
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/passwd",
    "/etc/sudoers",
    "~/.ssh/id_rsa",
    "~/.ssh/id_ed25519",
)


def is_persistence(path: str) -> bool:
    """Return whether what is written to a path is run later by the system or by a login."""
    return bool(_PERSISTENCE.search(path))


def is_privilege(path: str) -> bool:
    """Return whether a path decides who may do what."""
    return bool(_PRIVILEGE.match(path))


def is_defence(path: str) -> bool:
    """Return whether a path configures auditing, logging, firewalls or name resolution."""
    return bool(_DEFENCE.match(path))


def is_device(path: str) -> bool:
    """Return whether a path is a disk or the memory of the machine."""
    return bool(_DEVICE.match(path))


def is_root(path: str) -> bool:
    """Return whether a path is a whole tree of the system, a home, or everything here."""
    return bool(_ROOTS.match(path))


def is_top(path: str) -> bool:
    """Return whether a path is the machine itself, or one of its main folders."""
    return bool(_TOP.match(path))


def is_harmless_read(path: str) -> bool:
    """Return whether a system path is commonly read without harm."""
    return bool(_HARMLESS_READS.match(path))
