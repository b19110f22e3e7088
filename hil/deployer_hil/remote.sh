# Runs one image on the machine that it is sent to, and leaves nothing there, however the client
# ends: sh -c "$(cat remote.sh)" deployer BYTES CORES LAUNCHER GOVERNOR. stdin: BYTES of image once "ready"
# is told, then the console; its end is the client's, and ends the image. Facts are told in lines
# "remote KEY=VALUE": before the image runs on stdout, afterwards on stderr.
set -u
bytes=$1 cores=$2 launcher=$3 governor=$4
program='' feeder='' folder=''
exec 3<&0

tell() { [ -z "$2" ] || printf 'remote %s=%s\n' "$1" "$2"; }

health() { # $1: when
    throttled=$(vcgencmd get_throttled 2>/dev/null | sed -n 's/^throttled=//p')
    file=/sys/devices/platform/soc/soc:firmware/get_throttled
    [ -n "$throttled" ] || throttled=$(cat "$file" 2>/dev/null)
    tell "throttled_$1" "$throttled"
    tell "millicelsius_$1" "$(cat /sys/class/thermal/thermal_zone0/temp 2>/dev/null)"
}

write() { # $1: text, $2: file; as the user, or as root where sudo asks for no password
    { echo "$1" >"$2"; } 2>/dev/null || echo "$1" | sudo -n tee "$2" >/dev/null 2>&1
}

govern_clock() {
    for file in /sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor; do
        was=$(cat "$file" 2>/dev/null) || continue
        [ "$was" = "$governor" ] && continue
        write "$governor" "$file" && echo "$was $file" >>"$folder/governors"
    done
    [ ! -f "$folder/governors" ] || tell governor_was "$(sed -n '1s/ .*//p' "$folder/governors")"
}

restore_clock() {
    [ -f "$folder/governors" ] || return 0
    while read -r was file; do write "$was" "$file"; done <"$folder/governors"
}

end() { # $1: a process, with those it started where it leads them
    kill -9 "-$1" 2>/dev/null || kill -9 "$1" 2>/dev/null
}

finish() {
    trap '' HUP INT TERM PIPE
    for child in $feeder; do kill "$child" 2>/dev/null; done
    for child in $program; do end "$child"; done
    restore_clock
    rm -rf "$folder"
    health after >&2
}

# One thread keeps to the last core: the system's own work is mostly on the first.
pinned() {
    [ "$cores" = 1 ] || return 0
    last=$(($(getconf _NPROCESSORS_ONLN) - 1))
    ! taskset -c "$last" true 2>/dev/null || echo "taskset -c $last"
}

folder=$(mktemp -d "${TMPDIR:-/tmp}/deployer.XXXXXX") || exit 1
trap finish EXIT
trap 'exit 1' HUP INT TERM PIPE
tell machine "$(uname -m)"
tell machine_32 "$(setarch linux32 uname -m 2>/dev/null)" # to 32-bit programs, where it runs them
tell memory_kib "$(sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' /proc/meminfo)"
tell room_kib "$(df -Pk "$folder" | sed -n '2s/  */ /gp' | cut -d ' ' -f 4)"
tell folder "$folder"
[ -z "$launcher" ] || tell launcher "$(command -v "${launcher%% *}" || echo missing)"
tell ready yes

head -c "$bytes" <&3 >"$folder/firmware" || exit 1
[ "$(wc -c <"$folder/firmware")" -eq "$bytes" ] || exit 1
chmod 700 "$folder/firmware"
mkfifo "$folder/console"
govern_clock
health before
tell copied "$bytes"

# shellcheck disable=SC2046,SC2086  # words of their own
$(command -v setsid) $(pinned) $launcher "$folder/firmware" <"$folder/console" 3<&- &
program=$!
{
    cat <&3 &
    source=$!
    trap 'kill $source; exit' TERM
    wait $source
    end $program
} >"$folder/console" 2>/dev/null &
feeder=$!
wait "$program"
tell ended $? >&2
