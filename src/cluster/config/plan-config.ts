import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import { type FlagSet, typeOf } from "#/std/flags/flags.ts";
import { parts } from "../parts/index.ts";
import type { Duty, PartDocument } from "../parts/part.ts";
import { upFlags } from "../plan/up-flags.ts";
import { type ConfigArg, type ConfigArgs, configArgs } from "./config-args.ts";
import { clusterFields, type Fields, kubeadmCluster, kubeadmInit } from "./fields.ts";
import type { ConfigDocument } from "./read-documents.ts";

/** The content of a configuration file. */
export interface ClusterConfig {
  readonly args: readonly ConfigArg[];
  /** Documents of components, by kind. */
  readonly documents: Readonly<Record<string, object>>;
}

interface PlannedConfig extends ClusterConfig {
  /** Each with its line. */
  readonly problems: readonly string[];
}

const kubeadmGroup = "kubeadm.k8s.io/v1beta4";

/** The documents that set flags of `up`, with their fields. */
const flagDocuments: Readonly<Record<string, Fields>> = {
  "k8ts.dev/v1 Cluster": clusterFields,
  [`${kubeadmGroup} ClusterConfiguration`]: kubeadmCluster,
  [`${kubeadmGroup} InitConfiguration`]: kubeadmInit,
};

/** All documents that parts read. */
export const partDocuments: readonly PartDocument[] = parts.flatMap((part) => {
  const duties: readonly (Pick<Duty<never>, "documents"> | undefined)[] = [part.server, part.agent];
  return duties.flatMap((duty) => duty?.documents ?? []);
});

/** What the documents of a file ask for. Pure. */
export function planConfig(documents: readonly ConfigDocument[]): PlannedConfig {
  const args: ConfigArg[] = [];
  const problems: string[] = [];
  const ofParts = new Map<string, object>();
  for (const document of documents) {
    const { apiVersion, kind } = document;
    const fields = flagDocuments[`${apiVersion} ${kind}`];
    const use = partDocuments.find(
      (known) => known.kind === kind && apiVersion.startsWith(`${known.apiGroup}/`),
    );
    if (fields) {
      const found = flagsOf(document, fields);
      args.push(...found.args);
      problems.push(...found.problems);
    } else if (!use) problems.push(`${document.at([])}: ${unknownDocument(document)}`);
    else if (ofParts.has(kind)) problems.push(`${document.at([])}: there is a second ${kind}`);
    else ofParts.set(kind, document.value);
  }
  return { args, documents: Object.fromEntries(ofParts), problems: [...problems, ...twice(args)] };
}

function flagsOf(document: ConfigDocument, fields: Fields): ConfigArgs {
  const { kubernetesVersion: wanted, ...value } = document.value;
  const found = configArgs({ ...document, value }, fields);
  const minor = kubernetesVersion.replace(/\.\d+$/, "");
  const isOther =
    typeof wanted === "string" && !`v${wanted.replace(/^v/, "")}.`.startsWith(`${minor}.`);
  if (!isOther || !document.apiVersion.startsWith("kubeadm")) return found;
  const at = document.at(["kubernetesVersion"]);
  const problem = `${at}: kubernetesVersion: this is Kubernetes ${kubernetesVersion}`;
  return { ...found, problems: [...found.problems, problem] };
}

/** Flags with one value that two places set to different ones. */
function twice(args: readonly ConfigArg[]): string[] {
  const single = args.filter(({ flag }) => !isList(flag));
  return single.flatMap((arg, index) => {
    const other = single.find((earlier, at) => at < index && earlier.flag === arg.flag);
    if (!other || other.word === arg.word) return [];
    return [`${arg.at}: --${arg.flag} is set to another value at ${other.at}`];
  });
}

/** Whether a flag may be given several times. */
const isList = (flag: string): boolean => {
  const declared = (upFlags as FlagSet)[flag];
  return declared !== undefined && Array.isArray(typeOf(declared).zero);
};

function unknownDocument({ apiVersion, kind }: ConfigDocument): string {
  if (kind === "JoinConfiguration") {
    return "a JoinConfiguration is for machines that join: use the command of k8ts token create there";
  }
  const known = [
    ...Object.keys(flagDocuments),
    ...partDocuments.map(({ apiGroup, kind: name }) => `${apiGroup} ${name}`),
  ];
  return `${apiVersion} ${kind} is no document of a configuration; known are: ${known.join(", ")}`;
}
