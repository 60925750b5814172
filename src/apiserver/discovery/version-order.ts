/**
 * Orders versions by preference of clients: v2, v1, v1beta2, v1beta1, v1alpha1, then names that are not Kubernetes
 * versions, by name. Upstream: staging/src/k8s.io/apimachinery/pkg/version/helpers.go.
 */
export function compareVersions(a: string, b: string): number {
  const left = parse(a);
  const right = parse(b);
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor;
}

function parse(version: string): { stage: number; major: number; minor: number } | undefined {
  const match = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/.exec(version);
  if (!match) return undefined;
  const stage = match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0;
  return { stage, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
