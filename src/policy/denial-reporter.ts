import type { EventRecorder } from "#/client/events/event-recorder.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import { type DeniedConnection, readDenied } from "./kernel/denied-connections.ts";
import type { PolicyMetrics } from "./metrics.ts";
import { type Policy, policyName } from "./model/policy.ts";
import { findDeniers } from "./plan/find-deniers.ts";
import type { Member, MemberIndex } from "./plan/member-index.ts";

/** Limit of the events about one Pod after one look (count): they name different clients or ports. */
const maxEventsPerPod = 3;

interface ReporterOptions {
  readonly run: RunProgram;
  readonly index: MemberIndex;
  /** The policies that select a Pod. */
  readonly policiesOf: (key: string) => readonly Policy[];
  /** The reference of a Pod of this node; undefined if it is gone. */
  readonly podReference: (key: string) => object | undefined;
  readonly recorder: EventRecorder;
  readonly metrics: PolicyMetrics;
}

/** Reports connections that the kernel has denied: by an event about the Pod whose policies deny them, and as metrics. */
export class DenialReporter {
  readonly #options: ReporterOptions;
  /** Packets of the last look, by connection. */
  #seen = new Map<string, number>();

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    const seen = new Map<string, number>();
    const events = new Map<string, number>();
    for (const denied of await readDenied(this.#options.run)) {
      const { packets, ...connection } = denied;
      const key = JSON.stringify(connection);
      // A counter begins again when its entry has expired, or the table was written as a whole.
      const before = this.#seen.get(key) ?? 0;
      seen.set(key, packets);
      const more = packets >= before ? packets - before : packets;
      if (more > 0) this.#report(denied, more, events);
    }
    this.#seen = seen;
  }

  #report(denied: DeniedConnection, packets: number, events: Map<string, number>): void {
    const { index, policiesOf, recorder, metrics, podReference } = this.#options;
    const { direction, client, server, protocol, port } = denied;
    const [own, peer] = direction === "ingress" ? [server, client] : [client, server];
    const [destination] = index.membersAt(server);
    const attempt = { direction, peer, protocol, port, namedPorts: destination?.ports ?? [] };
    for (const pod of index.membersAt(own)) {
      const reference = podReference(pod.key);
      const deniers = findDeniers(policiesOf(pod.key), attempt, (set, ip) =>
        index.selects(set, ip),
      );
      for (const { source } of deniers) {
        const namespace = source.namespace ?? "";
        metrics.denied.with({ direction, namespace, policy: source.name }).inc(packets);
      }
      const count = (events.get(pod.key) ?? 0) + 1;
      events.set(pod.key, count);
      if (reference === undefined || deniers.length === 0 || count > maxEventsPerPod) continue;
      const message = describe(denied, this.#nameOf(peer), deniers);
      recorder.event(reference, "Warning", "NetworkPolicyDenied", message, { action: "Deny" });
    }
  }

  /** An address, with the Pod that has it. */
  #nameOf(ip: string): string {
    const found = this.#options.index.membersAt(ip).filter(({ isService }) => !isService);
    const [member]: readonly Member[] = found;
    if (!member) return ip;
    const name =
      member.of === "nodes" ? `node ${member.name}` : `${member.namespace}/${member.name}`;
    return `${ip} (${name})`;
  }
}

function describe(
  { direction, protocol, port }: DeniedConnection,
  peer: string,
  deniers: readonly Policy[],
): string {
  const way = direction === "ingress" ? "from" : "to";
  const where =
    direction === "ingress" ? `to ${protocol} port ${port}` : `at ${protocol} port ${port}`;
  const names = deniers.map(({ source }) => policyName(source)).join(", ");
  const why =
    deniers[0]?.tier === "Network"
      ? `no rule of ${names} allows it`
      : `a rule of ${names} denies it`;
  return `Denied a connection ${way} ${peer} ${where}: ${why}`;
}
