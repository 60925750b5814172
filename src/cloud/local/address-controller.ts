import { type Service, services } from "#/api/core/v1.ts";
import { type Controller, controller } from "#/controller/controller.ts";
import type { LocalBalancers } from "./local-balancers.ts";
import { addressesOf } from "./plan-addresses.ts";
import { setServiceCondition } from "./service-condition.ts";

/** The condition of a Service that gets no address. */
const conditionType = "k8ts.dev/Address";
/** Interval (ms) of further looks: the deletion of another Service may free an address. */
const retryMs = 10_000;

/** Says in a condition why a Service has no address; the service controller says it by an event. */
export const addressController = (balancers: LocalBalancers): Controller =>
  controller<Service>({
    name: "service-address-controller",
    for: services,
    workers: 1,
    async reconcile(service, context) {
      const problem = balancers.problemOf(service);
      const wanted =
        problem === undefined
          ? undefined
          : { status: "False" as const, reason: "NoAddress", message: problem };
      await setServiceCondition(service, [conditionType, wanted], context);
      const waits = balancers.balances(service) && addressesOf(service).length === 0;
      return waits ? { afterMs: retryMs } : undefined;
    },
  });
