import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";

/** The message of each program for an invalid command line or file. All of upstream's then end with 1. */

const folder = mkdtempSync(join(tmpdir(), "k8ts-refused-"));
after(() => rmSync(folder, { recursive: true }));

const files = {
  "broken.yaml": "{",
  "scheduler.yaml":
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: -1\n",
  "proxy.yaml":
    "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: nope\n",
  "kubelet.yaml":
    "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nimageGCHighThresholdPercent: 500\n",
  "audit.yaml": "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: []\n",
};
before(() => {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
});

const file = (name: string): string => join(folder, name);
/** The API server's folders, which it would otherwise create on the machine. */
const own = [`--data-dir=${file("data")}`, `--cert-dir=${file("certs")}`];
const absent = `open ${file("absent")}: no such file or directory`;

interface Case {
  readonly program: string;
  readonly args: readonly string[];
  /** Part of the standard error. */
  readonly says: string;
}

const programs = [
  "cluster-dns",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-proxy",
  "kube-scheduler",
  "kubectl",
  "kubelet",
  "network",
];

const cases: readonly Case[] = [
  ...programs.map((program) => ({
    program,
    args: ["--nope"],
    says: "unknown flag: --nope",
  })),
  {
    program: "kube-apiserver",
    args: ["--service-cluster-ip-range=x", ...own],
    says: "is not a valid cidr",
  },
  {
    program: "kube-apiserver",
    args: [`--audit-policy-file=${file("audit.yaml")}`, "--audit-log-path=-", ...own],
    says: "loading audit policy file: loaded illegal policy with 0 rules",
  },
  {
    program: "kube-controller-manager",
    args: [`--kubeconfig=${file("absent")}`],
    says: `stat ${file("absent")}: no such file or directory`,
  },
  {
    program: "kube-scheduler",
    args: [`--config=${file("scheduler.yaml")}`],
    says: "parallelism: Invalid value: -1: should be an integer value greater than zero",
  },
  { program: "kube-scheduler", args: [`--config=${file("absent")}`], says: absent },
  {
    program: "kube-controller-manager",
    args: [`--root-ca-file=${file("absent")}`, "--master=http://127.0.0.1:1"],
    says: `error parsing root-ca-file at ${file("absent")}: ${absent}`,
  },
  {
    program: "kube-controller-manager",
    args: ["--concurrent-job-syncs=0"],
    says: "concurrent-job-syncs must be greater than 0, but got 0",
  },
  {
    program: "kubelet",
    args: [`--config=${file("kubelet.yaml")}`],
    says: "imageGCHighThresholdPercent (--image-gc-high-threshold) 500 must be between 0 and 100, inclusive",
  },
  {
    program: "kubelet",
    args: ["--node-labels=node-role.kubernetes.io/x="],
    says: "unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels",
  },
  {
    program: "kube-proxy",
    args: [`--kubeconfig=${file("absent")}`],
    says: `stat ${file("absent")}: no such file or directory`,
  },
  { program: "kubelet", args: [`--config=${file("absent")}`], says: absent },
  { program: "kubelet", args: [`--config=${file("broken.yaml")}`], says: "command failed" },
  { program: "kube-proxy", args: [`--config=${file("absent")}`], says: absent },
  {
    program: "kube-proxy",
    args: [`--config=${file("proxy.yaml")}`],
    says: 'KubeProxyConfiguration.Mode.ProxyMode: Invalid value: \\"nope\\"',
  },
  {
    program: "kubectl",
    args: [`--kubeconfig=${file("broken.yaml")}`, "get", "pods"],
    says: "error loading config file",
  },
  { program: "k8ts", args: ["nope"], says: "nope" },
  { program: "k8ts", args: ["up", "--nope"], says: "--nope" },
  { program: "k8ts", args: ["kube-scheduler", "--nope"], says: "unknown flag: --nope" },
];

for (const { program, args, says } of cases) {
  const shown = args.map((arg) => arg.replaceAll(folder, "")).join(" ");
  test(`${program} ${shown} ends with 1 and prints the reason`, async () => {
    const script = join(import.meta.dirname, `../../bin/${program}.ts`);
    const child = spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", script, ...args],
      { stdio: ["ignore", "ignore", "pipe"], env: { HOME: folder, TMPDIR: tmpdir() } },
    );
    const [output, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    assert.ok(output.includes(says), output);
    assert.equal(code, 1, output);
  });
}
