import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { mayMakeNamespaces, NetworkNamespace } from "#/testing/network-namespace.ts";
import { until } from "#/testing/until.ts";

const options = { skip: !mayMakeNamespaces && "needs root" };
const program = fileURLToPath(new URL("./hold-address.program.ts", import.meta.url));

/** Two servers and a client on one link. */
async function connect(client: NetworkNamespace, servers: readonly NetworkNamespace[]) {
  await client.sh(`
    ip link add br0 type bridge; ip link set br0 up
    ip addr add 192.168.9.1/24 dev br0; ip addr add fd09::1/64 dev br0 nodad
  `);
  for (const [index, server] of servers.entries()) {
    const [port, host] = [`port${index}`, 11 + index];
    await client.sh(`
      ip link add ${port} type veth peer name eth0 netns ${server.name}
      ip link set ${port} master br0 up
    `);
    await server.sh(`
      ip link set lo up
      ip addr add 192.168.9.${host}/24 dev eth0; ip addr add fd09::${host}/64 dev eth0 nodad
      ip link set eth0 up
    `);
  }
}

function hold(server: NetworkNamespace, address: string): ChildProcess {
  const enter = [`--net=/run/netns/${server.name}`, process.execPath, program, address];
  return spawn("nsenter", enter, { stdio: ["ignore", "ignore", "inherit"] });
}

/** The hardware address of a server's link. */
async function linkOf(server: NetworkNamespace): Promise<string> {
  return /link\/ether (\S+)/.exec(await server.sh("ip link show eth0"))?.[1] ?? "";
}

const known = async (client: NetworkNamespace, address: string): Promise<string> =>
  / lladdr (\S+)/.exec(await client.sh(`ip neigh show to ${address}`))?.[1] ?? "";

for (const address of ["192.168.9.100", "fd09::100"]) {
  test(`holdAddress() notifies neighbours at once that ${address} has moved`, options, async () => {
    await using client = await NetworkNamespace.create();
    await using first = await NetworkNamespace.create();
    await using second = await NetworkNamespace.create();
    await connect(client, [first, second]);
    const has = async (server: NetworkNamespace) =>
      (await server.sh("ip addr show eth0")).includes(`${address}/`);
    const one = hold(first, address);
    let other: ChildProcess | undefined;
    try {
      await until("the first has it", () => has(first));
      const type = address.includes(":") ? "udp6" : "udp4";
      const send = `require("node:dgram").createSocket("${type}").send("x", 9, "${address}", () => process.exit())`;
      const mac = await linkOf(first);
      await until("the client knows the first", async () => {
        await client.run(process.execPath, ["-e", send]);
        return (await known(client, address)) === mac;
      });
      // Its address stays: neighbours learn from the next holder alone.
      one.kill("SIGKILL");
      await once(one, "exit");
      if (address.includes(":")) await first.sh(`ip addr del ${address}/128 dev eth0`);
      other = hold(second, address);
      const next = await linkOf(second);
      await until("the client knows the second", async () => {
        return (await known(client, address)) === next;
      });
      other.kill("SIGTERM");
      await once(other, "exit");
      assert.equal(await has(second), false);
    } finally {
      for (const child of [one, other]) child?.kill("SIGKILL");
    }
  });
}
