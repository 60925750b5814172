import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import { type FlagSet, typeOf } from "#/std/flags/flags.ts";
import { parts } from "../parts/index.ts";
import type { Duty, PartDocument } from "../parts/part.ts";
import { joinFlags } from "../plan/join-flags.ts";
import { upFlags } from "../plan/up-flags.ts";
import { type ConfigArg, type ConfigArgs, configArgs } from "./config-args.ts";
import { clusterFields, type Fields, kubeadmCluster, kubeadmInit, kubeadmJoin } from "./fields.ts";
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

/** A command that reads a configuration: its flags, and the documents that set them, with their fields. */
interface Reader {
  readonly flags: FlagSet;
  readonly documents: Readonly<Record<string, Fields>>;
  /** Documents of components that it reads. */
  readonly components: readonly PartDocument[];
  /** What to say of documents that another command reads. */
  readonly others: Readonly<Record<string, string>>;
}

const documentsOf = (duty: "server" | "agent"): readonly PartDocument[] =>
  parts.flatMap((part): readonly PartDocument[] => {
    const { documents = [] }: Pick<Duty<never>, "documents"> = part[duty] ?? {};
    return documents;
  });

/** All documents that parts read. */
export const partDocuments: readonly PartDocument[] = [
  ...documentsOf("server"),
  ...documentsOf("agent"),
];

/** `up --config`. */
const upReader: Reader = {
  flags: upFlags,
  documents: {
    "k8ts.dev/v1 Cluster": clusterFields,
    [`${kubeadmGroup} ClusterConfiguration`]: kubeadmCluster,
    [`${kubeadmGroup} InitConfiguration`]: kubeadmInit,
  },
  components: partDocuments,
  others: {
    JoinConfiguration: "is for machines that join: k8ts join --config FILE",
  },
};

const ofServer = "is for the machine of a server: k8ts up --config FILE";

/** `join --config`. */
export const joinReader: Reader = {
  flags: joinFlags,
  documents: { [`${kubeadmGroup} JoinConfiguration`]: kubeadmJoin },
  components: documentsOf("agent"),
  others: { Cluster: ofServer, ClusterConfiguration: ofServer, InitConfiguration: ofServer },
};

/** What the documents of a file ask for. Pure. */
export function planConfig(
  documents: readonly ConfigDocument[],
  reader: Reader = upReader,
): PlannedConfig {
  const args: ConfigArg[] = [];
  const problems: string[] = [];
  const ofParts = new Map<string, object>();
  for (const document of documents) {
    const { apiVersion, kind } = document;
    const fields = reader.documents[`${apiVersion} ${kind}`];
    const use = reader.components.find(
      (known) => known.kind === kind && apiVersion.startsWith(`${known.apiGroup}/`),
    );
    if (fields) {
      const found = flagsOf(document, fields, reader.flags);
      args.push(...found.args);
      problems.push(...found.problems);
    } else if (!use) problems.push(`${document.at([])}: ${unknownDocument(document, reader)}`);
    else if (ofParts.has(kind)) problems.push(`${document.at([])}: there is a second ${kind}`);
    else ofParts.set(kind, document.value);
  }
  return {
    args,
    documents: Object.fromEntries(ofParts),
    problems: [...problems, ...twice(args, reader.flags)],
  };
}

function flagsOf(document: ConfigDocument, fields: Fields, flags: FlagSet): ConfigArgs {
  const { kubernetesVersion: wanted, ...value } = document.value;
  const translated = configArgs({ ...document, value }, fields, flags);
  const found = isServer(document) ? withServer(translated, document) : translated;
  const minor = kubernetesVersion.replace(/\.\d+$/, "");
  const isOther =
    typeof wanted === "string" && !`v${wanted.replace(/^v/, "")}.`.startsWith(`${minor}.`);
  if (!isOther || !document.apiVersion.startsWith("kubeadm")) return found;
  const at = document.at(["kubernetesVersion"]);
  const problem = `${at}: kubernetesVersion: this is Kubernetes ${kubernetesVersion}`;
  return { ...found, problems: [...found.problems, problem] };
}

/** Whether a machine joins as a server. */
const isServer = ({ kind, value }: ConfigDocument): boolean =>
  kind === "JoinConfiguration" && value["controlPlane"] !== undefined;

function withServer({ args, problems }: ConfigArgs, document: ConfigDocument): ConfigArgs {
  const at = document.at(["controlPlane"]);
  return { args: [...args, { flag: "server", word: "--server", at }], problems };
}

/** Flags with one value that two places set to different ones. */
function twice(args: readonly ConfigArg[], flags: FlagSet): string[] {
  const single = args.filter(({ flag }) => !isList(flag, flags));
  return single.flatMap((arg, index) => {
    const other = single.find((earlier, at) => at < index && earlier.flag === arg.flag);
    if (!other || other.word === arg.word) return [];
    return [`${arg.at}: --${arg.flag} is set to another value at ${other.at}`];
  });
}

/** Whether a flag may be given several times. */
const isList = (flag: string, flags: FlagSet): boolean => {
  const declared = flags[flag];
  return declared !== undefined && Array.isArray(typeOf(declared).zero);
};

function unknownDocument({ apiVersion, kind }: ConfigDocument, reader: Reader): string {
  const other = reader.others[kind];
  if (other !== undefined) return `a ${kind} ${other}`;
  const known = [
    ...Object.keys(reader.documents),
    ...reader.components.map(({ apiGroup, kind: name }) => `${apiGroup} ${name}`),
  ];
  return `${apiVersion} ${kind} is no document of a configuration; known are: ${known.join(", ")}`;
}
