/** Upstream: k8s.io/kubectl/pkg/describe/describe.go (genericDescriber). */
import { goValue } from "#/machinery/patch/go-value.ts";
import type { Describing } from "./describers.ts";
import type { Description } from "./description.ts";

const skipped = new Set([
  ".metadata.managedFields",
  ".metadata.name",
  ".metadata.namespace",
  ".metadata.labels",
  ".metadata.annotations",
]);

/** Objects of which nothing is known: all their fields. */
export function describeGeneric(to: Description, { object }: Describing): void {
  to.head(object.metadata);
  content(to, 0, object, "");
}

function content(to: Description, level: number, object: object, path: string): void {
  for (const [field, value] of Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const inner = `${path}.${field}`;
    if (skipped.has(inner)) continue;
    const label = labelFor(field);
    if (Array.isArray(value)) {
      to.write(level, `${label}:\n`);
      for (const item of value) {
        if (typeof item === "object" && item !== null && !Array.isArray(item))
          content(to, level + 1, item, inner);
        else to.write(level + 1, `${goValue(item)}\n`);
      }
    } else if (typeof value === "object" && value !== null) {
      to.write(level, `${label}:\n`);
      content(to, level + 1, value as object, inner);
    } else to.field(level, label, goValue(value));
  }
}

const acronyms = new Set(["API", "URL", "UID", "GUID"]);

/** A field's name in words: podCIDR is Pod CIDR. */
function labelFor(field: string): string {
  if (/[^\p{L}-]/u.test(field)) return field;
  const parts = field.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|-+/gu) ?? [field];
  return parts
    .map((part) => {
      if (acronyms.has(part.toUpperCase())) return part.toUpperCase();
      return part === part.toLowerCase() ? part.charAt(0).toUpperCase() + part.slice(1) : part;
    })
    .join(" ");
}
