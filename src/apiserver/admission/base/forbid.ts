import { forbidden, isStatusError, type StatusError } from "#/machinery/meta/status-error.ts";
import type { Attributes } from "../../registry/admission.ts";

type Subject = Pick<Attributes, "resource" | "name"> & {
  readonly object?: Attributes["object"];
};

/** The request is refused: `pods "web" is forbidden: …`. Upstream: apiserver/pkg/admission/errors.go. */
export function forbid(attributes: Subject, detail: string): StatusError {
  return forbidden(attributes.resource, subjectName(attributes), detail);
}

/** The same with an error for a reason, which stays as it is where it is a refusal already. */
export function forbidFor(attributes: Subject, error: Error): StatusError {
  return isStatusError(error, "Forbidden") ? error : forbid(attributes, error.message);
}

/** An object that is to get its name later is known by what that will begin with. */
function subjectName({ name, object }: Subject): string {
  return name || object?.metadata?.name || object?.metadata?.generateName || "Unknown";
}

/** Several messages as one, each text once. Upstream: apimachinery/pkg/util/errors/errors.go. */
export function joinMessages(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}
