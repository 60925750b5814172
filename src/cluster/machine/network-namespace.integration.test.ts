import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { logger } from "#/std/log/log.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { keepNamespaceRules } from "./keep-namespace-rules.ts";
import { NamespaceRules } from "./namespace-rules.ts";
import {
  ensureNamespace,
  type NamespacePlan,
  namespaceFile,
  planNamespace,
  removeNamespace,
} from "./network-namespace.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };
/** Limit of the time (ms) until removed rules are restored, on a busy machine, too. */
const backMs = 10_000;

/** A machine, and another one beyond its link, which responds at 192.0.2.2. */
class TestMachine implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  readonly network: NetworkNamespace;
  readonly other: NetworkNamespace;
  readonly run: RunProgram;

  static async create(iptables = "iptables"): Promise<TestMachine> {
    const network = await NetworkNamespace.create();
    const machine = new TestMachine(network, await NetworkNamespace.create(), iptables);
    await network.sh(`
      ip link add up0 type veth peer name eth0 netns ${machine.other.name}
      ip addr add 192.0.2.1/24 dev up0; ip link set up0 up`);
    await machine.other.sh("ip addr add 192.0.2.2/24 dev eth0; ip link set eth0 up");
    await machine.other.serveAddresses(80);
    await network.serveAddresses(6443);
    return machine;
  }

  private constructor(network: NetworkNamespace, other: NetworkNamespace, iptables: string) {
    this.network = this.#stack.use(network);
    this.other = this.#stack.use(other);
    this.run = (program, args, input) =>
      network.run(program.replace(/^ip(6?)tables/, iptables.replace("ip", "ip$1")), args, input);
  }

  /** The namespace of a new cluster. */
  async addCluster({
    ipv6 = false,
  } = {}): Promise<{ plan: NamespacePlan; inside: NetworkNamespace }> {
    const plan = planNamespace(`test-${randomBytes(4).toString("hex")}`, { ipv6 });
    this.#stack.defer(() => removeNamespace(plan, this.run));
    await ensureNamespace(plan, this.run, () => undefined);
    return { plan, inside: this.#stack.use(NetworkNamespace.of(plan.namespace)) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

for (const iptables of ["iptables", "iptables-legacy"]) {
  test(`${iptables}: a closed firewall does not cut off clusters`, options, async () => {
    await using machine = await TestMachine.create(iptables);
    await machine.network.sh(`${iptables} -P FORWARD DROP; ${iptables} -P INPUT DROP`);
    const first = await machine.addCluster();
    const second = await machine.addCluster();
    await second.inside.serveAddresses(80);
    const { nodeAddress } = first.plan;
    for (const [address, port, as] of [
      ["192.0.2.2", 80, "192.0.2.1"],
      ["192.0.2.1", 6443, nodeAddress],
      [second.plan.nodeAddress, 80, nodeAddress],
    ] as const) {
      assert.equal(await first.inside.askAddress(address, port), as, `${address}:${port}`);
    }
    // The machine stays closed for others.
    assert.equal(await machine.other.askAddress("192.0.2.1", 6443, 500).catch(() => ""), "");
  });

  test(`${iptables}: a closed firewall does not cut off clusters with IPv6`, options, async () => {
    await using machine = await TestMachine.create(iptables);
    const iptables6 = iptables.replace("ip", "ip6");
    await machine.network.sh(`
      ${iptables6} -P FORWARD DROP; ${iptables6} -P INPUT DROP
      ${iptables6} -A INPUT -p icmpv6 -j ACCEPT
      ip addr add fd00:2::1/64 dev up0 nodad`);
    await machine.other.sh("ip addr add fd00:2::2/64 dev eth0 nodad");
    const first = await machine.addCluster({ ipv6: true });
    const second = await machine.addCluster({ ipv6: true });
    await second.inside.serveAddresses(80);
    const nodeAddress = first.plan.ipv6?.nodeAddress ?? "";
    for (const [address, port, as] of [
      ["fd00:2::2", 80, "fd00:2::1"],
      ["fd00:2::1", 6443, nodeAddress],
      [second.plan.ipv6?.nodeAddress ?? "", 80, nodeAddress],
    ] as const) {
      assert.equal(await first.inside.askAddress(address, port), as, `${address}:${port}`);
    }
    await removeNamespace(planNamespace(first.plan.cluster), machine.run);
    await removeNamespace(planNamespace(second.plan.cluster), machine.run);
    assert.doesNotMatch(await machine.network.sh(`nft list ruleset; ${iptables6}-save`), /k8ts/i);
  });

  test(`${iptables}: removeNamespace() keeps the rules that existed before`, options, async () => {
    await using machine = await TestMachine.create(iptables);
    const { network } = machine;
    await network.sh(`${iptables} -N MINE; ${iptables} -A FORWARD -j MINE`);
    const state = async (): Promise<string> => {
      const text = await network.sh(`nft -s list ruleset; ${iptables}-save -t filter; ip link`);
      return text.replaceAll(/^#.*$|\[\d+:\d+\]/gm, "");
    };
    const before = await state();
    const { plan } = await machine.addCluster();
    const names = [plan.namespace, plan.machine].map(namespaceFile);
    assert.notEqual(await state(), before);
    assert.deepEqual(
      names.map((file) => existsSync(file)),
      [true, true],
    );
    await removeNamespace(plan, machine.run);
    assert.equal(await state(), before);
    assert.deepEqual(
      names.map((file) => existsSync(file)),
      [false, false],
    );
  });
}

test("ensureNamespace() names the machine's network for programs inside", options, async () => {
  await using machine = await TestMachine.create();
  const { plan } = await machine.addCluster();
  const link = ["ip", "link", "show", plan.link];
  assert.match(await NetworkNamespace.of(plan.machine).sh(link.join(" ")), /k8ts/);
});

test("ensureNamespace() routes the current pool of load balancers only", options, async () => {
  await using machine = await TestMachine.create();
  const { plan } = await machine.addCluster();
  const routed = async (...pools: string[]): Promise<string[]> => {
    await ensureNamespace({ ...plan, routed: pools }, machine.run, () => undefined);
    const text = await machine.run("ip", ["route", "show", "dev", plan.link, "proto", "109"]);
    return text.split("\n").flatMap((line) => line.split(" ")[0] || []);
  };
  assert.deepEqual(await routed("198.18.7.0/24"), ["198.18.7.0/24"]);
  assert.deepEqual(await routed("198.18.7.9/32"), ["198.18.7.9"]);
  assert.deepEqual(await routed(), []);
});

// No step of a damage fails when the repair has already answered the step before it, as
// "iptables -X" does after "iptables -F".
for (const damage of [
  "nft flush ruleset",
  "iptables -F FORWARD",
  "printf '*filter\\nCOMMIT\\n' | iptables-restore",
  "nft delete table ip $TABLE",
  "echo 0 >/proc/sys/net/ipv4/ip_forward; nft flush ruleset",
]) {
  test(`keepNamespaceRules() repairs after "${damage}"`, options, async () => {
    await using machine = await TestMachine.create();
    const { network } = machine;
    const { plan, inside } = await machine.addCluster();
    await network.sh("iptables -P FORWARD DROP");
    const stop = new AbortController();
    const rules = new NamespaceRules(plan, {
      run: machine.run,
      log: logger("namespace-test"),
      record: () => undefined,
    });
    const followRemovals = await network.followRemovals();
    const ended = keepNamespaceRules(rules, { clock: systemClock, followRemovals }, stop.signal);
    try {
      await network.sh(`TABLE=${plan.table}; ${damage}; iptables -P FORWARD DROP`);
      const deadline = systemClock.monotonicMs() + backMs;
      let answer = "";
      while (answer === "" && systemClock.monotonicMs() < deadline) {
        answer = await inside.askAddress("192.0.2.2", 80, 500).catch(() => "");
      }
      assert.equal(answer, "192.0.2.1");
    } finally {
      stop.abort();
      await ended;
    }
  });
}
