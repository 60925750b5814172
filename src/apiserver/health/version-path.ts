import { noSuchResource } from "#/machinery/meta/status-error.ts";
import type { Compatibility } from "../flags/compatibility.ts";
import type { Paths } from "../http/paths.ts";
import { bytesReply } from "../model/exchange.ts";

/**
 * The server's version: a version of Kubernetes that clients compare with theirs (kubectl --match-server-version), and
 * its own version as the compiler. Upstream: staging/src/k8s.io/apimachinery/pkg/version/types.go.
 */
export function versionInfo(
  gitVersion: string,
  ownVersion: string,
  { emulation, minCompatibility }: Compatibility,
): Readonly<Record<string, string>> {
  return {
    major: "1",
    minor: "37",
    emulationMajor: "1",
    emulationMinor: String(emulation),
    minCompatibilityMajor: "1",
    minCompatibilityMinor: String(minCompatibility),
    gitVersion,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: `node${process.versions.node}`,
    compiler: `k8ts${ownVersion}`,
    platform: `linux/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
}

/** Answers /version. */
export function addVersion(paths: Paths, info: Readonly<Record<string, string>>): void {
  const body = Buffer.from(JSON.stringify(info, null, 2));
  const mediaType = "application/json";
  paths.addDocument("/version", [mediaType], async () => bytesReply(200, mediaType, body));
  paths.addPrefix("/version/", async () => {
    throw noSuchResource();
  });
}
