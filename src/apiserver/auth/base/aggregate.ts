/**
 * Several errors as one text: each once, with brackets around more than one.
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/errors/errors.go.
 */
export function aggregate(errors: Iterable<string>): string {
  const list = [...new Set(errors)];
  return list.length > 1 ? `[${list.join(", ")}]` : (list[0] ?? "");
}
