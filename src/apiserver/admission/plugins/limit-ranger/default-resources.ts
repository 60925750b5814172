import type { Container, LimitRangeItem, Pod } from "#/api/core/v1.ts";
import { append } from "#/std/base/append.ts";

const annotation = "kubernetes.io/limit-ranger";

type Amounts = Record<string, string>;

/** Sets the default requests and limits of containers, and lists them in an annotation. */
export function applyDefaults(pod: Pod, limits: readonly LimitRangeItem[]): void {
  const requests: Amounts = {};
  const maxima: Amounts = {};
  for (const { type, defaultRequest, default: fallback } of limits) {
    if (type !== "Container") continue;
    Object.assign(requests, defaultRequest);
    Object.assign(maxima, fallback);
  }
  const notes: string[] = [];
  const { containers, initContainers = [] } = pod.spec;
  for (const container of containers) append(notes, fill(container, "container"));
  for (const container of initContainers) append(notes, fill(container, "init container"));
  if (notes.length === 0) return;
  const text = `LimitRanger plugin set: ${notes.join("; ")}`;
  const annotations = { ...pod.metadata?.annotations, [annotation]: text };
  pod.metadata = { ...pod.metadata, annotations };

  function fill(container: Container, noun: string): string[] {
    const set = {
      limit: fillIn(container, "limits", maxima),
      request: fillIn(container, "requests", requests),
    };
    const note = (names: readonly string[], what: string) =>
      names.length > 0 ? [`${names.join(", ")} ${what} for ${noun} ${container.name}`] : [];
    return [...note(set.request, "request"), ...note(set.limit, "limit")];
  }
}

/** Adds missing quantities; returns the names of those added, sorted. */
function fillIn(container: Container, which: "requests" | "limits", defaults: Amounts): string[] {
  const present = container.resources?.[which];
  const missing = Object.keys(defaults)
    .filter((name) => present?.[name] === undefined)
    .sort();
  if (missing.length === 0) return missing;
  const filled: Amounts = { ...present };
  for (const name of missing) filled[name] = defaults[name] ?? "";
  container.resources = { ...container.resources, [which]: filled };
  return missing;
}
