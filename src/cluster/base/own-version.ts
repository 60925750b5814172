import { readFileSync } from "node:fs";

/** The version of this k8ts, from its package.json. */
export function ownVersion(): string {
  const file = new URL("../../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
