import type { StatusCause } from "#/api/meta/v1.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { compareText } from "#/std/text/compare-text.ts";
import type { ManagerIdentity, Managers } from "./managers.ts";
import type { Conflicts } from "./ownership.ts";
import { type PathElement, printElement } from "./path-element.ts";

/**
 * Fields that an applied configuration would change although other managers own them: the content
 * of the 409 response.
 */
export interface ApplyConflict {
  readonly message: string;
  readonly causes: StatusCause[];
}

/**
 * Describes conflicts.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/conflict.go.
 */
export function describeConflicts(conflicts: Conflicts, managers: Managers): ApplyConflict {
  const ids = [...conflicts.keys()].sort(compareText);
  const parts = ids.map((id) => ({
    manager: printManager(managers.get(id)),
    fields: [...(conflicts.get(id)?.paths() ?? [])].map(printPath),
  }));
  const causes = parts.flatMap(({ manager, fields }) =>
    fields.map((field) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${manager}`,
      field,
    })),
  );
  const [first] = causes;
  if (causes.length === 1 && first) {
    return { message: `Apply failed with 1 conflict: ${first.message}: ${first.field}`, causes };
  }
  const lines = parts.flatMap(({ manager, fields }) => [
    `conflicts with ${manager}:`,
    ...fields.map((field) => `- ${field}`),
  ]);
  return { message: `Apply failed with ${causes.length} conflicts: ${lines.join("\n")}`, causes };
}

/** A path as messages show it: .spec.containers[name="a"].image. */
const printPath = (path: readonly PathElement[]): string => path.map(printElement).join("");

function printManager(manager: ManagerIdentity | undefined): string {
  if (!manager) return goQuote("");
  const { name, operation, apiVersion, subresource } = manager;
  const part = subresource === "" ? "" : ` with subresource ${goQuote(subresource)}`;
  return goQuote(name) + part + (operation === "Update" ? ` using ${apiVersion}` : "");
}
