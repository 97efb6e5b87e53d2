# The interpreter of a sandbox that stays: runs one piece of code after the other in this very shell.
# In: on descriptor 4 "SIZE\n" and the code. Out: on descriptor 3 one byte when it waits for the first time; then
# "STATUS 0\n" after each. An interrupt ends the command that runs.
trap : INT
printf . >&3
while IFS= read -r -u 4 __size; do
  __code=
  [ "$__size" -eq 0 ] || LC_ALL=C IFS= read -r -u 4 -N "$__size" __code
  eval "$__code" 3>&- 4>&-
  printf '%d 0\n' "$?" >&3
done
