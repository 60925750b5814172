import { relative } from "node:path";
import type { Pod } from "#/api/core/v1.ts";

/**
 * Paths below a volume where other volumes are mounted in some container: the runtime can't make them in a volume that
 * it may only read.
 *
 * Upstream: pkg/volume/util/nested_volumes.go.
 */
export function nestedMountPaths({ spec }: Pod, volume: string): ReadonlySet<string> {
  const nested = new Set<string>();
  for (const { volumeMounts = [] } of [...(spec.initContainers ?? []), ...spec.containers]) {
    const paths = volumeMounts.map(({ mountPath }) => mountPath.replace(/\/+$/, "")).sort();
    for (const { name, mountPath, subPath } of volumeMounts) {
      if (name !== volume || subPath) continue;
      const own = mountPath.replace(/\/+$/, "");
      const below = paths.filter((path) => path.startsWith(`${own}/`));
      for (const path of below) {
        const within = below.some((other) => path.startsWith(`${other}/`));
        const inner = relative(own, path);
        if (within) continue;
        if (inner.startsWith("..")) {
          throw new Error(
            `invalid mount path ${path}: must not start with '..' below another volume`,
          );
        }
        nested.add(inner);
      }
    }
  }
  return nested;
}
