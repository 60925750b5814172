import { existsSync } from "node:fs";
import type { EtcdSettings } from "../base/etcd-settings.ts";

/** The problems of the settings of a store, each with its flag. */
export function storeProblems(etcd: EtcdSettings | undefined): string[] {
  if (!etcd) return [];
  const { servers, caFile, certFile, keyFile, binary } = etcd;
  const files = {
    "etcd-binary": binary,
    "etcd-cafile": caFile,
    "etcd-certfile": certFile,
    "etcd-keyfile": keyFile,
  };
  const missing = Object.entries(files).filter(([, path]) => path && !existsSync(path));
  const problems = missing.map(([flag, path]) => `--${flag}=${path} does not exist`);
  for (const address of servers ?? []) {
    const url = URL.parse(address);
    if (!url || !["http:", "https:"].includes(url.protocol)) {
      problems.push(`--etcd-servers=${address} is no address such as https://192.0.2.20:2379`);
    } else if (url.protocol === "https:" && !caFile) {
      problems.push(`--etcd-servers=${address} needs --etcd-cafile, to know that it is yours`);
    }
  }
  if ((certFile === undefined) !== (keyFile === undefined)) {
    problems.push("--etcd-certfile and --etcd-keyfile go together");
  }
  return problems;
}
