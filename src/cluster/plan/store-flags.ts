import { resolve } from "node:path";
import type { FlagSet, FlagValues } from "#/std/flags/flags.ts";
import { type EtcdSettings, hasOwnMember } from "../base/etcd-settings.ts";

/** The flag of every server of a cluster on etcd. */
export const memberFlags = {
  "etcd-binary": {
    type: "string",
    help: "The `program` etcd; the one in $PATH if not given, installed if it is missing.",
  },
} satisfies FlagSet;

/** The store of a new cluster. */
export const storeFlags = {
  etcd: {
    type: "bool",
    help: "Store objects in etcd, which k8ts runs: the cluster may have several servers.",
  },
  ...memberFlags,
  "etcd-servers": {
    type: "stringSlice",
    help: "Store objects in the etcd at these `addresses`, which you run.",
  },
  "etcd-cafile": { type: "string", help: "The authority that has signed for that etcd, a `file`." },
  "etcd-certfile": { type: "string", help: "The client certificate for that etcd, a `file`." },
  "etcd-keyfile": { type: "string", help: "The key of that certificate, a `file`." },
} satisfies FlagSet;

type StoreFlags = FlagValues<typeof storeFlags>;

/** The etcd that the flags ask for; undefined for the embedded store. */
export function etcdOf(flags: StoreFlags): EtcdSettings | undefined {
  const file = (name: "etcd-cafile" | "etcd-certfile" | "etcd-keyfile" | "etcd-binary") =>
    flags[name] === "" ? undefined : resolve(flags[name]);
  const servers = flags["etcd-servers"].filter((address) => address !== "");
  if (servers.length > 0) {
    return {
      servers,
      caFile: file("etcd-cafile"),
      certFile: file("etcd-certfile"),
      keyFile: file("etcd-keyfile"),
    };
  }
  return flags.etcd ? { binary: file("etcd-binary") } : undefined;
}

/** The store of an existing cluster: its files and addresses may change, its kind may not. */
export function keptEtcd(
  found: EtcdSettings | undefined,
  flags: StoreFlags,
  changed: ReadonlySet<string>,
): EtcdSettings | undefined | "refused" {
  const given = Object.keys(storeFlags).filter((name) => changed.has(name));
  if (given.length === 0) return found;
  const wanted = etcdOf({ ...flags, etcd: changed.has("etcd") ? flags.etcd : isOwn(found) });
  if (storeName(wanted) !== storeName(found)) return "refused";
  if (!found || !wanted) return found;
  if (wanted.servers) return changed.has("etcd-servers") ? wanted : found;
  return changed.has("etcd-binary") ? { ...found, binary: wanted.binary } : found;
}

const isOwn = (etcd: EtcdSettings | undefined): boolean => hasOwnMember({ etcd });

/** The kind of a store, for messages. */
export function storeName(etcd: EtcdSettings | undefined): string {
  if (!etcd) return "the embedded store";
  return etcd.servers ? "the etcd of --etcd-servers" : "its own etcd";
}

/** The flags that a store was made with. */
export const storeValues = (etcd: EtcdSettings | undefined) => ({
  etcd: isOwn(etcd),
  "etcd-binary": etcd?.binary ?? "",
  "etcd-servers": etcd?.servers ?? [],
  "etcd-cafile": etcd?.caFile ?? "",
  "etcd-certfile": etcd?.certFile ?? "",
  "etcd-keyfile": etcd?.keyFile ?? "",
});
