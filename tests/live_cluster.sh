#!/usr/bin/env bash
# A cluster of network namespaces on this machine: live_cluster.sh HOSTS RATE DELAY COMMAND...
#
# Every host is a namespace with a network card of its own, joined by a bridge in a namespace that is the
# switch. Cards send and receive at RATE (as tc writes it, 100mbit), and each way of a message takes twice DELAY
# (500us): once up, once down; without delays where the kernel has no netem, which is said. COMMAND runs in the first
# host, with MOTLEY_MPIRUN set to an mpirun that starts one rank in each of the hosts, in their order. All of it is
# removed at the end, however that comes; its names carry the number of this process, and what a killed one left is
# removed by the next. As root; exit code 2 says that no such cluster can be made here.
set -euo pipefail
export PATH=$PATH:/usr/sbin:/sbin

hosts=$1 rate=$2 delay=$3
shift 3
name=motley$$
place=$(mktemp -d "/tmp/$name.XXXXXX")
net=10.213 # addresses that nobody outside sees

is_impossible=false
is_made=false
remove_everything() {
  status=$?
  trap - EXIT
  trap '' INT TERM HUP # a second Ctrl-C would leave half of it
  set +e
  # What ip and tc say by 2 is a mistake here, not what 2 means to who calls this.
  if ((status == 2)) && ! $is_impossible && ! $is_made; then status=1; fi
  local space pids
  for space in $(ip netns list 2>/dev/null | awk -v name="$name-" 'index($1, name) == 1 { print $1 }'); do
    # Again, since one may have started another meanwhile.
    while pids=$(ip netns pids "$space" 2>/dev/null) && [[ -n $pids ]]; do
      # shellcheck disable=SC2086 # one word each
      kill -KILL $pids 2>/dev/null
      sleep 0.05
    done
    ip netns delete "$space"
  done
  rm -rf "$place"
  exit "$status"
}
trap remove_everything EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

impossible() {
  printf 'no cluster of network namespaces can be made here: %s\n' "$1" >&2
  is_impossible=true
  exit 2
}

[[ $(id -u) == 0 ]] || impossible 'only root can'
for program in ip tc mpirun; do
  command -v "$program" >/dev/null || impossible "there is no $program (Debian: iproute2, openmpi-bin)"
done
# Of processes that were killed before they could remove theirs.
while read -r left; do
  owner=${left#motley}
  if [[ $left =~ ^motley[0-9]+-(switch|[0-9]+)$ && ! -d /proc/${owner%-*} ]]; then ip netns delete "$left" || :; fi
done < <(ip netns list 2>/dev/null | awk '{ print $1 }')
ip netns add "$name-switch" 2>"$place/error" || impossible "$(cat "$place/error")"

in_switch() { ip netns exec "$name-switch" "$@"; }
in_switch ip link add bridge type bridge
in_switch ip link set bridge up

# A token bucket of a few packets, and behind it room for what TCP sends ahead. On a core that another program
# has for longer than the bucket takes to fill, tokens are lost and the card is slower: 1.6 ms at 100 Mbit/s.
delays=true
shape() { # NAMESPACE DEVICE
  ip netns exec "$1" tc qdisc add dev "$2" root handle 1: tbf rate "$rate" burst 20kb limit 2mb || return
  if $delays && ! ip netns exec "$1" tc qdisc add dev "$2" parent 1: handle 2: netem delay "$delay" limit 100000 \
    2>/dev/null; then
    delays=false
  fi
}

# TCP whose messages share a link nearly evenly when they are sent at once, which those of BBR do not (docs/fidelity.md).
# Where the system allows neither, its own stays.
set_tcp() { # NAMESPACE
  local control
  for control in cubic reno; do
    if ip netns exec "$1" sh -c "echo $control >/proc/sys/net/ipv4/tcp_congestion_control" 2>/dev/null; then break; fi
  done
}

addresses=()
for ((i = 0; i < hosts; ++i)); do
  space=$name-$i
  ip netns add "$space"
  ip link add card netns "$space" type veth peer name "port$i" netns "$name-switch"
  in_switch ip link set "port$i" master bridge
  in_switch ip link set "port$i" up
  ip -n "$space" address add "$net.0.$((i + 1))/16" dev card
  ip -n "$space" link set card up
  ip -n "$space" link set lo up
  set_tcp "$space"
  # No packets larger than a real card's: a bucket would let them pass as one.
  ip netns exec "$space" ethtool -K card tso off gso off gro off >/dev/null 2>&1 || :
  in_switch ethtool -K "port$i" tso off gso off gro off >/dev/null 2>&1 || :
  shape "$space" card 2>"$place/error" || impossible "tc: $(cat "$place/error")"
  shape "$name-switch" "port$i"
  addresses+=("$net.0.$((i + 1))")
done

printf 'TCP here is %s\n' "$(ip netns exec "$name-0" cat /proc/sys/net/ipv4/tcp_congestion_control)" >&2
$delays || printf 'this kernel has no netem: links without delay\n' >&2

# Starts a command in the namespace of an address: what Open MPI takes for a remote shell.
cat >"$place/agent" <<END
#!/bin/sh
while case \$1 in -*) true ;; *) false ;; esac; do shift; done
space=$name-\$((\${1##*.} - 1))
shift
# Open MPI takes hosts of one name for one: their daemons would meet in the same folder.
TMPDIR=\$(mktemp -d "$place/daemon.XXXXXX")
export TMPDIR
exec ip netns exec "\$space" sh -c "\$*"
END
chmod +x "$place/agent"

list=$(IFS=,; echo "${addresses[*]}")
cat >"$place/mpirun" <<END
#!/bin/sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PMIX_MCA_gds=hash
TMPDIR=\$(mktemp -d "$place/job.XXXXXX")
export TMPDIR
exec mpirun --host "$list" --map-by node --bind-to none --mca plm rsh --mca plm_rsh_agent "$place/agent" \\
  --mca btl tcp,self --mca btl_tcp_if_include "$net.0.0/16" --mca oob_tcp_if_include "$net.0.0/16" \\
  --mca pml ob1 --mca mpi_yield_when_idle 1 "\$@"
END
chmod +x "$place/mpirun"

is_made=true
MOTLEY_MPIRUN=$place/mpirun ip netns exec "$name-0" "$@" &
wait $!
