import { execFileSync } from "node:child_process";

/** The version of Kubernetes that src/api describes. */
const KUBERNETES_VERSION = "v1.37.1";
const STAGING_VERSION = KUBERNETES_VERSION.replace("v1.", "v0.");

/** The Go modules the generator reads, by short name, with the version each is pinned to. */
const modules = {
  kubernetes: `k8s.io/kubernetes@${KUBERNETES_VERSION}`,
  api: `k8s.io/api@${STAGING_VERSION}`,
  apimachinery: `k8s.io/apimachinery@${STAGING_VERSION}`,
  apiserver: `k8s.io/apiserver@${STAGING_VERSION}`,
  apiextensions: `k8s.io/apiextensions-apiserver@${STAGING_VERSION}`,
  aggregator: `k8s.io/kube-aggregator@${STAGING_VERSION}`,
  metrics: `k8s.io/metrics@${STAGING_VERSION}`,
};

export type UpstreamModule = keyof typeof modules;

/** Where each of upstream's modules lies on this machine. */
export type UpstreamFolders = Readonly<Record<UpstreamModule, string>>;

/** Downloads upstream's modules into Go's module cache where they are missing, and says where they are. */
export function downloadUpstream(): UpstreamFolders {
  const output = execFileSync("go", ["mod", "download", "-json", ...Object.values(modules)], {
    encoding: "utf8",
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const folders = new Map(parseDownloads(output).map((module) => [module.Path, module.Dir]));
  const entries = Object.entries(modules).map(([name, spec]) => {
    const folder = folders.get(spec.slice(0, spec.indexOf("@")));
    if (!folder) throw new Error(`go mod download gave no folder for ${spec}`);
    return [name, folder] as const;
  });
  return Object.fromEntries(entries) as Record<UpstreamModule, string>;
}

interface Download {
  readonly Path: string;
  readonly Dir: string;
}

/** go prints one JSON object after another, each ending in a line of its own. */
function parseDownloads(output: string): Download[] {
  return output
    .split(/^\}$/m)
    .filter((part) => part.trim() !== "")
    .map((part) => JSON.parse(`${part}}`) as Download);
}
