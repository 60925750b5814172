import { ownCommand } from "../base/own-command.ts";
import type { ClusterStatus, NodeStatus, PodsStatus, ProgramStatus } from "./cluster-status.ts";

/** Width (columns) of the screen: the narrowest usual terminal. */
const columns = 80;
/** Limits of the lists of nodes and of unhealthy Pods: the report must fit on a screen. */
const shownNodes = 8;
const shownPods = 8;
const indent = 13;

/** The screen of `k8ts status`. */
export function renderStatus(status: ClusterStatus): string {
  return [
    heading(status, status.healthy ? "healthy" : "NOT healthy"),
    row("server", status.server + (status.apiError === null ? "" : ` does not answer`)),
    ...(status.apiError === null ? [] : [apiErrorRow(status, status.apiError)]),
    ...versionRows(status),
    ...programRows(status.programs),
    ...failingRows(status),
    ...nodeRows(status.nodes),
    ...memberRows(status.members),
    ...(status.apiError === null && status.role === "server" ? podRows(status.pods) : []),
    ...featureRows(status),
    row("disk", diskText(status)),
    ...certificateRows(status),
    // Not truncated, as it contains the remedy.
    ...(status.addressError === null ? [] : ["", status.addressError]),
    "",
  ].join("\n");
}

/** A stopped server is to be started; any other failure is printed unchanged. */
function apiErrorRow({ programs, name }: ClusterStatus, error: string): string {
  const isStopped = programs.every(({ pid }) => pid === null);
  if (!isStopped) return row("", error);
  return wholeRow("", `the cluster is stopped; start it: ${ownCommand("up", name)}`);
}

/** The programs of a cluster may be of another version than this command; and an upgrade may have stopped halfway. */
function versionRows({ version, runningVersion, unfinished, name }: ClusterStatus): string[] {
  const isOther = runningVersion !== null && runningVersion !== version;
  return [
    ...(isOther
      ? [
          wholeRow("version", `the cluster runs ${runningVersion}, and this is ${version};`),
          wholeRow("", `to have it run this one: ${ownCommand("upgrade", name)}`),
        ]
      : []),
    ...(unfinished === null ? [] : [wholeRow("unfinished", unfinished)]),
  ];
}

/** The facts at the end of `k8ts up`. */
export function renderFacts(
  status: ClusterStatus,
  { kubeconfig, took }: { readonly kubeconfig: string; readonly took: string },
): string {
  return [
    heading(status, took),
    row("kubectl", `context "${status.name}" in ${kubeconfig}`),
    ...nodeRows(status.nodes),
    ...failingRows(status),
    ...featureRows(status),
    ...listRows("next", ["kubectl get nodes", "image load FILE", "status"].map(advised)),
    "",
  ].join("\n");
}

const advised = (words: string): string => ownCommand(words);

/** The first line, with a note at its end. */
function heading(status: ClusterStatus, note: string): string {
  const version =
    status.kubernetesVersion === null ? "" : ` · Kubernetes ${status.kubernetesVersion}`;
  const left = `k8ts ${status.version.replace(/\+.*/, "")}${version} · cluster ${status.name}`;
  return `${left.padEnd(columns - note.length - 1)} ${note}`;
}

/** A line of a title and a text, truncated to the width of the screen. */
function row(title: string, text: string): string {
  const line = wholeRow(title, text);
  return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`;
}

/** The same without truncation: a command must stay complete. */
const wholeRow = (title: string, text: string): string => `  ${title.padEnd(indent - 2)}${text}`;

/** A title and several items, in as many lines as they need. */
function listRows(title: string, items: readonly string[]): string[] {
  const lines: string[] = [];
  for (const item of items) {
    const longer = lines.length > 0 ? `${lines.at(-1)} · ${item}` : item;
    const fits = indent + longer.length <= columns;
    if (lines.length > 0 && fits) lines[lines.length - 1] = longer;
    else lines.push(item);
  }
  return lines.map((line, index) => wholeRow(index === 0 ? title : "", line));
}

/** One row for each node on this machine. */
function programRows(programs: readonly ProgramStatus[]): string[] {
  const byNode = Map.groupBy(programs, ({ node }) => node);
  return [...byNode].map(([node, own], index) => {
    const text = own.map(programText).join(" · ");
    return row(index === 0 ? "programs" : "", node === null ? text : `${node}: ${text}`);
  });
}

/** One row for each part that fails, with its last error. */
function failingRows({ failing }: ClusterStatus): string[] {
  return failing.map(({ part, node, error }, index) => {
    const whose = node === null ? part : `${node}: ${part}`;
    return row(index === 0 ? "failing" : "", `${whose}: ${error}`);
  });
}

const programText = ({ name, pid, memoryMiB }: ProgramStatus): string =>
  pid === null ? `${name} STOPPED` : `${name} ${memoryMiB} MiB`;

function nodeRows(nodes: readonly NodeStatus[]): string[] {
  // Nodes with problems are first: the list may be truncated.
  // An agent that has just started has not reported its version yet.
  const isMixed = new Set(nodes.flatMap(({ k8tsVersion }) => k8tsVersion || [])).size > 1;
  const sorted = nodes.toSorted((a, b) => b.problems.length - a.problems.length);
  const rows = sorted
    .slice(0, shownNodes)
    .flatMap((node, index) => [
      row(index === 0 ? "nodes" : "", nodeText(node, isMixed)),
      ...node.problems.map((problem) => row("", `  ${problem}`)),
    ]);
  const hidden = nodes.length - shownNodes;
  return hidden > 0 ? [...rows, row("", `… and ${hidden} more`)] : rows;
}

function nodeText(node: NodeStatus, withVersion: boolean): string {
  const { name, ready, roles, cpu, memoryGiB, address, k8tsVersion } = node;
  const version = withVersion ? [k8tsVersion || "unknown version"] : [];
  const facts = [...version, `${cpu} CPU, ${memoryGiB} GiB`, address, ...roles];
  return `${name} ${ready ? "Ready" : "NotReady"} · ${facts.filter(Boolean).join(" · ")}`;
}

/** The servers, where there are several. */
function memberRows(members: ClusterStatus["members"]): string[] {
  const items = members.map(({ name, state, databaseMiB }) =>
    databaseMiB > 0 ? `${name} ${state} ${databaseMiB} MiB` : `${name} ${state}`,
  );
  return listRows("etcd", items);
}

function podRows({ total, healthy, sick }: PodsStatus): string[] {
  const summary = sick.length === 0 ? `${total}, all healthy` : `${healthy} of ${total} healthy`;
  const rows = sick
    .slice(0, shownPods)
    .map(({ namespace, name, problem }) => row("", `${namespace}/${name}  ${problem}`));
  const hidden = sick.length - shownPods;
  return [row("pods", summary), ...rows, ...(hidden > 0 ? [row("", `… and ${hidden} more`)] : [])];
}

/** One row of provided features, one of missing ones, and one of disabled parts. */
function featureRows({ features, disabled, role, name: cluster }: ClusterStatus): string[] {
  const there = features.filter(({ provider }) => provider !== null);
  const missing = features.filter(({ provider }) => provider === null);
  return [
    ...listRows(
      "ready",
      there.map(({ name, provider }) => `${name} (${provider})`),
    ),
    ...listRows(
      "missing",
      missing.map(({ name }) => name),
    ),
    ...listRows("disabled", disabled),
    ...(disabled.length === 0 || role === "agent"
      ? []
      : [wholeRow("", `to enable all: ${ownCommand("up --disable=", cluster)}`)]),
  ];
}

/** Days before its expiry from which on a certificate is reported: its renewal has failed. */
const namedDays = 30;

function certificateRows({ certificates, name }: ClusterStatus): string[] {
  if (certificates === null) return [];
  const { file, expires, days } = certificates;
  if (days < 0)
    return [
      wholeRow("expiry", `${file} EXPIRED on ${expires}; renew it: ${ownCommand("up", name)}`),
    ];
  const whose = days < namedDays ? `${file} expires` : "certificates are valid until";
  const text = days < namedDays ? `${whose} on ${expires}` : `${whose} ${expires}`;
  return [row("expiry", `${text}, in ${days} days`)];
}

const diskText = ({ disk, folder }: ClusterStatus): string =>
  `${disk.freeGiB} GiB free, ${disk.usedPercent} % used, ${folder}`;
