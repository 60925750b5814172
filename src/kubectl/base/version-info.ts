/** Upstream: staging/src/k8s.io/apimachinery/pkg/version/types.go, staging/src/k8s.io/client-go/discovery/helper.go. */

import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import type { Client } from "#/client/client.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "./errors.ts";

/** The version of a program. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly [field: string]: unknown;
}

/** The version of this kubectl. */
export function ownVersion(): VersionInfo {
  const [, major = "", minor = ""] = /^v(\d+)\.(\d+)/.exec(kubernetesVersion) ?? [];
  const { arch, platform } = process;
  return {
    major,
    minor,
    gitVersion: kubernetesVersion,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: `node ${process.version}`,
    compiler: "k8ts",
    platform: `${platform}/${arch === "x64" ? "amd64" : arch}`,
  };
}

export function serverVersion(client: Client): Promise<VersionInfo> {
  return client.request<VersionInfo>({ method: "GET", path: "/version" });
}

/** Rejects a server whose version differs from this kubectl's. */
export async function requireServerVersion(client: Client): Promise<void> {
  const [own, server] = [ownVersion(), await serverVersion(client)];
  const compared = ["gitVersion", "gitCommit", "gitTreeState"] as const;
  if (compared.every((field) => own[field] === server[field])) return;
  throw new CommandError(
    `server version (&${goInfo(server)}) differs from client version (${goInfo(own)})`,
  );
}

const infoFields = [
  "major",
  "minor",
  "emulationMajor",
  "emulationMinor",
  "minCompatibilityMajor",
  "minCompatibilityMinor",
  "gitVersion",
  "gitCommit",
  "gitTreeState",
  "buildDate",
  "goVersion",
  "compiler",
  "platform",
];

/** A version as Go prints the struct. */
function goInfo(info: VersionInfo): string {
  const fields = infoFields.map((field) => {
    const name = field.slice(0, 1).toUpperCase() + field.slice(1);
    return `${name}:${goQuote(String(info[field] ?? ""))}`;
  });
  return `version.Info{${fields.join(", ")}}`;
}
