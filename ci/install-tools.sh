#!/bin/sh
# install-tools.sh demo|test|venv|make: the Debian packages that are missing for it, and nothing else.
set -eu

demo="arm-none-eabi-gcc=gcc-arm-none-eabi qemu-system-arm=qemu-system-arm"
test="$demo gcc=gcc g++=g++ aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu \
riscv64-unknown-elf-gcc=gcc-riscv64-unknown-elf qemu-system-riscv32=qemu-system-misc \
qemu-aarch64=qemu-user clang-format=clang-format ssh=openssh-client \
arm-linux-gnueabihf-gcc=gcc-arm-linux-gnueabihf aarch64-linux-gnu-g++=g++-aarch64-linux-gnu chromium=chromium"

case ${1:-} in
demo) wanted=$demo extra="libnewlib-arm-none-eabi" ;;
test) wanted=$test extra="libnewlib-arm-none-eabi libc6-dev-arm64-cross libc6-dev openssh-server libc6-dev-armhf-cross ser2net" ;;
venv) wanted="" extra="python3-venv" ;;
make) wanted="make=make git=git python3=python3" extra="" ;;
*) echo "usage: install-tools.sh demo|test|venv|make" >&2; exit 2 ;;
esac

missing=""
for pair in $wanted; do
    command -v "${pair%%=*}" >/dev/null 2>&1 || missing="$missing ${pair#*=}"
done
for package in $extra; do
    dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

command -v apt-get >/dev/null 2>&1 || {
    echo "error: missing:$missing; this is no Debian or Ubuntu, install them by hand" >&2
    exit 6
}
root=""
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || {
        echo "error: missing:$missing; try as root: apt-get install$missing" >&2
        exit 6
    }
    root="sudo"
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$root apt-get update -qq
# shellcheck disable=SC2086
$root apt-get install -y -qq --no-install-recommends $missing >/dev/null
