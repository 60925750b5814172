import assert from "node:assert/strict";
import type { Checks } from "../check.ts";
import { apply, field, kubectl, pod, remove, until, waitFor } from "../cluster.ts";
import type { Machine } from "../machine.ts";

/** Files of the Pod's cgroup, and of its container's, as one run of a shell shows them. */
interface CgroupFiles {
  readonly pod: Readonly<Record<string, string>>;
  readonly container: Readonly<Record<string, string>>;
  /** Path of the container's cgroup. */
  readonly path: string;
  readonly oomScoreAdj: string;
}

const podFiles = ["cpu.max", "cpu.weight", "memory.max", "pids.max"];
const containerFiles = [
  ...podFiles,
  "memory.swap.max",
  "memory.oom.group",
  "memory.min",
  "memory.high",
];

async function cgroupFiles(machine: Machine, name: string): Promise<CgroupFiles> {
  const status = await field(machine, `pod/${name}`, ".status.containerStatuses[0].containerID");
  const id = status.replace("containerd://", "");
  const show = (folder: string, files: readonly string[]): string =>
    files.map((file) => `echo "${file}=$(cat ${folder}/${file})"`).join("; ");
  const text = await machine.run(`
    file=$(grep -ls ${id} /proc/[0-9]*/cgroup | head -n 1)
    path=$(sed s/^0::// $file); echo "path=$path"
    echo "adj=$(cat $(dirname $file)/oom_score_adj)"
    cd /sys/fs/cgroup$path; ${show(".", containerFiles)}
    echo ---; ${show("..", podFiles)}`);
  const [head = "", tail = ""] = text.split("---\n");
  const values = (part: string): Record<string, string> =>
    Object.fromEntries(
      part
        .trim()
        .split("\n")
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    );
  const { path = "", adj = "", ...container } = values(head);
  return { pod: values(tail), container, path, oomScoreAdj: adj };
}

/**
 * Pods of each class, and the files that the kubelet and the runtime must write for them. The Pod's cpu.weight is
 * upstream's kubelet's for its shares (opencontainers/cgroups v0.0.7: 204 → 29, 51 → 11, 2 → 1). The container's is the
 * OCI runtime's: runc before 1.4 has the older, linear formula.
 */
const classes = [
  {
    name: "guaranteed",
    resources: { limits: { cpu: "200m", memory: "64Mi" } },
    pod: { "cpu.max": "20000 100000", "cpu.weight": "29", "memory.max": "67108864" },
    container: { "cpu.max": "20000 100000", "memory.max": "67108864" },
    weights: ["8", "29"],
    adj: () => -997,
  },
  {
    name: "burstable",
    resources: { requests: { cpu: "50m", memory: "32Mi" }, limits: { memory: "64Mi" } },
    pod: { "cpu.max": "max 100000", "cpu.weight": "11", "memory.max": "67108864" },
    container: { "cpu.max": "max 100000", "memory.max": "67108864" },
    weights: ["2", "11"],
    adj: (capacity: number) => 1000 - Math.floor((1000 * 32 * 1024 ** 2) / capacity),
  },
  {
    name: "best-effort",
    resources: {},
    pod: { "cpu.max": "max 100000", "cpu.weight": "1", "memory.max": "max" },
    container: { "cpu.max": "max 100000", "memory.max": "max" },
    weights: ["1"],
    adj: () => 1000,
  },
] as const;

async function checkClass(machine: Machine, wanted: (typeof classes)[number], pids: string) {
  const found = await cgroupFiles(machine, wanted.name);
  const { "cpu.weight": weight = "", "pids.max": tasks, ...container } = found.container;
  const common = { "memory.oom.group": "1", "memory.min": "0", "memory.high": "max" };
  const swap = wanted.name === "best-effort" ? found.container["memory.swap.max"] : "0";
  assert.deepEqual(found.pod, { ...wanted.pod, "pids.max": pids }, `${wanted.name}: Pod`);
  assert.deepEqual(
    container,
    { ...wanted.container, ...common, "memory.swap.max": swap },
    `${wanted.name}: container`,
  );
  assert.ok(
    wanted.weights.some((value) => value === weight),
    `cpu.weight ${weight}`,
  );
  // A scope for which the runtime sets no limit has systemd's default.
  const byDefault = await machine.run("systemctl show -p DefaultTasksMax --value");
  assert.ok(tasks === "max" || tasks === byDefault.trim(), `container: pids.max ${tasks}`);
  const memory = await field(machine, "nodes", ".items[0].status.capacity.memory");
  const adj = wanted.adj(Number(memory.replace("Ki", "")) * 1024);
  assert.equal(Number(found.oomScoreAdj), adj, `${wanted.name}: oom_score_adj`);
  return found.path;
}

const limitedPods = (): object[] => classes.map(({ name, resources }) => pod(name, { resources }));
const allNames = classes.map(({ name }) => `pod/${name}`).join(" ");

/** CPU, memory and pid limits are in the cgroup files, with upstream's numbers. */
export const limitChecks: Checks = [
  {
    name: "CPU and memory limits of the three classes in the cgroup files",
    async run(machine) {
      await remove(machine, allNames);
      await apply(machine, ...limitedPods());
      await waitFor(machine, "condition=Ready", allNames);
      const paths: string[] = [];
      for (const wanted of classes) paths.push(await checkClass(machine, wanted, "max"));
      await remove(machine, allNames);
      return undefined;
    },
  },
  {
    name: "the cgroup driver is systemd's",
    async run(machine) {
      const { path } = await cgroupFiles(machine, "client");
      assert.match(
        path,
        /kubepods-besteffort-pod[0-9a-f_]+\.slice\/cri-containerd-[0-9a-f]+\.scope$/,
      );
      await machine.run(`systemctl is-active ${path.split("/").at(-1)}`);
      const roots = "ls -d /sys/fs/cgroup/kubepods* /sys/fs/cgroup/*/kubepods* 2>/dev/null";
      return (await machine.run(`${roots} | grep -c slice`)).trim() === "0"
        ? "no slice"
        : undefined;
    },
  },
  {
    name: "pids.max follows podPidsLimit",
    async run(machine) {
      const file = "/var/lib/k8ts/config/kubelet.d/pids.conf";
      const settings = {
        apiVersion: "kubelet.config.k8s.io/v1beta1",
        kind: "KubeletConfiguration",
        podPidsLimit: 100,
      };
      await machine.run(
        `echo '${JSON.stringify(settings)}' >${file}; systemctl restart k8ts-agent`,
      );
      await until("an agent with the limit", async () => {
        await kubectl(machine, "delete pod pids --now --ignore-not-found");
        await apply(machine, pod("pids"));
        await waitFor(machine, "condition=Ready", "pod/pids");
        const found = await cgroupFiles(machine, "pids");
        assert.equal(found.pod["pids.max"], "100");
        return true;
      });
      const many = "i=0; while [ $i -lt 150 ]; do sleep 20 & i=$((i+1)); done; echo all";
      const { output } = await machine.try(`/opt/k8ts/k8ts kubectl exec pids -- sh -c '${many}'`);
      assert.match(output, /can't fork/);
      await machine.run(`rm ${file}; systemctl restart k8ts-agent`);
      await remove(machine, "pod/pids");
      return undefined;
    },
  },
];
