/** Upstream: staging/src/k8s.io/client-go/tools/clientcmd/api/v1/{types,conversion}.go. */
import type { Kubeconfig } from "#/client/kubeconfig/kubeconfig.ts";

/** The fields of entries, in the order of Go's types; those in `always` are printed even if empty. */
interface EntryType {
  /** The field of a named entry that holds the rest. */
  readonly field: "cluster" | "user" | "context";
  readonly fields: readonly string[];
  readonly always: readonly string[];
}

/** The entries in the sections of a kubeconfig. */
export const entryTypes = {
  clusters: {
    field: "cluster",
    fields: [
      "server",
      "tls-server-name",
      "insecure-skip-tls-verify",
      "certificate-authority",
      "certificate-authority-data",
      "proxy-url",
      "disable-compression",
      "extensions",
    ],
    always: ["server"],
  },
  users: {
    field: "user",
    fields: [
      "client-certificate",
      "client-certificate-data",
      "client-key",
      "client-key-data",
      "token",
      "tokenFile",
      "as",
      "as-uid",
      "as-groups",
      "as-user-extra",
      "username",
      "password",
      "auth-provider",
      "exec",
      "extensions",
    ],
    always: [],
  },
  contexts: {
    field: "context",
    fields: ["cluster", "user", "namespace", "extensions"],
    always: ["cluster", "user"],
  },
} as const satisfies Readonly<Record<string, EntryType>>;

export type SectionName = keyof typeof entryTypes;

const execFields = [
  "command",
  "args",
  "env",
  "apiVersion",
  "installHint",
  "provideClusterInfo",
  "interactiveMode",
] as const;

type Fields = Readonly<Record<string, unknown>>;

/** A kubeconfig as Go encodes it: known fields in their order, entries by name, empty fields omitted. */
export function typedKubeconfig(config: Kubeconfig): Kubeconfig {
  const { preferences = {}, extensions } = config;
  return {
    kind: "Config",
    apiVersion: "v1",
    ...(Object.keys(preferences).length > 0 ? { preferences } : {}),
    clusters: section(config.clusters, "clusters"),
    users: section(config.users, "users"),
    contexts: section(config.contexts, "contexts"),
    "current-context": config["current-context"] ?? "",
    ...(extensions?.length ? { extensions } : {}),
  };
}

function section<T extends { name: string }>(
  entries: readonly T[] | null | undefined,
  name: SectionName,
): T[] | null {
  if (!entries?.length) return null;
  const type: EntryType = entryTypes[name];
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => ({
      name: entry.name,
      [type.field]: typedFields(
        (entry as unknown as Record<string, Fields | null>)[type.field] ?? {},
        type,
      ),
    })) as unknown as T[];
}

function typedFields(given: Fields, { fields, always }: EntryType): Fields {
  const typed: Record<string, unknown> = {};
  for (const field of fields) {
    const value = given[field];
    if (!isEmpty(value)) typed[field] = field === "exec" ? typedExec(value as Fields) : value;
    else if (always.includes(field)) typed[field] = "";
  }
  return typed;
}

function typedExec(exec: Fields): Fields {
  const empty: Fields = { command: "", args: null, env: null, provideClusterInfo: false };
  const shown = execFields.filter((field) => field in empty || !isEmpty(exec[field]));
  return Object.fromEntries(shown.map((field) => [field, exec[field] ?? empty[field]]));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
