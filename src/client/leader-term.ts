import type { Lease } from "#/api/coordination/v1.ts";

/**
 * The time during which a candidate holds a lease. The holder's renewals do not end it; a release, another holder, or a
 * lease that was made again do.
 */
export interface LeaderTerm {
  readonly namespace: string;
  readonly name: string;
  /** Only clients that may read the lease know it: others cannot ask for its holder. */
  readonly uid: string;
  readonly holder: string;
  readonly transitions: number;
}

/** The header of a write that is to be done only within a term. API servers of others ignore it. */
export const termHeader = "k8ts-leader-term";

/** The term that a lease records; undefined if it has no holder. */
export function termOf({ metadata, spec = {} }: Lease): LeaderTerm | undefined {
  const { namespace = "", name = "", uid = "" } = metadata ?? {};
  const { holderIdentity: holder = "", leaseTransitions: transitions = 0 } = spec;
  return holder === "" ? undefined : { namespace, name, uid, holder, transitions };
}

/** Whether a lease records this term. */
export function isTermOf(term: LeaderTerm, { metadata, spec }: Lease): boolean {
  return (
    metadata?.uid === term.uid &&
    spec?.holderIdentity === term.holder &&
    (spec.leaseTransitions ?? 0) === term.transitions
  );
}

/** The value of the header. */
export const formatTerm = ({ namespace, name, uid, holder, transitions }: LeaderTerm): string =>
  [namespace, name, uid, transitions, encodeURIComponent(holder)].join(" ");

/** The term in a header; undefined if it is none. */
export function parseTerm(text: string): LeaderTerm | undefined {
  const [namespace, name, uid, transitions, holder, ...rest] = text.split(" ");
  if (!namespace || !name || !uid || !holder || rest.length > 0) return undefined;
  if (!/^\d{1,10}$/.test(transitions ?? "")) return undefined;
  try {
    const identity = decodeURIComponent(holder);
    return { namespace, name, uid, transitions: Number(transitions), holder: identity };
  } catch {
    return undefined;
  }
}
