/** A machine of the cluster, as it matters to an upgrade. */
export interface NodeVersion {
  readonly name: string;
  /** Of Kubernetes: v1.37.1. */
  readonly kubeletVersion: string;
  readonly isServer: boolean;
  readonly isReady: boolean;
  /** Of k8ts, as its agent reports it; undefined for one that can't be upgraded from another machine. */
  readonly version: string | undefined;
  /** True for a node whose folder is on this machine. */
  readonly isLocal: boolean;
}

/** An API that clients have used since the server started, and that a later version removes. */
export interface DeprecatedApi {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** The first version of Kubernetes without it: 1.38. */
  readonly removedIn: string;
}

/** What an upgrade would do to a cluster. */
export interface UpgradeFacts {
  /** The version of Kubernetes that the API server runs, and that it will run. */
  readonly runs: string;
  readonly next: string;
  readonly nodes: readonly NodeVersion[];
  readonly deprecated: readonly DeprecatedApi[];
}

/** Number of minor versions that a kubelet may be older than the API server, and servers may differ. Upstream's version skew policy. */
const kubeletSkew = 3;
const serverSkew = 1;

/** Why an upgrade must not begin, each with what to do. Pure. */
export function upgradeProblems({ runs, next, nodes, deprecated }: UpgradeFacts): string[] {
  const [from, to] = [minorOf(runs), minorOf(next)];
  const problems: string[] = [];
  if (to > from + serverSkew) {
    const step = `1.${from + 1}`;
    problems.push(
      `from Kubernetes ${runs} to ${next}: a server skips no minor version; upgrade to ${step} first`,
    );
  }
  if (to < from) {
    problems.push(
      `from Kubernetes ${runs} back to ${next}: an older server may not read what is stored; to undo an upgrade: --rollback`,
    );
  }
  for (const { name, kubeletVersion, isServer } of nodes) {
    const minor = minorOf(kubeletVersion);
    const most = isServer ? serverSkew : kubeletSkew;
    if (to - minor > most) {
      const what = isServer ? "server" : "kubelet";
      problems.push(
        `${what} ${name} has ${kubeletVersion}, more than ${most} minor versions before ${next}: upgrade it first`,
      );
    }
    if (minor > to)
      problems.push(`node ${name} has ${kubeletVersion}, which is newer than ${next}`);
  }
  for (const { group, version, resource, removedIn } of deprecated) {
    if (removedIn === "" || minorOf(`v${removedIn}`) > to) continue;
    const name = group === "" ? version : `${group}/${version}`;
    problems.push(
      `${resource} of ${name} is in use, and gone in ${removedIn}: change the manifests and programs that name it (or --ignore-removed-apis)`,
    );
  }
  for (const { name, isReady } of nodes) {
    if (!isReady) problems.push(`node ${name} is not Ready: mend or remove it first`);
  }
  return problems;
}

/** The nodes that no request reaches, as they run a version before there were requests. */
export const unreachable = (nodes: readonly NodeVersion[]): string[] =>
  nodes.filter(({ version, isLocal }) => version === undefined && !isLocal).map(({ name }) => name);

/** The number after "v1." of a version. */
function minorOf(version: string): number {
  const [, minor] = /^v?1\.(\d+)/.exec(version) ?? [];
  if (minor === undefined) throw new Error(`"${version}" is no version of Kubernetes`);
  return Number(minor);
}

/** The APIs of the metric apiserver_requested_deprecated_apis. Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/metrics/metrics.go. */
export function deprecatedApis(metrics: string): DeprecatedApi[] {
  return [...metrics.matchAll(/^apiserver_requested_deprecated_apis\{(.*)\} 1$/gm)].map(
    ([, labels = ""]) => {
      const of = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
      return {
        group: of("group"),
        version: of("version"),
        resource: of("resource"),
        removedIn: of("removed_release"),
      };
    },
  );
}
