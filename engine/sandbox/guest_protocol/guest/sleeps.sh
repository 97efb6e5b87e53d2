# Shortens the sleeps of a rehearsal: functions in the place of two programs, in one line before the code.
# `most` is how many milliseconds may be left out. Lines are joined by spaces.
sleep() {
local - one number unit all=0 real=50 most=MOST;
set +eux;
for one; do
number=${one%[smhd]}; unit=${one#"$number"};
[[ $number == +([0-9])?(.*([0-9])) && ${#number} -lt 10 ]] || { command sleep "$@"; return; };
one=${number%%.*}; number=${number#"$one"}; number=${number#.}000;
one=$((10#$one * 1000 + 10#${number:0:3}));
case $unit in m) one=$((one * 60));; h) one=$((one * 3600));; d) one=$((one * 86400));; esac;
all=$((all + one));
done;
[[ -z $(jobs -rp) ]] || real=1000;
if (( $# == 0 || all <= 100 || all <= real || all > most - ${__skipped:-0} )); then command sleep "$@"; return; fi;
command sleep "$((real / 1000)).$(printf %03d $((real % 1000)))" || return;
one=${__skipped:-0}; __skipped=$((one + all));
SECONDS=$((SECONDS + __skipped / 1000 - one / 1000));
};
date() {
local - one;
set +eux;
for one in ${__skipped:+"$@"}; do
case $one in -d* | --d* | -r* | --re* | -s* | --s* | -f* | --f*) command date "$@"; return;; esac;
done;
if (( ${__skipped:-0} )); then command date -d "+$((__skipped / 1000)) seconds" "$@"; else command date "$@"; fi;
};
