import type { LoadBalancerIngress, Service } from "#/api/core/v1.ts";
import { type Ingress, ingresses } from "#/api/networking/v1.ts";
import type { Client } from "#/client/client.ts";
import type { EventRecorder } from "#/client/events/event-recorder.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { forEachParallel } from "#/std/async/for-each-parallel.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { GatewayState } from "./gateway-state.ts";
import type { Problem } from "./ingress/plan-ingresses.ts";
import { ingressProblems } from "./ingress-problems.ts";
import { ReportLoop } from "./report-loop.ts";

interface ReporterOptions {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly state: GatewayState;
  /** The Service that leads to the gateway, as namespace/name. */
  readonly ownService: string;
}

/** Limit of status updates at once (count). */
const maxWrites = 8;

/** Writes the addresses of Ingresses into their status, and their deficiencies into events. */
export class IngressReporter {
  readonly #options: ReporterOptions;
  /** The reported problems by the UID of the Ingress. */
  #reported = new Map<string, ReadonlySet<string>>();
  readonly #loop: ReportLoop;

  constructor(options: ReporterOptions) {
    this.#options = options;
    const { clock, log } = options;
    const report = async (): Promise<void> => {
      this.#recordProblems();
      await this.#writeAddresses();
    };
    this.#loop = new ReportLoop({ clock, log, subject: "Ingresses", report });
  }

  /** Reports soon, as there is another plan. */
  get changed(): () => void {
    return this.#loop.changed;
  }

  /** Reports until the signal aborts. */
  run(signal: AbortSignal): Promise<void> {
    return this.#loop.run(signal);
  }

  async #writeAddresses(): Promise<void> {
    const { client, state, ownService } = this.#options;
    const wanted = addressesOf(state.service(ownService));
    const outdated = state.plan.own.filter(
      ({ status }) => !deepEqual(status?.loadBalancer?.ingress ?? [], wanted),
    );
    const status = { loadBalancer: { ingress: wanted.length > 0 ? wanted : null } };
    const failures: unknown[] = [];
    const write = async ({ metadata: { namespace, name = "" } }: Ingress): Promise<void> => {
      await client.patchStatus(ingresses, { namespace, name }, { status }).catch(ignoreNotFound);
    };
    await forEachParallel(outdated, maxWrites, write, (error) => void failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  /** A problem is reported once, until it is solved or the Ingress is deleted. */
  #recordProblems(): void {
    const { state, recorder } = this.#options;
    const found = Map.groupBy(
      [...state.plan.problems, ...ingressProblems(state.plan.own, state)],
      ({ ingress }) => ingress.metadata.uid ?? "",
    );
    const reported = new Map<string, ReadonlySet<string>>();
    for (const [uid, problems] of found) {
      const before = this.#reported.get(uid);
      for (const { ingress, reason, message } of problems) {
        if (!before?.has(message)) recorder.event(named(ingress), "Warning", reason, message);
      }
      reported.set(uid, new Set(problems.map(({ message }: Problem) => message)));
    }
    this.#reported = reported;
  }
}

const named = (ingress: Ingress): object => ({
  ...ingress,
  kind: "Ingress",
  apiVersion: "networking.k8s.io/v1",
});

/** The addresses of a load balancer, as an Ingress has them. */
const addressesOf = (
  service: Service | undefined,
): Pick<LoadBalancerIngress, "ip" | "hostname">[] =>
  (service?.status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ({
    ...(ip ? { ip } : {}),
    ...(hostname ? { hostname } : {}),
  }));
