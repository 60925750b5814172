/** A kubeconfig in a file: unknown fields are kept. */
export type Kubeconfig = Readonly<Record<string, unknown>>;

interface Entry {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** A cluster's entries of a kubeconfig: one in each list, and the context of both. */
interface ClusterEntry {
  readonly name: string;
  readonly cluster: Readonly<Record<string, string>>;
  readonly user: Readonly<Record<string, string>>;
}

/** The user's name of a cluster in a kubeconfig. */
const userOf = (name: string): string => `${name}-admin`;

/** A kubeconfig with a cluster, its administrator and the context of both, which becomes the current one. */
export function withCluster(config: Kubeconfig, { name, cluster, user }: ClusterEntry): Kubeconfig {
  const context = { cluster: name, user: userOf(name) };
  return {
    apiVersion: "v1",
    kind: "Config",
    ...config,
    clusters: withEntry(config["clusters"], { name, cluster }),
    users: withEntry(config["users"], { name: userOf(name), user }),
    contexts: withContext(config["contexts"], { name, context }),
    "current-context": name,
  };
}

/** Whether a kubeconfig has the context of a cluster. */
export const hasCluster = (config: Kubeconfig, name: string): boolean =>
  entries(config["contexts"]).some((entry) => entry.name === name);

/** A kubeconfig without a cluster; the next context becomes current if the cluster's was. Undefined if nothing is left. */
export function withoutCluster(config: Kubeconfig, name: string): Kubeconfig | undefined {
  const without = (list: unknown, gone: string): Entry[] =>
    entries(list).filter((entry) => entry.name !== gone);
  const contexts = without(config["contexts"], name);
  const current = config["current-context"];
  const rest = {
    ...config,
    clusters: without(config["clusters"], name),
    users: without(config["users"], userOf(name)),
    contexts,
    "current-context": current === name ? (contexts[0]?.name ?? "") : current,
  };
  const isEmpty = [rest.clusters, rest.users, rest.contexts].every((list) => list.length === 0);
  return isEmpty ? undefined : rest;
}

/** A kubeconfig whose clusters are reached at another address. */
export function withServer(config: Kubeconfig, server: string): Kubeconfig {
  const clusters = entries(config["clusters"]).map((entry) => ({
    ...entry,
    cluster: { ...(entry["cluster"] as object), server },
  }));
  return { ...config, clusters };
}

const entries = (list: unknown): readonly Entry[] => (Array.isArray(list) ? list : []);

/** Replaces the entry with its name, or appends it. */
function withEntry(list: unknown, entry: Entry): Entry[] {
  const all = entries(list);
  if (!all.some(({ name }) => name === entry.name)) return [...all, entry];
  return all.map((one) => (one.name === entry.name ? entry : one));
}

/** An existing context keeps the user's settings, such as a namespace. */
function withContext(list: unknown, { name, context }: Entry & { context: object }): Entry[] {
  const found = entries(list).find((one) => one.name === name)?.["context"];
  const kept = typeof found === "object" ? found : {};
  return withEntry(list, { name, context: { ...kept, ...context } });
}
