import assert from "node:assert/strict";
import { type Dirent, lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { launcher, program, traces } from "../../e2e/machine.ts";

/**
 * A cluster of two nodes, the second of them joined, of an administrator whose umask protects nothing; on a "machine" that is a
 * network namespace, so that its kernel settings, links and packet rules are its own.
 */
const name = `supply-${process.pid.toString(36)}`;
const folder = mkdtempSync(join(tmpdir(), "supply-"));
const kubeconfig = join(folder, "kubeconfig");
const options = { skip: !mayMakeNamespaces && "needs root" };
let machine: NetworkNamespace;
let stateBefore: readonly string[] = [];

const k8ts = (line: string): Promise<string> =>
  machine.sh(`umask 000; "${launcher}" ${line} --name ${name}`);

/** Settings of the network, links, routes and packet rules of the machine. */
const networkState = async (): Promise<readonly string[]> => {
  const text = await machine.sh(`
    grep -rs . /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv4/conf/all /proc/sys/net/ipv4/conf/default \
      /proc/sys/net/ipv6/conf/all /proc/sys/net/bridge | sort
    grep -s . /proc/sys/net/netfilter/nf_conntrack_max /proc/sys/net/netfilter/*timeout* || :
    ip -o link; ip address; ip rule; ip route show table all; nft list ruleset; iptables-save; ip6tables-save`);
  // Comments have the time.
  return text.split("\n").filter((line) => !line.startsWith("#"));
};

before(async () => {
  if (!mayMakeNamespaces) return;
  machine = await NetworkNamespace.create();
  await machine.sh("echo 0 >/proc/sys/net/ipv4/ip_forward");
  // Reading creates empty tables on some machines.
  await networkState();
  stateBefore = await networkState();
  await k8ts(`up --nodes 2 --no-install --kubeconfig ${kubeconfig}`);
});

after(async () => {
  if (mayMakeNamespaces) await k8ts("down --purge");
  rmSync(folder, { recursive: true });
  await machine?.[Symbol.asyncDispose]();
});

const root = `/var/lib/k8ts-${name}`;
/** The data folder of the joined node. */
const joined = "nodes/2";

interface Place {
  /** From the data folder. */
  readonly path: string;
  readonly mode: number;
  readonly entry: Dirent;
}

function* walk(path = "."): Generator<Place> {
  for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const inner = join(path, entry.name);
    const found = lstatSync(join(root, inner), { throwIfNoEntry: false });
    if (!found) continue;
    yield { path: inner, mode: found.mode & 0o777, entry };
    if (entry.isDirectory()) yield* walk(inner);
  }
}

/** What containerd, the kubelet and Pods write has upstream's modes. It is behind folders that only root enters. */
const writtenByOthers = /^(nodes\/2\/)?(containerd|run\/containerd|kubelet|log\/pods)\//;
/** Folders on the way to root file systems, which containers with a user namespace pass. */
const passable = [
  "run",
  "run/containerd",
  "nodes",
  joined,
  `${joined}/run`,
  `${joined}/run/containerd`,
];

test(
  "files of a cluster and of a joined node are for root only, whatever the umask is",
  options,
  () => {
    assert.equal(lstatSync(root).mode & 0o777, 0o711);
    const places = [...walk()];
    const known = new Set(places.map(({ path }) => path));
    for (const path of ["cluster.json", "pki/ca.key", "log/server.log", `${joined}/cluster.json`])
      assert.ok(known.has(path), path);
    const wrong = places
      .filter(({ path }) => !writtenByOthers.test(path))
      .filter(({ path, mode, entry }) => {
        if (passable.includes(path)) return mode !== 0o711;
        return mode !== (entry.isDirectory() ? 0o700 : 0o600);
      });
    assert.deepEqual(
      wrong.map(({ path, mode }) => `${mode.toString(8)} ${path}`),
      [],
    );
  },
);

test("another user of the machine can't read or list anything of a cluster", options, async () => {
  const user = ["--reuid=65534", "--regid=65534", "--clear-groups"];
  const script = 'for path; do if [ -r "$path" ] || [ -w "$path" ]; then echo "$path"; fi; done';
  const accessible = (...as: string[]): Promise<string> => {
    const paths = [root, ...walk().map(({ path }) => join(root, path))];
    return program("setpriv", ...as, "sh", "-c", script, "sh", ...paths);
  };
  assert.equal(await accessible(...user), "");
  assert.match(await accessible("--reuid=0"), /pki\/ca\.key/);
});

test("what a cluster writes outside of its folder is not writable by others", options, async () => {
  const find = (places: string): Promise<string> =>
    machine.sh(`find ${places} ! -type l -perm /022 2>/dev/null || :`);
  const found = await find(`/run/k8ts-changes /run/k8ts* /etc/systemd/system/k8ts* ${kubeconfig}`);
  assert.equal(found, "");
  assert.equal(lstatSync(kubeconfig).mode & 0o777, 0o600);
});

test(
  "down --purge restores the machine: settings, links, routes, packet rules, files",
  options,
  async () => {
    // The control: the cluster has changed settings and rules.
    const during = await networkState();
    assert.ok(during.includes("/proc/sys/net/ipv4/ip_forward:1"));
    assert.ok(stateBefore.includes("/proc/sys/net/ipv4/ip_forward:0"));
    await k8ts("down --purge");
    const now = await networkState();
    assert.deepEqual(
      {
        more: now.filter((line) => !stateBefore.includes(line)),
        less: stateBefore.filter((line) => !now.includes(line)),
      },
      { more: [], less: [] },
    );
    assert.deepEqual(await traces(name), []);
    const left = await program(
      "sh",
      "-c",
      `find /etc /run /var/lib /var/log /usr/local -xdev -name '*${name}*' 2>/dev/null || :`,
    );
    assert.equal(left, "");
  },
);
