# Prints the commands of an image's shell: see collect_python.py.
compgen -b | while read -r name; do
    printf '%s\tfunction\t\t%s\n' "$name" "$(help -d "$name" 2>/dev/null | head -n 1 | cut -c 1-120)"
done
IFS=:
for folder in $PATH; do
    for file in "$folder"/*; do
        [ -f "$file" ] && [ -x "$file" ] && printf '%s\tfunction\t\t\n' "${file##*/}"
    done
done
