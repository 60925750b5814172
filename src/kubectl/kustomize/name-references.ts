/** Upstream: sigs.k8s.io/kustomize/api/filters/nameref. */
import { CommandError } from "../errors.ts";
import {
  type BuildResource,
  effectiveNamespace,
  idText,
  isClusterScoped,
} from "./build-resource.ts";
import type { NameReferences } from "./default-field-specs.ts";
import { changeFields, isOfKind } from "./field-specs.ts";

/** Makes objects that name others follow the names that those have got. */
export function updateNameReferences(
  resources: readonly BuildResource[],
  references: readonly NameReferences[],
): void {
  const renamed = resources.filter(({ previous }) => previous.length > 0);
  for (const referrer of resources) {
    for (const target of references) {
      for (const spec of target.fieldSpecs) {
        if (!isOfKind(referrer.object, spec)) continue;
        const reference: Reference = { referrer, target, path: spec.path, candidates: renamed };
        changeFields(referrer.object, spec, (value) => updated(value, reference));
      }
    }
  }
}

interface Reference {
  readonly referrer: BuildResource;
  readonly target: NameReferences;
  readonly path: string;
  readonly candidates: readonly BuildResource[];
}

function updated(value: unknown, reference: Reference): unknown {
  if (typeof value === "string") return findReferral(value, reference)?.name ?? value;
  if (Array.isArray(value)) return value.map((item: unknown) => updated(item, reference));
  if (typeof value !== "object" || value === null) return value;
  const map = value as { name?: unknown; namespace?: string };
  if (typeof map.name !== "string") {
    throw new CommandError(
      `updating name reference in '${reference.path}' field of '${idText(reference.referrer.id)}': path config error; no 'name' field in node`,
    );
  }
  const referral = findReferral(map.name, {
    ...reference,
    candidates: inNamespace(map, reference),
  });
  if (!referral) return value;
  const { name, namespace } = referral;
  return { ...map, name, ...(namespace && { namespace }) };
}

function inNamespace(
  { namespace }: { namespace?: string },
  { candidates }: Reference,
): readonly BuildResource[] {
  if (namespace === undefined) return candidates;
  const original = candidates.filter(
    ({ originalId }) => effectiveNamespace(originalId) === namespace,
  );
  return original.length > 0
    ? original
    : candidates.filter(({ id }) => effectiveNamespace(id) === namespace);
}

function findReferral(name: string, reference: Reference): BuildResource | undefined {
  const { referrer, target, path } = reference;
  let found = reference.candidates.filter(
    (candidate) =>
      candidate.previous.some((id) => id.name === name) &&
      candidate.previous.some((id) => isSelected(id, target)) &&
      isRoleMeant(candidate, referrer, path) &&
      isReachable(candidate, referrer),
  );
  if (found.length > 1) found = found.filter((candidate) => sharesNaming(candidate, referrer));
  if (found.length > 1) {
    const exact = found.filter(
      (candidate) =>
        String(candidate.prefixes) === String(referrer.prefixes) &&
        String(candidate.suffixes) === String(referrer.suffixes),
    );
    if (exact.length > 0) found = exact;
  }
  const [first] = found;
  if (found.every((each) => each.name === first?.name)) return first;
  throw new CommandError(
    `found multiple possible referrals: ${found.map(({ id }) => idText(id)).join(", ")}`,
  );
}

function isSelected(
  id: { group: string; version: string; kind: string },
  { group = "", version = "", kind = "" }: NameReferences,
): boolean {
  return (
    (group === "" || group === id.group) &&
    (version === "" || version === id.version) &&
    (kind === "" || kind === id.kind)
  );
}

function isRoleMeant(candidate: BuildResource, referrer: BuildResource, path: string): boolean {
  if (!path.endsWith("roleRef/name")) return true;
  const { apiGroup = "", kind = "" } = (referrer.object["roleRef"] ?? {}) as {
    apiGroup?: string;
    kind?: string;
  };
  return candidate.previous.some((id) => id.kind === kind && id.group === apiGroup);
}

function isReachable(candidate: BuildResource, referrer: BuildResource): boolean {
  if (isClusterScoped(referrer.id) || isClusterScoped(candidate.id)) return true;
  if (candidate.object.kind === "ServiceAccount") return true;
  return effectiveNamespace(candidate.id) === effectiveNamespace(referrer.id);
}

/** Objects of one layer have got the same prefixes and suffixes. */
function sharesNaming(candidate: BuildResource, referrer: BuildResource): boolean {
  const fits = (own: readonly string[], other: readonly string[]): boolean => {
    const [short, long] = own.length < other.length ? [own, other] : [other, own];
    return short.every((text, index) => text === long[index]);
  };
  return fits(candidate.prefixes, referrer.prefixes) && fits(candidate.suffixes, referrer.suffixes);
}
