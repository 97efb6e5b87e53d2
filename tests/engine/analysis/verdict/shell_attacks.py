"""Shell scripts with an effect, each by another way: none may be proven. `pwned` stands for the effect."""

LINES = r"""
pwned
echo $((COLUMNS))
echo $((LINES))
echo $((UID))
((EUID > 0))
[[ $UID -eq 0 ]]
echo $((PIPESTATUS))
echo $((PIPESTATUS[0]))
echo $UID
$(pwned)
`pwned`
echo `pwned`
echo "$(pwned)"
echo "`pwned`"
x=$(pwned)
x=`pwned`
./pwned
/bin/pwned
p=pwned; $p
p=pwned; "$p"
"pwned"
p\wned
pw'ned'
pw$@ned
{p,}wned
eval pwned
eval "$x"
command pwned
builtin eval pwned
exec pwned
. pwned
source pwned
source /dev/stdin <<< pwned
trap pwned EXIT
trap 'pwned' DEBUG
coproc pwned
pwned &
echo a & echo b
echo a | pwned
pwned | cat
echo a |& cat
! pwned
time pwned
if pwned; then echo; fi
while pwned; do break; done
for x in $(pwned); do echo; done
case $(pwned) in a) echo;; esac
case a in $(pwned)) echo;; esac
case a in x|$(pwned)*) ;; esac
[[ a == $(pwned)* ]]
[[ $(pwned) ]]
[[ a =~ $(pwned) ]]
[[ 'a[$(pwned)]' -eq 0 ]]
x='a[$(pwned)]'; [[ x -eq 0 ]]
x='a[$(pwned)]'; [[ $x -eq 0 ]]
x='a[$(pwned)]'; [[ 0 -lt $x ]]
[[ -v 'a[$(pwned)]' ]]
x='a[$(pwned)]'; [[ -v $x ]]
[[ -f /etc/passwd ]]
[ -f /etc/passwd ]
[ -e pwned ]
test -d /
test -v 'a[$(pwned)]'
[ -v 'a[$(pwned)]' ]
x='a[$(pwned)]'; [ -v "$x" ]
x=-v; [ "$x" 'a[$(pwned)]' ]
x='-v a[$(pwned)]'; [ $x ]
set -- -v 'a[$(pwned)]'; [ "$@" ]
set -- -v 'a[$(pwned)]'; test "$@"
[ a = b -o -f /etc/passwd ]
x='a[$(pwned)]'; echo $((x))
x='a[$(pwned)]'; echo $(($x))
x='a[$(pwned)]'; ((x))
x='a[$(pwned)]'; ((y = x + 1))
x='a[$(pwned)]'; y=x; echo $((y))
x=y; y='a[$(pwned)]'; echo $((x))
read x; echo $((x))
read -r x; ((x++))
read x; a=(1 2); echo ${a[x]}
read x; a=(1 2); echo ${a[$x]}
read x; a[x]=1
read x; a[$x]=1
read x; echo ${y:x}
read x; echo ${y:0:x}
read x; for ((i=0; i<x; i++)); do echo; done
read x; declare -i y; y=$x
read x; let y=x
let 'a[$(pwned)]'
((a[$(pwned)0]))
echo $((a[$(pwned)0]))
a=(); echo ${a[$(pwned)0]}
a=([$(pwned)]=1)
echo $[a[$(pwned)]]
_1='a[$(pwned)]'; IFS=_; f() { echo $(( $* )); }; f "" 1
a1='b[$(pwned)]'; i=1; echo $((a$i))
a1='b[$(pwned)]'; i=1; echo $((a${i}))
f() { echo $(($1)); }; f 'a[$(pwned)]'
f() { echo $(($1)); }; f 1; f 'a[$(pwned)]'
f() { echo $(($2)); }; f 1 'a[$(pwned)]'
f() { shift; echo $(($1)); }; f 1 'a[$(pwned)]'
f() { set -- 'a[$(pwned)]'; echo $(($1)); }; f 1
f() { for x in "$@"; do echo $((x)); done; }; f 1 'a[$(pwned)]'
f() { for x; do echo $((x)); done; }; f 1 'a[$(pwned)]'
f() { local a=("$@"); echo $((a[1])); }; f 1 'a[$(pwned)]'
f() { echo $(($1)); }; g() { f "$1"; }; g 'a[$(pwned)]'
f() { echo $(($1)); }; x=(1 'a[$(pwned)]'); f "${x[@]}"
f() { echo $((${10})); }; f 1 2 3 4 5 6 7 8 9 'a[$(pwned)]'
x=1; f() { local x='a[$(pwned)]'; g; }; g() { echo $((x)); }; f
for x in 1 'a[$(pwned)]'; do echo $((x)); done
printf -v x 'a[$(pwned)]'; echo $((x))
mapfile -t x <<< 'a[$(pwned)]'; echo $((x))
x=1; x+='a[$(pwned)]'; echo $((x))
: ${x:='a[$(pwned)]'}; echo $((x))
x=$(echo 'a[$(pwned)]'); echo $((x))
x=$(seq 'a[$(pwned)]' 2>&1); echo $((x))
x=$(cat <<< 'a[$(pwned)]'); echo $((x))
echo $(( "$(echo 'a[$(pwned)]')" ))
x='$(pwned)'; echo ${x@P}
x='$(pwned)'; echo "${x@P}"
x='$(pwned)'; echo "${x@A}"
x=y; echo ${!x}
x='a[$(pwned)]'; echo ${!x}
echo ${!B*}
declare -n r=x; r=1
local -n r=x
f() { local -n r=$1; r=1; }; f 'a[$(pwned)]'
unset 'a[$(pwned)]'
x='a[$(pwned)]'; unset "$x"
unset -f f
read 'a[$(pwned)]' <<< x
printf -v 'a[$(pwned)]' x
printf -va[0] x
printf '%n' 'a[$(pwned)]'
x='%n'; printf "$x" 'a[$(pwned)]'
x='-vPATH'; printf "$x" y
x=n; printf "%$x" 'a[$(pwned)]'
printf "$@"
getopts ab 'a[$(pwned)]'
mapfile -C pwned -c 1 x <<< y
mapfile -t x < /etc/passwd
read x < /etc/passwd
cat < /etc/passwd
echo a > pwned
echo a >> pwned
echo a >| pwned
echo a &> pwned
echo a > /dev/tcp/127.0.0.1/1
echo a >& pwned
echo a 1>&pwned
echo a 2> /dev/nullx
echo a > "/dev/null/../pwned"
echo a > $x
> pwned
< /etc/passwd
cat <> pwned
exec 3> pwned
{ echo; } > pwned
while read x; do echo; done < /etc/passwd
f() { echo; } > pwned; f
cat /etc/passwd
cat -- /etc/passwd
cat "$x"
cat $x
cat *
cat ~/x
head -n 1 /etc/passwd
head -n1 -- /etc/passwd
tail -f x
tail -n +1 /etc/passwd
sort -o pwned
sort -opwned
sort --output=pwned
sort -T /tmp
sort --compress-program=pwned
sort --files0-from=-
sort --random-source=/etc/passwd
sort "$x"
sort $x
sort -k "$@"
x='-o pwned'; sort $x
x=; sort -k $x -o
uniq - pwned
uniq a b
wc --files0-from=-
wc -l /etc/passwd
tee pwned
tee -
tee -a pwned
rev -
bc -
cut -d: -f1 /etc/passwd
paste /etc/passwd
nl /etc/passwd
od -w /etc/passwd
shuf /etc/passwd
shuf -o pwned
shuf -- -e /etc/passwd
base64 /etc/passwd
md5sum -c x
md5sum /etc/passwd
grep x /etc/passwd
grep -f /etc/passwd
grep -r x
grep -R x .
grep -e x /etc/passwd
grep /etc/passwd -e x
grep --file=/etc/passwd
grep --include=x -r y
read p; grep "$p"
read p; grep $p
grep "$@"
grep {} -f/etc/passwd
sed 1e
sed '1e pwned'
sed 's/a/pwned/e'
sed 's/a/b/w pwned'
sed 'w pwned'
sed -n '/a/w pwned'
sed 'r /etc/passwd'
sed 'R /etc/passwd'
sed 'W pwned'
sed -i s/a/b/ x
sed -f x
sed s/a/b/ /etc/passwd
sed -e p -e 'w pwned'
sed --expression='1e pwned'
sed "$x"
sed "s/a/$x/"
sed 'p;e pwned'
sed --in-place p x
sed -s F x
awk 'BEGIN { system("pwned") }'
awk 'BEGIN { "pwned" | getline }'
awk 'BEGIN { print | "pwned" }'
awk '{ print > "pwned" }'
awk '{ print >> "pwned" }'
awk 'BEGIN { getline x < "/etc/passwd" }'
awk 'BEGIN { ARGV[1] = "/etc/passwd"; ARGC = 2 }'
awk 'BEGIN { print ENVIRON["PATH"] }'
awk '{ print }' /etc/passwd
awk -f x
awk "$x"
awk -v "$x" '{ print }'
awk -v ARGC=2 '{ print }'
awk -i inplace '{ print }'
awk '@load "x"'
awk 'BEGIN { x++ / system("pwned") / 2 }'
awk 'BEGIN { print /"/; system("pwned"); print /"/ }'
awk 'BEGIN { if (1) /"/; system("pwned"); print /"/ }'
awk 'function f() { return 1 } BEGIN { @f() }'
date -s 2020-01-01
date 010100002020
date -f /etc/passwd
date -r /etc/passwd
date -d 'TZ="/etc/passwd" now'
date -d "$x"
bc /etc/passwd
echo *
echo ?
echo [a-z]
echo ~
echo ~root
echo a:~
x=~; echo "$x"
x=a:~root
echo {*,a}
ls
x='*'; echo $x
x='/etc/*'; for y in $x; do echo "$y"; done
read x; echo $x
echo $1
echo $@
x=$1; echo $x
set -- '*'; echo $*
a=('*'); echo ${a[@]}
a=('*'); echo ${a[0]}
echo ${x:-*}
x=1; x1=a; echo $x{1,2}
shopt -s extglob nullglob; echo ${1##*( <(pwned))}
shopt -s extglob; echo @(a|b)
echo ${x##*( <(pwned))}
echo <(pwned)
cat < <(pwned)
cat <(echo)
echo >(pwned)
[[ a == <(pwned) ]]
x=<(pwned)
PATH=.:$PATH
PATH=. ls
PATH=.; cat
export PATH=.
declare PATH=.
local PATH=.
read PATH
for PATH in .; do cat; done
((PATH=1))
: ${PATH:=.}
printf -v PATH .
mapfile PATH
getopts a PATH
unset PATH
PATH+=:.
PATH[0]=.
IFS=x cat
BASH_ENV=x cat
ENV=pwned sh
LD_PRELOAD=./x cat
LD_PRELOAD=./x; export LD_PRELOAD; cat
export LD_LIBRARY_PATH=.
OPENSSL_CONF=x md5sum
export OPENSSL_CONF=x
LC_ALL=../../x cat
TZ=/etc/passwd date
TZ=:pwned; date
PS4='$(pwned)'; set -x; echo
PROMPT_COMMAND=pwned
RANDOM='a[$(pwned)]'
SECONDS='a[$(pwned)]'
histchars=x
export -f f
export
declare -p
set
set -x
set -a
set -o history
set -o
alias echo=pwned
shopt -s expand_aliases
enable -f x y
hash -p pwned cat
echo $PATH
echo "$HOME"
echo "${SECRET}"
echo "$SECRET_KEY"
SECRET=${SECRET:-x}; echo "$SECRET"
f() { echo "$SECRET"; }; f; SECRET=1
if false; then SECRET=1; fi; echo "$SECRET"
false && SECRET=1; echo "$SECRET"
SECRET=1 | cat; echo "$SECRET"
SECRET=1 true; echo "$SECRET"
echo "$https_proxy"
pwned() { echo; } ; (pwned); \pwned
f; f() { echo; }
curl; curl() { echo; }
if false; then curl() { echo; }; fi; curl
false && curl() { echo; }; curl
(curl() { echo; }); curl
{ curl() { echo; }; } | cat; curl
curl() { echo; } | cat; curl
f() { curl; }; f; curl() { echo; }
f() { curl() { echo; }; }; f; curl
x() { echo; }; unset x; x
cat() { echo; }; cat /etc/passwd
cat /etc/passwd; cat() { echo; }
export() { echo; }; export PATH=.
command_not_found_handle() { echo $(($1)); }; x
declare -A m | cat; m['a[$(pwned)]']=1
f() { declare -A m; }; f; x='a[$(pwned)]'; m[$x]=1
f() { declare -A m; }; x='a[$(pwned)]'; m[$x]=1
false && declare -A m; x='a[$(pwned)]'; m[$x]=1
local -A m; x='a[$(pwned)]'; m[$x]=1
declare m -A; x='a[$(pwned)]'; m[$x]=1
declare y=1 -A m; x='a[$(pwned)]'; m[$x]=1
m=(1); declare -A m; x='a[$(pwned)]'; m[$x]=1
read -a m; declare -A m; x='a[$(pwned)]'; m[$x]=1
declare -A m; unset m; x='a[$(pwned)]'; m[$x]=1
declare -A m; f() { local m; x='a[$(pwned)]'; m[$x]=1; }; f
readonly m; declare -A m; x='a[$(pwned)]'; m[$x]=1
declare -aA m; x='a[$(pwned)]'; m[$x]=1
declare -A m; x='$(pwned)'; ((m[$x]++))
declare -a x='($(pwned))'
y='($(pwned))'; declare -a x="$y"
x=(1); y='($(pwned))'; declare x="$y"
y='($(pwned))'; f() { local -a x; local x=$y; }; f
y='[$(pwned)]=1'; declare "a$y"
declare "$x"
export "$x"
readonly 'a[$(pwned)]=1'
select x in a; do pwned; done
echo ${x:-$(pwned)}
echo ${x:-`pwned`}
echo "${x:-$(pwned)}"
echo "${x/a/$(pwned)}"
echo ${x#$(pwned)}
echo ${x:$(pwned)}
echo ${x:-'a'$(pwned)}
echo "${x:-'$(pwned)'}"
echo $'a'$(pwned)
echo $"$(pwned)"
echo "a"$(pwned)"b"
echo \$$(pwned)
echo '\'$(pwned)
echo "\\$(pwned)"
echo "\"$(pwned)"
echo ${x:-"$(pwned)"}
echo $((1 + $(pwned)))
echo $(echo $(pwned))
echo $( (pwned) )
(pwned)
{ pwned; }
((1)) && pwned
((1)) || pwned
true; pwned
true;pwned
if true; then pwned; fi
if false; then pwned; fi
until pwned; do echo; done
case a in a) pwned;; esac
case a in (a) pwned;; esac
f() { pwned; }; f
f() { pwned; }
function f { pwned; }
function f() ( pwned )
[[ a ]] && pwned
pwned
echo a#b; pwned
xargs pwned
echo pwned | sh
echo pwned | bash
env pwned
nohup pwned
timeout 1 pwned
find . -exec pwned {} +
perl -e 'system "pwned"'
python3 -c 'print(1)'
jq -n env
printenv
env
whoami
cd /
pwd
kill 1
wait
umask 0
ulimit -n 1
mkdir x
touch x
rm -rf x
mktemp
ln -s a b
sleep 1 &
exit 0 & pwned
echo a; exec cat /etc/passwd
type pwned
command -v pwned
compgen -c
complete -C pwned x
bind -x x
fc -s
history -r x
dirs
caller
suspend
disown
echo $!
echo "$(< /etc/passwd)"
((m[0]=1)); declare -A m; x='a[$(pwned)]'; m[$x]=1
: ${m[0]:=1}; declare -A m; x='a[$(pwned)]'; m[$x]=1
((x[0]=1)); y='($(pwned))'; declare x="$y"
declare -A m; f() { x='a[$(pwned)]'; m[$x]=1; }; m=1 f
m=1 declare -A m; x='a[$(pwned)]'; m[$x]=1
declare -A m <<< $(yes | head -c 300000); x='a[$(pwned)]'; m[$x]=1
{ declare -A m; } <<< "$x"; x='a[$(pwned)]'; m[$x]=1
{ pwned() { echo; }; } <<< "$x"; pwned
declare -A _; x='a[$(pwned)]'; _[$x]=1
declare -A REPLY; x='a[$(pwned)]'; REPLY[$x]=1
declare -A m; echo "${m['$(pwned)']}"
declare -A m; echo "${m["\$(pwned)"]}"
head -5c /etc/passwd
tail -5c /etc/passwd
fmt -5w /etc/passwd
od --t /etc/passwd
sort --t=/var/tmp
sort --t /var/tmp
awk --v a=1 /etc/
awk '{ print }' -F/etc/passwd
awk '{ print }' -- -
awk 'BEGIN { if (1) /"/; SYMTAB["AR" "GC"] = 2; print /"/ }'
awk 'BEGIN { print /"/; x = 1ARGV[1]++; y = 1ARGC++; print /"/ } { print }'
awk 'BEGIN { if (1) /"/; bindtextdomain("/x"); print /"/ }'
[[ a =~ (b ]]; echo # ) ]]; pwned
[[ a =~ ([(]) ]]; echo # ) ]]; pwned
[[ a =~ [(] ]]; echo # ) ]]; pwned
[[ a =~ b) ]]; pwned
[[ a =~ (b"c)" ]]; echo # ) ]]; pwned
x=--help; y=$(expr "$x"); echo $y
x=--help; y=$(seq "$x"); echo $y
x=--help; y=$(expr "$x"); z=$y; echo $z
x=-sa; y=$(seq "$x" 2); echo $((y))
a=(pwned)b "pwned"
a=(1)echo "${a[@]}"
f() { local a=(1)b; }; f
getopts -- ab PATH; cat
getopts "$x" y PATH; cat
a='b[$(pwned)]'; y=1; set -- -a; getopts -- ab y; echo $((y))
x='a[$(pwned)]'; f() { for x in "${@:0}"; do echo $((x)); done; }; f 1
f() { for x in "${@: -2}"; do echo $((x)); done; }; f 1
echo a={:,b}~root
LC_ALL=C; LC_ALL+=POSIX; sort
SECRET+=x; echo "$SECRET"
SECRET+=(x); echo "$SECRET"
SECRET[1]=x; echo "$SECRET"
((SECRET[1]=1)); echo "$SECRET"
declare -gA SECRET; SECRET[a]=b; echo "${SECRET[0]}"
declare -g SECRET+=x; echo "$SECRET"
mapfile -O 5 SECRET; echo "$SECRET"
mapfile -n x SECRET; echo "$SECRET"
mapfile y SECRET; echo "$SECRET"
read -t 0 SECRET; echo "$SECRET"
read -n x SECRET; echo "$SECRET"
read -n 0 SECRET; echo "$SECRET"
read -N "$x" SECRET; echo "$SECRET"
read -a x SECRET; echo "$SECRET"
read -a SECRET -a x; echo "$SECRET"
read x -a SECRET; echo "$SECRET"
read SECRET <<< $(yes | head -c 300000); echo "$SECRET"
printf -v SECRET; echo "$SECRET"
printf -v SECRET --; echo "$SECRET"
readonly SECRET SECRET=1; echo "$SECRET"
f() { readonly SECRET; echo "$SECRET"; }; f
f() { export LANG; echo "$LANG"; }; f
readonly SECRET; read SECRET; echo "$SECRET"
g() { unset SECRET; }; f() { local SECRET=1; g; echo "$SECRET"; }; f
x=$(< /etc/passwd)
readonly -g SECRET=1; echo "$SECRET"
readonly x=1; read x SECRET; echo "$SECRET"
read SECRET 0>/dev/null; echo "$SECRET"
x=; read -d"$x" SECRET; echo "$SECRET"
x=; grep -e"$x" -e /etc/passwd
x=; paste -d"$x" -d /etc/passwd
x=; awk -F"$x" -F 'BEGIN { system("pwned") }' '{ print }'
[[ a =~ $'\'' ]]; pwned #' ]]
z=; _1='a[$(pwned)]'; IFS=_; a=("" 1); y=${z:-"${a[@]}"}; echo $((y))
z=; _1='a[$(pwned)]'; IFS=_; f() { : $(( ${z:-$@} )); }; f "" 1
f() { echo $(($2)); }; set -- 1 'a[$(pwned)]'; f "${z:-$@}" 1
set -- -v 'a[$(pwned)]'; [ "${z:-$@}" ]
set -- 1 /etc/passwd; sort -k "${z:-$@}"
set -- 1 'a[$(pwned)]'; read -p "${z:-$@}" x
declare SECRET=1 y="$SECRET"; echo "$y"
f() { local SECRET=1 y="$SECRET"; echo "$y"; }; f
((0 && (SECRET=1))); echo "$SECRET"
((SECRET=1/0)); echo "$SECRET"
f() { ((0 ? SECRET=1 : 0)); echo "$SECRET"; }; f
for ((1 || (SECRET=1); 1; 1)); do echo "$SECRET"; break; done
f() { echo $a; }; a=([0]=x) f
y=-f; x=; [ "$y" = $x ]
x=; [ -f = $x ]
if false; then SECRET=1; else echo "$SECRET"; fi
if false; then SECRET=1; elif true; then echo "$SECRET"; fi
f() { if false; then local SECRET=1; else echo "$SECRET"; fi; }; f
function time { :; }; time>/dev/null pwned
function f{ { echo; }; }; f
echo / | sed 's/[/x/;s,]/pwned/e#,c,'
echo / | sed '/[/p;s,]/s/.*/pwned/e#,c,'
echo / | sed 's/[[.]/x/;s,.]]/pwned/e#,c,'
echo / | sed 's/[\]/x/;s,/b/w pwned,c,'
echo / | sed $'s/a\xC3/b/;s,/w pwned,c,'
echo / | sed $'s/a\ud800/b/;s,/w pwned,c,'
: "${x/$(case a in a) echo b/c;; esac)/d}"
: "${x/$(echo b/c)/d}"
x=$(echo "$(echo '$(pwned)')")
x=$(if true; then echo; fi)
x=$((echo); echo)
declare -A m=([a]=b); echo "${m[$(echo a\ #)]}"
echo $((1 + $(echo 1 # (
x=$(echo "$(case a in b) :;; (esac) echo '$(pwned)';; esac)")
x="$(echo "$(case a in b) :;; (esac|c) echo '$(pwned)';; esac)")"
"""
"""One script a line."""

BLOCKS = r"""
cat <<EOF
$(pwned)
EOF
---
cat <<EOF
`pwned`
EOF
---
cat <<E"O"F
x
EOF
pwned
---
cat <<''
x

pwned
---
cat <<'EOF'
EOF
pwned
---
cat <<EOF
a\
EOF
pwned
EOF
---
cat <<-EOF
	EOF
pwned
---
cat <<EOF; pwned
EOF
---
cat <<A <<B
A
B
pwned
---
cat <<EOF && ((
EOF
1)); pwned
---
cat <<EOF; echo "
EOF
$(pwned)"
---
cat <<EOF
${x:-$(pwned)}
EOF
---
cat <<EOF
$((zz))
EOF
---
echo hi ;\
#$(pwned)
---
echo \
#$(pwned)
---
if true;then echo \
#`pwned`
fi
---
echo a\
b; pwned
---
ec\
ho a; pw\
ned
---
echo a |\
pwned
---
sed 'a\
pwned' x
---
sed '{w pwned
}'
---
true
pwned
---
# comment \
pwned
---
x=(a
$(pwned))
---
x=1 # '
pwned #'
---
echo $(echo a # )
pwned)
---
case a in
a) echo;;
b) pwned
esac
---
cat <<EOF
$(echo a # \
) text $(echo '
pwned )
')
EOF
---
cat <<EOF
$(awk 'BEGIN { sys\
tem ("pwned") }')
EOF
---
cat <<EOF; read SECRET
$SECRET
EOF
---
x='a[$(pwned)]'
cat <<EOF; declare -A m
${m[$x]}
EOF
---
declare -A m
cat <<EOF
${m['$(pwned)']}
EOF
---
echo "$\
(pwned)"
---
function if { :; }
function then { :; }
function fi { :; }
if>/dev/null pwned; then>/dev/null :; fi>/dev/null
---
pwned=1
cat <<EOF
$((pwned + $(echo 1 # (
)))
EOF
---
declare -A m=([a]=b)
echo ${m[$(echo 1;# '
)]}x'$(true)]}'
---
case=1; in=1; esac=1; x=1
echo "$(( ( case 1 in 2 ) 3
 esac || ${x/ #/1} ))
 pwned; case a in b) ;; esac )"
---
case=1; in=1; esac=1; x=1
echo "$(( ( case 1 in 2 ) 3
 esac || ${x/\ #/1} ))
 pwned; case a in b) ;; esac )"
---
S=1; echo "$S\
ECRET"
---
declare -A m; m["$\
(pwned)"]=1
---
read SECRET; echo "$SECRET"
---
read -r SECRET
echo "$SECRET"
---
f() { local a=(1); local a="$1"; }; f '([$(pwned)]=1)'
---
declare() { :; }; declare PATH=.; pwned
---
unset() { :; }; unset PATH; cat
---
IFS=1; x=-e11f; grep $x
---
f() { SECRET=1; }
echo "$SECRET"
---
for SECRET in $1; do :; done; echo "$SECRET"
---
{ SECRET=1; } | cat; echo "$SECRET"
---
for ((SECRET = 0; 0;)); do :; done; echo "$SECRET"
---
x=1; [[ a =~ ${x/"(/$(pwned)} ]]
---
${a[i]:=pwned}
---
x=$(a=(\' ' # '
'$(pwned)'
\'"' # "
\"'" # '
))
---
f() {
  local x="$(echo "$(
    local a=(\' ' # '
'$(pwned)'
\'"' # "
\"'" # '
)
  )")"
}
f
""".strip("\n")
"""Scripts of several lines, divided by `---`."""

ABANDONED = r"""
: $((1/0)); pwned() { echo; }
pwned
---
f() { : $((1/0)); }
f; pwned() { echo; }
pwned
---
: $((1/0)); declare -A m
x='a[$(pwned)]'; m[$x]=1
---
: $((1/0)); SECRET=1
echo "$SECRET"
---
SECRET=$((1/0))
echo "$SECRET"
---
a=(); a[-1]=1; SECRET=1
echo "$SECRET"
---
declare -A m; m[""]=1; SECRET=1
echo "$SECRET"
---
x=a; echo "${x:0:-5}"; SECRET=1
echo "$SECRET"
---
x=08; echo $x | { echo $((x)); }; echo $((x)); SECRET=1
echo "$SECRET"
---
f() { : $((1/0)); }
f; SECRET=1
echo "$SECRET"
---
readonly x=1; x=2; SECRET=1
echo "$SECRET"
---
readonly SECRET; SECRET=1
echo "$SECRET"
---
for x in 1 2; do y=1; readonly y; done; SECRET=1
echo "$SECRET"
---
readonly x; : ${x:=1}; SECRET=1
echo "$SECRET"
---
cat <<EOF; declare -A m
$((1/0))
EOF
x='a[$(pwned)]'; m[$x]=1
---
cat <<EOF; read SECRET
$((1/0))
EOF
echo "$SECRET"
---
exit 1 2; SECRET=1
echo "$SECRET"
---
shift 1 2; declare -A m
x='a[$(pwned)]'; m[$x]=1
---
return 1 2; pwned() { echo; }
pwned
---
while :; do break 1 2; done; SECRET=1
echo "$SECRET"
---
IFS=:; x=1:2; exit $x; SECRET=1
echo "$SECRET"
---
function f{ { :; }
: $((1/0)); SECRET=1
echo "$SECRET"
}
---
if false; then SECRET=1; : $((0)); fi; : $((1/0)); SECRET=1
echo "$SECRET"
---
false && { SECRET=1; shift 1; }; : $((1/0)); SECRET=1
echo "$SECRET"
---
: $((1/0)); \
SECRET=1
echo "$SECRET"
---
: $((1/0)); \
pwned() { echo; }
pwned
---
sleep 9 | sleep 9; SECRET=1
echo "$SECRET"
---
SECRET=1 | sleep 9; SECRET=1
echo "$SECRET"
---
sleep 9 | sleep 9; pwned() { echo; }
pwned
""".strip("\n")
"""Scripts whose line bash gives up at an error, to go on with the next one, divided by `---`."""


def attacks() -> list[str]:
    """Return the scripts."""
    return [*LINES.strip("\n").split("\n"), *BLOCKS.split("\n---\n")]


def abandoned() -> list[str]:
    """Return the scripts that go on with the next line after an error: as part of one command they do not."""
    return ABANDONED.split("\n---\n")
