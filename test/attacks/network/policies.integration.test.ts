import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { mayMakeNamespaces, type NetworkNamespace } from "#/testing/network-namespace.ts";
import { PolicyNode, type PolicyPod } from "#/testing/policy-node.ts";
import { until } from "#/testing/until.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };
const port = 5000;

/** Prints each datagram that a Pod gets. */
async function listen(net: NetworkNamespace): Promise<string[]> {
  const script = `
    const socket = require("node:dgram").createSocket({ type: "udp6", reuseAddr: true });
    socket.on("message", (message) => console.log(message.subarray(0, 20).toString().trim()));
    socket.bind(${port}, "::", () => {
      socket.addMembership("ff02::1%eth0");
      console.log("ready");
    });
  `;
  const got: string[] = [];
  const child = net.start(process.execPath, ["-e", script]);
  child.stdout?.on("data", (data: Buffer) => got.push(...data.toString().trim().split("\n")));
  if (child.stdout) await once(child.stdout, "data");
  return got;
}

/** Sends a datagram; more bytes than the MTU go as fragments. */
const send = (net: NetworkNamespace, to: string, text: string, bytes = 20) =>
  net
    .run("perl", [
      "-MSocket=:all",
      "-e",
      `my ($error, @found) = getaddrinfo($ARGV[0], ${port}, { socktype => SOCK_DGRAM });
     socket(my $socket, $found[0]{family}, SOCK_DGRAM, 0) or die;
     setsockopt($socket, SOL_SOCKET, SO_BROADCAST, 1);
     send($socket, $ARGV[1] . " " x ($ARGV[2] - length($ARGV[1])), 0, $found[0]{addr});`,
      to,
      text,
      String(bytes),
    ])
    .catch(() => "");

const linkLocal = async ({ net }: PolicyPod): Promise<string> =>
  await until("the link has its address", async () => {
    const text = await net.sh("ip -6 -o addr show dev eth0 scope link -tentative");
    return /inet6 ([^/]+)/.exec(text)?.[1];
  });

test(
  "no address of a Pod, of its link or of a group passes a policy that denies ingress",
  options,
  async () => {
    await using node = await PolicyNode.create();
    const victim = await node.addPod("a", "victim");
    const attacker = await node.addPod("b", "attacker");
    const got = await listen(victim.net);
    const ways = [
      { name: "IPv4", to: victim.ip },
      { name: "IPv6", to: victim.ip6 },
      { name: "link", to: `${await linkLocal(victim)}%eth0` },
      { name: "group", to: "ff02::1%eth0" },
      { name: "fragments", to: victim.ip, bytes: 4000 },
      { name: "fragments6", to: victim.ip6, bytes: 4000 },
    ];
    const received = (name: string) => got.includes(name);
    for (const { name, to, bytes = 20 } of ways) {
      await until(`${name} arrives without a policy`, async () => {
        await send(attacker.net, to, name, bytes);
        return received(name);
      });
    }
    await node.createPolicy("a", "deny", { podSelector: {}, policyTypes: ["Ingress"] });
    await until("the policy is in force", async () => {
      got.length = 0;
      await send(attacker.net, victim.ip, "probe");
      await send(node.node.namespace, victim.ip, "node");
      await until("the node's datagram arrives", () => received("node"));
      return !received("probe");
    });
    got.length = 0;
    for (const { name, to, bytes = 20 } of ways) await send(attacker.net, to, name, bytes);
    await send(attacker.net, "224.0.0.1", "group4");
    await attacker.net.sh("ping -c 1 -W 1 10.244.1.5").then(
      () => assert.fail("ICMP passes"),
      () => undefined,
    );
    await send(node.node.namespace, victim.ip, "last");
    await until("what was sent before has arrived", () => received("last"));
    assert.deepEqual(got, ["last"]);
  },
);
