import { forbidden, isStatusError, type StatusError } from "#/machinery/meta/status-error.ts";
import type { Attributes } from "../../registry/admission.ts";

type Subject = Pick<Attributes, "resource" | "name"> & {
  readonly object?: Attributes["object"];
};

/**
 * Refuses the request: `pods "web" is forbidden: …`.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/errors.go.
 */
export function forbid(attributes: Subject, detail: string): StatusError {
  return forbidden(attributes.resource, subjectName(attributes), detail);
}

/** The same with an error as reason; one that is a refusal already is returned unchanged. */
export function forbidFor(attributes: Subject, error: Error): StatusError {
  return isStatusError(error, "Forbidden") ? error : forbid(attributes, error.message);
}

/** The name of an object, or its generateName if it has none yet. */
function subjectName({ name, object }: Subject): string {
  return name || object?.metadata?.name || object?.metadata?.generateName || "Unknown";
}

/** Several messages as one, each text once. Upstream: staging/src/k8s.io/apimachinery/pkg/util/errors/errors.go. */
export function joinMessages(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}
