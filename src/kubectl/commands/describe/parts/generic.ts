/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go (genericDescriber). */
import { goValue } from "#/machinery/patch/values/go-value.ts";
import { isJsonObject } from "#/machinery/patch/values/json-value.ts";
import type { Describing } from "./describer.ts";
import type { Description } from "./description.ts";

const skipped = new Set([
  ".metadata.managedFields",
  ".metadata.name",
  ".metadata.namespace",
  ".metadata.labels",
  ".metadata.annotations",
]);

/** Describes objects of unknown kinds: all their fields. */
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
        if (isJsonObject(item)) content(to, level + 1, item, inner);
        else to.write(level + 1, `${goValue(item)}\n`);
      }
    } else if (isJsonObject(value)) {
      to.write(level, `${label}:\n`);
      content(to, level + 1, value, inner);
    } else to.field(level, label, goValue(value));
  }
}

const acronyms = new Set(["API", "URL", "UID", "GUID"]);

/** A field's name in words: podCIDRs is Pod CIDRs. */
function labelFor(field: string): string {
  if (/[^\p{L}-]/u.test(field)) return field;
  return wordsOf(field)
    .map((part) => {
      if (acronyms.has(part.toUpperCase())) return part.toUpperCase();
      return part === part.toLowerCase() ? part.charAt(0).toUpperCase() + part.slice(1) : part;
    })
    .join(" ");
}

/** Splits a name into words; several capitals in a row are one word. */
function wordsOf(field: string): string[] {
  const parts = field.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|-+/gu) ?? [field];
  const words: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    const [part = "", next = ""] = [parts[i], parts[i + 1]];
    const isJoined = /^\p{Lu}{2,}$/u.test(part) && /^\p{Lu}/u.test(next);
    words.push(isJoined ? part + next : part);
    if (isJoined) i++;
  }
  return words;
}
