/**
 * Several errors as one text: each once, and brackets around more than one. Upstream:
 * apimachinery/pkg/util/errors/errors.go.
 */
export function aggregate(errors: Iterable<string>): string {
  const list = [...new Set(errors)];
  return list.length > 1 ? `[${list.join(", ")}]` : (list[0] ?? "");
}
