# Reads what its driver starts and ends until the driver itself ends, in whatever way, and then kills what is left.
# $0 is the mark that the driver puts into the environment of all programs.
trap '' HUP INT QUIT TERM
groups=' '
starting=0
while read -r word group; do
    case $word in
        start) starting=$((starting + 1)) ;;
        failed) starting=$((starting - 1)) ;;
        group) starting=$((starting - 1)) groups="$groups$group " ;;
        gone) groups="${groups%% $group *} ${groups#* $group }" ;;
    esac
done
for group in $groups; do
    kill -s KILL -- "-$group"
done
# A program that was just being started has no known number. On Linux it is found by the mark, a moment later if need be.
if [ "$starting" -gt 0 ]; then
    for pause in 0 0.1 0.4; do
        sleep "$pause"
        for file in $(grep -ls -e "$0" /proc/[0-9]*/environ); do
            file=${file#/proc/}
            kill -s KILL -- "-${file%/environ}" "${file%/environ}"
        done
    done
fi
