/** Upstream: pkg/controlplane/controller/leaderelection (election.go, leaderelection_controller.go). */
import type { Lease } from "#/api/coordination/v1.ts";
import type { LeaseCandidate } from "#/api/coordination/v1beta1.ts";
import { formatMicroTime, parseTime } from "#/machinery/time/time.ts";

/** Limit of the time for candidates to respond to a ping (ms). */
export const electionMs = 5_000;
/** Limit of the time since a candidate's last renewal (ms); after half of it, it is pinged. */
export const candidateMs = 30 * 60_000;
const leaseSeconds = 5;
const oldestEmulationVersion = "OldestEmulationVersion";

/** The next step of an election. */
type ElectionStep =
  | { readonly type: "wait" }
  /** Ping candidates. */
  | { readonly type: "ask"; readonly candidates: readonly LeaseCandidate[] }
  /** Write the lease with this spec. */
  | { readonly type: "elect"; readonly spec: NonNullable<Lease["spec"]> }
  | { readonly type: "fail"; readonly reason: string };

const waiting: ElectionStep = { type: "wait" };

/** The next step for a lease (undefined if it does not exist) and its candidates. */
export function planElection(
  lease: Lease | undefined,
  all: readonly LeaseCandidate[],
  now: number,
): ElectionStep {
  const candidates = all.filter((candidate) => renewedMs(candidate) + candidateMs >= now);
  if (candidates.length === 0) return waiting;
  const reason = isNeeded(lease, candidates, now);
  if (reason !== true) return reason === false ? waiting : { type: "fail", reason };
  const isSilent = (candidate: LeaseCandidate) => renewedMs(candidate) < pingedMs(candidate);
  const isAsked = (candidate: LeaseCandidate) => pingedMs(candidate) + electionMs > now;
  const unheard = candidates.filter((candidate) => renewedMs(candidate) + electionMs <= now);
  const toAsk = unheard.filter((candidate) => !isAsked(candidate) && !isSilent(candidate));
  if (toAsk.length > 0) return { type: "ask", candidates: toAsk };
  if (candidates.some((candidate) => isAsked(candidate) && isSilent(candidate))) return waiting;
  const heard = candidates.filter((candidate) => !unheard.includes(candidate));
  if (heard.length === 0) return { type: "fail", reason: "no available candidates" };
  return electFrom(heard, lease, now);
}

function electFrom(
  candidates: readonly LeaseCandidate[],
  lease: Lease | undefined,
  now: number,
): ElectionStep {
  const strategy = strategyOf(candidates);
  if ("error" in strategy) return { type: "fail", reason: strategy.error };
  const isOurs = strategy.name === oldestEmulationVersion;
  const holder = isOurs ? (bestOf(candidates)?.metadata.name ?? "") : undefined;
  if (holder === "") return { type: "fail", reason: "could not find suitable electee" };
  const fresh = { leaseDurationSeconds: leaseSeconds, renewTime: formatMicroTime(now) };
  const spec = { ...lease?.spec, strategy: strategy.name };
  if (!lease) {
    return {
      type: "elect",
      spec: { ...spec, ...fresh, ...(holder ? { holderIdentity: holder } : {}) },
    };
  }
  const current = lease.spec?.holderIdentity ?? "";
  if (holder === undefined || holder === current) return { type: "elect", spec };
  if (current !== "" && !isExpired(lease, now)) {
    return { type: "elect", spec: { ...spec, preferredHolder: holder } };
  }
  const { preferredHolder: _preferred, acquireTime: _acquired, ...rest } = spec;
  return { type: "elect", spec: { ...rest, ...fresh, holderIdentity: holder } };
}

/** Whether another candidate should lead; a string with the reason if that is undecided. */
function isNeeded(
  lease: Lease | undefined,
  candidates: readonly LeaseCandidate[],
  now: number,
): boolean | string {
  if (!lease || isExpired(lease, now) || !lease.spec?.holderIdentity) return true;
  if (candidates.some((candidate) => renewedMs(candidate) + candidateMs / 2 < now)) return true;
  const strategy = strategyOf(candidates);
  if ("error" in strategy) return strategy.error;
  if (strategy.name !== oldestEmulationVersion) return false;
  const best = bestOf(candidates);
  return best !== undefined && best.metadata.name !== lease.spec.holderIdentity;
}

/** The strategy of the newest candidates. */
function strategyOf(
  candidates: readonly LeaseCandidate[],
): { readonly name: string } | { readonly error: string } {
  let [best] = candidates;
  if (!best) return { error: "no candidates" };
  for (const candidate of candidates.slice(1)) {
    const order = compareVersions(best.spec.binaryVersion, candidate.spec.binaryVersion);
    if (order < 0) best = candidate;
    else if (order === 0 && candidate.spec.strategy !== best.spec.strategy) {
      const names = `"${best.metadata.name}", "${candidate.metadata.name}"`;
      const strategies = `${best.spec.strategy}, ${candidate.spec.strategy}`;
      return {
        error: `candidates ${names} at same binary version but received differing strategies ${strategies}`,
      };
    }
  }
  return { name: best.spec.strategy ?? "" };
}

/** The candidate with the oldest emulated version, then the oldest binary version, then the oldest creation time. */
function bestOf(candidates: readonly LeaseCandidate[]): LeaseCandidate | undefined {
  const valid = candidates.filter(
    ({ spec }) => versionOf(spec.emulationVersion) && versionOf(spec.binaryVersion),
  );
  return valid.toSorted(
    (a, b) =>
      compareVersions(a.spec.emulationVersion, b.spec.emulationVersion) ||
      compareVersions(a.spec.binaryVersion, b.spec.binaryVersion) ||
      timeOf(a.metadata.creationTimestamp) - timeOf(b.metadata.creationTimestamp),
  )[0];
}

function isExpired({ spec }: Lease, now: number): boolean {
  if (!spec?.renewTime || spec.leaseDurationSeconds === undefined) return true;
  return parseTime(spec.renewTime) + spec.leaseDurationSeconds * 1000 < now;
}

const timeOf = (time: string | undefined): number => (time ? parseTime(time) : 0);
const renewedMs = ({ spec }: LeaseCandidate): number => timeOf(spec.renewTime);
const pingedMs = ({ spec }: LeaseCandidate): number => timeOf(spec.pingTime);

function versionOf(text: string | undefined): readonly number[] | undefined {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(text ?? "");
  return match?.slice(1).map((part) => Number(part ?? 0));
}

function compareVersions(a: string | undefined, b: string | undefined): number {
  const [left = [], right = []] = [versionOf(a), versionOf(b)];
  for (const index of [0, 1, 2]) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
