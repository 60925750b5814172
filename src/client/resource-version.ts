/**
 * Compares resource versions of one resource: negative if a is older. They are whole numbers of any
 * length; "" is the oldest.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/resourceversion.
 */
export function compareVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The newer of two. */
export function newerVersion(a: string, b: string): string {
  return compareVersions(a, b) < 0 ? b : a;
}
