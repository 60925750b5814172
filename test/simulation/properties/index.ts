import type { ApiRequest } from "#/client/transport/transport.ts";
import type { Change, World } from "../world.ts";
import { AvailabilityIsKept } from "./availability.ts";
import { bindingsFit, unknownBinding } from "./bindings.ts";
import { EvictionsKeepBudgets } from "./budgets.ts";
import { GarbageIsGarbage } from "./garbage.ts";
import { cronJobsForbid, jobLimits } from "./jobs.ts";
import type { Property } from "./property.ts";
import { QuotaIsKept } from "./quotas.ts";
import { recreateWaits, surgeIsKept } from "./rollouts.ts";
import { ordinalsInOrder } from "./stateful-sets.ts";

const collector = "garbage-collector-controller";

/** All properties that must always hold. */
export class Properties {
  readonly availability = new AvailabilityIsKept();
  readonly budgets = new EvictionsKeepBudgets();
  readonly #garbage = new GarbageIsGarbage();
  readonly #all: readonly Property[] = [
    new QuotaIsKept(),
    jobLimits(),
    cronJobsForbid,
    ordinalsInOrder(),
    surgeIsKept,
    recreateWaits,
    this.availability,
    this.budgets,
    bindingsFit,
    this.#garbage,
  ];
  /** The first violation. */
  violation: string | undefined;

  check(change: Change, world: World): void {
    for (const property of this.#all) {
      const problem = property.check(change, world);
      if (problem) this.violation ??= `${property.name}: ${problem}`;
    }
  }

  /** Records a request of a component until it is answered. */
  observe(component: string, { method, path }: ApiRequest): Disposable {
    if (component === collector && method === "DELETE") return this.#garbage.deleting(path);
    return { [Symbol.dispose]: () => undefined };
  }

  /** Records that a component can't know whether its request was carried out. */
  onUnknown(component: string, { path, body }: ApiRequest, world: World): void {
    if (component !== "kube-scheduler" || !path.endsWith("/binding")) return;
    const { target } = body as { target?: { name?: string } };
    world.note(unknownBinding(target?.name ?? ""), world.clock.monotonicMs());
  }
}
