import { nodes, services } from "#/api/core/v1.ts";
import type { Controller, ControllerContext } from "#/controller/controller.ts";
import { periodic } from "#/controller/periodic.ts";
import type { CloudOptions } from "../base/cloud-options.ts";
import { type PlannedObject, planAll } from "./plan-all.ts";

type Context = ControllerContext<CloudOptions>;

/** The name in --controllers; it is off by default, because each check reads the cloud. */
export const driftControllerName = "cloud-drift-controller";

/** Limit of the operations that a report names: more are counted. */
const maxNamed = 5;

/**
 * Reports what differs in the cloud from what the controllers have made, because another program or a person has changed
 * it. It changes nothing: load balancers are corrected when their Service or the nodes change, as upstream does.
 */
export const driftController: Controller<CloudOptions> = {
  name: driftControllerName,
  async run(context) {
    const report = new DriftReport(context);
    await periodic<CloudOptions>({
      name: driftControllerName,
      reads: [services, nodes],
      everyMs: ({ flags }) => flags["drift-check-period"],
      run: () => report.check(),
    }).run(context);
  },
};

class DriftReport {
  readonly #context: Context;
  readonly #drifted;
  /** Plans of the check before, by object: only what two checks find alike is drift, and not work in progress. */
  #before = new Map<string, string>();
  readonly #reported = new Map<string, string>();

  constructor(context: Context) {
    this.#context = context;
    this.#drifted = context.metrics?.gauge({
      name: "cloud_controller_manager_drifted_objects",
      help: "Number of Services, nodes and sets of routes that differ in the cloud from what was made for them.",
      stability: "ALPHA",
    });
  }

  async check(): Promise<void> {
    const planned = await planAll(this.#context);
    const now = new Map<string, string>();
    for (const one of planned) {
      // What can't be planned now is as it was.
      const plan = one.error ? this.#before.get(one.object) : planOf(one);
      if (plan !== undefined) now.set(one.object, plan);
      if (!one.error && plan !== undefined && this.#before.get(one.object) === plan) {
        this.#report(one, plan);
      }
    }
    this.#before = now;
    for (const object of this.#reported.keys()) {
      if (!now.has(object)) this.#reported.delete(object);
    }
    this.#drifted?.set(this.#reported.size);
  }

  #report({ object, actions, subject }: PlannedObject, plan: string): void {
    const { log, recorder } = this.#context;
    const reported = this.#reported.get(object);
    if (actions.length === 0) {
      if (reported === undefined) return;
      this.#reported.delete(object);
      log.info("is again as it was made", { object });
      return;
    }
    if (reported === plan) return;
    this.#reported.set(object, plan);
    const text = summaryOf(actions.map(({ call }) => call));
    log.warning("differs in the cloud from what was made", { object, actions: text });
    if (subject) {
      const message = `Differs in the cloud from what was made; it would need: ${text}`;
      recorder.event(subject, "Warning", "CloudDrift", message);
    }
  }
}

const planOf = ({ actions }: PlannedObject): string => JSON.stringify(actions);

/** "ec2:AuthorizeSecurityGroupIngress, elbv2:CreateListener (2 times)". */
function summaryOf(calls: readonly string[]): string {
  const counts = [...Map.groupBy(calls, (call) => call)].map(([call, all]) =>
    all.length === 1 ? call : `${call} (${all.length} times)`,
  );
  const more = counts.length > maxNamed ? [`${counts.length - maxNamed} more`] : [];
  return [...counts.slice(0, maxNamed), ...more].join(", ");
}
