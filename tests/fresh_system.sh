#!/usr/bin/env bash
# Runs the README's two commands on a bare Debian: fresh_system.sh SUITE [CTEST ARGUMENTS...]
#
# Makes the system in a temporary folder, with debootstrap and from the mirror that apt uses here, clones
# what is committed into it, and calls the launcher there, in a folder with a space in its name: as a user
# who may install nothing, without sudo and then with one that refuses (and must be told so), then as a
# user with sudo. Only sudo is installed beforehand; chromium and clang-format, large and optional, are
# left out. Exit code 1 if a command fails or the compiler warns, 2 if no such system can be made here.
#
# Mounts and processes live in namespaces of their own: however it ends, they are gone, and the folder is
# removed.
set -euo pipefail

say() { printf 'motley: %s\n' "$*" >&2; }

refuse() {
  say "$@"
  exit 2
}

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
export PATH=$PATH:/usr/sbin:/sbin
suite=${1-}
shift || :

[[ $suite =~ ^[a-z]+$ ]] ||
  refuse "test --fresh takes the name of a Debian release, such as trixie or bookworm, got '$suite'"
((EUID == 0)) || refuse "test --fresh makes a system of its own, which only root can do: sudo ./motley test --fresh $suite"
for tool in debootstrap git unshare apt-get; do
  command -v "$tool" >/dev/null || refuse "test --fresh needs $tool, which is not installed"
done
[[ -e /usr/share/debootstrap/scripts/$suite ]] ||
  refuse "debootstrap knows no release '$suite' (try trixie or bookworm)"

# The first archive of apt's that is not one of security updates only.
# shellcheck disable=SC2016  # apt-get expands these
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
  awk '$3 == "main" && $2 !~ /[-\/]/ && !mirror {mirror = $1} END {print mirror}')
[[ -n $mirror ]] || refuse "apt has no archive here with a component main to take $suite from"

unsafe=(-c "safe.directory=$project" -c "safe.directory=$project/.git")
git "${unsafe[@]}" -C "$project" rev-parse --quiet --verify HEAD >/dev/null ||
  refuse "test --fresh tests what is committed, and $project is no git repository"

place=$(mktemp -d "${TMPDIR:-/tmp}/motley_fresh_XXXXXX")
inside= # the process at the head of those that work in the new system
clean_up() {
  status=$?
  trap - EXIT
  if [[ -n $inside ]]; then
    kill -KILL "$inside" 2>/dev/null || : # it heeds no other signal; all the others die with it
    wait "$inside" 2>/dev/null || :
  fi
  rm -rf --one-file-system "$place"
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 1' TERM HUP

system=$place/system
home="/srv/a folder"
# Proxies and the like are those of apt here.
options=$(apt-config dump | grep -E '^Acquire::(https?|ftp|Retries|ForceIPv|Check-Valid)' || :)
proxy=$(apt-config dump --format '%v' Acquire::http::Proxy)
if [[ -n $proxy && $proxy != DIRECT ]]; then export http_proxy=${http_proxy:-$proxy}; fi
include=()
if [[ $mirror == https:* ]]; then include=(--include=ca-certificates); fi

# In the background and waited for, so that a signal is heeded at once.
apart() {
  local status=0
  unshare --mount --pid --fork --kill-child --mount-proc "$@" </dev/null &
  inside=$!
  wait "$inside" || status=$?
  inside=
  return "$status"
}

took() { printf -- '--- %s: %d s\n' "$1" $((SECONDS - since)); since=$SECONDS; }
since=$SECONDS

mkdir "$system"
if ! apart debootstrap --variant=minbase "${include[@]}" "$suite" "$system" "$mirror" >"$place/log" 2>&1; then
  tail -n 20 "$place/log" "$system/debootstrap/debootstrap.log" >&2 || :
  refuse "debootstrap could not make a system of $suite from the mirror that apt uses here"
fi
printf '%s\n' "$options" >"$system/etc/apt/apt.conf.d/90host"
printf 'Package: chromium clang-format\nPin: release *\nPin-Priority: -1\n' >"$system/etc/apt/preferences.d/light"
cp /etc/hosts "$system/etc/hosts"
if ((${#include[@]})); then cp /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/"; fi
took "a bare $suite"

git "${unsafe[@]}" clone --quiet --no-hardlinks "$project" "$system$home/motley"
say "testing commit $(git -C "$system$home/motley" rev-parse --short HEAD) of $project"
if [[ -n $(git "${unsafe[@]}" -C "$project" status --porcelain) ]]; then
  say "what is not committed is not tested"
fi

# there USER COMMAND...: in the project's folder there, with nothing of this environment but the terminal.
there() {
  local user=$1
  shift
  # shellcheck disable=SC2016  # expanded there
  apart sh -c 'mount -t proc proc "$1/proc" && mount -t tmpfs tmpfs "$1/dev/shm" && shift && exec "$@"' sh "$system" \
    chroot --userspec="$user" "$system" env -i HOME="$home" PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    sh -c 'cd "$HOME/motley" && exec "$@"' sh "$@"
}

no_warnings() {
  if grep -n -A5 'warning:' "$system$home/motley/build/build.log" >&2; then
    say "the compiler warns on $suite"
    exit 1
  fi
}

# A user who cannot install packages gets exit code 2 and the words given.
is_told() {
  local status=0
  there nobody ./motley run scenarios/quickstart.json >"$place/log" 2>&1 || status=$?
  if ((status != 2)) || ! grep -q "$1" "$place/log"; then
    cat "$place/log" >&2
    say "a user who cannot install packages must be told '$1' (exit code 2), got exit code $status"
    exit 1
  fi
}

chown -R nobody "$system$home"
is_told 'only root can install it'
there root sh -c 'apt-get update && apt-get install -y --no-install-recommends sudo' >"$place/log" 2>&1 || {
  tail -n 20 "$place/log" >&2
  refuse "could not install sudo there"
}
is_told 'please install these packages'

there root useradd --user-group --home-dir "$home" somebody
echo 'somebody ALL=(ALL) NOPASSWD: ALL' >"$system/etc/sudoers.d/somebody"
chmod 440 "$system/etc/sudoers.d/somebody"
there root chown -R somebody:somebody "$home"
took 'users who cannot install'

there somebody ./motley run scenarios/quickstart.json || exit 1
no_warnings
took './motley run scenarios/quickstart.json'
there somebody ./motley test "$@" || exit 1
no_warnings
took "./motley test${*:+ $*}"
