import assert from "node:assert/strict";
import { test } from "node:test";
import { joinReader, planConfig } from "./plan-config.ts";
import { readDocuments } from "./read-documents.ts";

const cluster = "apiVersion: k8ts.dev/v1\nkind: Cluster\n";
const kubeadm = (kind: string): string => `apiVersion: kubeadm.k8s.io/v1beta4\nkind: ${kind}\n`;

const flagCases: readonly { name: string; text: string; words: readonly string[] }[] = [
  {
    name: "values, lists and maps",
    text: `${cluster}nodes: 3\nnetwork: {podCIDR: 10.1.0.0/16}\nnode: {labels: {disk: ssd, tier: web}}\ndisable: [a, b]\n`,
    words: [
      "--nodes=3",
      "--pod-network-cidr=10.1.0.0/16",
      "--node-labels=disk=ssd",
      "--node-labels=tier=web",
      "--disable=a",
      "--disable=b",
    ],
  },
  { name: "an empty list", text: `${cluster}disable: []\n`, words: ["--disable="] },
  {
    name: "flags of parts, repeated ones as a list",
    text: `${cluster}args: {kubelet: {max-pods: 50, v: ["1", "2"]}}\n`,
    words: ["--kubelet-arg=max-pods=50", "--kubelet-arg=v=1", "--kubelet-arg=v=2"],
  },
  {
    name: "kubeadm's documents",
    text: `${kubeadm("ClusterConfiguration")}kubernetesVersion: v1.37.0
networking: {serviceSubnet: 10.2.0.0/16}
apiServer: {extraArgs: [{name: v, value: "4"}]}
---
${kubeadm("InitConfiguration")}localAPIEndpoint: {bindPort: 7443}
nodeRegistration: {taints: [{key: a, value: b, effect: NoSchedule}, {key: c, effect: NoExecute}]}
`,
    words: [
      "--service-cidr=10.2.0.0/16",
      "--kube-apiserver-arg=v=4",
      "--secure-port=7443",
      "--node-taints=a=b:NoSchedule",
      "--node-taints=c=:NoExecute",
    ],
  },
];

for (const { name, text, words } of flagCases) {
  test(`planConfig() translates ${name}`, () => {
    const { args, problems } = planConfig(readDocuments("f", text));
    assert.deepEqual(problems, []);
    assert.deepEqual(
      args.map(({ word }) => word),
      words,
    );
  });
}

test("planConfig() keeps the documents of components", () => {
  const text =
    "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 5\n";
  const { documents } = planConfig(readDocuments("f", text));
  assert.deepEqual(documents, {
    KubeletConfiguration: {
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      maxPods: 5,
    },
  });
});

const problemCases: readonly { text: string; problem: string }[] = [
  { text: `${cluster}nodes: "3"\n`, problem: "f:3: nodes: must be a whole number" },
  { text: `${cluster}noInstall: 1\n`, problem: "f:3: noInstall: must be true or false" },
  {
    text: `${cluster}network:\n  podCIDR: [a]\n`,
    problem: "f:4: network.podCIDR: must be a single value",
  },
  {
    text: `${cluster}runtime:\n  name: docker\n  socket: x\n`,
    problem: "f:5: runtime.socket is unknown; runtime has: name, folder, endpoint",
  },
  {
    text: `${cluster}runtime: docker\n`,
    problem: "f:3: runtime must be an object; the document has: ",
  },
  {
    text: `${cluster}args: {kubelt: {a: b}}\n`,
    problem: 'f:3: args.kubelt: there is no part "kubelt": ',
  },
  {
    text: `${cluster}args: {kubelet: [v]}\n`,
    problem: "f:3: args.kubelet: must be flags with their values, without leading dashes",
  },
  {
    text: `${kubeadm("ClusterConfiguration")}etcd: {local: {}}\n`,
    problem: "f:3: etcd.local: k8ts configures its etcd itself: use `store.etcd",
  },
  {
    text: `${kubeadm("ClusterConfiguration")}kubernetesVersion: v1.30.2\n`,
    problem: "f:3: kubernetesVersion: this is Kubernetes v1.37.1",
  },
  {
    text: `${cluster}apiServer: {port: 1}\n---\n${kubeadm("InitConfiguration")}localAPIEndpoint: {bindPort: 2}\n`,
    problem: "f:7: --secure-port is set to another value at f:3",
  },
  {
    text: "apiVersion: v1\nkind: Pod\n",
    problem: "f:1: v1 Pod is no document of a configuration; known are: ",
  },
];

for (const { text, problem } of problemCases) {
  test(`planConfig() reports ${problem}`, () => {
    const [first = ""] = planConfig(readDocuments("f", text)).problems;
    assert.equal(first.slice(0, problem.length), problem);
  });
}

const unreadable: readonly { text: string; message: RegExp }[] = [
  { text: "a: 1\na: 2\n", message: /^f:2: Map keys must be unique$/ },
  { text: "kind: Cluster\n", message: /^f:1: a document needs apiVersion and kind$/ },
  { text: "- a\n", message: /^f:1: a document must be an object/ },
  { text: `${cluster}a: {\n`, message: /^f:4: / },
];

for (const { text, message } of unreadable) {
  test(`readDocuments() refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => readDocuments("f", text), { message });
  });
}

const join = `${kubeadm("JoinConfiguration")}discovery:
  bootstrapToken: {apiServerEndpoint: "192.0.2.1:6443", token: a.b, caCertHashes: ["sha256:c"]}
nodeRegistration: {name: worker, taints: [{key: a, effect: NoExecute}]}
`;

test("planConfig() translates a JoinConfiguration, with the kubelet's own document", () => {
  const kubelet = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";
  const text = `${join}controlPlane: {certificateKey: d}\n---\n${kubelet}maxPods: 5\n`;
  const { args, documents, problems } = planConfig(readDocuments("f", text), joinReader);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    args.map(({ word }) => word),
    [
      "192.0.2.1:6443",
      "--token=a.b",
      "--ca-hash=sha256:c",
      "--node-name=worker",
      "--node-taints=a=:NoExecute",
      "--certificate-key=d",
      "--server",
    ],
  );
  assert.deepEqual(Object.keys(documents), ["KubeletConfiguration"]);
});

for (const { text, problem } of [
  { text: join.replace('["sha256:c"]', "[a, b]"), problem: "caCertHashes: must be a list of one" },
  {
    text: `${join}discovery2: 1\n`,
    problem: "f:6: discovery2 is unknown; the document has: discovery",
  },
  { text: `${join}skipPhases: [x]\n`, problem: "f:6: skipPhases: k8ts has no phases" },
  { text: cluster, problem: "a Cluster is for the machine of a server: k8ts up --config FILE" },
]) {
  test(`planConfig() refuses what a machine that joins can't have: ${problem}`, () => {
    const { problems } = planConfig(readDocuments("f", text), joinReader);
    assert.match(problems.join("\n"), new RegExp(problem.replace(/[.[]/g, "\\$&")));
  });
}

test("planConfig() sends a JoinConfiguration to the right command", () => {
  const { problems } = planConfig(readDocuments("f", join));
  assert.deepEqual(problems, [
    "f:1: a JoinConfiguration is for machines that join: k8ts join --config FILE",
  ]);
});
