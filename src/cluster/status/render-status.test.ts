import assert from "node:assert/strict";
import { test } from "node:test";
import { type ClusterStatus, isHealthy, nodeStatus, podsStatus } from "./cluster-status.ts";
import { renderFacts, renderStatus } from "./render-status.ts";

const node = nodeStatus({
  metadata: { name: "vm-ux", labels: { "node-role.kubernetes.io/control-plane": "" } },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "DiskPressure", status: "False" },
    ],
    addresses: [{ type: "InternalIP", address: "10.191.1.2" }],
    capacity: { cpu: "2", memory: "24563212Ki" },
    nodeInfo: { kubeletVersion: "v1.37.1" },
  },
});
const base: Omit<ClusterStatus, "healthy"> = {
  name: "ux",
  role: "server",
  server: "https://127.0.0.1:6443",
  folder: "/var/lib/k8ts-ux",
  version: "0.1.0",
  kubernetesVersion: "v1.37.1",
  runningVersion: "0.1.0",
  unfinished: null,
  programs: [
    { name: "server", node: null, pid: 10, memoryMiB: 143 },
    { name: "agent", node: null, pid: 11, memoryMiB: 80 },
  ],
  failing: [],
  apiError: null,
  addressError: null,
  nodes: [node],
  members: [],
  pods: podsStatus([], 0),
  disabled: [],
  features: [
    { name: "DNS", provider: "10.96.0.10" },
    { name: "storage", provider: null },
    { name: "metrics", provider: null },
  ],
  disk: { freeGiB: 80, usedPercent: 13 },
  certificates: { file: "admin.crt", expires: "2027-11-17", days: 364 },
};
const render = (change: Partial<ClusterStatus>): string => {
  const status = { ...base, ...change };
  return renderStatus({ ...status, healthy: isHealthy(status) });
};

test("renderStatus() shows a healthy cluster on one screen", () => {
  assert.equal(
    render({}),
    `k8ts 0.1.0 · Kubernetes v1.37.1 · cluster ux                             healthy
  server     https://127.0.0.1:6443
  programs   server 143 MiB · agent 80 MiB
  nodes      vm-ux Ready · 2 CPU, 23 GiB · 10.191.1.2 · control-plane
  pods       0, all healthy
  ready      DNS (10.96.0.10)
  missing    storage · metrics
  disk       80 GiB free, 13 % used, /var/lib/k8ts-ux
  expiry     certificates are valid until 2027-11-17, in 364 days
`,
  );
});

test("renderStatus() names the members of etcd, and is not healthy if one does not answer", () => {
  const member = (name: string, state: "leader" | "follower" | "does not answer") => ({
    name,
    state,
    address: "192.0.2.1",
    databaseMiB: state === "does not answer" ? 0 : 12,
  });
  const members = [member("vm-1", "leader"), member("vm-2", "follower")];
  const text = render({ members });
  assert.match(text, / healthy\n/);
  assert.match(text, /^ {2}etcd {7}vm-1 leader 12 MiB · vm-2 follower 12 MiB$/m);
  const broken = render({ members: [...members, member("vm-3", "does not answer")] });
  assert.match(broken, / NOT healthy\n/);
  assert.match(broken, / · vm-3 does not answer$/m);
});

test("renderFacts() shows the next steps and missing features after `up`", () => {
  assert.equal(
    renderFacts(
      { ...base, healthy: true },
      { kubeconfig: "/home/ann/.kube/config", took: "2.9 s" },
    ),
    `k8ts 0.1.0 · Kubernetes v1.37.1 · cluster ux                               2.9 s
  kubectl    context "ux" in /home/ann/.kube/config
  nodes      vm-ux Ready · 2 CPU, 23 GiB · 10.191.1.2 · control-plane
  ready      DNS (10.96.0.10)
  missing    storage · metrics
  next       k8ts kubectl get nodes · k8ts image load FILE · k8ts status
`,
  );
});

test("renderStatus() shows a part that fails", () => {
  const failing = [{ part: "gateway", node: null, error: "listen EADDRINUSE :80" }];
  const text = render({ failing });
  assert.match(text, /NOT healthy/);
  assert.match(text, /^ {2}failing {4}gateway: listen EADDRINUSE :80$/m);
});

test("renderStatus() gives the programs of each node on this machine a row", () => {
  const more = { name: "agent", node: "vm-ux-2", pid: 12, memoryMiB: 90 };
  const text = render({ programs: [...base.programs, more] });
  assert.match(
    text,
    /^ {2}programs {3}server 143 MiB · agent 80 MiB\n {13}vm-ux-2: agent 90 MiB$/m,
  );
});

const sickPod = {
  metadata: { namespace: "default", name: "web" },
  status: { phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory." },
};

const changes: readonly (readonly [string, Partial<ClusterStatus>, RegExp])[] = [
  [
    "a stopped program",
    { programs: [{ name: "server", node: null, pid: null, memoryMiB: 0 }] },
    /server STOPPED/,
  ],
  [
    "a stopped cluster",
    {
      programs: [{ name: "server", node: null, pid: null, memoryMiB: 0 }],
      apiError: "connection refused",
    },
    /does not answer\n {13}the cluster is stopped; start it: k8ts up --name ux\n/,
  ],
  [
    "an API server that does not answer",
    { apiError: "connection refused", nodes: [], kubernetesVersion: null },
    /6443 does not answer\n {13}connection refused/,
  ],
  [
    "a node with pressure",
    { nodes: [{ ...node, problems: ["DiskPressure: disk is full"] }] },
    /Ready · .*\n {15}DiskPressure: disk is full\n/,
  ],
  [
    "a sick Pod",
    { pods: podsStatus([sickPod], 0) },
    /0 of 1 healthy\n {13}default\/web {2}Evicted: The node was low on resource: memory\.\n/,
  ],
  [
    "a certificate that has expired",
    { certificates: { file: "apiserver.crt", expires: "2026-11-15", days: -2 } },
    /expiry {5}apiserver\.crt EXPIRED on 2026-11-15; renew it: k8ts up --name [a-z]+\n/,
  ],
  ["a full disk", { disk: { freeGiB: 1, usedPercent: 95 } }, /95 % used/],
  [
    "many sick Pods",
    {
      pods: podsStatus(
        Array.from({ length: 11 }, () => sickPod),
        0,
      ),
    },
    /… and 3 more/,
  ],
];
for (const [name, change, expected] of changes) {
  test(`renderStatus() shows ${name} and says that the cluster is not healthy`, () => {
    const text = render(change);
    assert.match(text, expected);
    assert.match(text, /NOT healthy\n/);
    assert.deepEqual(
      text.split("\n").filter((line) => line.length > 80),
      [],
    );
  });
}

test("renderStatus() names a certificate that expires soon", () => {
  const text = render({ certificates: { file: "admin.crt", expires: "2026-12-01", days: 9 } });
  assert.match(text, /^ {2}expiry {5}admin\.crt expires on 2026-12-01, in 9 days$/m);
});

test("nodeStatus() reads a node whose lists and maps are null", () => {
  const { problems, roles } = nodeStatus({
    metadata: { name: "n", labels: null },
    spec: { unschedulable: true },
    status: { conditions: null, addresses: null, capacity: null },
  });
  assert.deepEqual(problems, ["no report from its kubelet", "cordoned: takes no new Pods"]);
  assert.deepEqual(roles, []);
});

test("renderStatus() shows the remedy when the machine has lost the node's address", () => {
  const addressError = "no interface has the address 192.168.77.11; start with --node-ip=ADDRESS";
  const text = render({ addressError });
  assert.match(text, /^k8ts .* NOT healthy\n/);
  assert.ok(text.endsWith(`\n\n${addressError}\n`));
});

test("renderStatus() shows that another version runs, and an upgrade that stopped", () => {
  const nodes = [
    { ...node, k8tsVersion: "0.1.0" },
    { ...node, name: "vm-2", k8tsVersion: "0.0.9" },
  ];
  const unfinished = 'an upgrade to 0.1.0 stopped at "other nodes"';
  const lines = render({ runningVersion: "0.0.9", unfinished, nodes }).split("\n");
  assert.deepEqual(lines.slice(2, 5), [
    "  version    the cluster runs 0.0.9, and this is 0.1.0;",
    "             to have it run this one: k8ts upgrade --name ux",
    '  unfinished an upgrade to 0.1.0 stopped at "other nodes"',
  ]);
  assert.match(lines[0] ?? "", / NOT healthy$/);
  assert.deepEqual(
    lines.filter((line) => line.includes("vm-")),
    [
      "  nodes      vm-ux Ready · 0.1.0 · 2 CPU, 23 GiB · 10.191.1.2 · control-plane",
      "             vm-2 Ready · 0.0.9 · 2 CPU, 23 GiB · 10.191.1.2 · control-plane",
    ],
  );
});

test("renderStatus() says how to enable what is disabled, on the server's machine", () => {
  const lines = (role: "server" | "agent") =>
    render({ role, name: "test", disabled: ["gateway"] }).split("\n");
  const at = lines("server").indexOf("  disabled   gateway");
  assert.match(
    lines("server")[at + 1] ?? "",
    /^ {13}to enable all: .*k8ts up --disable= --name test$/,
  );
  assert.equal(lines("agent").filter((line) => line.includes("--disable")).length, 0);
});
