import { formatCsvRecord, parseCsvRecord } from "#/std/text/csv-record.ts";
import type { ClusterSettings } from "../base/settings.ts";
import { parts } from "../parts/index.ts";

/** The given values of flags, by name. */
type Values = Readonly<Record<string, unknown>>;

const kubeletName = "kubelet";

/** The flags of the kubelet that only the first start of a node uses, with those of `up`. */
const nodeArgs = {
  "node-labels": "node-labels",
  "register-with-taints": "node-taints",
} as const;

/** The flags of parts after `up` or `join`: those of a part that are given replace the earlier ones. Pure. */
export function changedPartArgs(
  found: ClusterSettings["partArgs"],
  values: Values,
  changed: ReadonlySet<string>,
): ClusterSettings["partArgs"] {
  const args = new Map<string, readonly string[]>(Object.entries(found ?? {}));
  for (const { name } of parts) {
    if (!changed.has(`${name}-arg`)) continue;
    const given = (values[`${name}-arg`] as readonly string[]).filter((arg) => arg !== "");
    const kept = name === kubeletName ? (args.get(name) ?? []).filter(isNodeArg) : [];
    args.set(name, [...kept, ...given]);
  }
  for (const [arg, flag] of Object.entries(nodeArgs)) {
    if (!changed.has(flag)) continue;
    const others = (args.get(kubeletName) ?? []).filter((one) => !one.startsWith(`${arg}=`));
    const text = formatCsvRecord(values[flag] as readonly string[]);
    args.set(kubeletName, text === "" ? others : [...others, `${arg}=${text}`]);
  }
  const left = [...args].filter(([, list]) => list.length > 0);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** The flags of parts on another node of the same machine: labels and taints belong to one node. */
export function sharedPartArgs(partArgs: ClusterSettings["partArgs"]): ClusterSettings["partArgs"] {
  const { [kubeletName]: ofKubelet, ...others } = partArgs ?? {};
  const shared = (ofKubelet ?? []).filter((arg) => !isNodeArg(arg));
  if (shared.length > 0) return { ...others, [kubeletName]: shared };
  return Object.keys(others).length === 0 ? undefined : others;
}

/** The flags of `up` for flags of parts, each with the values that it was given. */
export function partArgValues(
  partArgs: ClusterSettings["partArgs"],
): Readonly<Record<string, readonly string[]>> {
  const own = partArgs?.[kubeletName] ?? [];
  const values = Object.entries(sharedPartArgs(partArgs) ?? {}).map(([part, args]) => [
    `${part}-arg`,
    args,
  ]);
  const ofNode = Object.entries(nodeArgs).map(([name, flag]) => {
    const text = own.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1);
    return [flag, text === undefined ? [] : parseCsvRecord(text)];
  });
  return Object.fromEntries([...values, ...ofNode]);
}

const isNodeArg = (arg: string): boolean =>
  Object.keys(nodeArgs).some((name) => arg.startsWith(`${name}=`));
