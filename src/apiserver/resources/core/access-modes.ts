/** Short names of access modes, in the order in which they are shown. */
const shortNames: readonly (readonly [mode: string, short: string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

/** Access modes as `kubectl get` shows them. Upstream: pkg/apis/core/helper/helpers.go. */
export function formatAccessModes(modes: readonly string[] = []): string {
  return shortNames
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

/** The annotation that named the storage class before there was a field. */
export const storageClassAnnotation = "volume.beta.kubernetes.io/storage-class";
