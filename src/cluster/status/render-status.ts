import { nameOption } from "../base/paths.ts";
import type { ClusterStatus, NodeStatus, PodsStatus, ProgramStatus } from "./cluster-status.ts";

/** The narrowest terminal that the screen is made for. */
const columns = 80;
/** Limits of the list of nodes and of sick Pods: the screen must stay a screen. */
const shownNodes = 8;
const shownPods = 8;
const indent = 13;

/** The screen of `k8ts status`. */
export function renderStatus(status: ClusterStatus): string {
  return [
    heading(status, status.healthy ? "healthy" : "NOT healthy"),
    row("server", status.server + (status.apiError === null ? "" : ` does not answer`)),
    ...(status.apiError === null ? [] : [row("", apiErrorText(status, status.apiError))]),
    ...programRows(status.programs),
    ...nodeRows(status.nodes),
    ...(status.apiError === null && status.role === "server" ? podRows(status.pods) : []),
    ...featureRows(status),
    row("disk", diskText(status)),
    ...certificateRows(status),
    // Whole, as it says what to do.
    ...(status.addressError === null ? [] : ["", status.addressError]),
    "",
  ].join("\n");
}

/** A server that was stopped is started; any other failure is shown as it is. */
function apiErrorText({ programs, name }: ClusterStatus, error: string): string {
  const isStopped = programs.every(({ pid }) => pid === null);
  return isStopped ? `the cluster is stopped; start it: k8ts up${nameOption(name)}` : error;
}

/** The facts that `k8ts up` ends with. */
export function renderFacts(
  status: ClusterStatus,
  { kubeconfig, took }: { readonly kubeconfig: string; readonly took: string },
): string {
  return [
    heading(status, took),
    row("kubectl", `context "${status.name}" in ${kubeconfig}`),
    ...nodeRows(status.nodes),
    ...featureRows(status),
    row("next", "k8ts kubectl get nodes · k8ts image load FILE · k8ts status"),
    "",
  ].join("\n");
}

/** The first line, with a note at its end. */
function heading(status: ClusterStatus, note: string): string {
  const version =
    status.kubernetesVersion === null ? "" : ` · Kubernetes ${status.kubernetesVersion}`;
  const left = `k8ts ${status.version}${version} · cluster ${status.name}`;
  return `${left.padEnd(columns - note.length - 1)} ${note}`;
}

/** A line of a title and a text, cut to the width of the screen. */
function row(title: string, text: string): string {
  const line = `  ${title.padEnd(indent - 2)}${text}`;
  return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`;
}

/** One row for each node on this machine. */
function programRows(programs: readonly ProgramStatus[]): string[] {
  const byNode = Map.groupBy(programs, ({ node }) => node);
  return [...byNode].map(([node, own], index) => {
    const text = own.map(programText).join(" · ");
    return row(index === 0 ? "programs" : "", node === null ? text : `${node}: ${text}`);
  });
}

const programText = ({ name, pid, memoryMiB }: ProgramStatus): string =>
  pid === null ? `${name} STOPPED` : `${name} ${memoryMiB} MiB`;

function nodeRows(nodes: readonly NodeStatus[]): string[] {
  // Nodes with problems come first: the list may be cut.
  const sorted = nodes.toSorted((a, b) => b.problems.length - a.problems.length);
  const rows = sorted
    .slice(0, shownNodes)
    .flatMap((node, index) => [
      row(index === 0 ? "nodes" : "", nodeText(node)),
      ...node.problems.map((problem) => row("", `  ${problem}`)),
    ]);
  const hidden = nodes.length - shownNodes;
  return hidden > 0 ? [...rows, row("", `… and ${hidden} more`)] : rows;
}

function nodeText({ name, ready, roles, cpu, memoryGiB, address }: NodeStatus): string {
  const facts = [`${cpu} CPU, ${memoryGiB} GiB`, address, ...roles];
  return `${name} ${ready ? "Ready" : "NotReady"} · ${facts.filter(Boolean).join(" · ")}`;
}

function podRows({ total, healthy, sick }: PodsStatus): string[] {
  const summary = sick.length === 0 ? `${total}, all healthy` : `${healthy} of ${total} healthy`;
  const rows = sick
    .slice(0, shownPods)
    .map(({ namespace, name, problem }) => row("", `${namespace}/${name}  ${problem}`));
  const hidden = sick.length - shownPods;
  return [row("pods", summary), ...rows, ...(hidden > 0 ? [row("", `… and ${hidden} more`)] : [])];
}

/** One row of features that are there, one of those that are not, and one of parts that were disabled. */
function featureRows({ features, disabled }: ClusterStatus): string[] {
  const there = features.filter(({ provider }) => provider !== null);
  const missing = features.filter(({ provider }) => provider === null);
  return [
    ...(there.length > 0
      ? [row("ready", there.map(({ name, provider }) => `${name} (${provider})`).join(" · "))]
      : []),
    ...(missing.length > 0 ? [row("missing", missing.map(({ name }) => name).join(" · "))] : []),
    ...(disabled.length > 0 ? [row("disabled", disabled.join(" · "))] : []),
  ];
}

/** Days before the end from when on a certificate is named: its renewal has failed. */
const namedDays = 30;

function certificateRows({ certificates, name }: ClusterStatus): string[] {
  if (certificates === null) return [];
  const { file, expires, days } = certificates;
  if (days < 0)
    return [row("expiry", `${file} EXPIRED on ${expires}; renew it: k8ts up${nameOption(name)}`)];
  const whose = days < namedDays ? `${file} expires` : "certificates are valid until";
  const text = days < namedDays ? `${whose} on ${expires}` : `${whose} ${expires}`;
  return [row("expiry", `${text}, in ${days} days`)];
}

const diskText = ({ disk, folder }: ClusterStatus): string =>
  `${disk.freeGiB} GiB free, ${disk.usedPercent} % used, ${folder}`;
