import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { analyse } from "#/machinery/journey/analyse.ts";
import { type Journey, layers } from "#/machinery/journey/step.ts";
import { freePort } from "#/testing/free-port.ts";
import { type UntilOptions, until as untilFound } from "#/testing/until.ts";
import {
  askName,
  askNameCommand,
  k8ts,
  launcher,
  namedAnswer,
  podNamespaces,
  program,
  startK8ts,
  traces,
  webImage,
} from "./machine.ts";

/** Names of this run's own, so that two runs on a machine don't conflict. */
const server = `e2e-${process.pid.toString(36)}`;
const agent = `${server}-b`;
const image = "k8ts.test/web:1";
const folder = mkdtempSync(join(tmpdir(), "k8ts-e2e-"));
const kubeconfig = join(folder, "kubeconfig");

const kubectl = (...args: string[]): Promise<string> =>
  k8ts("kubectl", `--kubeconfig=${kubeconfig}`, ...args);

/** A failed request counts as no result: the cluster is stopped and killed meanwhile. */
const until = <T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  options?: UntilOptions,
): Promise<T> => untilFound(what, () => look().catch(() => undefined), options) as Promise<T>;

const podNames = async (): Promise<string[]> =>
  (await kubectl("get", "pods", "-l", "app=web", "-o", "name")).split("\n").filter(Boolean).sort();
const field = (object: string, path: string): Promise<string> =>
  kubectl("get", object, "-o", `jsonpath={${path}}`);
const inPod = (pod: string, ...command: string[]): Promise<string> =>
  kubectl("exec", pod, "--", ...command);
const allReady = (count: number) => async () =>
  (await field("deployment/web", ".status.readyReplicas")) === String(count);

/** The steps of the cluster, in this order: each step begins with the state that the one before has left. */
const steps: { readonly name: string; readonly run: () => Promise<void> }[] = [];
const step = (name: string, run: () => Promise<void>): void => void steps.push({ name, run });

before(async () => {
  writeFileSync(join(folder, "web.tar"), webImage(image));
  await k8ts("up", "--name", server, "--kubeconfig", kubeconfig);
  await k8ts("image", "load", "--name", server, join(folder, "web.tar"));
});

after(async () => {
  for (const name of [agent, server]) await k8ts("down", "--name", name, "--purge");
  rmSync(folder, { recursive: true });
  const left = [...(await traces(server)), ...(await traces(agent))];
  assert.deepEqual(left, []);
  assert.equal(existsSync(`/var/lib/k8ts-${server}`), false);
});

step("a deployment's pods run, have addresses, and are found by name", async () => {
  await kubectl("create", "deployment", "web", `--image=${image}`, "--replicas=3", "--port=80");
  await kubectl("expose", "deployment", "web", "--port=80", "--type=NodePort");
  await until("three ready pods", allReady(3));
  const [first = ""] = await podNames();
  assert.match(await field(first, ".status.podIP"), /^10\.244\.0\.\d+$/);
  assert.match(
    await inPod(first, "nslookup", "web.default.svc.cluster.local"),
    /Address:.*10\.\d+\.\d+\.\d+/,
  );
  assert.match(await inPod(first, ...askNameCommand("web")), namedAnswer);
});

step("a pod has a step in every layer, and the steps explain its start", async () => {
  for (const pod of await podNames()) {
    const journey = await untilFound("a step in every layer", async () => {
      const found = JSON.parse(await kubectl("journey", pod, "-o", "json")) as Journey;
      return new Set(found.steps.map(({ layer }) => layer)).size === layers.length && found;
    });
    const explained = analyse(journey)?.explained ?? 0;
    // On a quiet machine it is above 0.95; on a busy one, messages between components take longer.
    assert.ok(explained > 0.7, `${pod}: ${explained}`);
  }
  const all = await kubectl("journey", "deployment/web");
  assert.match(all, /slowest path: deployments\.apps\/web → replicasets\.apps\/web-/);
  await kubectl("label", "deployment/web", "changed=yes");
  assert.match(await kubectl("history", "deployment/web"), /\.metadata\.labels\.changed/);
});

step("a service is reached by its address and by a port of the node", async () => {
  const address = await field("service/web", ".spec.clusterIP");
  const port = await field("service/web", ".spec.ports[0].nodePort");
  const node = await field("nodes", ".items[0].status.addresses[0].address");
  assert.match(await askName(address, 80, `k8ts-${server}`), /^web-/);
  assert.match(await askName(node, Number(port)), /^web-/);
});

step("logs and a shell come from the pod", async () => {
  await kubectl(
    "run",
    "talker",
    `--image=${image}`,
    "--restart=Never",
    "--command",
    "--",
    "sh",
    "-c",
    "echo said; sleep 1000",
  );
  await until(
    "a running pod",
    async () => (await field("pod/talker", ".status.phase")) === "Running",
  );
  assert.equal(await kubectl("logs", "talker"), "said\n");
  assert.equal(await inPod("talker", "sh", "-c", "echo $((6 * 7))"), "42\n");
  await kubectl("delete", "pod", "talker", "--grace-period=0", "--force");
});

step("commands in a pod have exit codes, terminals and sizes, and end with Ctrl-C", async () => {
  const [pod = ""] = await podNames();
  await assert.rejects(inPod(pod, "sh", "-c", "exit 7"), { code: 7 });
  const untilSized = 'until test "$(stty size)" = "40 100"; do sleep 0.2; done; echo has its size';
  const onTerminal = `stty rows 40 cols 100; ${launcher} kubectl --kubeconfig=${kubeconfig} exec -it ${pod} -- sh -c '${untilSized}'`;
  assert.match(await program("script", "-qec", onTerminal, "/dev/null"), /has its size\r\n/);
  const sleeping = startK8ts(
    "kubectl",
    `--kubeconfig=${kubeconfig}`,
    "exec",
    pod,
    "--",
    "sh",
    "-c",
    "echo begun; sleep 1000",
  );
  await sleeping.said(/begun/);
  sleeping.interrupt();
  assert.equal(await sleeping.end, "SIGINT");
});

step("files go to a pod and come back, links aside", async () => {
  const [first = ""] = await podNames();
  const pod = first.slice("pod/".length);
  const [sent, back] = [join(folder, "sent"), join(folder, "back")];
  mkdirSync(join(sent, "deep", "empty"), { recursive: true });
  writeFileSync(join(sent, "big"), Buffer.alloc(3_000_000, "k8ts"));
  writeFileSync(join(sent, "deep", "a b"), "small\n");
  symlinkSync("big", join(sent, "link"));
  await kubectl("cp", sent, `${pod}:/tmp/got`);
  assert.equal(await inPod(first, "cat", "/tmp/got/deep/a b"), "small\n");
  await inPod(first, "test", "-h", "/tmp/got/link");
  assert.match(await kubectl("cp", `${pod}:/tmp/got`, back), /warning: skipping symlink/);
  assert.deepEqual(readdirSync(back, { recursive: true, encoding: "utf8" }).sort(), [
    "big",
    "deep",
    "deep/a b",
    "deep/empty",
  ]);
  assert.ok(readFileSync(join(back, "big")).equals(readFileSync(join(sent, "big"))));
  await assert.rejects(kubectl("cp", join(folder, "none"), `${pod}:/tmp`), { code: 1 });
});

step("a port of a pod is forwarded until Ctrl-C", async () => {
  const [pod = ""] = await podNames();
  const forwarding = startK8ts("kubectl", `--kubeconfig=${kubeconfig}`, "port-forward", pod, ":80");
  const [, port = ""] = await forwarding.said(/Forwarding from 127\.0\.0\.1:(\d+) -> 80/);
  for (const _ of [1, 2]) {
    assert.match(await askName("127.0.0.1", Number(port)), /^web-/);
  }
  forwarding.interrupt();
  assert.equal(await forwarding.end, 0);
});

step("debuggers see a pod from beside it, in a copy, and its node", async () => {
  const [first = ""] = await podNames();
  const pod = first.slice("pod/".length);
  const debugging = startK8ts(
    "kubectl",
    `--kubeconfig=${kubeconfig}`,
    "debug",
    pod,
    "-qi",
    "--container=beside",
    `--image=${image}`,
    "--",
    "sh",
    "-c",
    // containerd 1.6 may lose output from right before the end of a container whose input stays open.
    "read line; echo $(hostname) heard $line; sleep 2",
  );
  debugging.type("me");
  await debugging.said(new RegExp(`${pod} heard me`));
  assert.equal(await debugging.end, 0);
  const look = ["-q", `--image=${image}`, "--", "sh", "-c"] as const;
  await kubectl("debug", pod, "--copy-to=copy", "-c", "new", ...look, "hostname; sleep 1000");
  await until("the copy", async () => (await kubectl("logs", "copy", "-c", "new")) === "copy\n");
  await kubectl("delete", "pod", "copy", "--now", "--wait=false");
  const node = await field(first, ".spec.nodeName");
  await kubectl("debug", `node/${node}`, ...look, "test -d /host/etc && echo sees the host");
  const label = "app.kubernetes.io/managed-by=kubectl-debug";
  await until("a look at the node", async () =>
    (await kubectl("logs", "-l", label)).includes("sees the host"),
  );
  await kubectl("delete", "pods", "-l", label, "--now", "--wait=false");
});

step("a container that crashes is started again, later each time", async () => {
  await kubectl("run", "crash", `--image=${image}`, "--command", "--", "sh", "-c", "exit 3");
  const state = ".status.containerStatuses[0]";
  await until(
    "a restart",
    async () => Number(await field("pod/crash", `${state}.restartCount`)) >= 1,
  );
  assert.equal(await field("pod/crash", `${state}.lastState.terminated.exitCode`), "3");
  await until(
    "a pause",
    async () => (await field("pod/crash", `${state}.state.waiting.reason`)) === "CrashLoopBackOff",
  );
  await kubectl("delete", "pod", "crash", "--wait=false");
});

step("a pod that is deleted is replaced", async () => {
  const before = await podNames();
  await kubectl("delete", before[0] ?? "", "--grace-period=0", "--force");
  await until("another pod", async () => {
    const now = await podNames();
    return now.length === 3 && !now.includes(before[0] ?? "") && (await allReady(3)());
  });
});

step("a change of the template rolls out", async () => {
  const before = await podNames();
  await kubectl("set", "env", "deployment/web", "COLOUR=blue");
  await kubectl("rollout", "status", "deployment/web", "--timeout=90s");
  const now = await until("new pods only", async () => {
    const names = await podNames();
    return names.length === 3 && !names.some((name) => before.includes(name)) && names;
  });
  assert.equal(await inPod(now[0] ?? "", "sh", "-c", "echo $COLOUR"), "blue\n");
});

step("killed server and agent come back, and containers never notice", async () => {
  const id = ".status.containerStatuses[0].containerID";
  const [pod = ""] = await podNames();
  const before = await field(pod, id);
  for (const part of ["server", "agent"]) {
    const file = readFileSync(`/var/lib/k8ts-${server}/run/${part}.pid`, "utf8");
    process.kill(Number(file.split(" ")[0]), "SIGKILL");
  }
  await until("the API again", async () => (await kubectl("get", "--raw", "/readyz")) === "ok");
  await until("ready pods", allReady(3));
  assert.equal(await field(pod, id), before);
  assert.equal(await field(pod, ".status.containerStatuses[0].restartCount"), "0");
});

/** The IPv4 address from which a Pod sees a client; busybox shows it in the form for IPv6. */
const clientAddress = async (address: string, port: number): Promise<string> => {
  const signal = AbortSignal.timeout(5000);
  const answer = await fetch(`http://${address}:${port}/cgi-bin/client`, { signal });
  lastAnswer = `${answer.status} ${await answer.text()}`;
  return / .*?(\d+(\.\d+){3})/.exec(lastAnswer)?.[1] ?? "";
};
let lastAnswer = "";
const seen = () => lastAnswer;

step("usage is known, and a deployment is scaled by it", async () => {
  const top = (...args: string[]) => kubectl("top", ...args, "--no-headers");
  await until("usage of the node", async () => /\d+m +\d+% +\d+Mi +\d+%/.test(await top("nodes")));
  await until("usage of three Pods", async () => {
    const lines = (await top("pods", "-l", "app=web", "--containers")).trim().split("\n");
    return lines.length === 3 && lines.every((line) => /^web-.* web +\d+m +\d+Mi *$/.test(line));
  });
  await kubectl("autoscale", "deployment", "web", "--memory=1Ki", "--min=1", "--max=4");
  await until("a fourth Pod", allReady(4));
  await kubectl("delete", "hpa", "web");
  await kubectl("scale", "deployment", "web", "--replicas=3");
  await until("three Pods", async () => (await podNames()).length === 3);
});

step("an Ingress routes hosts and paths, and writes its address", async () => {
  await kubectl(
    ...["create", "ingress", "shop", "--rule=shop.example/name*=web:80"],
    "--rule=shop.example/gone*=nothing:80",
  );
  const address = await until("an address", () =>
    field("ingress/shop", ".status.loadBalancer.ingress[0].ip"),
  );
  const ask = async (host: string, path: string): Promise<string> => {
    const out = ["-s", "-m", "5", "-w", " %{http_code}", "-H", `host: ${host}`];
    return (await program("curl", ...out, `http://${address}${path}`)).replace("\n", "");
  };
  const answers = (host: string, path: string, expected: RegExp) =>
    until(`${host}${path}`, async () => expected.test(await ask(host, path)));
  await answers("shop.example", "/name", /^web-.* 200$/);
  await answers(`shop.default.${server}.k8s.localhost`, "/name", /^web-.* 200$/);
  await answers("shop.example", "/other", / 404$/);
  await answers("shop.example", "/gone", / 503$/);
  const events = ["get", "events", "--field-selector=involvedObject.kind=Ingress", "-o"];
  const reasons = "jsonpath={.items[*].reason}";
  await until("an event", async () =>
    (await kubectl(...events, reasons)).includes("ServiceNotFound"),
  );
  await kubectl("delete", "ingress", "shop");
  await answers("shop.example", "/name", / 404$/);
});

step("a load balancer is reached from the machine, and keeps the client's address", async () => {
  const write = [
    "mkdir -p /tmp/www/cgi-bin && cat >/tmp/www/cgi-bin/client <<'END'",
    "#!/bin/sh",
    "printf 'Content-Type: text/plain\\r\\n\\r\\n%s' \"$REMOTE_ADDR\"",
    "END",
    "busybox chmod +x /tmp/www/cgi-bin/client",
  ].join("\n");
  for (const pod of await podNames()) await inPod(pod, "sh", "-c", write);
  await kubectl("expose", "deployment", "web", "--name=lb", "--port=80", "--type=LoadBalancer");
  const localhostPort = await freePort();
  await kubectl("annotate", "service/lb", `k8ts.dev/localhost-port=${localhostPort}`);
  const ip = ".status.loadBalancer.ingress[0].ip";
  const address = await until("an address", () => field("service/lb", ip));
  await until("an answer", async () => (await clientAddress(address, 80)) !== "", { seen });
  const node = await field("nodes", ".items[0].status.addresses[0].address");
  assert.notEqual(await clientAddress(address, 80), hostEnd(node));
  const local = '{"spec":{"externalTrafficPolicy":"Local"}}';
  await kubectl("patch", "service/lb", "--patch", local);
  const isClient = async () => (await clientAddress(address, 80)) === hostEnd(node);
  await until("the client's address", isClient, { seen });
  const isLocal = async () => (await clientAddress("127.0.0.1", localhostPort)) !== "";
  await until("localhost", isLocal, { seen });
  await assert.rejects(fetch(`http://${address}:81/`), /fetch failed/);
  const pid = readFileSync(`/var/lib/k8ts-${server}/run/server.pid`, "utf8").split(" ")[0];
  process.kill(Number(pid), "SIGKILL");
  assert.equal(await clientAddress(address, 80), hostEnd(node));
  await until("the API again", async () => (await kubectl("get", "--raw", "/readyz")) === "ok");
  await until("localhost again", isLocal, { seen });
  assert.equal(await field("service/lb", ip), address);
  await kubectl("delete", "service", "lb");
  await until("a released address", async () => {
    await assert.rejects(fetch(`http://${address}:80/`, { signal: AbortSignal.timeout(1000) }));
    return true;
  });
});

/** The machine's end of the link to a node in a namespace: the address before the node's. */
const hostEnd = (node: string): string => node.replace(/\d+$/, (last) => String(Number(last) - 1));

step("status shows the cluster on one screen of 80 columns, and list names it", async () => {
  await until("a healthy cluster", async () => (await k8ts("status", "--name", server)) !== "");
  const screen = await k8ts("status", "--name", server);
  assert.match(screen, new RegExp(`cluster ${server} +healthy\\n`));
  assert.match(screen, /^ {2}programs +server \d+ MiB · containerd \d+ MiB · agent \d+ MiB$/m);
  assert.match(
    screen,
    /^ {2}ready +load balancer \(198\.1[89]\.\d+\.0\/24[\s\S]*DNS \(10\.96\.0\.10\)/m,
  );
  assert.deepEqual(
    screen.split("\n").filter((line) => line.length > 80),
    [],
  );
  const status = JSON.parse(await k8ts("status", "--name", server, "-o", "json"));
  assert.deepEqual([status.name, status.healthy, status.nodes[0].ready], [server, true, true]);
  assert.match(await k8ts("list"), new RegExp(`${server} +server +running`));
});

step("images are loaded compressed and from standard input, listed and removed", async () => {
  const other = "k8ts.test/other:1";
  const archive = join(folder, "other.tar.gz");
  writeFileSync(archive, gzipSync(webImage(other)));
  const at = ["--name", server];
  assert.match(await k8ts("image", "load", ...at, archive), /k8ts\.test\/other:1/);
  assert.match(await k8ts("image", "ls", ...at), /^k8ts\.test\/other:1 +[0-9a-f]{12} +2\.\d MB/m);
  await k8ts("image", "rm", ...at, other);
  assert.doesNotMatch(await k8ts("image", "ls", ...at), /other/);
  await program("sh", "-c", `"${launcher}" image load - ${at.join(" ")} < "${archive}"`);
  assert.match(await k8ts("image", "ls", ...at), /other/);
  await k8ts("image", "rm", ...at, other);
  await assert.rejects(k8ts("image", "rm", ...at, other), /there is no image k8ts\.test\/other:1/);
});

step("another machine joins, and its pods are reached", async () => {
  const [printed = ""] = (await k8ts("token", "create", "--name", server)).split("\n");
  const command = printed.split(" ").slice(1);
  await k8ts(...command, "--name", agent);
  await k8ts("image", "load", "--name", agent, join(folder, "web.tar"));
  await kubectl("scale", "deployment/web", "--replicas=6");
  await until("six ready pods", allReady(6));
  const node = (await field("nodes", ".items[*].metadata.name"))
    .split(" ")
    .find((name) => name.endsWith("-b"));
  const [there, here] = await Promise.all(
    [`spec.nodeName=${node}`, `spec.nodeName!=${node}`].map(async (selector) =>
      (
        await kubectl("get", "pods", "-l", "app=web", "-o", "name", `--field-selector=${selector}`)
      ).split("\n"),
    ),
  );
  const address = await field(there?.[0] ?? "", ".status.podIP");
  assert.match(await inPod(here?.[0] ?? "", ...askNameCommand(address)), namedAnswer);
  assert.match(await inPod(there?.[0] ?? "", ...askNameCommand("web")), namedAnswer);
});

step("pods go with their deployment", async () => {
  await kubectl("delete", "deployment", "web");
  await until("no pods", async () => (await podNames()).length === 0);
});

step("a node whose processes were killed is taken down with all that its pods had", async () => {
  const nodes = await field("nodes", ".items[*].metadata.name");
  const nodeName = nodes.split(" ").find((name) => name.endsWith("-b"));
  const overrides = JSON.stringify({ spec: { nodeName } });
  await kubectl("run", "last", `--image=${image}`, `--overrides=${overrides}`);
  await until(
    "a running pod",
    async () => (await field("pod/last", ".status.phase")) === "Running",
  );
  const namespaces = podNamespaces(agent);
  assert.notEqual(namespaces.length, 0);
  for (const part of ["agent", "containerd"]) {
    for (const file of [`${part}.supervisor.pid`, `${part}.pid`]) {
      const text = readFileSync(`/var/lib/k8ts-${agent}/run/${file}`, "utf8");
      process.kill(Number(text.split(" ")[0]), "SIGKILL");
    }
  }
  await k8ts("down", "--name", agent, "--purge");
  assert.deepEqual(
    namespaces.filter((file) => existsSync(file)),
    [],
  );
  assert.deepEqual(await traces(agent), []);
});

step("parts that are disabled go with what they set up, and come back", async () => {
  const tables = () =>
    program("nsenter", `--net=/run/netns/k8ts-${server}`, "nft", "list", "tables");
  const services = () =>
    kubectl("get", "services", "-n", "kube-system", "-l", "k8s-app=kube-dns", "-o", "name");
  const wrong = k8ts("up", "--name", server, "--disable=dns");
  await assert.rejects(wrong, /--disable=dns is unknown; did you mean cluster-dns\?/);
  await k8ts("up", "--name", server, "--disable=kube-proxy,cluster-dns");
  await until("no rules", async () => !(await tables()).includes("kube-proxy"));
  await until("no service", async () => (await services()) === "");
  assert.match(await k8ts("up", "--name", server), /disabled {3}kube-proxy · cluster-dns/);
  await k8ts("up", "--name", server, "--disable=");
  await until("rules", async () => (await tables()).includes("table ip kube-proxy"));
  await until("the service", async () => (await services()) === "service/kube-dns\n");
});

test("a cluster of two nodes, from up to down", async (t) => {
  for (const { name, run } of steps) await t.test(name, run);
});
