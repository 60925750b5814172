/**
 * Whether this version of etcd sends a progress response only after the events that it covers.
 * Upstream: staging/src/k8s.io/apiserver/pkg/storage/feature/feature_support_checker.go.
 */
export function hasSoundProgress(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/).map(Number);
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 31;
  if (minor === 5) return patch >= 13;
  return minor > 5;
}
