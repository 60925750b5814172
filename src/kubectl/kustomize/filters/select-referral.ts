/** Upstream: sigs.k8s.io/kustomize/api/filters/nameref. */
import { KustomizeError } from "../failure/kustomize-error.ts";
import type { Resource } from "../resource/resource.ts";
import {
  effectiveNamespace,
  type Gvk,
  idText,
  isSelected,
  type ResourceId,
} from "../resource/resource-id.ts";
import { isClusterScoped } from "../resource/scope.ts";

/** A field that refers to another object by name. */
export interface Reference {
  readonly referrer: Resource;
  /** The kind of the referenced object. */
  readonly target: Gvk;
  readonly path: string;
  readonly candidates: Candidates;
  readonly isReachable: (candidate: Candidate) => boolean;
}

/** A candidate for a reference, with its current and previous ids; they don't change while names are updated. */
export interface Candidate {
  readonly resource: Resource;
  readonly id: ResourceId;
  readonly originalId: ResourceId;
  readonly previousIds: readonly ResourceId[];
}

interface Candidates {
  readonly all: readonly Candidate[];
  readonly byPreviousName: ReadonlyMap<string, readonly Candidate[]>;
}

export function indexCandidates(resources: readonly Resource[]): Candidates {
  const all = resources.map((resource): Candidate => {
    const { id, previousIds } = resource;
    return { resource, id, previousIds, originalId: previousIds[0] ?? id };
  });
  const byPreviousName = new Map<string, Candidate[]>();
  for (const candidate of all) {
    for (const name of new Set(candidate.previousIds.map((id) => id.name))) {
      const named = byPreviousName.get(name);
      if (named) named.push(candidate);
      else byPreviousName.set(name, [candidate]);
    }
  }
  return { all, byPreviousName };
}

/** The object that a name refers to; undefined if there is none. Throws if it is ambiguous. */
export function selectReferral(
  name: string,
  reference: Reference,
  identity: (resource: Resource) => string,
): Resource | undefined {
  const { referrer, target } = reference;
  const named = reference.candidates.byPreviousName.get(name);
  if (!named) return undefined;
  const role = roleOf(reference);
  let found = named
    .filter(
      (candidate) =>
        candidate.previousIds.some((id) => isSelected(id, target)) &&
        (role === undefined || candidate.previousIds.some((id) => isSelected(id, role))) &&
        reference.isReachable(candidate) &&
        isInReach(candidate, referrer),
    )
    .map(({ resource }) => resource);
  if (found.length > 1) {
    found = found.filter((candidate) => sharesAffixes(candidate, referrer, true));
  }
  if (found.length > 1) {
    found = found.filter((candidate) => sharesAffixes(candidate, referrer, false));
  }
  const [first] = found;
  if (!first || found.every((each) => identity(each) === identity(first))) return first;
  const ids = found.map(({ id }) => idText(id)).join(", ");
  throw new KustomizeError(
    `found multiple possible referrals: ${ids}\n${failureDetails(referrer, found)}`,
  );
}

function failureDetails(referrer: Resource, found: readonly Resource[]): string {
  const head = `\n**** Too many possible referral targets to referrer:\n${referrer.toYaml()}\n`;
  const list = found.map(
    (resource, index) => `--- possible referral ${index}:\n${resource.toYaml()}\n`,
  );
  return head + list.join("");
}

/** The kind in the roleRef of a binding. */
function roleOf({ referrer, path }: Reference): Partial<Gvk> | undefined {
  if (!path.endsWith("roleRef/name")) return undefined;
  const roleRef = referrer.node.field("roleRef");
  const group = roleRef?.field("apiGroup")?.value;
  const kind = roleRef?.field("kind")?.value;
  return group === undefined || kind === undefined ? undefined : { group, kind };
}

function isInReach({ id: other }: Candidate, referrer: Resource): boolean {
  const own = referrer.id;
  if (isClusterScoped(own) || isClusterScoped(other)) return true;
  return other.kind === "ServiceAccount" || effectiveNamespace(own) === effectiveNamespace(other);
}

/** True if two objects were renamed by the same layers; one that was never renamed may match. */
function sharesAffixes(candidate: Resource, referrer: Resource, allowsNone: boolean): boolean {
  const fits = (own: readonly string[], other: readonly string[]): boolean =>
    (allowsNone && (own.length === 0 || other.length === 0)) || sameEnd(own, other);
  return fits(candidate.prefixes, referrer.prefixes) && fits(candidate.suffixes, referrer.suffixes);
}

/** True if the shorter list is the end of the longer one; an empty list matches only an empty one. */
function sameEnd(left: readonly string[], right: readonly string[]): boolean {
  const length = Math.min(left.length, right.length);
  if (length === 0) return left.length === right.length;
  const [one, other] = [left, right].map((list) => list.slice(list.length - length));
  return String(one) === String(other);
}
