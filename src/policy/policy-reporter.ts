import type { EventRecorder } from "#/client/events/event-recorder.ts";
import { type Policy, policyName } from "./model/policy.ts";
import type { MemberIndex } from "./plan/member-index.ts";

/** Age (ms) at which a policy that selects no Pod is reported: many are created before their Pods. */
const graceMs = 30_000;

interface Seen {
  /** The policy that was looked at: it is another one after each change. */
  readonly policy: Policy;
  readonly sinceMs: number;
  isReported: boolean;
}

interface ReporterOptions {
  readonly index: MemberIndex;
  readonly recorder: EventRecorder;
}

/** Reports what is wrong with policies, by events about them. */
export class PolicyReporter {
  readonly #options: ReporterOptions;
  /** Policies with problems or without Pods, by name. */
  #seen = new Map<string, Seen>();

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  look(policies: readonly Policy[], nowMs: number): void {
    const seen = new Map<string, Seen>();
    for (const policy of policies) {
      const selectsNone = this.#options.index.membersOf(policy.subject.key).length === 0;
      if (!selectsNone && policy.problems.length === 0) continue;
      const name = policyName(policy.source);
      const before = this.#seen.get(name);
      const one =
        before?.policy === policy ? before : { policy, sinceMs: nowMs, isReported: false };
      seen.set(name, one);
      if (one.isReported || nowMs - one.sinceMs < graceMs) continue;
      one.isReported = true;
      this.#report(policy, selectsNone);
    }
    this.#seen = seen;
  }

  #report({ source, problems }: Policy, selectsNone: boolean): void {
    const { recorder } = this.#options;
    for (const problem of problems) {
      const message = `Not enforced as it is written: ${problem}`;
      recorder.event(source, "Warning", "PolicyNotSupported", message, { action: "Enforce" });
    }
    if (selectsNone) {
      const message = "It selects no Pod of the cluster, and has no effect";
      recorder.event(source, "Warning", "NoPodsSelected", message, { action: "Enforce" });
    }
  }
}
