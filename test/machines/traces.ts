import type { Machine } from "./machine.ts";

/** The state of a machine, by kind: lines that a cluster may add, and must remove. */
export type Traces = Readonly<Record<string, readonly string[]>>;

const looks: Readonly<Record<string, string>> = {
  // network-online.target and its dependencies are the machine's own: any unit that wants them starts them.
  units:
    "systemctl list-units --all --plain --no-legend --no-pager | sed 's/^[^a-zA-Z0-9-]*//' | awk '{print $1, $2, $3, $4}' | grep -v -e session- -e user -e '\\.device' -e 'run-' -e network-online -e wait-online",
  "unit files":
    "find /etc/systemd /run/systemd/system /run/systemd/transient -mindepth 1 | grep -v session-",
  cgroups: "find /sys/fs/cgroup -mindepth 1 -type d | grep -v -e user.slice -e 'ssh@'",
  mounts: "cut -d' ' -f2,3 /proc/self/mounts | grep -v -e /run/user -e /run/credentials",
  links: "ip -o link | sed -E 's/^[0-9]+: ([^:@]+).*/\\1/'",
  addresses: "ip -o -4 address | awk '{print $2, $4}'",
  routes: "ip route show table all type unicast; ip rule",
  namespaces: "ip netns list; ls /run/netns 2>/dev/null",
  nftables: "nft list ruleset",
  iptables: "iptables-save | grep -v '^[#:]'; ip6tables-save | grep -v '^[#:]'",
  "iptables chains": "iptables-save | sed -n 's/^:\\([^ ]* [^ ]*\\).*/\\1/p'",
  processes:
    "ps -eo args= | grep -v -e '\\[' -e ssh -e 'ps -eo' -e systemd -e '^sed' -e '^sort' -e '^bash' -e '(sd-pam)' -e '^sh ' -e '^grep' -e agetty -e '^awk'",
  files:
    "find / -xdev -path /proc -prune -o -path /sys -prune -o -path /opt -prune -o -path /var/log/journal -prune -o -path /var/lib/systemd -prune -o -path /tmp -prune -o -print | grep -v -e '^/var/cache' -e '^/run' -e /.ssh -e '^/var/tmp/systemd' -e '^/etc/\\.' ",
  "files of /run":
    "find /run -mindepth 1 | grep -v -e /run/systemd -e /run/udev -e /run/user -e /run/log -e /run/credentials -e /run/mount -e /run/lock -e /run/motd",
  users: "cut -d: -f1 /etc/passwd",
};

/** Reads the state of a machine. */
export async function findTraces(machine: Machine): Promise<Traces> {
  const script = Object.entries(looks)
    .map(([kind, command]) => `echo '=== ${kind}'; { ${command}; } 2>/dev/null | sort -u`)
    .join("\n");
  return parseTraces(await machine.run("bash -s", { input: script }));
}

/** The text of `=== KIND` and its lines, repeated. */
export function parseTraces(text: string): Traces {
  const found: Record<string, string[]> = {};
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    const [, kind] = /^=== (.+)/.exec(line) ?? [];
    if (kind !== undefined) found[kind] = lines = [];
    else if (line !== "") lines.push(line);
  }
  return found;
}

/** The lines that were added since. */
export function added(before: Traces, after: Traces): string[] {
  return Object.entries(after).flatMap(([kind, lines]) => {
    const known = new Set(before[kind]);
    return lines.filter((line) => !known.has(line)).map((line) => `${kind}: ${line}`);
  });
}
