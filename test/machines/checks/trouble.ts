import assert from "node:assert/strict";
import type { Checks } from "../check.ts";
import { apply, field, kubectl, pod, remove, until, waitFor } from "../cluster.ts";
import type { Machine } from "../machine.ts";

const status = ".status.containerStatuses[0]";

const httpServer = "mkdir -p /tmp/www; echo ok >/tmp/www/ready; httpd -f -p 80 -h /tmp/www";

/** A Pod with a probe of each kind. */
const probed = (): object =>
  pod("probed", {
    command: httpServer,
    container: {
      startupProbe: { tcpSocket: { port: 80 }, periodSeconds: 1, failureThreshold: 60 },
      readinessProbe: { httpGet: { path: "/ready", port: 80 }, periodSeconds: 1 },
      livenessProbe: {
        exec: { command: ["test", "!", "-e", "/tmp/ill"] },
        periodSeconds: 1,
        failureThreshold: 1,
        timeoutSeconds: 20,
      },
    },
  });

const ready = async (machine: Machine): Promise<string> =>
  field(machine, "pod/probed", `${status}.ready`);

/** Waits for the eviction of a Pod, and returns its message. */
async function evicted(machine: Machine, name: string): Promise<string> {
  await waitFor(machine, "jsonpath='{.status.phase}'=Failed", `pod/${name}`);
  assert.equal(await field(machine, `pod/${name}`, ".status.reason"), "Evicted");
  return field(machine, `pod/${name}`, ".status.message");
}

/** Ends the pressure of the node without the five minutes that the kubelet waits before it reports the end. */
async function endPressure(machine: Machine): Promise<void> {
  await machine.run("kill -9 $(systemctl show -p MainPID --value k8ts-agent)");
  await until("a node without pressure", async () => {
    const taints = await field(machine, "nodes", ".items[0].spec.taints");
    return taints === "";
  });
}

/** The reactions of kernel and kubelet to failing containers. */
export const troubleChecks: Checks = [
  {
    name: "OOM kill",
    async run(machine) {
      const resources = { limits: { memory: "32Mi" } };
      const command = "head -c 200000000 /dev/zero | tail";
      await apply(machine, pod("oom", { command, resources, spec: { restartPolicy: "Never" } }));
      await waitFor(machine, "jsonpath='{.status.phase}'=Failed", "pod/oom");
      const end = await field(machine, "pod/oom", `${status}.state.terminated`);
      const { reason, exitCode } = JSON.parse(end);
      assert.deepEqual({ reason, exitCode }, { reason: "OOMKilled", exitCode: 137 });
      await remove(machine, "pod/oom");
      return undefined;
    },
  },
  {
    name: "startup, readiness and liveness probes (tcp, http, exec)",
    async run(machine) {
      await apply(machine, probed());
      await waitFor(machine, "condition=Ready", "pod/probed");
      await kubectl(machine, "exec probed -- rm /tmp/www/ready");
      await until("not ready", async () => (await ready(machine)) === "false");
      await kubectl(machine, "exec probed -- touch /tmp/www/ready");
      await until("ready again", async () => (await ready(machine)) === "true");
      await kubectl(machine, "exec probed -- touch /tmp/ill");
      await until("a restart", async () => {
        const restarts = await field(machine, "pod/probed", `${status}.restartCount`);
        return Number(restarts) > 0;
      });
      await waitFor(machine, "condition=Ready", "pod/probed");
      await remove(machine, "pod/probed");
      return undefined;
    },
  },
  {
    name: "eviction by disk pressure",
    async run(machine) {
      const free = Number((await machine.run("df --output=avail -B1 /var/lib | tail -n 1")).trim());
      const total = Number((await machine.run("df --output=size -B1 /var/lib | tail -n 1")).trim());
      const bytes = Math.floor(free - total * 0.05);
      await apply(
        machine,
        pod("hog", {
          command: `fallocate -l ${bytes} /data/file; sleep 100000`,
          container: { volumeMounts: [{ name: "data", mountPath: "/data" }] },
          spec: { restartPolicy: "Never", volumes: [{ name: "data", emptyDir: {} }] },
        }),
      );
      const message = await evicted(machine, "hog");
      assert.match(message, /^The node was low on resource: ephemeral-storage\./);
      await remove(machine, "pod/hog");
      await until("room on the disk", async () => {
        const now = await machine.run("df --output=avail -B1 /var/lib | tail -n 1");
        return Number(now.trim()) > total * 0.15;
      });
      await endPressure(machine);
      await waitFor(machine, "condition=Available", "deployment/web");
      return undefined;
    },
  },
  {
    name: "eviction by memory pressure",
    async run(machine) {
      const text = await machine.run("sed -n 's/^MemAvailable: *//p' /proc/meminfo");
      const megabytes = Math.floor(Number.parseInt(text, 10) / 1024) - 60;
      await apply(
        machine,
        pod("eater", {
          command: `dd if=/dev/zero of=/data/file bs=1M count=${megabytes}; sleep 100000`,
          container: { volumeMounts: [{ name: "data", mountPath: "/data" }] },
          spec: {
            restartPolicy: "Never",
            volumes: [{ name: "data", emptyDir: { medium: "Memory" } }],
          },
        }),
      );
      const message = await evicted(machine, "eater");
      assert.match(message, /^The node was low on resource: memory\./);
      await remove(machine, "pod/eater");
      await endPressure(machine);
      await waitFor(machine, "condition=Available", "deployment/web");
      return undefined;
    },
  },
  {
    name: "eviction by the limit of an emptyDir",
    async run(machine) {
      await apply(
        machine,
        pod("writer", {
          command: "dd if=/dev/zero of=/data/file bs=1M count=20; sleep 100000",
          container: { volumeMounts: [{ name: "data", mountPath: "/data" }] },
          spec: { volumes: [{ name: "data", emptyDir: { sizeLimit: "10Mi" } }] },
        }),
      );
      const message = await evicted(machine, "writer");
      assert.equal(message, 'Usage of EmptyDir volume "data" exceeds the limit "10Mi". ');
      await remove(machine, "pod/writer");
      return undefined;
    },
  },
];
