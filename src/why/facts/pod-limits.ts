import type { Pod } from "#/api/core/v1.ts";

/** The limits of a resource of a Pod and its containers, for sentences: `container "web" 1Mi`. */
export function podLimits({ spec }: Pod, resource: string): string {
  const whole = spec.resources?.limits?.[resource];
  const each = spec.containers.flatMap(({ name, resources }) => {
    const limit = resources?.limits?.[resource];
    return limit === undefined ? [] : [`container "${name}" ${limit}`];
  });
  return (whole === undefined ? each : [whole]).join(", ") || "unknown";
}
