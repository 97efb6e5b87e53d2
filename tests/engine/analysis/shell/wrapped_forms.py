"""Forms in which one program runs another: `{}` stands for the command that is run."""

from __future__ import annotations

FORMS = r"""
env {}
env -i {}
env -u HOME {}
env --unset=HOME {}
env -C /tmp {}
env --chdir /tmp A=b {}
env A=b C=d {}
env -iu HOME A=b {}
env - A=b {}
env -- A=b {}
env -i -- {}
env -S '{}'
env -S'{}'
env --split-string='{}'
env -vS '{}'
env -a x {}
env --argv0=x {}
env --ignore-signal=PIPE {}
nice {}
nice -5 {}
nice -n 5 {}
nice -n5 {}
nice --adjustment=5 {}
nice --adjustment 5 {}
nohup {}
nohup -- {}
timeout 5 {}
timeout -s KILL 5 {}
timeout -sKILL 5 {}
timeout -k 3 5 {}
timeout --signal=KILL 5 {}
timeout --kill-after 3 --foreground 5 {}
timeout -v -- 5 {}
xargs {}
xargs -0 {}
xargs -n 1 {}
xargs -n1 -P4 {}
xargs -I ARG {}
xargs -I% {}
xargs -i {}
xargs -r -d '\n' {}
xargs --max-args=1 --no-run-if-empty {}
xargs --arg-file /dev/null {}
xargs -a /dev/null -L 1 {}
xargs -0rn1 {}
xargs -rI x {}
xargs -E eof -s 100 {}
xargs --process-slot-var=X {}
find . -exec {} \;
find . -exec {} +
find . -execdir {} \;
find . -name x -ok {} \;
find . -okdir {} \;
find . -exec true \; -exec {} \;
find . -exec nice {} ';'
find . -type f -exec sh -c '{}' \;
fd -x {}
fd -X {}
fdfind x --exec {}
fd x --exec-batch {}
sudo {}
sudo -n {}
sudo -u root {}
sudo -uroot {}
sudo -nu root {}
sudo --user=root {}
sudo --user root {}
sudo -E -H -- {}
sudo A=b {}
sudo -u root -g root A=b {}
sudo -D /tmp {}
sudo -s {}
sudo -i {}
sudo -u root -i {}
sudo -C 3 {}
doas {}
doas -u root {}
doas -n -u root {}
su -c '{}'
su - root -c '{}'
su root -c '{}'
su --command='{}' root
su --command '{}'
su -l -c '{}'
su -lc '{}' root
runuser -u nobody {}
runuser -u nobody -- {}
runuser -l root -c '{}'
runuser root --command='{}'
setpriv --reuid=1000 {}
setpriv --reuid 1000 --regid 1000 --clear-groups {}
setpriv --no-new-privs {}
ssh host {}
ssh host '{}'
ssh -p 22 host {}
ssh -p22 -i key user@host '{}'
ssh -o StrictHostKeyChecking=no host {}
ssh -tt -l user host -- {}
ssh -J jump host '{}'
ssh -o ProxyCommand='{}' host
ssh -oProxyCommand='{}' host
ssh -o 'LocalCommand {}' host
sshpass -p x ssh host {}
sshpass -f file {}
chroot /mnt {}
chroot --userspec=u:g /mnt {}
chroot --userspec u:g /mnt {}
chroot --skip-chdir / {}
unshare {}
unshare -r {}
unshare --map-root-user --mount {}
unshare -S 0 -G 0 {}
unshare -rm -R /mnt {}
unshare --setuid 0 {}
nsenter -t 1 -m {}
nsenter --target 1 --all {}
nsenter -t1 -m -- {}
nsenter -S 0 -t 1 {}
setsid {}
setsid -f {}
setsid --wait {}
stdbuf -o0 {}
stdbuf -o 0 {}
stdbuf --output=L -eL {}
stdbuf --output L {}
time {}
time -p {}
/usr/bin/time {}
/usr/bin/time -f %e {}
/usr/bin/time -v -o /dev/null {}
/usr/bin/time --format=%e {}
watch {}
watch '{}'
watch -n 5 {}
watch -n5 '{}'
watch --interval=5 -x {}
watch --interval 5 -d {}
parallel {} ::: a
parallel -j 4 {} ::: a
parallel -j4 '{}' ::: a b
parallel --jobs 4 --bar {} ::: a
parallel ::: '{}'
parallel -k -I % {} ::: a
sem -j 4 {}
flock /tmp/l {}
flock -n /tmp/l {}
flock -w 5 /tmp/l {}
flock /tmp/l -c '{}'
flock -n /tmp/l --command '{}'
flock -xn -E 3 /tmp/l {}
script -c '{}'
script -qc '{}' /dev/null
script --command='{}' /dev/null
script -q /dev/null -c '{}'
strace {}
strace -f -e trace=file {}
strace -fo /dev/null {}
strace -e trace=file -o x {}
strace -E A=b -u root {}
ltrace -e x {}
ionice -c 3 {}
ionice -c3 -n 7 {}
ionice --class idle {}
taskset 1 {}
taskset -c 0 {}
taskset --cpu-list 0,1 {}
chrt 5 {}
chrt -f 5 {}
chrt -r -T 1 5 {}
cpulimit -l 50 {}
cpulimit -l 50 -- {}
numactl -N 0 {}
numactl --cpunodebind=0 {}
numactl --membind 0 {}
prlimit --nproc=10 {}
prlimit -n100 {}
prlimit --nofile=10:20 -- {}
setarch x86_64 {}
setarch -R {}
setarch x86_64 -R {}
linux32 {}
linux64 -R {}
uname26 {}
systemd-run {}
systemd-run --user --scope {}
systemd-run -p CPUQuota=5% {}
systemd-run --unit x --on-active 5 {}
systemd-run -t -M host {}
systemd-inhibit --why=x {}
systemd-inhibit --why x {}
busybox {}
toybox {}
busybox sh -c '{}'
command {}
command -p {}
command -- {}
builtin command {}
exec {}
exec -a x {}
exec -cl {}
coproc {}
coproc NAME { {}; }
eval {}
eval '{}'
eval -- {}
trap '{}' EXIT
trap -- '{}' INT TERM
bash -c '{}'
sh -ec '{}'
bash --norc -c '{}'
bash -o pipefail -c '{}'
bash +x -c '{}'
dash -c '{}'
busybox ash -c '{}'
/bin/sh -c '{}' x y
bash <<< '{}'
echo '{}' | sh
echo '{}' | sudo bash
echo '{}' | bash -s x
perl -e 'system("{}")'
perl -we 'exec "{}"'
perl -e 'print `{}`'
perl -E 'system(qw({}))'
ruby -e 'system("{}")'
ruby -e '`{}`'
php -r 'system("{}");'
lua -e 'os.execute("{}")'
awk 'BEGIN { system("{}") }'
awk 'BEGIN { "{}" | getline x }'
gawk 'BEGIN { print 1 | "{}" }'
mawk 'BEGIN { system("{}") }'
python3 -c 'import os; os.system("{}")'
node -e 'require("child_process").execSync("{}")'
tar cf x --checkpoint=1 --checkpoint-action=exec='{}' a
tar cf x --checkpoint=1 '--checkpoint-action=exec={}' a
tar xf x --to-command='{}'
tar xf x --to-command '{}'
tar -I '{}' -cf x a
tar --use-compress-program='{}' -cf x a
tar -cf x --info-script='{}' a
tar --rsh-command='{}' -xf h:x
git -c core.pager='{}' log
git -c alias.x='!{}' x
git -c core.sshCommand='{}' fetch
git -c core.editor='{}' commit
git -c core.fsmonitor='{}' status
git -c diff.external='{}' diff
git config alias.x '!{}'
git rebase -x '{}' main
git rebase --exec='{}' main
git bisect run {}
git submodule foreach '{}'
git submodule foreach --recursive {}
git filter-branch --tree-filter '{}' HEAD
git fetch --upload-pack='{}' r
git clone 'ext::{}'
git grep -O'{}' x
GIT_SSH_COMMAND='{}' git fetch
rsync -e '{}' a h:
rsync --rsh='{}' a h:
rsync --rsync-path='{}' a h:
scp -S '{}' a h:
sftp -S '{}' h
vim -c ':!{}'
vim -c '!{}' -c q
vim +'!{}'
vim --cmd '!{}'
ex -c '!{}'
vi -c 'silent !{}'
vim -c 'call system("{}")'
less '+!{}' x
man -P '{}' ls
man --pager='{}' ls
make --eval='x:;{}'
make SHELL='{}'
npx {}
npx -y {}
npx -c '{}'
npm exec -- {}
npm exec -c '{}'
yarn exec {}
pnpm exec {}
bunx {}
uv run {}
uv run --with x {}
uv run -p 3.12 -- {}
uvx {}
uv tool run {}
pipx run {}
poetry run {}
pdm run {}
hatch run {}
pipenv run {}
conda run -n x {}
nox -- {}
bundle exec {}
docker run image {}
docker run --rm -it -v /:/mnt image {}
docker run --name x --entrypoint sh image -c '{}'
docker exec x {}
docker exec -it -u root x {}
docker exec x sh -c '{}'
docker compose exec x {}
docker compose run --rm x {}
docker-compose exec -T x {}
podman run --rm image {}
podman exec x {}
kubectl exec pod -- {}
kubectl exec -it pod -c x -- {}
kubectl -n ns exec pod -- sh -c '{}'
kubectl run x --image=y -- {}
lxc exec x -- {}
lxc-attach -n x -- {}
machinectl shell x {}
firejail --net=none {}
bwrap --ro-bind / / {}
bwrap --dev-bind / / --setenv A b -- {}
proot -r /mnt {}
schroot -c x -- {}
systemd-nspawn -D /mnt {}
fakeroot {}
fakeroot -- {}
fakechroot {}
eatmydata {}
proxychains -f x {}
proxychains4 -q {}
torsocks {}
tsocks {}
dbus-run-session -- {}
dbus-launch {}
xvfb-run -a {}
xvfb-run -s '-screen 0' {}
ssh-agent {}
gosu root {}
su-exec root {}
tini -- {}
dumb-init {}
catchsegv {}
valgrind --tool=memcheck {}
perf stat -e cycles {}
perf record -o x {}
gdb --args {}
gdb -batch -ex 'shell {}'
gdb -ex '!{}'
rlwrap -f x {}
unbuffer {}
expect -c 'spawn {}'
faketime '1 day ago' {}
chronic {}
ifne {}
setuidgid root {}
chpst -u root {}
envdir /x {}
softlimit -m 5 {}
logsave x {}
entr {}
entr -r -s '{}'
hyperfine '{}'
hyperfine -w 3 '{}'
screen -dm {}
screen -d -m -S x {}
tmux new -d '{}'
tmux new-session -d -s x '{}'
tmux run-shell '{}'
xterm -e {}
gnome-terminal -- {}
konsole -e {}
at now <<< '{}'
echo '{}' | at now
batch <<< '{}'
start-stop-daemon -S -x /bin/sh -- -c '{}'
daemonize {}
daemon -- {}
pkexec {}
pkexec --user root {}
pkexec -u root {}
sg root -c '{}'
sg root '{}'
newgrp root <<< '{}'
capsh -- -c '{}'
capsh --drop=x -- -c '{}'
ld.so {}
/lib64/ld-linux-x86-64.so.2 {}
/lib64/ld-linux-x86-64.so.2 --argv0 x {}
sed '1e {}' x
sed -n '$e {}' x
sed -e 's/x/y/' -e '1e {}' x
split --filter='{}' x
sort --compress-program='{}' x
ed <<< '!{}'
mapfile -C '{}' -c 1 x < y
complete -C '{}' x
socat - EXEC:'{}'
socat - SYSTEM:'{}'
ip netns exec ns {}
ip vrf exec v {}
cgexec -g cpu:x {}
aa-exec -p x {}
aa-exec --profile=x -- {}
runcon -t x {}
runcon x:y:z {}
sandbox-exec -p x {}
caffeinate -i {}
arch -x86_64 {}
wine cmd /c {}
zsh -c '{}'
fish -c '{}'
ksh -c '{}'
mysql -e '\! {}'
sqlite3 x '.shell {}'
psql -c '\! {}'
tclsh <<< 'exec {}'
gcc -wrapper '{}' x.c
zip x.zip y -T -TT '{}'
wget --use-askpass='{}' http://a
crontab <<< '* * * * * {}'
echo '* * * * * {}' | crontab -
direnv exec . {}
dotenv run {}
op run -- {}
aws-vault exec x -- {}
vagrant ssh -c '{}'
adb shell {}
multipass exec x -- {}
wsl {}
""".strip().splitlines()
