import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "#/std/time/clock.ts";
import { CommandError, type Machine } from "./machine.ts";

/** Folder of k8ts in a machine. */
export const k8ts = "/opt/k8ts/k8ts";
/** The image that the kit has put into each machine, and its file there. */
export const image = "busybox:1";
export const imageFile = "/root/busybox.tar";

/** Limit of a wait in ms: machines may be slow. */
const waitLimitMs = 240_000;

/** Runs kubectl in a machine; throws unless it succeeds. */
export const kubectl = (machine: Machine, args: string, input?: string): Promise<string> =>
  machine.run(`${k8ts} kubectl ${args}`, input === undefined ? {} : { input });

/** Creates or changes objects. */
export async function apply(machine: Machine, ...objects: object[]): Promise<void> {
  const list = { apiVersion: "v1", kind: "List", items: objects };
  await kubectl(machine, "apply -f -", JSON.stringify(list));
}

/** One field of an object, by a JSONPath without braces. */
export const field = (machine: Machine, object: string, path: string): Promise<string> =>
  kubectl(machine, `get ${object} -o jsonpath='{${path}}'`);

/** Deletes objects, if they exist, and waits for their end. */
export async function remove(machine: Machine, objects: string): Promise<void> {
  await kubectl(machine, `delete ${objects} --now --ignore-not-found --timeout=120s`);
}

/** Waits until a check succeeds; throws with the result of the last one. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  limitMs = waitLimitMs,
): Promise<T> {
  const began = systemClock.monotonicMs();
  let last: unknown;
  for (;;) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      if (!(error instanceof CommandError) && !(error instanceof assert.AssertionError))
        throw error;
      last = error;
    }
    if (systemClock.monotonicMs() - began > limitMs) {
      const why = last instanceof Error ? `: ${last.message}` : "";
      throw new Error(`not seen within ${limitMs / 1000} s: ${what}${why}`);
    }
    // Each check starts a program on a busy machine: a pause between checks, up to the limit.
    await sleep(500);
  }
}

/** Waits for a condition of objects. */
export const waitFor = (machine: Machine, condition: string, objects: string): Promise<string> =>
  kubectl(machine, `wait --for=${condition} ${objects} --timeout=${waitLimitMs / 1000}s`);

export interface PodOptions {
  readonly command?: string;
  readonly resources?: object;
  readonly spec?: object;
  readonly container?: object;
}

/** A Pod of one container that runs a shell command: by default, none that ends. */
export function pod(name: string, options: PodOptions = {}): object {
  const script = options.command ?? "sleep 100000";
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: "main",
          image,
          command: ["sh", "-c", `trap 'exit 0' TERM; ${script} & wait`],
          resources: options.resources ?? {},
          ...options.container,
        },
      ],
      ...options.spec,
    },
  };
}

const webCommand = "mkdir -p /tmp/www; hostname > /tmp/www/index.html; httpd -f -p 80 -h /tmp/www";

/** A Deployment of web servers that answer with their Pod's name, its Service with a node port, and a client. */
export function webObjects(replicas: number): object[] {
  const { spec } = pod("web", { command: webCommand }) as { spec: object };
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        replicas,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec },
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web" },
      spec: {
        type: "NodePort",
        selector: { app: "web" },
        ports: [{ port: 80, nodePort: 30080 }],
      },
    },
    pod("client"),
  ];
}

const get =
  "get() { printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 3 $1 $2 >/tmp/answer 2>&1; code=$?; tail -n 1 /tmp/answer; return $code; }";

/** Addresses of the web servers' Pods, then of the Service, then of the first node. */
const addresses = `${k8ts} kubectl get pods,services,nodes -o json | jq -r '
  [.items[] | select(.metadata.labels.app == "web" and .status.phase == "Running") | .status.podIP // "none"],
  [.items[] | select(.metadata.name == "web") | .spec.clusterIP],
  [.items[] | select(.kind == "Node") | .status.addresses[0].address]
  | .[]'`;

/**
 * The paths of a client: each Pod, the Service by its address and by its name from a Pod, the API server from a Pod,
 * and the node port from the node. Returns the failures.
 */
export async function brokenTraffic(machine: Machine, client = "client"): Promise<string[]> {
  const found = (await machine.run(addresses)).trim().split("\n");
  const service = found.findIndex((address) => !address.startsWith("10.244."));
  const targets = [...found.slice(0, service + 1), "web.default.svc.cluster.local"];
  const script = `${get}; ${targets.map((target) => `echo "${target} $(get ${target} 80)"`).join("; ")}
    get kubernetes.default.svc.cluster.local 443 >/dev/null && echo "api web-"`;
  const inside = `${k8ts} kubectl exec -i ${client} -- sh; echo "node-port $(get ${found[service + 1]} 30080)"`;
  const { output } = await machine.try(`${get}; ${inside}`, { input: script });
  const answered = new Set(
    output.split("\n").flatMap((line) => /^(\S+) web-/.exec(line)?.[1] ?? []),
  );
  return [...targets, "api", "node-port"].filter((target) => !answered.has(target));
}

/** Waits until every path works; returns the seconds that took. */
export async function trafficWorks(machine: Machine, limitMs = 90_000): Promise<number> {
  const began = systemClock.monotonicMs();
  await until(
    "Pods, Services, DNS and the API answer",
    async () => {
      assert.deepEqual(await brokenTraffic(machine), []);
      return true;
    },
    limitMs,
  );
  return Math.round((systemClock.monotonicMs() - began) / 1000);
}

/** Whether the client Pod still runs: a check may have evicted it. */
export async function hasClient(machine: Machine): Promise<boolean> {
  const path = "jsonpath={.status.phase}";
  const { output } = await machine.try(`${k8ts} kubectl get pod client -o ${path}`);
  return output.trim() === "Running";
}

/** Starts the cluster if there is none, with its web servers and client. */
export async function ensureCluster(machine: Machine): Promise<void> {
  await machine.run(`${k8ts} up`, { timeoutMs: 600_000 });
  // A Pod that was evicted stays as it is, and its name is in use.
  for (const phase of ["Failed", "Succeeded"]) {
    await kubectl(machine, `delete pods --field-selector=status.phase=${phase}`);
  }
  await machine.run(`${k8ts} image load ${imageFile}`);
  await apply(machine, ...webObjects(2));
  await waitFor(machine, "condition=Available", "deployment/web");
  await waitFor(machine, "condition=Ready", "pod/client");
}
