import { once } from "node:events";
import { NetworkNamespace } from "#/testing/network-namespace.ts";
import { until } from "#/testing/until.ts";
import { type ApiNamespace, stop } from "./api-namespace.ts";

const addresses = { tcp: "10.96.0.40", udp: "10.96.0.41" } as const;
const [first, second, client] = ["10.244.1.100", "10.244.1.101", "10.244.1.102"] as const;
const gateway = "10.244.1.254";

/** Limit until a real server without connections is removed (ms): proxies look once a minute. */
const removalMs = 180_000;

/** Compares or records the state after a step. */
type Look = (step: string, list: () => Promise<readonly string[]>) => Promise<void>;

/** What happens to real servers with connections, seen by a proxy in mode ipvs. */
export async function playLife(
  api: ApiNamespace,
  command: readonly string[],
  look: Look,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const { namespace } = api;
  const list = () => listServers(namespace);
  await namespace.sh("echo 1 > /proc/sys/net/ipv4/ip_forward");
  for (const ip of [first, second]) serveEcho(stack.use(await makePod(namespace, ip)));
  const talker = stack.use(await makePod(namespace, client));
  for (const name of ["tcp", "udp"] as const) await create(api, name, [first]);
  let proxy = api.startProxy(command, ["--proxy-mode=ipvs"]);
  await api.untilSynced();
  const talk = await openConnection(talker);
  await talker.sh(`echo | timeout 1 bash -c 'cat > /dev/udp/${addresses.udp}/80'`);
  await look("connected", list);
  const replace = async (...ips: string[]): Promise<void> => {
    for (const name of ["tcp", "udp"] as const) await replaceSlice(api, name, ips);
  };
  await replace(second);
  await look("the endpoint is replaced by another", list);
  await replace(first, second);
  await look("the endpoint is back", list);
  await replace(second);
  await look("the endpoint is removed", list);
  await stop(proxy);
  proxy = api.startProxy(command, ["--proxy-mode=ipvs"]);
  await api.untilSynced();
  await look("the proxy is started again", list);
  talk.kill();
  const isGone = async (): Promise<boolean> => !(await list()).join().includes(first);
  await until("the real server is removed", isGone, { limitMs: removalMs });
  await look("the connection has ended", list);
  for (const name of ["tcp", "udp"]) await api.kubectl("", "delete", "service", `life-${name}`);
  await look("the services are deleted", list);
  await stop(proxy);
}

/** A namespace with an address, routed by the node's. */
async function makePod(node: NetworkNamespace, ip: string): Promise<NetworkNamespace> {
  const pod = await NetworkNamespace.create();
  const link = `pod${ip.split(".").at(-1)}`;
  await node.sh(`
    ip link add ${link} type veth peer name eth0 netns ${pod.name}
    ip link set ${link} up; ip addr add ${gateway}/32 dev ${link}; ip route add ${ip}/32 dev ${link}
  `);
  await pod.sh(`
    ip link set eth0 up; ip addr add ${ip}/32 dev eth0
    ip route add ${gateway}/32 dev eth0; ip route add default via ${gateway}
  `);
  return pod;
}

function serveEcho(pod: NetworkNamespace): void {
  const script = `require("node:net").createServer((each) => each.on("error", () => 0).pipe(each)).listen(8080)`;
  pod.start(process.execPath, ["-e", script]);
}

/** A connection that talks until the process is killed, and is then reset. */
async function openConnection(from: NetworkNamespace) {
  const script = `(function open() {
    const server = require("node:net").connect(80, "${addresses.tcp}");
    server.on("error", () => setTimeout(open, 100));
    server.on("connect", () => {
      server.pipe(process.stdout);
      process.on("SIGTERM", () => server.resetAndDestroy().on("close", () => process.exit()));
      setInterval(() => server.write("."), 50);
    });
  })()`;
  const talk = from.start(process.execPath, ["-e", script]);
  if (talk.stdout) await once(talk.stdout, "data");
  return talk;
}

async function create(api: ApiNamespace, name: "tcp" | "udp", ips: string[]): Promise<void> {
  const protocol = name.toUpperCase();
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `life-${name}`, namespace: "default" },
    spec: { clusterIP: addresses[name], ports: [{ port: 80, targetPort: 8080, protocol }] },
  };
  await api.kubectl(JSON.stringify(service), "create", "-f", "-");
  await api.kubectl(JSON.stringify(sliceOf(name, ips)), "create", "-f", "-");
}

async function replaceSlice(api: ApiNamespace, name: "tcp" | "udp", ips: string[]): Promise<void> {
  await api.kubectl(JSON.stringify(sliceOf(name, ips)), "replace", "-f", "-");
}

function sliceOf(name: string, ips: readonly string[]) {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `life-${name}`,
      namespace: "default",
      labels: { "kubernetes.io/service-name": `life-${name}` },
    },
    addressType: "IPv4",
    endpoints: ips.map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
    ports: [{ name: "", port: 8080, protocol: name.toUpperCase() }],
  };
}

/** The servers of this play with their weights. */
async function listServers(namespace: NetworkNamespace): Promise<readonly string[]> {
  const lines = (await namespace.sh("ipvsadm -Sn")).split("\n");
  const ours = lines.filter((line) =>
    Object.values(addresses).some((ip) => line.includes(` ${ip}:`)),
  );
  return ours.map((line) => line.trim()).sort();
}
